"""Combining existing labels."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from coterie._catalog import METHODS, find
from coterie._typing import Seed
from coterie.choice._auto import AUTO
from coterie.consensus import ConsensusResult
from coterie.consensus._base import labels_of, quiet
from coterie.consensus._misled import warn_of_weights
from coterie.ensemble import Ensemble
from coterie.ensemble._groups import has_several_kinds
from coterie.exceptions import FewerClustersWarning
from coterie.metrics._ensemble import agreement_with_ensemble
from coterie.systems._defaults import default_consensus, weighter_for


@overload
def combine(
    labels: Any,
    n_clusters: int | str,
    consensus: Any = ...,
    *,
    weighter: Any = ...,
    weights: Any = ...,
    X: Any = ...,
    random_state: Seed = ...,
    return_result: Literal[False] = ...,
) -> np.ndarray: ...


@overload
def combine(
    labels: Any,
    n_clusters: int | str,
    consensus: Any = ...,
    *,
    weighter: Any = ...,
    weights: Any = ...,
    X: Any = ...,
    random_state: Seed = ...,
    return_result: Literal[True],
) -> ConsensusResult: ...


@overload
def combine(
    labels: Any,
    n_clusters: int | str,
    consensus: Any = ...,
    *,
    weighter: Any = ...,
    weights: Any = ...,
    X: Any = ...,
    random_state: Seed = ...,
    return_result: bool,
) -> np.ndarray | ConsensusResult: ...


def combine(
    labels: Any,
    n_clusters: int | str,
    consensus: Any = None,
    *,
    weighter: Any = "auto",
    weights: Any = None,
    X: Any = None,
    random_state: Seed = None,
    return_result: bool = False,
) -> np.ndarray | ConsensusResult:
    """Combine many clusterings of the same samples into one.

    Parameters
    ----------
    labels : Ensemble, list, dict, frame or array
        The members: a list of label vectors or of fitted clusterers, a dict of label
        vectors by name, a pandas or polars frame with a member in each column, or an
        (n_samples, n_members) array, with no more members than samples. Labels may be
        of any hashable type; -1, NaN, None and masked entries are missing labels.
    n_clusters : int or "auto"
        Number of clusters. The result may have fewer, with a FewerClustersWarning, but
        never more. "auto" takes the number that the members support best.
    consensus : consensus function, its name, or None, default=None
        ``coterie methods`` lists the names; None is Council for members of
        several kinds, otherwise LWEA for up to 20,000 samples and LWGP beyond.
    weighter : weighter, its name, "auto" or None, default="auto"
        Computes the weights of members and clusters; "auto" is the weighter of the
        consensus function's own paper, None means no weights.
    weights : Weights or (n_members,) array, default=None
        Your own weights, in place of a weighter.
    X : array, default=None
        The data, for methods that use them.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Makes the result reproducible.
    return_result : bool, default=False
        Whether to return the ConsensusResult (with confidence and by-products) instead
        of the labels alone.

    Returns
    -------
    (n_samples,) int32 array, or ConsensusResult

    Examples
    --------
    >>> import coterie
    >>> labels = [["a", "a", "b", "b"], [0, 0, 1, 2], [0, 1, 2, None]]
    >>> coterie.combine(labels, n_clusters=2, consensus="lwea")
    array([0, 0, 1, 1], dtype=int32)
    """
    ensemble = several_members(labels, "combine")
    function = _function(consensus, ensemble)
    if weights is None:
        chosen = weighter_for(weighter, function)
        weights = None if chosen is None else chosen.weigh(ensemble, X=X)
    options = {"weights": weights, "X": X, "seed": random_state}
    if n_clusters == AUTO:
        result = best_cut(ensemble, function, **options)
    elif return_result:
        result = function.combine(ensemble, n_clusters, **options)
    else:
        return labels_of(function, ensemble, n_clusters, **options)
    return result if return_result else result.labels


def several_members(labels: Any, who: str) -> Ensemble:
    """Return the labels as an ensemble, or raise if there is nothing to combine."""
    ensemble = Ensemble(labels)
    if ensemble.n_members == 1:
        raise ValueError(
            f"{who}: one labeling is not an ensemble, so there is nothing to combine. "
            "Pass several labelings as a list, a dict, a frame or an (n_samples, "
            "n_members) array; EnsembleClustering generates them from data."
        )
    return ensemble


def _function(consensus: Any, ensemble: Ensemble) -> Any:
    if consensus is None:
        consensus = default_consensus(ensemble.n_samples, has_several_kinds(ensemble))
    if isinstance(consensus, str):
        return find(consensus, METHODS).load()()
    if not hasattr(consensus, "combine"):
        raise TypeError(
            "combine expects consensus as a name or a consensus function, got "
            f"{consensus!r}. `coterie methods` lists the names."
        )
    return consensus


def best_cut(ensemble: Ensemble, consensus: Any, **options: Any) -> ConsensusResult:
    """Return the consensus, over all k, that agrees best with the members.

    Tries every k from the smallest to the largest number of clusters of a member; the
    mean NMI with the members decides, the objective of Strehl and Ghosh. ``details``
    has ``k_tried`` and ``mean_nmi``.

    Parameters
    ----------
    ensemble : Ensemble
    consensus : consensus function
    **options : weights, X, seed
    """
    sizes = ensemble.n_clusters_per_member
    tried = np.arange(sizes.min(), sizes.max() + 1)
    results = []
    silent = quiet(consensus)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        for k in tried:
            results.append(silent.combine(ensemble, int(k), **options))
    nmi = np.array([agreement_with_ensemble(r.labels, ensemble) for r in results])
    best = results[int(nmi.argmax())]
    warn_of_weights(consensus, best)
    return replace(best, details={**best.details, "k_tried": tried, "mean_nmi": nmi})
