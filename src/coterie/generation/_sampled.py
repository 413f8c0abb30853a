"""Members learned from subsamples of the rows, which label all rows in blocks."""

from __future__ import annotations

import math
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._engine import (
    MemberStore,
    keep_blocks,
    map_blocks,
    progress_hook,
    run_members,
    settings,
)
from coterie._large import Rows, open_rows, survey, take_rows
from coterie._memory import check_memory, format_bytes, memory_limit
from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie._validation import COUNT, HasMethods, StrOptions, effective_n_jobs
from coterie.ensemble import BlockEnsemble, Member
from coterie.ensemble._blocks import (
    DiskBlocks,
    MemoryBlocks,
    WorkerBlocks,
    label_type,
)
from coterie.exceptions import MemoryLimitWarning
from coterie.generation._base import Checkpoint, checkpoint_folder, run_record
from coterie.generation._draws import RandomGenerator, draw_n_clusters
from coterie.generation._rules import (
    LEARNERS,
    CenterRule,
    Rule,
    from_bytes,
    learn_rule,
    row_of_labels,
    to_bytes,
)

_LOW, _FACTOR = 20, 3  # clusters of members: from 20 to 60, or from k to 3 k
_SAMPLES_SHARE = 4  # subsamples take at most this fraction of the memory


