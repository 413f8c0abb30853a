"""Ensemble: an unchanging record of what the base clusterers said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._display import count
from coterie._typing import LABEL_DTYPE, MaybeArray
from coterie.ensemble._clusters import HasClusters
from coterie.ensemble._coding import code_labels

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from coterie.ensemble._weights import Weights

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_N_VOTERS = 400  # clusterings that are asked about single samples, of thousands


@dataclass(frozen=True, eq=False)
class Member:
    """How one member came about, and where its clusters lie.

    Attributes
    ----------
    name : str or None
        The column's or the clusterer's name.
    params : mapping
        What was drawn for it, as plain numbers and strings.
    seed : int or None
        Its place among the children of the ensemble's seed.
    features : (d,) int array or None
        The columns of X it saw; None = all.
    embedding : (D, d) array or None
        The linear map into its own space (a random projection); None = none.
    centers : (k, d) array or None
        The means of its clusters in its own space, in the order of its labels.
    feature_weights : (k, d) array or None
        How much each feature of its own space counts in each cluster; None = alike.

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
    params: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    seed: int | None = None
    features: MaybeArray = None
    embedding: MaybeArray = None
    centers: MaybeArray = None
    feature_weights: MaybeArray = None

    def view(self, X: Any) -> Any:
        """Return the data as this member saw them."""
        if self.features is not None:
            return X[:, self.features]
        if self.embedding is not None:
            return X @ self.embedding
        return X


