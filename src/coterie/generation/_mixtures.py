"""Gaussian mixtures with random numbers of components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import gaussian_mixture, kmeans, principal_components
from coterie._typing import LABEL_DTYPE
from coterie._validation import COUNT, is_sparse
from coterie.generation._base import Draft
from coterie.generation._draws import RandomGenerator, draw_n_clusters

if TYPE_CHECKING:
    from numpy.typing import NDArray


@fill_doc
class GaussianMixtures(RandomGenerator):
    r"""Gaussian mixtures with random numbers of clusters, from random starts.

    For clusters that are elongated, of different extents, or overlap. Each member draws
    its number of clusters k, starts from k-means and raises the likelihood of

    .. math:: p(x) = \sum_{c=1}^{k} w_c \, \mathcal{N}(x; \mu_c, \Sigma_c)

    with any covariances :math:`\Sigma_c` by expectation-maximisation [1]_; each sample
    goes to its most probable component. Prefer :class:`RandomKMeans` if clusters are
    round: it is faster and needs fewer samples. :class:`GenieTree` suits clusters that
    are bent.

    Parameters
    ----------
    n_members : int, default=15
        Number of clusterings to make.
    %(n_clusters_range)s
    n_components : int, default=10
        Principal components to which data of more features are reduced.
    max_samples : int, default=5000
        Samples from which a member learns, drawn at random if there are more; all are
        assigned.
    max_iter : int, default=100
        Maximum number of iterations.
    %(on_error)s

    Notes
    -----
    Features without variance are left out, the others scaled to unit variance after
    k-means, and :math:`10^{-6}` is added to the variances of each component. Clusters
    of few samples are thus flat but valid, and a member may find fewer clusters than it
    drew. A member stops when the mean log-likelihood gains less than 0.001. Sparse data
    stay sparse until they are reduced.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import GaussianMixtures
    >>> from coterie.metrics import ari
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = GaussianMixtures(5, n_clusters=3).generate(X, seed=0)
    >>> max(round(ari(y, labels), 2) for labels in ensemble.labels.T)
    0.9
    """

    name = "gmm"
    summary = "Gaussian mixtures with random numbers of clusters, from random starts"
    cost = "time M N k d^2 (d components), memory N (d^2 + k + M)"
    paper = "dempster1977em"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "n_components": COUNT,
        "max_samples": COUNT,
    }

    def __init__(
        self,
        n_members: int = 15,
        *,
        n_clusters: Any = None,
        n_components: int = 10,
        max_samples: int = 5000,
        max_iter: int = 100,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.max_samples = max_samples
        self.max_iter = max_iter
        self.on_error = on_error

    def _n_seen(self, n_samples: int) -> int:
        return min(n_samples, self.max_samples)

    def _prepare(self, X: Any) -> _Task:
        if X.shape[1] > self.n_components:
            values = principal_components(X, self.n_components)
        else:
            values = _varying(X.toarray() if is_sparse(X) else X)
        return _Task(values, values / values.std(axis=0))

    def _member(self, task: _Task, number: int, rng: np.random.Generator) -> Draft:
        n, d = task.values.shape
        k = draw_n_clusters(self.n_clusters, self._n_seen(n), rng)
        params = {"n_clusters": k}
        if d == 0:
            return Draft(np.zeros(n, dtype=LABEL_DTYPE), params)
        seen = slice(None)
        if n > self.max_samples:
            seen = np.sort(rng.choice(n, size=self.max_samples, replace=False))
        start = kmeans(task.values[seen], k, rng=rng).labels
        start = np.unique(start, return_inverse=True)[1].ravel()
        mixture = gaussian_mixture(task.scaled[seen], start, max_iter=self.max_iter)
        return Draft(mixture.assign(task.scaled), params)


@dataclass(frozen=True, eq=False)
class _Task:
    """The centred data, with variances as they are and with unit variances."""

    values: NDArray[np.float64]  # (N, d)
    scaled: NDArray[np.float64]  # (N, d)


def _varying(X: Any) -> NDArray[np.float64]:
    """Return the features that vary, centred and scaled to avoid overflow."""
    values = X.astype(np.float64) / (float(np.abs(X).max()) or 1.0)
    varies = np.ptp(values, axis=0) > 0
    values = values[:, varies]
    return values - values.mean(axis=0)
