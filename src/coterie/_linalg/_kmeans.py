"""k-means by Lloyd's algorithm, on tiles of BLAS products."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coterie._linalg._samples import (
    DenseSamples,
    Descent,
    Samples,
    SparseSamples,
    centers_of,
    samples_around,
)
from coterie._typing import LABEL_DTYPE
from coterie._validation import check_data, check_n_clusters, in_double, is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie._typing import FloatArray, LabelArray

_BATCH_BYTES = 1024 * 1024  # of rows shifted at a time by assign_to_centers


@dataclass(frozen=True, eq=False)
class KMeansResult:
    """A clustering by k-means.

    Attributes
    ----------
    labels : ndarray of int32, shape (n_samples,)
        The nearest centre of each sample; ties go to the first.
    centers : ndarray of shape (n_clusters, n_features)
        The centres, in the dtype of the data; float64 for few samples.
    inertia : float
        Weighted sum of the squared distances of samples to their centres.
    n_iter : int
        Number of iterations.
    converged : bool
        Whether the run stopped before reaching ``max_iter``.
    """

    labels: LabelArray
    centers: FloatArray
    inertia: float
    n_iter: int
    converged: bool


def kmeans(
    X: Any,
    n_clusters: int,
    *,
    rng: np.random.Generator,
    init: Any = "k-means++",
    n_init: int = 1,
    max_iter: int = 100,
    tol: float = 1e-4,
    sample_weight: Any = None,
) -> KMeansResult:
    r"""Find centres to which the samples are near.

    Lloyd's algorithm [1]_ lowers

    .. math:: \sum_i w_i \min_j \lVert x_i - c_j \rVert^2

    alternately: samples go to their nearest centre, centres to the mean of their
    samples. Prefer it to scikit-learn's class for many runs on few cores: it is a
    function, releases the GIL and draws from a Generator.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The samples. float32 is computed in float32, everything else in float64.
    n_clusters : int
        Number of clusters k.
    rng : numpy.random.Generator
        Source of all random draws.
    init : str or array of shape (n_clusters, n_features), default="k-means++"
        The first centres: by greedy k-means++ [2]_; for "random", k samples drawn
        without replacement; or an array, which makes ``n_init`` 1.
    n_init : int, default=1
        Number of runs; the one of lowest inertia is returned.
    max_iter : int, default=100
        Maximum number of iterations per run.
    tol : float, default=1e-4
        A run stops when the squared shift of the centres is at most ``tol`` times the
        mean variance of the columns.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples; a weight of 2 equals a duplicated sample.

    Notes
    -----
    As in scikit-learn: k-means++ tries 2 + int(log k) candidates per step, and ``tol``
    is relative to the variance (here the weighted one). Different: an empty cluster
    takes the sample farthest from all centres, never the last one of another cluster;
    the labels are always those of :func:`assign_to_centers` with the returned centres.
    With fewer distinct samples than clusters some clusters stay empty. Results do not
    depend on the number of threads.

    References
    ----------
    .. [1] S. Lloyd, "Least squares quantization in PCM", IEEE Transactions on
       Information Theory 28(2), 129-137, 1982. :doi:`10.1109/TIT.1982.1056489`
    .. [2] D. Arthur, S. Vassilvitskii, "k-means++: The Advantages of Careful Seeding",
       Proceedings of the 18th ACM-SIAM Symposium on Discrete Algorithms, 1027-1035,
       2007.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import kmeans
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> result = kmeans(X, 2, rng=np.random.default_rng(0))
    >>> sorted(result.centers.ravel().tolist())
    [0.5, 10.5]
    """
    (X,) = in_double(check_data(X, "kmeans", accept_sparse=True))
    found = _best_run(
        X, n_clusters, rng, init, n_init, max_iter, tol=tol, sample_weight=sample_weight
    )
    # again in the original coordinates: predicting X must repeat the labels
    labels, sqdist = _assign(X, found.centers)
    inertia = float(np.sum(found.weights * sqdist))
    run = found.run
    return KMeansResult(labels, found.centers, inertia, run.n_iter, run.converged)


class _Found(NamedTuple):
    """The best of several runs, its centres where X is, and the samples' weights."""

    run: Descent
    centers: FloatArray
    weights: FloatArray


def _best_run(
    X: Any,
    n_clusters: int,
    rng: np.random.Generator,
    init: Any,
    n_init: int,
    max_iter: int,
    *,
    sample_weight: Any = None,
    tol: float = 1e-4,
) -> _Found:
    """Do all of :func:`kmeans` but assign the samples in the original coordinates."""
    n_samples = X.shape[0]
    k = check_n_clusters(n_clusters, n_samples, "kmeans")
    for name, value in (("n_init", n_init), ("max_iter", max_iter)):
        if value < 1:
            raise ValueError(f"kmeans expects {name} of at least 1, got {value}.")
    weights = _check_weights(sample_weight, n_samples)
    given = _check_init(init, k, X)
    origin = _origin(X)
    samples = samples_around(X, origin)
    tolerance = tol * _mean_variance(samples, weights)

    best, best_inertia = None, np.inf
    for _ in range(n_init if given is None else 1):
        if given is not None:
            start = given - origin
        elif init == "random":
            start = samples.take(_draw_distinct(weights, k, rng))
        else:
            start = samples.take(_plus_plus(samples, weights, k, rng))
        run = _lloyd(samples, start, weights, max_iter, tolerance)
        inertia = 0.0  # a single run needs no comparison
        if n_init > 1:
            inertia = np.sum(weights * samples.own_sqdist(run.centers, run.labels))
        if best is None or inertia < best_inertia:
            best, best_inertia = run, inertia

    assert best is not None  # n_init is at least 1
    return _Found(best, best.centers + origin, weights)


