"""What all generators share: checks, seeds, the record of each member."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import BaseEstimator

from coterie._typing import LABEL_DTYPE, NOT_ASSIGNED, Progress, Seed
from coterie._validation import StrOptions, check_data, check_parameters
from coterie.engine import run_members
from coterie.ensemble import Ensemble, Member
from coterie.exceptions import DegenerateMemberWarning


@dataclass(frozen=True, eq=False)
class Draft:
    """What a generator says of one member; the base class makes the record of it."""

    labels: np.ndarray  # (N,) any whole numbers, -1 = not assigned
    params: Mapping[str, Any] = field(default_factory=dict)
    features: np.ndarray | None = None
    embedding: np.ndarray | None = None
    centers: np.ndarray | None = None  # row l is the centre of label l
    feature_weights: np.ndarray | None = None  # row l belongs to label l
    name: str | None = None


class BaseGenerator(BaseEstimator):
    """Makes an ensemble from data.

    A subclass implements ``_member(X, number, rng)``, which returns the :class:`Draft`
    of one member, and may implement ``_check(X)`` for errors that should come before
    any work, and ``_prepare(X)`` for work that all members share.
    """

    n_members: int
    on_error: str

    accepts_sparse: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "on_error": [StrOptions({"raise", "drop"})],
    }

    @final
    def generate(
        self,
        X: Any,
        *,
        seed: Seed = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> Ensemble:
        """Return an ensemble of clusterings of X.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
        seed : int, SeedSequence, Generator, RandomState or None
            The same seed gives the same ensemble, whatever ``n_jobs`` is.
        n_jobs : int or None
            Members computed side by side, in threads; -1 = all cores.
        progress : function of (done, total), True for a bar, or None
        """
        who = type(self).__name__
        check_parameters(self)
        X = check_data(X, who, accept_sparse=self.accepts_sparse)
        self._check(X)
        task = self._prepare(X)
        records = run_members(
            lambda number, rng: _record(X, self._member(task, number, rng), number),
            self._count(),
            who=who,
            seed=seed,
            n_jobs=n_jobs,
            on_error=self.on_error,
            progress=progress,
        )
        _warn_of_constant_members([labels for _, (labels, _) in records], who)
        labels = np.ascontiguousarray(np.column_stack([r[0] for _, r in records]))
        sizes = labels.max(axis=0).astype(np.int64) + 1
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        members = tuple(member for _, (_, member) in records)
        return Ensemble._from_coded(labels, offsets, members)

    def _count(self) -> int:
        return self.n_members

    def _check(self, X: Any) -> None:
        """Raise for parameters that do not fit the data."""

    def _prepare(self, X: Any) -> Any:
        """Return what ``_member`` is given in place of X, computed once for all."""
        return X

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        """Return the draft of one member."""
        raise NotImplementedError(f"{type(self).__name__} must implement _member.")


def _record(X: Any, draft: Draft, number: int) -> tuple[np.ndarray, Member]:
    """Code the labels by first appearance and put the centres in the same order."""
    raw = np.asarray(draft.labels)
    values, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    present = values != NOT_ASSIGNED
    if not present.any():
        raise ValueError("it assigned no sample to any cluster.")
    order = np.argsort(np.where(present, first, raw.size), kind="stable")
    rank = np.empty(values.size, dtype=LABEL_DTYPE)
    rank[order] = np.arange(values.size, dtype=LABEL_DTYPE)
    rank[~present] = NOT_ASSIGNED
    labels = rank[inverse.ravel()]
    member = Member(
        name=draft.name,
        params=dict(draft.params),
        seed=number,
        features=draft.features,
        embedding=draft.embedding,
    )
    found = values[order[: present.sum()]]
    if draft.centers is not None:
        centers = draft.centers[found]
    else:
        centers = cluster_means(member.view(X), labels)
    weights = None if draft.feature_weights is None else draft.feature_weights[found]
    more = {"centers": centers, "feature_weights": weights}
    return labels, Member(**{**vars(member), **more})


def cluster_means(X: Any, labels: np.ndarray) -> np.ndarray:
    """Return the mean of each cluster, (k, d); -1 belongs to none."""
    from scipy.sparse import csr_array

    assigned = np.flatnonzero(labels >= 0)
    sizes = np.bincount(labels[assigned])
    shape = (sizes.size, labels.size)
    share = (1.0 / sizes)[labels[assigned]].astype(X.dtype)  # or X would be copied
    means = csr_array((share, (labels[assigned], assigned)), shape=shape) @ X
    means = means.toarray() if hasattr(means, "toarray") else means
    return np.ascontiguousarray(means, dtype=X.dtype)


def _warn_of_constant_members(columns: list[np.ndarray], who: str) -> None:
    n_constant = sum(int(column.max() == 0) for column in columns)
    if n_constant and columns[0].size > 1:
        warnings.warn(
            f"{who}: {n_constant} of {len(columns)} members found a single cluster and "
            "say nothing about the data.",
            DegenerateMemberWarning,
            stacklevel=3,
        )
