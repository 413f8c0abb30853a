"""An ensemble whose labels are read in blocks: from memory, disk or workers."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from coterie._engine import Blocks, MemberStore, SentOnce, map_blocks
from coterie._memory import check_memory
from coterie._typing import LABEL_DTYPE
from coterie._validation import require
from coterie.ensemble._ensemble import Ensemble, Member, columns_of, offsets_of


class BlockEnsemble(Ensemble):
    """Many clusterings of many samples, read some rows at a time.

    Consensus functions that are linear in the samples go through the blocks; for the
    others, and on access to ``labels``, all rows are loaded into memory, if the memory
    limit allows. No label is missing.

    Parameters
    ----------
    blocks : Blocks
        Blocks of labels, (n, M), of any integer dtype.
    bounds : (n_blocks + 1,) int array
        Starts of the blocks, and the end of the last.
    sizes : sequence of int
        The number of clusters of each member, empty ones included.
    members : sequence of Member, default=None
    rules : sequence, default=()
        For each member an object that labels new samples, by ``labels(X)``.
    n_jobs : int or None, default=None
        Blocks processed in parallel.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.ensemble import BlockEnsemble
    >>> from coterie.ensemble._blocks import MemoryBlocks
    >>> blocks = MemoryBlocks([np.array([[0, 0], [0, 1]]), np.array([[1, 1]])])
    >>> ensemble = BlockEnsemble(blocks, np.array([0, 2, 3]), sizes=[2, 2])
    >>> ensemble.overlap()[:2, 2:]
    array([[1., 1.],
           [0., 1.]])
    >>> ensemble.labels.tolist()
    [[0, 0], [0, 1], [1, 1]]
    """

    def __init__(
        self,
        blocks: Blocks,
        bounds: np.ndarray,
        sizes: Sequence[int],
        members: Sequence[Member] | None = None,
        rules: Sequence[Any] = (),
        n_jobs: int | None = None,
    ) -> None:
        vars(self).update(
            blocks=blocks,
            bounds=bounds,
            offsets=offsets_of(sizes),
            members=(Member(),) * len(sizes) if members is None else tuple(members),
            notes=(),
            rules=list(rules),
            n_jobs=n_jobs,
        )

    blocks: Blocks
    bounds: np.ndarray
    rules: list[Any]
    n_jobs: int | None

    @property
    def n_samples(self) -> int:
        """Number of samples, N."""
        return int(self.bounds[-1])

    @cached_property
    def has_missing(self) -> bool:
        """Always False."""
        return False

    @cached_property
    def labels(self) -> np.ndarray:  # type: ignore[override]
        """The labels of all samples, (N, M) int32, loaded into memory."""
        check_memory(
            self.n_samples * self.n_members * np.dtype(LABEL_DTYPE).itemsize,
            f"The labels of {self.n_samples:,} samples by {self.n_members} members",
            None,
            "Use lwgp, hbgf, kcc, sec or vote, which read them by blocks.",
        )
        labels = np.concatenate(list(self.map(as_codes)))
        labels.flags.writeable = False
        return labels

    @cached_property
    def cluster_sizes(self) -> np.ndarray:
        """Number of samples in each cluster, (C,)."""
        return self.overlap().diagonal().astype(np.int64)

    @cached_property
    def _overlap(self) -> np.ndarray:
        return self.total(partial(_overlap, self.offsets, None))

    def overlap(self) -> np.ndarray:
        """Return the numbers of samples that each pair of clusters shares, (C, C)."""
        return self._overlap

    def weighted_overlap(self, weights: np.ndarray) -> np.ndarray:
        """Return the overlap with rows weighted by one over their clusters' weights."""
        return self.total(partial(_overlap, self.offsets, weights))

    def total(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return the sum over blocks of a function of their label rows."""
        parts = self.map(function)
        total = next(parts)
        for part in parts:
            np.add(total, part, out=total)
        return total

    def map(self, function: Callable[[np.ndarray], Any]) -> Iterator[Any]:
        """Yield a function of the label rows (int32) of each block, in order."""
        return map_blocks(partial(_of_codes, function), self.blocks, n_jobs=self.n_jobs)

    def sample(self, n_rows: int, rng: np.random.Generator) -> Ensemble:
        """Return the ensemble of a random subsample."""
        n = min(n_rows, self.n_samples)
        chosen = np.sort(rng.choice(self.n_samples, size=n, replace=False))
        at = np.searchsorted(chosen, self.bounds)
        parts = np.split(chosen, at[1:-1])
        parts = [p - s for p, s in zip(parts, self.bounds[:-1], strict=True)]
        rows = map_blocks(
            partial(_take, parts), self.blocks, numbered=True, n_jobs=self.n_jobs
        )
        labels = as_codes(np.concatenate(list(rows)))
        return Ensemble._from_coded(labels, self.offsets.copy(), self.members)

    def to_dask(self) -> Any:
        """Return the labels as a Dask array, (N, M) int32, with a chunk per block.

        Labels on Dask workers stay there; others are read when they are computed.
        """
        dask, array = require("dask"), require("dask.array")
        if isinstance(self.blocks, WorkerBlocks):
            read, parts = as_codes, self.blocks.futures
        else:
            read = partial(_codes_of, self.blocks)
            parts = range(self.blocks.n_blocks)
        read = dask.delayed(read)
        chunks = [
            array.from_delayed(read(part), (int(n), self.n_members), LABEL_DTYPE)
            for part, n in zip(parts, np.diff(self.bounds), strict=True)
        ]
        return array.concatenate(chunks)

    def voters(self) -> Ensemble:
        """Return the ensemble itself."""
        return self


class MemoryBlocks(SentOnce):
    """Blocks of labels in memory."""

    def __init__(self, parts: list[np.ndarray]) -> None:
        self._parts = parts

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self._parts)

    def read(self, block: int) -> np.ndarray:
        """Return the labels of a block."""
        return self._parts[block]

    def _send(self, client: Any) -> Sequence[Any]:
        return client.scatter(self._parts, hash=False)


class DiskBlocks:
    """Blocks of labels in a store."""

    def __init__(self, store: MemberStore, n_blocks: int) -> None:
        self.store = store
        self.n_blocks = n_blocks

    def write(self, block: int, labels: np.ndarray) -> None:
        """Store the labels of a block."""
        file = io.BytesIO()
        np.save(file, labels, allow_pickle=False)
        self.store.write(block, file.getvalue())

    def read(self, block: int) -> np.ndarray:
        """Return the labels of a block."""
        kept = self.store.read(block)
        if kept is None:
            raise OSError(
                f"Block {block} of the labels in {self.store.folder} was removed or "
                "damaged while in use. Repeat the run to make it again."
            )
        return np.load(io.BytesIO(kept), allow_pickle=False)

    def remote(self, client: Any) -> None:
        """Let the workers read."""


class WorkerBlocks:
    """Blocks of labels that stay on the Dask workers where they were made."""

    def __init__(self, futures: list[Any]) -> None:
        self.futures = futures

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.futures)

    def read(self, block: int) -> np.ndarray:
        """Return the labels of a block."""
        return self.futures[block].result()

    def remote(self, client: Any) -> Sequence[Any]:
        """Return the blocks as futures of a Dask client."""
        return self.futures


def as_codes(labels: np.ndarray) -> np.ndarray:
    """Return stored labels in the form kernels expect, (n, M) int32."""
    return np.ascontiguousarray(labels, dtype=LABEL_DTYPE)


def _codes_of(blocks: Blocks, block: int) -> np.ndarray:
    return as_codes(blocks.read(block))


def label_type(sizes: Sequence[int]) -> np.dtype:
    """Return the smallest dtype for the labels of members with these cluster counts."""
    return np.min_scalar_type(max(sizes) - 1)


def _take(parts: list[np.ndarray], number: int, rows: np.ndarray) -> np.ndarray:
    return rows[parts[number]]


def _of_codes(function: Callable[[np.ndarray], Any], labels: np.ndarray) -> Any:
    return function(as_codes(labels))


def _overlap(
    offsets: np.ndarray, weights: np.ndarray | None, rows: np.ndarray
) -> np.ndarray:
    from coterie._kernels._incidence import gather
    from coterie._kernels._jit import read_only
    from coterie._kernels._tables import overlap

    row_weights = np.ones(len(rows))
    if weights is not None:
        degrees = np.empty((len(rows), 1))
        gather(
            read_only(rows), offsets, np.ascontiguousarray(weights[:, None]), degrees
        )
        row_weights = 1.0 / degrees[:, 0]
    out = np.zeros((int(offsets[-1]),) * 2)
    overlap(columns_of(rows), offsets, row_weights, out.ravel())
    return out
