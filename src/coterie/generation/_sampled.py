"""Members learned from samples of the rows, which then label all rows by blocks."""

from __future__ import annotations

import math
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable
from functools import partial
from numbers import Integral
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
from coterie._validation import HasMethods, Interval, StrOptions, effective_n_jobs
from coterie.ensemble import BlockEnsemble, Member
from coterie.ensemble._blocks import (
    DiskBlocks,
    MemoryBlocks,
    WorkerBlocks,
    label_type,
)
from coterie.exceptions import MemoryLimitWarning
from coterie.generation._base import BaseGenerator, checkpoint_folder
from coterie.generation._draws import N_CLUSTERS, check_range, draw_n_clusters
from coterie.generation._rules import (
    LEARNERS,
    CenterRule,
    Rule,
    from_bytes,
    learn_rule,
    row_of_labels,
    to_bytes,
)

_COUNT = [Interval(Integral, 1, None, closed="left")]
_LOW, _FACTOR = 20, 3  # clusters of members: from 20 to 60, or from k to 3 k
_SAMPLES_SHARE = 4  # samples for members take at most this part of the memory


@fill_doc
class SampledMembers(BaseGenerator):
    """Members learned from random samples of the rows, for millions of rows.

    Each member is learned from its own sample; all then label all rows, block by block,
    from memory, a NPY or Parquet file, a Zarr or a Dask array. The labels stay in
    memory in the smallest type, go to a disk where memory is short, or stay on the
    workers of Dask.

    Parameters
    ----------
    n_members : int, default=20
        Number of clusterings to make.
    clusterer : {"kmeans", "landmarks"} or clusterer, default="kmeans"
        What is learned from a sample: mini-batch k-means; the normalised cut of samples
        and landmarks (U-SPEC), slower, for clusters of any shape; or a scikit-learn
        clusterer, whose clusters' means label the other rows.
    n_clusters : int, (int, int) or None, default=None
        Clusters of each member, or a range from which each draws its own. None is 20 to
        60, and fewer below 3,600 samples.
    sample_size : int, default=50000
        Rows that a member is learned from.
    block_rows : int or None, default=None
        Rows of a block; None is some 32 MB. Parquet, Zarr and Dask go by the chunks
        they have.
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
    summary = "members learned from samples of the rows, which label all by blocks"
    cost = "time M N D K, memory a block and N M bytes, or a disk"
    accepts_sparse: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": _COUNT,
        "clusterer": [StrOptions(set(LEARNERS)), HasMethods("fit_predict")],
        "n_clusters": N_CLUSTERS,
        "sample_size": _COUNT,
        "block_rows": [*_COUNT, None],
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

    def _check(self, X: Rows) -> None:
        check_range(self.n_clusters, X.shape[0], type(self).__name__)

    def _generate(
        self, X: Rows, seed: Seed, n_jobs: int | None, progress: Progress
    ) -> BlockEnsemble:
        who, n_samples = type(self).__name__, X.shape[0]
        span = self._span(n_samples)
        folder = checkpoint_folder(seed)
        root = seed_sequence(seed)
        digest = survey(X, who, n_jobs=n_jobs)
        size, on_disk = _plan(self, X, span, n_jobs)
        for_samples, for_members = root.spawn(2)
        stores = None
        if folder is not None:
            run = self._run(X, digest, root, span, size)
            rules_kept = MemberStore(folder / "members", run)
            stores = rules_kept, MemberStore(folder / "labels", run, part="block")
        with progress_hook(progress, "Members and blocks") as tell:
            total = self.n_members + X.n_blocks
            samples = self._samples(X, size, for_samples, n_jobs)
            made = run_members(
                partial(_learn, self.clusterer, samples, span),
                self.n_members,
                who=who,
                seed=for_members,
                n_jobs=n_jobs,
                on_error=self.on_error,
                progress=lambda done, _: tell(done, total),
                keeper=None if stores is None else _RuleKeeper(stores[0]),
            )
            del samples
            rules = [rule for _, rule in made]
            done = self.n_members

            def one_more() -> None:
                nonlocal done
                done += 1
                tell(done, total)

            store = None if stores is None else stores[1]
            return _labelled(rules, X, n_jobs, store, on_disk, one_more)

    def _span(self, n_samples: int) -> tuple[int, int]:
        if self.n_clusters is None:
            return member_span(2, n_samples)
        if isinstance(self.n_clusters, tuple | list):
            return int(self.n_clusters[0]), int(self.n_clusters[1])
        return int(self.n_clusters), int(self.n_clusters)

    def _run(
        self,
        rows: Rows,
        digest: str,
        seed: np.random.SeedSequence,
        span: tuple[int, int],
        size: int,
    ) -> dict[str, Any]:
        """Return what makes a run, for a store."""
        return {
            "generator": type(self).__name__,
            "clusterer": repr(self.clusterer),
            "n_members": self.n_members,
            "n_clusters": list(span),
            "sample_size": size,
            "seed": [str(seed.entropy), list(seed.spawn_key)],
            "data": digest,
            "shape": list(rows.shape),
            "blocks": rows.n_blocks,
        }

    def _samples(
        self,
        rows: Rows,
        size: int,
        seed: np.random.SeedSequence,
        n_jobs: int | None,
    ) -> list[np.ndarray]:
        """Return the rows that each member is learned from."""
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
    """Return the range of clusters of members where it is not said.

    Parameters
    ----------
    n_clusters : int
        Clusters that will be looked for.
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
    """Label all samples by all members.

    Parameters
    ----------
    rules : list of Rule
    rows : Rows
    n_jobs : int or None, default=None
    blocks : DiskBlocks, default=None
        Keeps each finished block on a disk; those that it has are not made again.
    keep_on_workers : bool, default=False
        Whether blocks stay on the workers of the Dask client that holds.
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
    if folder is not None:  # it goes with what reads it
        weakref.finalize(ensemble, shutil.rmtree, folder, ignore_errors=True)
    return ensemble


def _plan(
    part: SampledMembers, rows: Rows, span: tuple[int, int], n_jobs: int | None
) -> tuple[int, bool]:
    """Return the size of samples, and whether labels go to a disk.

    Raises if there is not memory for what has to be held in any case.
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
                f"{part.sample_size:,}: more would not fit into the limit of "
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
        "Take smaller blocks (block_rows), fewer members or clusters in them, a "
        "smaller sample_size, or raise memory_limit.",
    )
    labels = n * M * label_type([span[1]]).itemsize
    held = settings().engine in ("serial", "threads", "processes")
    on_disk = held and need + labels > limit
    if on_disk:
        warnings.warn(
            f"{who} keeps the labels of the members ({format_bytes(labels)}) on a "
            f"disk: they would not fit into the limit of {format_bytes(limit)}.",
            MemoryLimitWarning,
            stacklevel=5,
        )
    return size, on_disk


class _RuleKeeper:
    """Keeps rules in a store."""

    def __init__(self, store: MemberStore) -> None:
        self.store = store

    def load(self, number: int) -> Rule | None:
        kept = self.store.read(number)
        return None if kept is None else from_bytes(kept)

    def save(self, number: int, result: Rule) -> None:
        self.store.write(number, to_bytes(result))


def _learn(
    clusterer: Any,
    samples: list[np.ndarray],
    span: tuple[int, int],
    number: int,
    rng: np.random.Generator,
) -> Rule:
    X = samples[number]
    return learn_rule(clusterer, X, draw_n_clusters(span, len(X), rng), rng)