@fill_doc
class SampledMembers(RandomGenerator):
    """Members learned from random subsamples, for millions of rows.

    Each member is learned from its own subsample of the rows; then all members label
    all rows, block by block, from memory, an NPY or Parquet file, a Zarr or a Dask
    array. The labels are kept in memory in the smallest integer type, on disk if memory
    is short, or on the Dask workers.

    Parameters
    ----------
    n_members : int, default=20
        Number of clusterings to make.
    clusterer : {"kmeans", "landmarks"} or clusterer, default="kmeans"
        What clusters a subsample: mini-batch k-means; the normalised cut of samples and
        landmarks (U-SPEC), slower, for clusters of any shape; or a scikit-learn
        clusterer, whose cluster means label the other rows.
    n_clusters : int, (int, int) or None, default=None
        Clusters of each member, or a range to draw from. None is 20 to 60, and fewer
        below 3,600 samples.
    sample_size : int, default=50000
        Rows in a member's subsample.
    block_rows : int or None, default=None
        Rows per block; None is about 32 MB. Parquet, Zarr and Dask keep their own
        chunks.
    %(on_error)s

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.generation import SampledMembers
    >>> X = np.random.default_rng(0).normal(size=(5000, 3))
    >>> ensemble = SampledMembers(4, n_clusters=5, block_rows=2000).generate(X, seed=0)
    >>> ensemble.n_samples, ensemble.n_total_clusters, ensemble.blocks.n_blocks
    (5000, 20, 3)
    """

    name = "sampled"
    summary = "members learned from samples of the rows; all rows labelled by block"
    cost = "time M N D K, memory a block and N M bytes, or a disk"
    accepts_sparse: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "clusterer": [StrOptions(set(LEARNERS)), HasMethods("fit_predict")],
        "sample_size": COUNT,
        "block_rows": [*COUNT, None],
    }

    def __init__(
        self,
        n_members: int = 20,
        *,
        clusterer: Any = "kmeans",
        n_clusters: Any = None,
        sample_size: int = 50_000,
        block_rows: int | None = None,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.clusterer = clusterer
        self.n_clusters = n_clusters
        self.sample_size = sample_size
        self.block_rows = block_rows
        self.on_error = on_error

    def _accepted(self, X: Any) -> Rows:
        return open_rows(X, type(self).__name__, self.block_rows)

    def _generate(
        self, X: Rows, seed: Seed, n_jobs: int | None, progress: Progress
    ) -> BlockEnsemble:
        who = type(self).__name__
        span = self._span(X.shape[0])
        folder = checkpoint_folder(seed)
        root = seed_sequence(seed)
        hashed = survey(X, who, n_jobs=n_jobs)
        size, on_disk = _plan(self, X, span, n_jobs)
        for_samples, for_members = root.spawn(2)
        keeper = store = None
        if folder is not None:
            about = {"clusterer": self.clusterer, "n_members": self.n_members}
            about |= {"n_clusters": span, "sample_size": size, "blocks": X.n_blocks}
            run = run_record(self, about, root, X, hashed)
            rules_kept = MemberStore(folder / "members", run)
            keeper = Checkpoint(rules_kept, to_bytes, from_bytes)
            store = MemberStore(folder / "labels", run, part="block")
        with progress_hook(progress, "Members and blocks") as report:
            total, blocks = self.n_members + X.n_blocks, count(self.n_members + 1)
            samples = self._samples(X, size, for_samples, n_jobs)
            made = run_members(
                partial(_learn, self.clusterer, samples, span),
                self.n_members,
                who=who,
                seed=for_members,
                n_jobs=n_jobs,
                on_error=self.on_error,
                progress=lambda done, _: report(done, total),
                keeper=keeper,
            )
            del samples
            rules = [rule for _, rule in made]
            return _labelled(
                rules, X, n_jobs, store, on_disk, lambda: report(next(blocks), total)
            )

    def _span(self, n_samples: int) -> tuple[int, int]:
        if self.n_clusters is None:
            return member_span(2, n_samples)
        if isinstance(self.n_clusters, tuple | list):
            return int(self.n_clusters[0]), int(self.n_clusters[1])
        return int(self.n_clusters), int(self.n_clusters)

    def _samples(
        self,
        rows: Rows,
        size: int,
        seed: np.random.SeedSequence,
        n_jobs: int | None,
    ) -> list[np.ndarray]:
        """Return the subsample of each member."""
        n = rows.shape[0]
        if size >= n:
            everything = take_rows(rows, np.arange(n), n_jobs=n_jobs)
            return [everything] * self.n_members
        rng = np.random.default_rng(seed)
        drawn = [
            np.sort(rng.choice(n, size=size, replace=False))
            for _ in range(self.n_members)
        ]
        wanted = np.unique(np.concatenate(drawn))
        found = take_rows(rows, wanted, n_jobs=n_jobs)
        return [found[np.searchsorted(wanted, chosen)] for chosen in drawn]


def member_span(n_clusters: int, n_samples: int) -> tuple[int, int]:
    """Return the default range of the members' number of clusters.

    Parameters
    ----------
    n_clusters : int
        Final number of clusters.
    n_samples : int
    """
    low = max(_LOW, n_clusters)
    most = max(2, math.ceil(math.sqrt(n_samples)))
    high = min(_FACTOR * low, max(most, n_clusters), n_samples)
    return min(low, max(2, high // 2), high), high


def label_rows(
    rules: list[Rule],
    rows: Rows,
    *,
    n_jobs: int | None = None,
    blocks: DiskBlocks | None = None,
    keep_on_workers: bool = False,
    tell: Callable[[], None] = lambda: None,
) -> BlockEnsemble:
    """Label all samples with all members.

    Parameters
    ----------
    rules : list of Rule
    rows : Rows
    n_jobs : int or None, default=None
    blocks : DiskBlocks, default=None
        Saves each finished block on disk; blocks that it has are not made again.
    keep_on_workers : bool, default=False
        Whether blocks stay on the workers of the current Dask client.
    tell : function
        Called after each block.
    """
    sizes = [rule.n_clusters for rule in rules]
    work = partial(row_of_labels, rules, label_type(sizes))
    kept: Any = blocks
    if blocks is not None:
        have = [blocks.store.read(b) is not None for b in range(rows.n_blocks)]
        left = [b for b, there in enumerate(have) if not there]
        for _ in range(sum(have)):
            tell()
        made = map_blocks(work, rows, numbers=left, n_jobs=n_jobs)
        for b, labels in zip(left, made, strict=True):
            blocks.write(b, labels)
            tell()
    elif keep_on_workers:
        kept = WorkerBlocks(keep_blocks(work, rows))
    else:
        parts = []
        for labels in map_blocks(work, rows, n_jobs=n_jobs):
            parts.append(labels)
            tell()
        kept = MemoryBlocks(parts)
    members = [
        Member(
            params={"n_clusters": rule.n_clusters},
            centers=rule.centers if isinstance(rule, CenterRule) else None,
        )
        for rule in rules
    ]
    return BlockEnsemble(kept, rows.bounds, sizes, members, rules, n_jobs)


def _labelled(
    rules: list[Rule],
    rows: Rows,
    n_jobs: int | None,
    store: MemberStore | None,
    on_disk: bool,
    tell: Callable[[], None],
) -> BlockEnsemble:
    folder = None
    if store is None and on_disk:
        folder = Path(tempfile.mkdtemp(prefix="coterie-"))
        store = MemberStore(folder, {}, part="block")
    ensemble = label_rows(
        rules,
        rows,
        n_jobs=n_jobs,
        blocks=None if store is None else DiskBlocks(store, rows.n_blocks),
        keep_on_workers=hasattr(settings().engine, "submit"),
        tell=tell,
    )
    if folder is not None:  # deleted with the ensemble that reads it
        weakref.finalize(ensemble, shutil.rmtree, folder, ignore_errors=True)
    return ensemble


def _plan(
    part: SampledMembers, rows: Rows, span: tuple[int, int], n_jobs: int | None
) -> tuple[int, bool]:
    """Return the size of subsamples, and whether labels go to disk.

    Raises an error if memory is too small for what must be held in any case.
    """
    who = type(part).__name__
    (n, d), M, C = rows.shape, part.n_members, part.n_members * span[1]
    limit = memory_limit()
    size = min(part.sample_size, n)
    each = M * d * rows.dtype.itemsize
    if size * each > limit // _SAMPLES_SHARE:
        size = min(max(2 * span[1], limit // _SAMPLES_SHARE // each), n)
        if size < min(part.sample_size, n):
            warnings.warn(
                f"{who} learns members from {size:,} rows instead of "
                f"{part.sample_size:,}: more would not fit in the memory limit of "
                f"{format_bytes(limit)}.",
                MemoryLimitWarning,
                stacklevel=5,
            )
    longest = int(np.diff(rows.bounds).max())
    # samples, label rows in two layouts, points or votes in two copies
    block = longest * (2 * d * rows.dtype.itemsize + 8 * M + 16 * (span[1] + 1))
    workers = effective_n_jobs(n_jobs)
    need = workers * (block + 8 * C * C) + 32 * C * C + size * each + 8 * n
    check_memory(
        need,
        f"{who}: {workers} blocks of {longest:,} rows, {C:,} clusters of members and "
        f"{size:,} rows for each of {M} members",
        limit,
        "Use smaller blocks (block_rows), fewer members, fewer clusters per member or "
        "a smaller sample_size, or raise memory_limit.",
    )
    labels = n * M * label_type([span[1]]).itemsize
    held = settings().engine in ("serial", "threads", "processes")
    on_disk = held and need + labels > limit
    if on_disk:
        warnings.warn(
            f"{who} keeps the labels of the members ({format_bytes(labels)}) on disk: "
            f"they would not fit in the memory limit of {format_bytes(limit)}.",
            MemoryLimitWarning,
            stacklevel=5,
        )
    return size, on_disk


def _learn(
    clusterer: Any,
    samples: list[np.ndarray],
    span: tuple[int, int],
    number: int,
    rng: np.random.Generator,
) -> Rule:
    X = samples[number]
    return learn_rule(clusterer, X, draw_n_clusters(span, len(X), rng), rng)
