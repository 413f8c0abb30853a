"""Ensemble: an immutable record of many clusterings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._cards import html_of
from coterie._display import count
from coterie._typing import LABEL_DTYPE, MaybeArray
from coterie.ensemble._clusters import HasClusters
from coterie.ensemble._coding import code_labels

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from coterie.ensemble._weights import Weights

_TURNED = 4096  # rows transposed at once
_N_VOTERS = 400  # members that vote about single samples, out of thousands


@dataclass(frozen=True, eq=False)
class Member:
    """How one member was made, and where its clusters lie.

    Attributes
    ----------
    name : str or None
        The column's or the clusterer's name.
    params : mapping
        Its random parameters, as plain numbers and strings.
    seed : int or None
        Its index among the children of the ensemble's seed.
    features : (d,) int array or None
        The columns of X it saw; None = all.
    embedding : (D, d) array or None
        The linear map of these columns into its own space (a random projection); None =
        none.
    centers : (k, d) array or None
        The means of its clusters in its own space, in the order of its labels.
    feature_weights : (k, d) array or None
        The weight of each feature of its own space in each cluster; None = equal.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import RandomSubspace
    >>> X = load_iris().data
    >>> ensemble = RandomSubspace(3, feature_ratio=0.5).generate(X, seed=0)
    >>> ensemble.members[0].features
    array([2, 3])
    >>> ensemble.members[0].centers.shape[1]
    2
    """

    name: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    features: MaybeArray = None
    embedding: MaybeArray = None
    centers: MaybeArray = None
    feature_weights: MaybeArray = None

    def view(self, X: Any) -> Any:
        """Return the data as this member saw them."""
        seen = X if self.features is None else X[:, self.features]
        return seen if self.embedding is None else seen @ self.embedding


@dataclass(frozen=True, eq=False)
class CoreClusters:
    """The distinct rows of labels: samples that no member ever separates.

    Attributes
    ----------
    rows : (u, M) int32
        The distinct label rows, by first appearance.
    counts : (u,) int64
        The number of samples with each.
    index : (N,) int32
        The row of each sample.

    Examples
    --------
    >>> from coterie import Ensemble
    >>> core = Ensemble([[0, 0, 1, 1], [0, 0, 1, 2]]).core
    >>> core.rows
    array([[0, 0],
           [1, 1],
           [1, 2]], dtype=int32)
    >>> core.counts, core.index
    (array([2, 1, 1]), array([0, 0, 1, 2], dtype=int32))
    """

    rows: np.ndarray
    counts: np.ndarray
    index: np.ndarray

    def __len__(self) -> int:
        return self.rows.shape[0]

    @cached_property
    def columns(self) -> np.ndarray:
        """The rows transposed, (M, u), in the smallest signed dtype that fits."""
        return columns_of(self.rows)


def columns_of(rows: np.ndarray) -> np.ndarray:
    """Return label rows transposed, (M, n), in the smallest dtype for kernels."""
    dtype = np.int16 if rows.max(initial=0) < 2**15 else LABEL_DTYPE
    columns = np.empty(rows.shape[::-1], dtype=dtype)
    for start in range(0, len(rows), _TURNED):  # what is read is still in the cache
        columns[:, start : start + _TURNED] = rows[start : start + _TURNED].T
    return columns


def offsets_of(sizes: Any) -> np.ndarray:
    """Return the offsets (M + 1,) of members with these numbers of clusters."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Ensemble(HasClusters):
    """Many clusterings of the same samples.

    An ensemble is immutable: methods return new ensembles. Two samples with the same
    row of labels are interchangeable for methods that only see labels; :attr:`core`
    holds the distinct rows, on which most consensus functions work.

    Parameters
    ----------
    labels : list, dict, frame or array
        A list of label vectors, one for each member, or of fitted clusterers; a dict
        of label vectors by name; a pandas or polars frame with a member in each column;
        or an (n_samples, n_members) array, with no more members than samples. Labels
        may be of any hashable type; -1, NaN, None and masked values mean "not
        assigned".
    members : iterable of Member, default=None
        How each member was made.

    Attributes
    ----------
    labels : (N, M) int32 array, read-only
        Column j is coded 0..k_j - 1 by first appearance; -1 = not assigned.
    offsets : (M + 1,) int64 array
        The cluster of sample i in member j has the index ``offsets[j] + labels[i, j]``
        among all clusters.
    members : tuple of Member
    notes : tuple of str
        What its generator has to say, such as which kinds of member it left out.

    Examples
    --------
    >>> from coterie import Ensemble
    >>> ensemble = Ensemble([["a", "a", "b", "b"], [0, 1, 1, None]])
    >>> ensemble
    Ensemble of 2 members on 4 samples: 4 clusters (2 in each), ..., 1 label missing
    >>> ensemble.labels
    array([[ 0,  0],
           [ 0,  1],
           [ 1,  1],
           [ 1, -1]], dtype=int32)
    """

    labels: np.ndarray
    offsets: np.ndarray
    members: tuple[Member, ...]
    notes: tuple[str, ...]

    def __init__(self, labels: Any, members: Iterable[Member] | None = None) -> None:
        notes: tuple[str, ...] = ()
        if isinstance(labels, Ensemble):
            coded, offsets, notes = labels.labels, labels.offsets, labels.notes
            members = labels.members if members is None else members
        else:
            coded, n_codes, names = code_labels(labels)
            offsets = offsets_of(n_codes)
            members = (Member(name=n) for n in names) if members is None else members
        self._store(coded, offsets, tuple(members), notes)

    def _store(
        self,
        labels: np.ndarray,
        offsets: np.ndarray,
        members: tuple[Member, ...],
        notes: tuple[str, ...],
    ) -> None:
        if len(members) != labels.shape[1]:
            raise ValueError(
                f"Ensemble expects a Member for each of its {labels.shape[1]} label "
                f"columns, got {len(members)}."
            )
        for array in (labels, offsets):
            array.flags.writeable = False
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "members", members)
        object.__setattr__(self, "notes", notes)

    @classmethod
    def _from_coded(
        cls,
        labels: np.ndarray,
        offsets: np.ndarray,
        members: tuple[Member, ...],
        notes: tuple[str, ...] = (),
    ) -> Ensemble:
        """Make an ensemble of columns that are already coded."""
        self = object.__new__(cls)
        self._store(labels, offsets, members, notes)
        return self

    @property
    def n_samples(self) -> int:
        """Number of samples, N."""
        return self.labels.shape[0]

    @cached_property
    def has_missing(self) -> bool:
        """Whether any label is missing."""
        return self.labels.dtype.kind == "i" and int(self.labels.min()) < 0

    @cached_property
    def core(self) -> CoreClusters:
        """The distinct label rows with their multiplicities."""
        from coterie._kernels._jit import read_only
        from coterie._kernels._labels import group_rows, hash_rows

        n_samples = self.n_samples
        hashes = np.empty(n_samples, dtype=np.uint64)
        hash_rows(self.labels, hashes)
        first = np.empty(n_samples, dtype=np.int32)
        index = np.empty(n_samples, dtype=np.int32)
        counts = np.empty(n_samples, dtype=np.int64)
        slots = np.full(2 ** (2 * n_samples).bit_length(), -1, dtype=np.int32)
        n_rows = group_rows(self.labels, hashes, slots, first, index, counts)
        rows = self.labels if n_rows == n_samples else self.labels[first[:n_rows]]
        return CoreClusters(read_only(rows), counts[:n_rows].copy(), index)

    @cached_property
    def cluster_sizes(self) -> np.ndarray:
        """Number of samples in each cluster, (C,)."""
        flat = self.global_labels(self.core.rows)
        repeats = np.repeat(self.core.counts, self.n_members)
        present = flat >= 0
        sizes = np.bincount(
            flat[present], repeats[present], minlength=self.n_total_clusters
        )
        return sizes.astype(np.int64)

    def global_labels(self, rows: np.ndarray) -> np.ndarray:
        """Return label rows as indices among all clusters, flattened; -1 stays -1."""
        flat = (rows + self.offsets[:-1]).ravel()
        flat[rows.ravel() < 0] = -1
        return flat

    def incidence(self) -> csr_array:
        """Return the sparse incidence matrix B of samples and clusters, (N, C)."""
        from scipy.sparse import csr_array

        flat = self.global_labels(self.labels)
        if self.has_missing:
            present = flat >= 0
            per_row = present.reshape(self.labels.shape).sum(axis=1)
            indptr = np.concatenate([[0], np.cumsum(per_row)])
            flat = flat[present]
        else:  # every row has M entries: no sort, no search
            indptr = np.arange(self.n_samples + 1, dtype=np.int64) * self.n_members
        # scikit-learn accepts 32-bit indices only
        dtype = np.int32 if flat.size < 2**31 else np.int64
        return csr_array(
            (np.ones(flat.size), flat.astype(dtype), indptr.astype(dtype)),
            shape=(self.n_samples, self.n_total_clusters),
        )

    def overlap(self) -> np.ndarray:
        """Return the numbers of samples that each pair of clusters shares, (C, C)."""
        from coterie._kernels._tables import overlap

        out = np.zeros((self.n_total_clusters,) * 2)
        weights = self.core.counts.astype(np.float64)
        overlap(self.core.columns, self.offsets, weights, out.ravel())
        return out

    def coassociation(
        self,
        weights: Weights | None = None,
        format: str = "dense",
        memory_limit: int | None = None,
    ) -> Any:
        """Return how often each pair of samples shares a cluster, S.

        ``S[i, j]`` is the (weighted) share of members that put i and j together, among
        those that assign both; the diagonal is one.

        Parameters
        ----------
        weights : Weights, default=None
            How much members and clusters count.
        format : {"dense", "condensed", "sparse", "operator"}, default="dense"
            An (N, N) float32 array; its upper triangle as in
            ``scipy.spatial.distance.squareform``; a CSR array of the nonzero entries;
            or a ``scipy.sparse.linalg.LinearOperator``, which takes O(N + C) memory.
        memory_limit : int, default=None
            Bytes that the result may take before a MemoryLimitError. None takes the
            limit of :func:`coterie.use_engine`.
        """
        from coterie.ensemble._coassociation import coassociation

        return coassociation(self, weights, format, memory_limit)

    def subset(self, members: Any) -> Ensemble:
        """Return the ensemble of some members, by index, slice or mask."""
        chosen = np.atleast_1d(np.arange(self.n_members)[members])
        if chosen.size == 0:
            raise ValueError(
                "Ensemble.subset would leave no member. Keep at least one."
            )
        offsets = offsets_of(self.n_clusters_per_member[chosen])
        labels = np.ascontiguousarray(self.labels[:, chosen])
        members = tuple(self.members[j] for j in chosen)
        return Ensemble._from_coded(labels, offsets, members, self.notes)

    def voters(self) -> Ensemble:
        """Return the members that vote about single samples.

        All of them, unless there are thousands, as in bootstrap networks, whose labels
        have a smaller dtype than int32: then 400, evenly spaced.
        """
        if self.labels.dtype == LABEL_DTYPE:
            return self
        M, few = self.n_members, self
        if M > _N_VOTERS:
            few = self.subset(np.arange(_N_VOTERS) * M // _N_VOTERS)
        labels = few.labels.astype(LABEL_DTYPE)
        return Ensemble._from_coded(labels, few.offsets, few.members, few.notes)

    @staticmethod
    def concatenate(ensembles: Iterable[Ensemble]) -> Ensemble:
        """Return one ensemble with all their members, in order."""
        parts = list(ensembles)
        if not parts:
            raise ValueError("Ensemble.concatenate needs at least one ensemble.")
        n_samples = {part.n_samples for part in parts}
        if len(n_samples) > 1:
            raise ValueError(
                "Ensemble.concatenate expects ensembles of the same samples, got "
                f"{sorted(n_samples)} samples."
            )
        sizes = np.concatenate([part.n_clusters_per_member for part in parts])
        labels = np.ascontiguousarray(np.hstack([part.labels for part in parts]))
        members = tuple(member for part in parts for member in part.members)
        notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
        return Ensemble._from_coded(labels, offsets_of(sizes), members, notes)

    def save(self, path: str | Path) -> None:
        """Write the ensemble to one NPZ file (numbers and JSON, never pickle)."""
        from coterie.ensemble._storage import save

        save(self, path)

    @staticmethod
    def load(path: str | Path) -> Ensemble:
        """Read an ensemble that :meth:`save` wrote."""
        from coterie.ensemble._storage import load

        return load(path)

    @property
    def names(self) -> list[str]:
        """A unique name for each member: its own, with its number if necessary."""
        own = [member.name or "member" for member in self.members]
        times = Counter(["member", *own])
        return [f"{n} {j}" if times[n] > 1 else n for j, n in enumerate(own)]

    def to_frame(self) -> Any:
        """Return the labels as a pandas frame with a column for each member."""
        import pandas

        return pandas.DataFrame(self.labels, columns=self.names)

    def __len__(self) -> int:
        return self.n_members

    def _repr_html_(self) -> str:
        from coterie.ensemble._card import ensemble_card

        return html_of(ensemble_card, self)

    def __repr__(self) -> str:
        sizes = self.n_clusters_per_member
        low, high = int(sizes.min()), int(sizes.max())
        each = f"{low} in each" if low == high else f"{low} to {high} in each"
        text = (
            f"Ensemble of {count(self.n_members, 'member')} on "
            f"{count(self.n_samples, 'sample')}: "
            f"{count(self.n_total_clusters, 'cluster')} ({each}), "
            f"{count(len(self.core), 'distinct label row')}"
        )
        if self.has_missing:
            missing = int((self.labels < 0).sum())
            text += f", {count(missing, 'label')} missing"
        return text


def as_ensemble(source: Any) -> Ensemble:
    """Return an ensemble unchanged, and make one of anything else."""
    return source if isinstance(source, Ensemble) else Ensemble(source)
