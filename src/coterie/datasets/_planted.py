"""Ensembles with a planted partition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._seeds import seed_sequence
from coterie._typing import LABEL_DTYPE, NOT_ASSIGNED, Seed
from coterie.ensemble import Ensemble


@dataclass(frozen=True, eq=False)
class PlantedEnsemble:
    """An ensemble and the partition that its members are noisy copies of.

    Attributes
    ----------
    ensemble : Ensemble
        The members.
    truth : (N,) int32 array
        The partition.

    Examples
    --------
    >>> from coterie.datasets import make_planted_ensemble
    >>> planted = make_planted_ensemble(60, 5, 3, random_state=0)
    >>> planted.ensemble.n_members, planted.truth.shape
    (3, (60,))
    """

    ensemble: Ensemble
    truth: np.ndarray  # (N,) int32


def make_planted_ensemble(
    n_samples: int = 300,
    n_clusters: int = 4,
    n_members: int = 20,
    *,
    split: int = 2,
    noise: float = 0.1,
    missing: float = 0.0,
    random_state: Seed = None,
) -> PlantedEnsemble:
    """Make members that split a planted partition at random and make errors.

    Parameters
    ----------
    n_samples : int, default=300
    n_clusters : int, default=4
    n_members : int, default=20
        Sizes of the ensemble.
    split : int, default=2
        Each member cuts each planted cluster into up to this many pieces.
    noise : float, default=0.1
        Share of each member's labels that are replaced by random ones.
    missing : float, default=0.0
        Share of missing labels; every sample keeps at least one label.
    random_state : int, SeedSequence, Generator, RandomState or None, default=None

    Examples
    --------
    >>> from coterie.datasets import make_planted_ensemble
    >>> make_planted_ensemble(100, n_clusters=3, n_members=10, random_state=0).ensemble
    Ensemble of 10 members on 100 samples: ...
    """
    rng = np.random.default_rng(seed_sequence(random_state))
    truth = rng.permutation(np.arange(n_samples) % n_clusters).astype(LABEL_DTYPE)
    labels = np.empty((n_samples, n_members), dtype=LABEL_DTYPE)
    for j in range(n_members):
        pieces = rng.integers(1, split, size=n_clusters, endpoint=True)
        piece = (rng.random(n_samples) * pieces[truth]).astype(LABEL_DTYPE)
        member = truth * split + piece
        wrong = rng.random(n_samples) < noise
        member[wrong] = rng.integers(0, n_clusters * split, size=int(wrong.sum()))
        labels[:, j] = member
    taken = rng.random(labels.shape) < missing
    taken[np.arange(n_samples), rng.integers(n_members, size=n_samples)] = False
    labels[taken] = NOT_ASSIGNED
    return PlantedEnsemble(Ensemble(list(labels.T)), truth)