def kmeans_from_sample(
    X: Any,
    n_clusters: int,
    n_sample: int,
    *,
    rng: np.random.Generator,
    n_init: int = 1,
    max_iter: int = 100,
    sample_weight: Any = None,
) -> KMeansResult:
    """Run k-means with its starts tried on ``n_sample`` random rows.

    The best start continues on all rows: several times as fast as :func:`kmeans` for
    many rows. With fewer than ``2 * n_sample`` rows it is :func:`kmeans`.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import kmeans_from_sample
    >>> X = np.repeat([[0.0], [9.0]], 50, axis=0)
    >>> found = kmeans_from_sample(X, 2, 20, rng=np.random.default_rng(0))
    >>> np.bincount(found.labels)
    array([50, 50])
    """
    init, n_init = _tried_start(
        X, n_clusters, n_sample, rng, n_init, max_iter, sample_weight
    )
    return kmeans(
        X,
        n_clusters,
        rng=rng,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        sample_weight=sample_weight,
    )


def kmeans_labels(
    X: FloatArray,
    n_clusters: int,
    n_sample: int,
    *,
    rng: np.random.Generator,
    n_init: int = 1,
    max_iter: int = 100,
) -> LabelArray:
    """Return the labels that :func:`kmeans_from_sample` ends with.

    It does not assign the samples once more: the last bits of the centres may matter
    for a sample halfway between two. X is a dense array of floats.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import kmeans_labels
    >>> X = np.repeat([[0.0], [9.0]], 50, axis=0)
    >>> np.bincount(kmeans_labels(X, 2, 20, rng=np.random.default_rng(0)))
    array([50, 50])
    """
    (X,) = in_double(X)
    start = _tried_start(X, n_clusters, n_sample, rng, n_init, max_iter, None)
    return _best_run(X, n_clusters, rng, *start, max_iter).run.labels


def _tried_start(
    X: Any,
    n_clusters: int,
    n_sample: int,
    rng: np.random.Generator,
    n_init: int,
    max_iter: int,
    sample_weight: Any,
) -> tuple[Any, int]:
    """Return ``init`` and ``n_init`` after trying the starts on a sample."""
    if X.shape[0] < 2 * n_sample:
        return "k-means++", n_init
    drawn = np.sort(rng.choice(X.shape[0], size=n_sample, replace=False))
    w = None if sample_weight is None else sample_weight[drawn]
    (few,) = in_double(check_data(X[drawn], "kmeans", accept_sparse=True))
    tried = _best_run(
        few, n_clusters, rng, "k-means++", n_init, max_iter, sample_weight=w
    )
    return tried.centers, 1


def assign_to_centers(X: Any, centers: Any) -> tuple[LabelArray, FloatArray]:
    """Return the nearest centre of each sample, and its squared distance.

    Ties go to the first.

    The result for a sample depends neither on the other samples nor on the number of
    threads: batches give the same result as a single call.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import assign_to_centers
    >>> assign_to_centers(np.array([[0.0], [1.0], [9.0]]), [[0.0], [8.0]])
    (array([0, 0, 1], dtype=int32), array([0., 1., 1.]))
    """
    X = check_data(X, "assign_to_centers", accept_sparse=True)
    centers = _check_centers(centers, X, "assign_to_centers", "centers")
    return _assign(X, centers.astype(np.result_type(X.dtype, centers.dtype)))


