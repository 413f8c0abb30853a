"""The base of all generators: checks, seeds, the record of each member."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator

from coterie._engine import MemberStore, run_members, settings
from coterie._hashing import digest, fingerprint
from coterie._magnitudes import reject_tiny
from coterie._seeds import seed_sequence
from coterie._typing import LABEL_DTYPE, NOT_ASSIGNED, Progress, Seed
from coterie._validation import StrOptions, check_data, check_parameters, is_sparse
from coterie._version import __version__
from coterie.ensemble import Ensemble, Member
from coterie.ensemble._storage import from_bytes, to_bytes
from coterie.exceptions import DegenerateMemberWarning

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
_FEW_VALUES = 2**20  # of data that may be copied


@dataclass(frozen=True, eq=False)
class Draft:
    """One member as a generator returns it; the base class turns it into a record.

    Attributes
    ----------
    labels : (N,) int array
        Any integers; -1 = not assigned.
    params : mapping
        What was drawn for the member, as plain numbers and strings.
    features : (d,) int array or None
        The columns of X it saw; None = all.
    embedding : (D, d) array or None
        The linear map into its own space; None = none.
    centers : array or None
        Row l is the centre of label l; None = the mean of its samples.
    feature_weights : array or None
        Row l has the weight of each feature for label l.
    name : str or None
        Its name in tables.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.generation import Draft
    >>> draft = Draft(np.array([0, 0, 1]), {"n_clusters": 2}, name="mine")
    >>> draft.labels, draft.name
    (array([0, 0, 1]), 'mine')
    """

    labels: np.ndarray
    params: Mapping[str, Any] = field(default_factory=dict)
    features: np.ndarray | None = None
    embedding: np.ndarray | None = None
    centers: np.ndarray | None = None
    feature_weights: np.ndarray | None = None
    name: str | None = None


class BaseGenerator(BaseEstimator):
    """Makes an ensemble from data.

    A subclass implements ``_member(X, number, rng)``, which returns the labels of one
    member, or its :class:`Draft`. It may implement ``_check(X)`` to raise errors before
    any work starts, and ``_prepare(X)`` for work that all members share.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.generation import BaseGenerator
    >>> class Thresholds(BaseGenerator):
    ...     def __init__(self, n_members=3):
    ...         self.n_members = n_members
    ...     def _member(self, X, number, rng):
    ...         return X[:, 0] > rng.choice(X[:-1, 0])
    ...
    >>> Thresholds().generate([[0.0], [1.0], [2.0], [3.0]], seed=0)
    Ensemble of 3 members on 4 samples: 6 clusters (2 in each), 3 distinct label rows
    """

    kind: ClassVar[str] = "generator"
    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    paper: ClassVar[str | None] = None
    group: ClassVar[str] = "research"  # or "reason", or "start"
    take_if: ClassVar[str] = ""  # what you have, for the other groups

    n_members: int
    on_error: str = "raise"

    accepts_sparse: ClassVar[bool] = True
    accepts_missing: ClassVar[bool] = False
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
        seed : int, SeedSequence, Generator, RandomState or None, default=None
            The same seed gives the same ensemble, whatever ``n_jobs`` is.
        n_jobs : int or None, default=None
            Members computed in parallel; -1 = all cores. :func:`coterie.use_engine`
            sets where they run, and whether finished ones are saved.
        progress : bool, function of (done, total) or None, default=None
            True shows a progress bar.
        """
        check_parameters(self)
        X = self._accepted(X)
        self._check(X)
        return self._generate(X, seed, n_jobs, progress)

    def _accepted(self, X: Any) -> Any:
        """Check the data and return them in the form that the members use."""
        who = type(self).__name__
        X = check_data(
            X,
            who,
            accept_sparse=self.accepts_sparse,
            accept_missing=self.accepts_missing,
        )
        reject_tiny(X, who)
        return X

    def _generate(
        self, X: Any, seed: Seed, n_jobs: int | None, progress: Progress
    ) -> Ensemble:
        """Make the members one by one; a subclass may do it differently."""
        who = type(self).__name__
        task = self._prepare(X)
        children = seed_sequence(seed)
        folder, keeper = checkpoint_folder(seed), None
        if folder is not None:
            run = run_record(self, self.get_params(deep=True), children, X)
            store = MemberStore(folder, run)
            keeper = Checkpoint(store, lambda made: to_bytes(*made), from_bytes)
        records = run_members(
            partial(_made, self, X, task),
            self._count(),
            who=who,
            seed=children,
            n_jobs=n_jobs,
            on_error=self.on_error,
            progress=progress,
            keeper=keeper,
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
        """Raise an error if the parameters do not suit the data."""

    def _prepare(self, X: Any) -> Any:
        """Return what ``_member`` gets in place of X, computed once for all members."""
        return X

    def _member(
        self, X: Any, number: int, rng: np.random.Generator
    ) -> Draft | np.ndarray:
        """Return the labels of one member, or its draft."""
        raise NotImplementedError(f"{type(self).__name__} must implement _member.")


def _made(
    generator: BaseGenerator, X: Any, task: Any, number: int, rng: np.random.Generator
) -> tuple[np.ndarray, Member]:
    made = generator._member(task, number, rng)
    return _record(X, made if isinstance(made, Draft) else Draft(made), number)


@dataclass(frozen=True)
class Checkpoint:
    """Saves results to a store, as bytes."""

    store: MemberStore
    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes], Any]

    def load(self, number: int) -> Any:
        """Return a saved result, or None."""
        kept = self.store.read(number)
        try:
            return None if kept is None else self.unpack(kept)
        except (ValueError, KeyError):
            return None  # not what this program wrote

    def save(self, number: int, result: Any) -> None:
        """Save a result."""
        self.store.write(number, self.pack(result))


