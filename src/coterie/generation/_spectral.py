"""Spectral clustering members with Gaussian kernels of many widths."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import kmeans, unit_rows
from coterie._linalg._eigen import eigh_range
from coterie._memory import check_memory
from coterie.generation._base import Draft, cluster_means
from coterie.generation._draws import RandomGenerator, draw_n_clusters

if TYPE_CHECKING:
    from coterie._typing import FloatArray

_GRID = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0)


@dataclass(frozen=True, eq=False)
class _Task:
    """The data and, for each width, the unit rows of the eigenvectors."""

    X: Any
    widths: FloatArray
    embeddings: list[FloatArray]


@fill_doc
class SigmaGridSpectral(RandomGenerator):
    r"""Spectral clustering with Gaussian kernels from very narrow to very wide.

    Member i clusters the rows of the leading eigenvectors of
    :math:`D^{-1/2} K D^{-1/2}` with the kernel

    .. math:: K_{pq} = \exp\left(-\frac{\lVert x_p - x_q \rVert^2}
        {2 \sigma_i^2}\right), \qquad \sigma_i = d \, s_i,

    where d is the mean distance between samples, :math:`s_i` is one of the ``sigmas``,
    and D holds the row sums [1]_. For small and medium data where the right width is
    unknown: some members will be poor, so combine them with a method that weights
    members, such as :class:`~coterie.consensus.SelfPaced`. The kernel is dense; prefer
    :class:`MetricSubspaceSpectral` for many samples.

    Parameters
    ----------
    n_members : int, default=9
        Number of clusterings to make. Beyond the number of widths, they start again at
        the first width with new initial centres.
    %(n_clusters_range)s
    sigmas : tuple of float, default=(0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0)
        Widths of the kernel, relative to the mean distance.
    n_init : int, default=3
        Starts of k-means; the best is kept.
    max_iter : int, default=100
        Maximum number of iterations of k-means.
    unit_rows : bool, default=True
        Whether the rows of the eigenvectors are scaled to unit length.
    %(on_error)s

    Notes
    -----
    The paper gives only the kernel and the widths. The normalised Laplacian and rows of
    unit length are our reading of "spectral clustering"; on most data sets the paper's
    row for single spectral clusterings fits ``unit_rows=False`` better. With the
    narrowest widths K is nearly the identity, and members carry almost no information.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import SigmaGridSpectral
    >>> SigmaGridSpectral(n_clusters=3).generate(load_iris().data, seed=0)
    Ensemble of 9 members on 150 samples: ...
    """

    name = "sigma-grid"
    summary = "spectral clustering with Gaussian kernels from narrow to wide"
    cost = "time N^2 (D + 9 N), memory N^2"
    paper = "zhou2021spce"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "sigmas": [tuple, list],
        "unit_rows": ["boolean"],
    }

    def __init__(
        self,
        n_members: int = 9,
        *,
        n_clusters: Any = None,
        sigmas: Any = _GRID,
        n_init: int = 3,
        max_iter: int = 100,
        unit_rows: bool = True,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.sigmas = sigmas
        self.n_init = n_init
        self.max_iter = max_iter
        self.unit_rows = unit_rows
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        super()._check(X)
        n_samples = X.shape[0]
        sigmas = np.asarray(self.sigmas, dtype=np.float64)
        if sigmas.size == 0 or not (np.isfinite(sigmas) & (sigmas > 0)).all():
            raise ValueError(
                "SigmaGridSpectral expects sigmas as positive numbers, got "
                f"{self.sigmas!r}."
            )
        check_memory(
            3 * 8 * n_samples**2,
            f"The kernel of {n_samples:,} samples",
            None,
            "Use the generator metric-subspace, or fewer samples.",
        )

    def _prepare(self, X: Any) -> _Task:
        squares = _squared_distances(X)  # (N, N)
        n_samples = X.shape[0]
        n_pairs = max(1, n_samples * (n_samples - 1))
        mean_distance = float(np.sqrt(squares).sum()) / n_pairs
        widths = (mean_distance or 1.0) * np.asarray(self.sigmas, dtype=np.float64)
        n_vectors = _most_clusters(self.n_clusters, n_samples)
        used = widths[: self.n_members]
        return _Task(X, used, [_embedding(squares, s, n_vectors) for s in used])

    def _member(self, X: _Task, number: int, rng: np.random.Generator) -> Draft:
        at = number % len(X.widths)
        k = draw_n_clusters(self.n_clusters, X.X.shape[0], rng)
        points = X.embeddings[at][:, :k]
        if self.unit_rows:
            points = unit_rows(points)
        found = kmeans(points, k, rng=rng, n_init=self.n_init, max_iter=self.max_iter)
        _, labels = np.unique(found.labels, return_inverse=True)
        params = {"n_clusters": k, "sigma": float(X.widths[at])}
        return Draft(labels, params, centers=cluster_means(X.X, labels))


def _most_clusters(n_clusters: Any, n_samples: int) -> int:
    if n_clusters is None:
        return min(n_samples, max(2, math.ceil(math.sqrt(n_samples))))
    return n_clusters[1] if isinstance(n_clusters, tuple | list) else n_clusters


def _squared_distances(X: Any) -> FloatArray:
    """Return the squared distances between all samples, (N, N) float64."""
    from sklearn.metrics.pairwise import euclidean_distances

    squares = euclidean_distances(X, squared=True).astype(np.float64, copy=False)
    np.fill_diagonal(squares, 0.0)
    return squares


def _embedding(squares: FloatArray, width: float, n_vectors: int) -> FloatArray:
    """Return the eigenvectors of the normalised kernel, largest eigenvalue first."""
    K = np.exp(squares / (-2.0 * width**2))
    scale = 1.0 / np.sqrt(K.sum(axis=1))
    K *= scale[:, None]
    K *= scale
    n = len(K)
    _, vectors = eigh_range(K, n - n_vectors, n - 1)
    return np.ascontiguousarray(vectors[:, ::-1])
