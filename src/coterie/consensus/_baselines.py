"""Baselines of ten lines, which all other methods must beat.

They deliberately use plain scipy and scikit-learn, so a comparison with them is a
comparison with what users would write themselves.
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._memory import check_memory
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task


class OneHotLinkage(BaseConsensus):
    """Ten-line baseline: one-hot labels, co-association, scipy's average linkage.

    Notes
    -----
    Forms a dense (n_samples, n_samples) matrix in float64; :class:`EAC` gives the same
    result in less time and memory. A missing label counts as "not together".

    Examples
    --------
    >>> from coterie.consensus import OneHotLinkage
    >>> OneHotLinkage().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    kind = "baseline"
    name = "onehot-linkage"
    summary = "ten lines: one-hot, co-association, scipy's average linkage"
    cost = "time N^2 M, memory N^2"
    pair_bytes: ClassVar[int] = 24

    def _combine(self, task: Task) -> ConsensusResult:
        from scipy.cluster.hierarchy import average, cut_tree
        from scipy.spatial.distance import squareform

        ensemble, N = task.ensemble, task.ensemble.n_samples
        what = f"OneHotLinkage: the dense co-association of {N:,} samples"
        check_memory(12 * N * N, what, None, "Use EAC, LWEA or HBGF.")
        B = ensemble.incidence()
        S = (B @ B.T).toarray() / ensemble.n_members
        np.fill_diagonal(S, 1.0)
        Z = average(squareform(1.0 - S, checks=False))
        return ConsensusResult(cut_tree(Z, [task.n_clusters]).ravel())


class _SklearnKMeans(BaseConsensus):
    """scikit-learn's KMeans on points that a subclass makes from the ensemble."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_init: int = 10) -> None:
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning

        points = self._points(task)
        seed = int(task.rng.integers(2**31 - 1))
        model: Any = KMeans(task.n_clusters, random_state=seed)
        model.set_params(n_init=self.n_init)
        with warnings.catch_warnings():  # fewer distinct rows: we issue our own warning
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(points)
        return ConsensusResult(
            model.labels_, objective=float(model.inertia_), n_iter=model.n_iter_
        )

    def _points(self, task: Task) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must implement _points.")


class OneHotKMeans(_SklearnKMeans):
    """Ten-line baseline: scikit-learn's KMeans on the one-hot labels.

    Parameters
    ----------
    n_init : int, default=10
        Starts of k-means.

    Notes
    -----
    :class:`KCC` minimises the same objective without forming the one-hot matrix.

    Examples
    --------
    >>> from coterie.consensus import OneHotKMeans
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> OneHotKMeans().combine(ensemble, 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    kind = "baseline"
    name = "onehot-kmeans"
    summary = "ten lines: one-hot, scikit-learn's KMeans"
    cost = "time N M k, memory N M + C k"

    def _points(self, task: Task) -> Any:
        return task.ensemble.incidence()


class BipartiteSVD(_SklearnKMeans):
    """Ten-line baseline: SVD of the normalised incidence, then scikit-learn's KMeans.

    Parameters
    ----------
    n_init : int, default=10
        Starts of k-means.

    Notes
    -----
    :class:`HBGF` is the same idea with unit rows, at lower cost.

    Examples
    --------
    >>> from coterie.consensus import BipartiteSVD
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> BipartiteSVD().combine(ensemble, 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    kind = "baseline"
    name = "bipartite-svd"
    summary = "ten lines: SVD of the normalised one-hot, scikit-learn's KMeans"
    cost = "time N M k, memory N M"

    def _points(self, task: Task) -> Any:
        from sklearn.utils.extmath import randomized_svd

        B = task.ensemble.incidence()
        A = B / np.sqrt(B.sum(axis=1))[:, None] / np.sqrt(B.sum(axis=0))[None, :]
        seed = int(task.rng.integers(2**31 - 1))
        k = min(task.n_clusters, *B.shape)
        return randomized_svd(A.tocsr(), k, random_state=seed)[0]
