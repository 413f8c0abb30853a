"""The subject of a report: the explanation, the data, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from coterie._validation import check_array, index_of, is_sparse
from coterie.answers._explain import Explanation

DOUBTFUL = 0.1  # below this margin a sample might belong to another cluster
LONGEST_NAME = 120  # characters


@dataclass(frozen=True, eq=False)
class Facts:
    """A result with its data.

    Attributes
    ----------
    found : Explanation
    X : (N, D) float array, CSR matrix or None
    y : (N,) array of text or None
        Known classes.
    names : (N,) array of text or None
        Names of the samples; None numbers them.
    features : list of text or None
        Names of the columns.
    coordinates : (N, 2) array or None
    """

    found: Explanation
    X: Any
    y: np.ndarray | None
    names: np.ndarray | None
    features: list[str] | None
    coordinates: Any

    @classmethod
    def of(
        cls,
        found: Explanation,
        X: Any,
        *,
        y: Any,
        names: Any,
        features: Sequence[str] | None,
        coordinates: Any,
    ) -> Facts:
        """Check the user's input, and take names from data frames."""
        n = found.labels.size
        if names is None:
            names = index_of(X)
        if names is None:  # from the frame that was clustered
            names = found.index
        if features is None and hasattr(X, "columns"):
            features = [str(name) for name in X.columns]
        if features is None:
            known = getattr(found.model, "feature_names_in_", None)
            features = None if known is None else [str(name) for name in known]
        X = _checked(X, n)
        if X is not None:
            if features is None:
                features = [f"column {j}" for j in range(X.shape[1])]
            if len(features) != X.shape[1]:
                raise ValueError(
                    f"report got {len(features)} feature names for data with "
                    f"{X.shape[1]} columns. Pass one name for each column."
                )
        return cls(
            found,
            X,
            _texts(y, n, "y"),
            _texts(names, n, "names"),
            None if features is None else [str(name) for name in features],
            coordinates,
        )

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.found.labels.size

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.found.labels.max()) + 1

    @cached_property
    def doubtful(self) -> np.ndarray:
        """Whether another cluster comes close, for each sample."""
        if self.n_clusters == 1:
            return np.zeros(self.n_samples, dtype=bool)
        return self.found.samples["margin"] < DOUBTFUL

    @cached_property
    def scores(self) -> dict[str, float] | None:
        """How well the result fits the known classes."""
        if self.y is None:
            return None
        from coterie.metrics import score

        known = self.y != ""
        if not known.any():
            return None
        return score(self.y[known], self.found.labels[known])

    def name(self, sample: int) -> str:
        """Return the name of a sample, or its number from 0 if it has none."""
        return str(sample) if self.names is None else str(self.names[sample])


def _checked(X: Any, n: int) -> Any:
    if X is None:
        return None
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    if X.shape[0] != n:
        raise ValueError(
            f"report got data with {X.shape[0]} samples for a result with {n}. Pass "
            "the data that were clustered."
        )
    return X


def _texts(values: Any, n: int, what: str) -> np.ndarray | None:
    """Return values as short text, empty for missing ones."""
    if values is None:
        return None
    values = np.asarray(values, dtype=object)
    if values.shape != (n,):
        raise ValueError(
            f"report expects {what} for each of the {n} samples, got an array of shape "
            f"{values.shape}."
        )
    return np.array([_short(value) for value in values.tolist()], dtype=object)


def _short(value: Any) -> str:
    if value is None or value != value:
        return ""
    text = str(value)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


@dataclass(frozen=True, eq=False)
class Contrast:
    """The features in which the clusters differ most.

    Attributes
    ----------
    features : (f,) int array
        The strongest first.
    share : (f,) array
        Share of the feature's variance that lies between clusters.
    z : (f, k) array
        Cluster mean minus overall mean, in standard deviations.
    means : (f, k) array
    """

    features: np.ndarray
    share: np.ndarray
    z: np.ndarray
    means: np.ndarray


def contrast(X: Any, labels: np.ndarray, most: int) -> Contrast:
    """Return the features with the largest share of variance between clusters."""
    n, k = labels.size, int(labels.max()) + 1
    sizes = np.bincount(labels).astype(np.float64)
    member = np.zeros((k, n), dtype=X.dtype)
    member[labels, np.arange(n)] = 1.0
    sums = np.asarray(member @ X, dtype=np.float64)  # (k, D)
    means = sums / sizes[:, None]
    mean = sums.sum(axis=0) / n
    if is_sparse(X):
        square = np.asarray(X.multiply(X).mean(axis=0), dtype=np.float64).ravel()
        variance = np.maximum(square - mean**2, 0.0)
    else:
        variance = X.var(axis=0, dtype=np.float64)
    between = sizes @ (means - mean) ** 2 / n
    varies = variance > 1e-12 * (mean**2 + variance.max(initial=0.0))
    share = np.divide(between, variance, out=np.zeros_like(mean), where=varies)
    top = np.argsort(-share, kind="stable")[:most]
    deviation = np.sqrt(np.where(varies, variance, 1.0))
    z = np.where(varies, (means - mean) / deviation, 0.0)
    return Contrast(top, np.clip(share[top], 0, 1), z[:, top].T, means[:, top].T)