def checkpoint_folder(seed: Seed) -> Path | None:
    """Return the folder in which members are saved, or None."""
    folder = settings().checkpoint
    if folder is not None and seed is None:
        raise ValueError(
            "A checkpoint needs a seed: without one, the next run makes other members. "
            "Set random_state or seed."
        )
    return folder


def run_record(
    generator: BaseGenerator,
    params: Mapping[str, Any],
    seed: np.random.SeedSequence,
    X: Any,
    hashed: str | None = None,
) -> dict[str, Any]:
    """Return everything that determines the members of a run, for a store."""
    return {
        "generator": type(generator).__name__,
        "code": fingerprint(type(generator)),
        **{f"parameter {name}": fingerprint(value) for name, value in params.items()},
        "version of coterie": __version__,
        **{f"version of {name}": version(name) for name in _LIBRARIES},
        "seed": [str(seed.entropy), list(seed.spawn_key)],
        "data": hashed or digest(X),
        "shape": list(X.shape),
    }


def _record(X: Any, draft: Draft, number: int) -> tuple[np.ndarray, Member]:
    """Relabel by first appearance, and put the centres in the same order."""
    raw = np.asarray(draft.labels)
    if raw.shape != (X.shape[0],):
        raise ValueError(
            f"it must label each of the {X.shape[0]} samples, got labels of shape "
            f"{raw.shape}."
        )
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
    return labels, replace(member, centers=centers, feature_weights=weights)


def take_features(X: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Return some columns of a C-ordered array; releases the GIL."""
    return np.take(X, features, axis=1)


def cluster_means(X: Any, labels: np.ndarray) -> np.ndarray:
    """Return the mean of each cluster, (k, d), ignoring missing labels."""
    assigned = labels >= 0
    if not assigned.all():
        X, labels = X[assigned], labels[assigned]
    sizes = np.maximum(np.bincount(labels), 1)[:, None]
    if is_sparse(X) or X.size <= _FEW_VALUES:  # SciPy copies dense float32 to float64
        parts = np.ones(labels.size), labels, np.arange(labels.size + 1)
        belongs = scipy.sparse.csr_array(parts, (labels.size, sizes.size))  # (n, k)
        sums = belongs.T @ X
        sums = sums.toarray() if is_sparse(X) else sums
    else:
        from coterie._kernels._codes import sum_by_code

        sums = np.zeros((sizes.size, X.shape[1]))
        columns = labels.astype(np.int32)[None, :]
        sum_by_code(columns, np.zeros(1, np.int64), np.ascontiguousarray(X), sums)
    return (sums / sizes).astype(X.dtype)


def _warn_of_constant_members(columns: list[np.ndarray], who: str) -> None:
    n_constant = sum(int(column.max() == 0) for column in columns)
    if n_constant and columns[0].size > 1:
        warnings.warn(
            f"{who}: {n_constant} of {len(columns)} members found a single cluster and "
            "carry no information.",
            DegenerateMemberWarning,
            stacklevel=3,
        )
