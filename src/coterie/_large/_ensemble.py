"""An ensemble whose label matrix is read by blocks, in the smallest type that fits."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from coterie._engine import Blocks, MemberStore, keep_blocks, map_blocks
from coterie._large._rows import Rows
from coterie._large._rules import Rule, as_codes, row_of_labels
from coterie._typing import LABEL_DTYPE
from coterie.ensemble import Ensemble, Member
from coterie.ensemble._clusters import HasClusters


class MemoryBlocks:
    """Blocks of labels that are here.

    Parameters
    ----------
    parts : list of (n, M) arrays

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import MemoryBlocks
    >>> blocks = MemoryBlocks([np.zeros((4, 2)), np.ones((3, 2))])
    >>> blocks.n_blocks, blocks.read(1).shape
    (2, (3, 2))
    """

    def __init__(self, parts: list[np.ndarray]) -> None:
        self._parts = parts
        self._there: tuple[str, list[Any]] = ("", [])

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self._parts)

    def read(self, block: int) -> np.ndarray:
        """Return the labels of a block."""
        return self._parts[block]

    def remote(self, client: Any) -> Sequence[Any]:
        """Return the blocks as futures of a Dask client."""
        if self._there[0] != client.id:
            self._there = (client.id, client.scatter(self._parts, hash=False))
        return self._there[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_there": ("", [])}


class _OnDisk:
    """Blocks of labels in a store."""

    def __init__(self, store: MemberStore, n_blocks: int) -> None:
        self.store = store
        self.n_blocks = n_blocks

    def read(self, block: int) -> np.ndarray:
        kept = self.store.read(block)
        if kept is None:
            raise OSError(
                f"Block {block} of the labels in {self.store.folder} was removed or "
                "damaged while it was in use. Run the same again: it is made anew."
            )
        return _from_bytes(kept)

    def remote(self, client: Any) -> None:
        return None


class _OnWorkers:
    """Blocks of labels that stay where they were made, on the workers of Dask."""

    def __init__(self, futures: list[Any]) -> None:
        self._futures = futures

    @property
    def n_blocks(self) -> int:
        return len(self._futures)

    def read(self, block: int) -> np.ndarray:
        return self._futures[block].result()

    def remote(self, client: Any) -> Sequence[Any]:
        return self._futures


class BlockEnsemble(HasClusters):
    """Many clusterings of many samples, some rows at a time.

    It knows its clusters and their sizes as :class:`~coterie.Ensemble` does, but gives
    its label rows only block by block.

    Parameters
    ----------
    blocks : Blocks
        Of labels, (n, M).
    bounds : (n_blocks + 1,) int array
    sizes : sequence of int
        The number of clusters of each member.
    n_jobs : int or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import label_blocks, learn_rule, open_rows
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> rules = [learn_rule("kmeans", X, 2, np.random.default_rng(j)) for j in range(3)]
    >>> ensemble = label_blocks(rules, open_rows(X, "me"))
    >>> ensemble.n_samples, ensemble.n_members, ensemble.n_total_clusters
    (4, 3, 6)
    """

    def __init__(
        self,
        blocks: Blocks,
        bounds: np.ndarray,
        sizes: Sequence[int],
        n_jobs: int | None = None,
    ) -> None:
        self.blocks = blocks
        self.bounds = bounds
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.n_jobs = n_jobs

    @property
    def n_samples(self) -> int:
        """Number of samples, N."""
        return int(self.bounds[-1])

    @cached_property
    def cluster_sizes(self) -> np.ndarray:
        """Number of samples in each cluster, (C,)."""
        return self.overlap.diagonal().astype(np.int64)

    @cached_property
    def overlap(self) -> np.ndarray:
        """The number of samples that each two clusters share, (C, C)."""
        return self.total(partial(_overlap, self.offsets, None))

    def weighted_overlap(self, weights: np.ndarray) -> np.ndarray:
        """Return the overlap in which a row counts one over its clusters' weights."""
        return self.total(partial(_overlap, self.offsets, weights))

    def total(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return the sum over blocks of a function of their label rows."""
        total = None
        for part in self.map(function):
            total = part if total is None else np.add(total, part, out=total)
        return total

    def map(self, function: Callable[[np.ndarray], Any]) -> Any:
        """Yield a function of the label rows (int32) of each block, in order."""
        return map_blocks(partial(_of_codes, function), self.blocks, n_jobs=self.n_jobs)

    def sample(self, n_rows: int, rng: np.random.Generator) -> Ensemble:
        """Return the ensemble of some samples, drawn at random."""
        n = min(n_rows, self.n_samples)
        chosen = np.sort(rng.choice(self.n_samples, size=n, replace=False))
        at = np.searchsorted(chosen, self.bounds)
        parts = np.split(chosen, at[1:-1])
        parts = [p - s for p, s in zip(parts, self.bounds[:-1], strict=True)]
        rows = map_blocks(
            partial(_take, parts), self.blocks, numbered=True, n_jobs=self.n_jobs
        )
        labels = as_codes(np.concatenate(list(rows)))
        members = (Member(),) * self.n_members
        return Ensemble._from_coded(labels, self.offsets.copy(), members)


def _take(parts: list[np.ndarray], number: int, rows: np.ndarray) -> np.ndarray:
    return rows[parts[number]]


def _of_codes(function: Callable[[np.ndarray], Any], labels: np.ndarray) -> Any:
    return function(as_codes(labels))


def _overlap(
    offsets: np.ndarray, weights: np.ndarray | None, rows: np.ndarray
) -> np.ndarray:
    from coterie._kernels._incidence import gather
    from coterie._kernels._tables import overlap

    row_weights = np.ones(len(rows))
    if weights is not None:
        degrees = np.empty((len(rows), 1))
        gather(rows, offsets, np.ascontiguousarray(weights[:, None]), degrees)
        row_weights = 1.0 / degrees[:, 0]
    out = np.zeros((int(offsets[-1]),) * 2)
    overlap(columns_of(rows), offsets, row_weights, out)
    return out


def columns_of(rows: np.ndarray) -> np.ndarray:
    """Return label rows transposed, (M, n), in the smallest type the kernels take."""
    dtype = np.int16 if rows.max(initial=0) < 2**15 else LABEL_DTYPE
    return np.ascontiguousarray(rows.T.astype(dtype))


def label_blocks(
    rules: list[Rule],
    rows: Rows,
    *,
    n_jobs: int | None = None,
    store: MemberStore | None = None,
    keep_on_workers: bool = False,
    tell: Callable[[], None] = lambda: None,
) -> BlockEnsemble:
    """Label all samples by all members.

    Parameters
    ----------
    rules : list of Rule
    rows : Rows
    n_jobs : int or None, default=None
    store : MemberStore, default=None
        Keeps each finished block on a disk; those that it has are not made again.
    keep_on_workers : bool, default=False
        Whether blocks stay on the workers of the Dask client that holds.
    tell : function
        Called after each block.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import label_blocks, learn_rule, open_rows
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> rules = [learn_rule("kmeans", X, 2, np.random.default_rng(j)) for j in range(3)]
    >>> label_blocks(rules, open_rows(X, "me")).n_members
    3
    """
    sizes = [rule.n_clusters for rule in rules]
    work = partial(row_of_labels, rules, label_type(sizes))
    if store is not None:
        have = [store.read(b) is not None for b in range(rows.n_blocks)]
        left = [b for b, there in enumerate(have) if not there]
        for _ in range(sum(have)):
            tell()
        made = map_blocks(work, rows, numbers=left, n_jobs=n_jobs)
        for b, labels in zip(left, made, strict=True):
            store.write(b, _to_bytes(labels))
            tell()
        blocks: Blocks = _OnDisk(store, rows.n_blocks)
    elif keep_on_workers:
        blocks = _OnWorkers(keep_blocks(work, rows))
    else:
        parts = []
        for labels in map_blocks(work, rows, n_jobs=n_jobs):
            parts.append(labels)
            tell()
        blocks = MemoryBlocks(parts)
    return BlockEnsemble(blocks, rows.bounds, sizes, n_jobs)


def label_type(sizes: Sequence[int]) -> np.dtype:
    """Return the smallest type of labels of members of so many clusters."""
    return np.min_scalar_type(max(sizes) - 1)


def _to_bytes(labels: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, labels, allow_pickle=False)
    return file.getvalue()


def _from_bytes(content: bytes) -> np.ndarray:
    return np.load(io.BytesIO(content), allow_pickle=False)
