"""The three toy examples of the WOEC paper."""

from __future__ import annotations

import numpy as np

from coterie._docs import fill_doc
from coterie._seeds import seed_sequence
from coterie._typing import LABEL_DTYPE, Seed


@fill_doc
def make_toy1(
    n_per_class: int = 150, *, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make three touching round Gaussian classes in the plane.

    Covariance 10 I, means (-10, 10), (10, 10) and (0, 0) [1]_.

    Parameters
    ----------
    n_per_class : int, default=150
        Samples of each class.
    random_state : int, SeedSequence, Generator, RandomState or None, default=None
        Makes the data reproducible.

    Returns
    -------
    X : (3 * n_per_class, 2) array
    y : (3 * n_per_class,) int32 array

    References
    ----------
    %(paper:ren2017woec)s

    Examples
    --------
    >>> from coterie.datasets import make_toy1
    >>> X, y = make_toy1(random_state=0)
    >>> X.shape, int(y.max())
    ((450, 2), 2)
    """
    return _gaussian([(-10, 10), (10, 10), (0, 0)], 10.0, n_per_class, random_state)


@fill_doc
def make_toy2(
    n_per_class: int = 300, *, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make three discs in the plane; the lower one is larger and sparser.

    Uniform in circles of radius 3 around (-4, 6) and (4, 6), and of radius 4 around
    (0, 0) [1]_.

    Parameters
    ----------
    n_per_class : int, default=300
        Samples of each class.
    random_state : int, SeedSequence, Generator, RandomState or None, default=None
        Makes the data reproducible.

    Returns
    -------
    X : (3 * n_per_class, 2) array
    y : (3 * n_per_class,) int32 array

    References
    ----------
    %(paper:ren2017woec)s

    Examples
    --------
    >>> from coterie.datasets import make_toy2
    >>> X, y = make_toy2(random_state=0)
    >>> X.shape, int(y.max())
    ((900, 2), 2)
    """
    rng = np.random.default_rng(seed_sequence(random_state))
    centers = np.repeat([(-4.0, 6.0), (4.0, 6.0), (0.0, 0.0)], n_per_class, axis=0)
    reach = np.repeat([3.0, 3.0, 4.0], n_per_class)
    radius = reach * np.sqrt(rng.random(reach.size))  # uniform in area
    angle = rng.uniform(0.0, 2.0 * np.pi, reach.size)
    X = centers + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X, _classes(3, n_per_class)


@fill_doc
def make_toy3(
    n_per_class: int = 300, *, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make five Gaussian classes in the plane, in a ring.

    Covariance 5 I, means (-5.29, 0), (-8.559, 10.062), (0, 16.281), (8.559, 10.062)
    and (5.29, 0) [1]_.

    Parameters
    ----------
    n_per_class : int, default=300
        Samples of each class.
    random_state : int, SeedSequence, Generator, RandomState or None, default=None
        Makes the data reproducible.

    Returns
    -------
    X : (5 * n_per_class, 2) array
    y : (5 * n_per_class,) int32 array

    References
    ----------
    %(paper:ren2017woec)s

    Examples
    --------
    >>> from coterie.datasets import make_toy3
    >>> X, y = make_toy3(random_state=0)
    >>> X.shape, int(y.max())
    ((1500, 2), 4)
    """
    means = [(-5.29, 0), (-8.559, 10.062), (0, 16.281), (8.559, 10.062), (5.29, 0)]
    return _gaussian(means, 5.0, n_per_class, random_state)


def _gaussian(
    means: list, variance: float, n_per_class: int, random_state: Seed
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed_sequence(random_state))
    centers = np.repeat(np.asarray(means, dtype=float), n_per_class, axis=0)
    X = rng.normal(centers, np.sqrt(variance))
    return X, _classes(len(means), n_per_class)


def _classes(n_classes: int, n_per_class: int) -> np.ndarray:
    return np.repeat(np.arange(n_classes, dtype=LABEL_DTYPE), n_per_class)