@dataclass(frozen=True, eq=False)
class CoreClusters:
    """The distinct rows of labels: samples that no member ever separates.

    Attributes
    ----------
    rows : (u, M) int32
        The distinct label rows, by first appearance.
    counts : (u,) int64
        How many samples have each.
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
        """The rows transposed, (M, u), in the smallest signed type that fits."""
        dtype = np.int16 if self.rows.max(initial=0) < 2**15 else LABEL_DTYPE
        return np.ascontiguousarray(self.rows.T.astype(dtype))


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Ensemble(HasClusters):
    """Many clusterings of the same samples.

    A record that never changes: methods return new ensembles. Two samples with the same
    row of labels are interchangeable for all that only sees labels; :attr:`core` holds
    the distinct rows, which is what most consensus functions work on.

    Parameters
    ----------
    labels : list, dict, frame or array
        A list of label vectors, one for each member, or of fitted clusterers; a dict
        of label vectors by name; a pandas or polars frame with a member in each column;
        or an (n_samples, n_members) array, with no more members than samples. Labels
        may be of any hashable type; -1, NaN, None and what a mask hides mean "not
        assigned".
    members : iterable of Member, default=None
        How each member came about.

    Attributes
    ----------
    labels : (N, M) int32 array, read-only
        Column j is coded 0..k_j - 1 by first appearance; -1 = not assigned.
    offsets : (M + 1,) int64 array
        The cluster of sample i in member j has the number ``offsets[j] + labels[i, j]``
        among all clusters.
    members : tuple of Member

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

    def __init__(self, labels: Any, members: Iterable[Member] | None = None) -> None:
        if isinstance(labels, Ensemble):
            coded, offsets = labels.labels, labels.offsets
            members = labels.members if members is None else members
        else:
            coded, n_codes, names = code_labels(labels)
            offsets = np.concatenate([[0], np.cumsum(n_codes)]).astype(np.int64)
            members = (Member(name=n) for n in names) if members is None else members
        self._store(coded, offsets, tuple(members))

    def _store(
        self, labels: np.ndarray, offsets: np.ndarray, members: tuple[Member, ...]
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

    @classmethod
    def _from_coded(
        cls, labels: np.ndarray, offsets: np.ndarray, members: tuple[Member, ...]
    ) -> Ensemble:
        """Make an ensemble of columns that are coded already."""
        self = object.__new__(cls)
        self._store(labels, offsets, members)
        return self

    @property
    def n_samples(self) -> int:
        """Number of samples, N."""
        return self.labels.shape[0]

    @cached_property
    def has_missing(self) -> bool:
        """Whether any label is missing."""
        return self.labels.dtype.kind == "i" and bool((self.labels < 0).any())

    @cached_property
    def core(self) -> CoreClusters:
        """The distinct label rows with their multiplicities."""
        from coterie._kernels._labels import group_rows, hash_rows

        n_samples = self.n_samples
        hashes = np.empty(n_samples, dtype=np.uint64)
        hash_rows(self.labels, hashes)
        first = np.empty(n_samples, dtype=np.int32)
        index = np.empty(n_samples, dtype=np.int32)
        counts = np.empty(n_samples, dtype=np.int64)
        n_rows = group_rows(self.labels, hashes, first, index, counts)
        rows = self.labels if n_rows == n_samples else self.labels[first[:n_rows]]
        return CoreClusters(rows, counts[:n_rows].copy(), index)

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
        """Return label rows numbered among all clusters, flattened; -1 stays -1."""
        flat = (rows + self.offsets[:-1]).ravel()
        flat[rows.ravel() < 0] = -1
        return flat

    def incidence(self) -> csr_array:
        """Return the sparse (N, C) matrix B: which sample is in which cluster."""
        from scipy.sparse import csr_array

        flat = self.global_labels(self.labels)
        if self.has_missing:
            present = flat >= 0
            per_row = present.reshape(self.labels.shape).sum(axis=1)
            indptr = np.concatenate([[0], np.cumsum(per_row)])
            flat = flat[present]
        else:  # every row has M entries: no sort, no search
            indptr = np.arange(self.n_samples + 1, dtype=np.int64) * self.n_members
        # scikit-learn takes 32-bit indices only
        dtype = np.int32 if flat.size < 2**31 else np.int64
        return csr_array(
            (np.ones(flat.size), flat.astype(dtype), indptr.astype(dtype)),
            shape=(self.n_samples, self.n_total_clusters),
        )

    def overlap(self) -> np.ndarray:
        """Return the (C, C) numbers of samples that each two clusters share."""
        from coterie._kernels._tables import overlap

        out = np.zeros((self.n_total_clusters,) * 2)
        weights = self.core.counts.astype(np.float64)
        overlap(self.core.columns, self.offsets, weights, out)
        return out

    def coassociation(
        self,
        weights: Weights | None = None,
        format: str = "dense",
        memory_limit: int | None = None,
    ) -> Any:
        """Return how often each two samples share a cluster, S.

        ``S[i, j]`` is the (weighted) share of members that put i and j together, among
        those that assign both; the diagonal is one.

        Parameters
        ----------
        weights : Weights, default=None
            How much members and clusters count.
        format : {"dense", "condensed", "sparse", "operator"}, default="dense"
            An (N, N) float32 array; its upper triangle as in
            ``scipy.spatial.distance.squareform``; a CSR array of the entries that are
            not zero; or a ``scipy.sparse.linalg.LinearOperator``, which takes
            O(N + C) memory.
        memory_limit : int, default=None
            Bytes that the result may take; over it, MemoryLimitError. By default a
            share of what the machine has free.
        """
        from coterie.ensemble._coassociation import coassociation

        return coassociation(self, weights, format, memory_limit)

    def subset(self, members: Any) -> Ensemble:
        """Return the ensemble of some members, by index, slice or mask."""
        chosen = np.arange(self.n_members)[members]
        chosen = np.atleast_1d(chosen)
        if chosen.size == 0:
            raise ValueError(
                "Ensemble.subset would leave no member. Keep at least one."
            )
        sizes = self.n_clusters_per_member[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        labels = np.ascontiguousarray(self.labels[:, chosen])
        return Ensemble._from_coded(
            labels, offsets, tuple(self.members[j] for j in chosen)
        )

    def voters(self) -> Ensemble:
        """Return the members that are asked about single samples.

        All of them, unless they come by the thousand, as those of bootstrap networks,
        whose labels are held in a smaller type than int32: then 400, evenly spaced.
        """
        if self.labels.dtype == LABEL_DTYPE:
            return self
        M = self.n_members
        few = self
        if M > _N_VOTERS:
            few = self.subset(np.arange(_N_VOTERS) * M // _N_VOTERS)
        return Ensemble._from_coded(
            few.labels.astype(LABEL_DTYPE), few.offsets, few.members
        )

    @staticmethod
    def concatenate(ensembles: Iterable[Ensemble]) -> Ensemble:
        """Return one ensemble with the members of all, in their order."""
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
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        labels = np.ascontiguousarray(np.hstack([part.labels for part in parts]))
        return Ensemble._from_coded(
            labels, offsets, tuple(m for part in parts for m in part.members)
        )

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
        """A name for each member: its own, made different by its number if need be."""
        own = [member.name or "member" for member in self.members]
        times = Counter(["member", *own])
        return [f"{n} {j}" if times[n] > 1 else n for j, n in enumerate(own)]

    def to_frame(self) -> Any:
        """Return the labels as a pandas frame with a column for each member."""
        import pandas

        return pandas.DataFrame(self.labels, columns=self.names)

    def __len__(self) -> int:
        return self.n_members

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
    """Return an ensemble as it is, and make one of anything else.

    Parameters
    ----------
    source : Ensemble, or whatever makes one

    Examples
    --------
    >>> from coterie.ensemble._ensemble import as_ensemble
    >>> as_ensemble([[0, 0, 1], [0, 1, 1]]).n_members
    2
    """
    return source if isinstance(source, Ensemble) else Ensemble(source)