def _assign(X: Any, centers: FloatArray) -> tuple[LabelArray, FloatArray]:
    if is_sparse(X):
        return SparseSamples(X).nearest(centers)
    # the mean of the centres, not of X, which may be one batch of many
    origin = centers.mean(axis=0, dtype=np.float64).astype(centers.dtype)
    near = centers - origin
    labels = np.empty(X.shape[0], dtype=LABEL_DTYPE)
    sqdist = np.empty(X.shape[0])
    n_rows = max(256, _BATCH_BYTES // (X.shape[1] * X.dtype.itemsize))
    for s in range(0, X.shape[0], n_rows):
        batch = slice(s, s + n_rows)
        samples = DenseSamples(np.subtract(X[batch], origin, order="C"))
        labels[batch] = samples.assign(near)
        sqdist[batch] = samples.own_sqdist(near, labels[batch])
    return labels, sqdist


def _lloyd(
    samples: Samples,
    centers: FloatArray,
    weights: FloatArray,
    max_iter: int,
    tolerance: float,
) -> Descent:
    n_iter = 0
    while True:
        run = samples.descend(centers, weights, max_iter - n_iter, tolerance)
        n_iter += run.n_iter
        if not run.is_stuck:
            return replace(run, n_iter=n_iter)
        n_iter += 1
        labels = run.labels
        _refill(samples, run.centers, weights, labels)
        centers, shift = centers_of(samples, weights, labels, run.centers)
        nearest = samples.assign(centers)
        settled = np.array_equal(nearest, labels)
        if shift <= tolerance:
            settled = settled or bool(
                np.bincount(nearest, minlength=len(centers)).all()
            )
        if settled or n_iter >= max_iter:
            return Descent(centers, nearest, n_iter, settled)


def _refill(
    samples: Samples,
    centers: FloatArray,
    weights: FloatArray,
    labels: LabelArray,
) -> None:
    """Give each empty cluster the sample farthest from all centres, in place."""
    counted = weights > 0
    counts = np.bincount(labels, weights=counted, minlength=centers.shape[0])
    distance = np.where(counted, samples.own_sqdist(centers, labels), 0.0)
    # the mean of equal rows is off by rounding; that is no reason to split them
    rounding = (64.0 * np.finfo(centers.dtype).eps) ** 2 * samples.row_sq.max()
    for cluster in np.flatnonzero(counts == 0):
        lonely = counts[labels] < 2  # must stay in their cluster
        farthest = int(np.argmax(np.where(lonely, 0.0, distance)))
        if lonely[farthest] or distance[farthest] <= rounding:
            break  # fewer distinct samples than clusters
        counts[labels[farthest]] -= 1
        counts[cluster] = 1
        labels[farthest] = cluster
        there = samples.own_sqdist(samples.take([farthest]), np.zeros_like(labels))
        distance = np.minimum(distance, there)


def _plus_plus(
    samples: Samples,
    weights: FloatArray,
    k: int,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Draw k rows by greedy k-means++."""
    chosen = samples.seed(weights, rng.random((k, 2 + int(np.log(k)))))
    if chosen.size == k:
        return chosen
    # all rows coincide with centres: any others will do
    rest = np.setdiff1d(np.arange(samples.n_samples), chosen)
    more = rng.choice(rest, size=k - chosen.size, replace=False)
    return np.concatenate([chosen, more])


def _draw_distinct(
    weights: FloatArray, k: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw k rows without replacement, with positive weight if there are enough."""
    counted = np.flatnonzero(weights > 0)
    return rng.choice(counted if counted.size >= k else weights.size, k, replace=False)


def _origin(X: Any) -> FloatArray:
    """Return the point that becomes the origin: the mean, or zero for CSR."""
    if is_sparse(X):
        return np.zeros(X.shape[1], dtype=X.dtype)
    # of a C-ordered copy: the summation order must not depend on the layout
    return np.ascontiguousarray(X).mean(axis=0, dtype=np.float64).astype(X.dtype)


def _mean_variance(samples: Samples, weights: FloatArray) -> float:
    """Return the mean over columns of the weighted variance."""
    total = np.sum(weights)
    square = np.sum(weights * samples.row_sq) / total
    square -= np.sum(samples.mean(weights) ** 2)
    return max(0.0, float(square)) / samples.n_features


def _check_weights(sample_weight: Any, n_samples: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(n_samples)
    weights = np.array(sample_weight, dtype=np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"kmeans expects sample_weight of shape ({n_samples},), got "
            f"{weights.shape}. Pass one weight for each sample."
        )
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.max() <= 0:
        raise ValueError(
            "kmeans expects a sample_weight that is finite and not negative, with at "
            "least one positive weight. Leave out samples that must not count."
        )
    return weights


def _check_init(init: Any, k: int, X: Any) -> FloatArray | None:
    """Return given centres, or None if they are to be drawn."""
    if isinstance(init, str):
        if init not in ("k-means++", "random"):
            raise ValueError(
                f"kmeans expects init 'k-means++', 'random' or an array, got {init!r}."
            )
        return None
    centers = _check_centers(init, X, "kmeans", "init")
    if centers.shape[0] != k:
        raise ValueError(
            f"kmeans expects one centre in init for each of n_clusters={k} clusters, "
            f"got {centers.shape[0]}."
        )
    return centers.astype(X.dtype)


def _check_centers(centers: Any, X: Any, who: str, name: str) -> FloatArray:
    centers = np.ascontiguousarray(centers)
    if centers.dtype != np.float32:
        centers = centers.astype(np.float64)
    if centers.ndim != 2 or not centers.size or centers.shape[1] != X.shape[1]:
        raise ValueError(
            f"{who} expects {name} of shape (n_clusters, {X.shape[1]}), got "
            f"{centers.shape}. Pass centres with the features of X."
        )
    if not np.isfinite(centers).all():
        raise ValueError(f"{who} expects finite {name}, got infinite or NaN values.")
    return centers
