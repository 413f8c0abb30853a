"""Members as rules: learned from some samples, they label any sample."""

from __future__ import annotations

import io
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import scipy.sparse

from coterie._linalg import (
    LandmarkIndex,
    assign_to_centers,
    draw_landmarks,
    kmeans,
    landmark_affinity,
    landmark_index,
    limit_landmarks,
    matrix_transfer_cut,
    mean_distance,
    unit_rows,
)
from coterie._validation import clone

LEARNERS = ("kmeans", "landmarks")
_BATCH = 4096  # rows of a step of mini-batch k-means
_N_LANDMARKS, _N_NEIGHBORS = 1000, 5


@dataclass(frozen=True, eq=False)
class CenterRule:
    """A sample goes to the nearest of some centres."""

    name: ClassVar[str] = "centers"

    centers: np.ndarray  # (k, d)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.centers)

    def labels(self, X: np.ndarray) -> np.ndarray:
        """Return the cluster of each sample, (n,) int32."""
        return assign_to_centers(X, self.centers)[0]


@dataclass(frozen=True, eq=False)
class LandmarkRule:
    """A sample goes to the nearest centre in the embedding through landmarks."""

    name: ClassVar[str] = "landmarks"

    landmarks: np.ndarray  # (p, d)
    n_neighbors: np.ndarray  # ()
    groups: np.ndarray
    starts: np.ndarray
    order: np.ndarray
    near: np.ndarray
    sigma: np.ndarray  # ()
    lift: np.ndarray  # (p, e): the embedding of each landmark
    centers: np.ndarray  # (k, e)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.centers)

    def labels(self, X: np.ndarray) -> np.ndarray:
        """Return the cluster of each sample, (n,) int32."""
        index = LandmarkIndex(
            self.landmarks,
            int(self.n_neighbors),
            self.groups,
            self.starts,
            self.order,
            self.near,
        )
        B = landmark_affinity(
            index.nearest(X), len(self.landmarks), float(self.sigma)
        ).astype(self.lift.dtype)
        return assign_to_centers(unit_rows(B @ self.lift), self.centers)[0]


Rule = CenterRule | LandmarkRule
_RULES = {rule.name: rule for rule in (CenterRule, LandmarkRule)}


def learn_rule(
    clusterer: Any, X: np.ndarray, n_clusters: int, rng: np.random.Generator
) -> Rule:
    """Learn a member from a sample of the rows.

    Parameters
    ----------
    clusterer : {"kmeans", "landmarks"} or scikit-learn clusterer
        Mini-batch k-means; U-SPEC, that is, the normalised cut of the graph of samples
        and landmarks; or anything that clusters the sample, whose cluster means become
        the centres.
    X : (n, d) array
    n_clusters : int
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.generation._rules import learn_rule
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> rule = learn_rule("kmeans", X, 2, np.random.default_rng(0))
    >>> len(np.unique(rule.labels(X)))
    2
    """
    if clusterer == "kmeans":
        return _by_kmeans(X, n_clusters, rng)
    if clusterer == "landmarks":
        return _by_landmarks(X, n_clusters, rng)
    return _by_clusterer(clusterer, X, n_clusters, rng)


def _by_kmeans(X: np.ndarray, k: int, rng: np.random.Generator) -> CenterRule:
    from sklearn.cluster import MiniBatchKMeans

    order = rng.permutation(len(X))  # batches must not be runs of neighbouring rows
    model: Any = MiniBatchKMeans(
        k, batch_size=_BATCH, random_state=int(rng.integers(2**31))
    )
    model.set_params(n_init=1).fit(X[order])
    return CenterRule(np.ascontiguousarray(model.cluster_centers_, dtype=X.dtype))


def _by_landmarks(X: np.ndarray, k: int, rng: np.random.Generator) -> LandmarkRule:
    """U-SPEC on a sample, with what is needed to place other samples."""
    p = limit_landmarks(_N_LANDMARKS, len(X), k)
    landmarks = draw_landmarks(X, p, rng=rng)
    index = landmark_index(landmarks, min(_N_NEIGHBORS, p), rng=rng)
    near = index.nearest(X)
    sigma = mean_distance(near)
    B = landmark_affinity(near, p, sigma)
    used = np.flatnonzero(np.bincount(B.indices, minlength=p))
    cut = matrix_transfer_cut(B[:, used], min(k, used.size), rng=rng, dtype=np.float32)
    lift = np.zeros((p, cut.lift.shape[1]), dtype=np.float32)
    lift[used] = cut.lift
    found = kmeans(unit_rows(cut.embedding), k, rng=rng, n_init=3)
    return LandmarkRule(
        index.landmarks,
        np.array(index.n_neighbors),
        index.groups,
        index.starts,
        index.order,
        index.near,
        np.array(sigma),
        lift,
        found.centers,
    )


def _by_clusterer(
    clusterer: Any, X: np.ndarray, k: int, rng: np.random.Generator
) -> CenterRule:
    model = clone(clusterer)
    known = model.get_params()
    wanted = {"n_clusters": k, "random_state": int(rng.integers(2**31))}
    model.set_params(**{name: v for name, v in wanted.items() if name in known})
    labels = np.asarray(model.fit_predict(X))
    kept = labels >= 0
    if not kept.any():
        raise ValueError(f"{type(model).__name__} assigned no sample to a cluster.")
    _, codes = np.unique(labels[kept], return_inverse=True)
    sizes = np.bincount(codes)
    at = codes, np.arange(codes.size)
    B = scipy.sparse.csr_array((np.ones(codes.size), at))  # (k, n)
    centers = (B @ X[kept]) / sizes[:, None]
    return CenterRule(np.ascontiguousarray(centers, dtype=X.dtype))


def to_bytes(rule: Rule) -> bytes:
    """Return a rule as the bytes of an NPZ file."""
    file = io.BytesIO()
    arrays = {field.name: getattr(rule, field.name) for field in fields(rule)}
    np.savez(file, rule=np.array(rule.name), **arrays)
    return file.getvalue()


def from_bytes(content: bytes) -> Rule:
    """Return the rule that :func:`to_bytes` wrote."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        made = _RULES[str(file["rule"])]
        return made(**{field.name: file[field.name] for field in fields(made)})


def row_of_labels(rules: list[Rule], dtype: Any, X: np.ndarray) -> np.ndarray:
    """Return the labels of each sample from all members, (n, M)."""
    out = np.empty((len(X), len(rules)), dtype=dtype)
    for j, rule in enumerate(rules):
        out[:, j] = rule.labels(X)
    return out
