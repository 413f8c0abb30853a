"""The subject of a report: the explanation, the data, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from coterie._tables import TableEncoder, is_table
from coterie._validation import check_data, has_missing, index_of, is_sparse
from coterie.answers._explain import Explanation
from coterie.ensemble._coding import is_missing
from coterie.ensemble._vectors import plain_vector
from coterie.ensemble._votes import is_doubtful

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
    plain : (N, D) float array, CSR matrix or None
        X in the units of the table: numbers as they were, categories as 0 and 1.
    """

    found: Explanation
    X: Any
    y: np.ndarray | None
    names: np.ndarray | None
    features: list[str] | None
    coordinates: Any
    plain: Any

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
        encoder = encoder_of(found, X)
        if encoder is not None:
            features = encoder.names
        if features is None and hasattr(X, "columns"):
            features = [str(name) for name in X.columns]
        if features is None:
            known = getattr(found.model, "feature_names_in_", None)
            features = None if known is None else [str(name) for name in known]
        if X is not None:
            X = data_of(found, X, "report")
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
            X if encoder is None or X is None else encoder.plain(X),
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
        return is_doubtful(self.found.samples["margin"], self.n_clusters)

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


def encoder_of(found: Explanation, X: Any) -> TableEncoder | None:
    """Return the encoder of the model if X is a table that needs it."""
    return getattr(found.model, "_fit_table", None) if is_table(X) else None


def data_of(found: Explanation, X: Any, who: str) -> Any:
    """Return the data as numbers, (N, D), NaN where a value is missing.

    Parameters
    ----------
    found : Explanation
    X : array, sparse matrix or frame
    who : str
        For errors.
    """
    encoder = encoder_of(found, X)
    if encoder is not None:
        X = encoder.transform(X)
    X = check_data(X, who, accept_sparse=True, accept_missing=True)
    n = found.labels.size
    if X.shape[0] != n:
        raise ValueError(
            f"{who} got data with {X.shape[0]} samples for a result with {n}. Pass "
            "the data that were clustered."
        )
    return X


def _texts(values: Any, n: int, what: str) -> np.ndarray | None:
    """Return values as short text, empty for missing ones."""
    if values is None:
        return None
    values = plain_vector(values, "report")
    if values.shape != (n,):
        raise ValueError(
            f"report expects {what} for each of the {n} samples, got an array of shape "
            f"{values.shape}."
        )
    return np.array([_short(value) for value in values.tolist()], dtype=object)


def _short(value: Any) -> str:
    if is_missing(value, minus_one_is_missing=False):
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
        NaN where all values are missing.
    """

    features: np.ndarray
    share: np.ndarray
    z: np.ndarray
    means: np.ndarray


def contrast(X: Any, labels: np.ndarray, most: int) -> Contrast:
    """Return the features with the largest share of variance between clusters.

    Missing values are left out.
    """
    n, k = labels.size, int(labels.max()) + 1
    member = np.zeros((k, n), dtype=X.dtype)
    member[labels, np.arange(n)] = 1.0
    sizes = np.bincount(labels).astype(np.float64)[:, None]  # (k, 1)
    values = X
    if has_missing(X):
        present = ~np.isnan(X)
        values = np.where(present, X, 0.0)
        sizes = np.asarray(member @ present, dtype=np.float64)  # (k, D)
    sums = np.asarray(member @ values, dtype=np.float64)  # (k, D)
    total = np.maximum(sizes.sum(axis=0), 1.0)
    mean = sums.sum(axis=0) / total
    means = np.divide(sums, sizes, out=np.full_like(sums, np.nan), where=sizes > 0)
    away = np.where(sizes > 0, means - mean, 0.0)
    if values is not X:
        squares = np.where(np.isnan(X), 0.0, X - mean) ** 2
        variance = squares.sum(axis=0, dtype=np.float64) / total
    elif is_sparse(X):
        square = np.asarray(X.multiply(X).mean(axis=0), dtype=np.float64).ravel()
        variance = np.maximum(square - mean**2, 0.0)
    else:
        variance = X.var(axis=0, dtype=np.float64)
    between = np.sum(sizes * away**2, axis=0) / total
    varies = variance > 1e-12 * (mean**2 + variance.max(initial=0.0))
    share = np.divide(between, variance, out=np.zeros_like(mean), where=varies)
    top = np.argsort(-share, kind="stable")[:most]
    deviation = np.sqrt(np.where(varies, variance, 1.0))
    z = np.where(varies, away / deviation, 0.0)
    return Contrast(top, np.clip(share[top], 0, 1), z[:, top].T, means[:, top].T)
