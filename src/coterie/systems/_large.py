"""Ensemble clustering of data that do not fit, or only just fit, into memory."""

from __future__ import annotations

import math
import shutil
import tempfile
import warnings
import weakref
from contextlib import nullcontext
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie._docs import fill_doc
from coterie._engine import (
    MemberStore,
    map_blocks,
    one_cluster,
    progress_hook,
    run_members,
    settings,
)
from coterie._large import (
    MEMBERS,
    ROW_METHODS,
    BlockEnsemble,
    RowConsensus,
    Rows,
    Rule,
    combine_rows,
    label_blocks,
    learn_rule,
    open_rows,
    survey,
    take_rows,
)
from coterie._large._ensemble import label_type
from coterie._large._rules import as_codes, from_bytes, row_of_labels, to_bytes
from coterie._memory import check_memory, format_bytes, memory_limit
from coterie._seeds import seed_sequence
from coterie._typing import LABEL_DTYPE, Progress
from coterie._validation import (
    HasMethods,
    Interval,
    StrOptions,
    check_n_clusters,
    check_parameters,
    reject_text,
)
from coterie.choice._auto import AUTO, N_CLUSTERS, set_n_clusters
from coterie.exceptions import FewerClustersWarning, MemoryLimitWarning
from coterie.generation._draws import N_CLUSTERS as SPAN
from coterie.generation._draws import check_range, draw_n_clusters
from coterie.systems._base import BaseSystem

_COUNT = [Interval(Integral, 1, None, closed="left")]
_LOW, _FACTOR = 20, 3  # clusters of members: from 20 to 60, or from k to 3 k
_CHOICE_ROWS = 20_000  # from which the number of clusters is chosen
_SAMPLES_SHARE = 4  # samples for members take at most this part of the memory


@fill_doc
class LargeEnsembleClustering(ClusterMixin, BaseEstimator):
    """Cluster millions of samples by an ensemble, some rows at a time.

    Members are learned from random samples of the rows, label all rows block by block,
    and are combined block by block: beside the result, no more than some blocks, the
    overlap of the C clusters of all members (C x C numbers) and a byte for each label
    is held in memory, or the labels lie on a disk. The data may be a NPY file that is
    mapped into memory, Parquet files, a Zarr array or a Dask array. Time is linear in
    the number of samples. Where all of it fits and time allows, :class:`USENC` finds
    more irregular shapes, and :class:`EnsembleClustering` has more methods.

    Parameters
    ----------
    %(system_n_clusters)s
    members : {"kmeans", "landmarks"} or clusterer, default="kmeans"
        What makes a member from a sample of the rows: mini-batch k-means; the
        normalised cut of samples and landmarks (U-SPEC), slower, for clusters of any
        shape; or a scikit-learn clusterer, whose clusters' means label the other rows.
    n_members : int, default=20
        Number of clusterings to make.
    member_clusters : int, (int, int) or None, default=None
        Clusters of each member, or a range from which each draws its own. None is 20 to
        60, from k to 3 k for more than 20 clusters, and fewer below 3,600 samples.
    sample_size : int, default=50000
        Rows that a member is learned from.
    consensus : {"lwgp", "hbgf", "kcc", "sec", "vote"}, default="lwgp"
        How the members are combined. "vote" wants ``member_clusters`` to be
        ``n_clusters``.
    max_iter : int, default=20
        Most passes over the label rows that make the consensus better.
    block_rows : int or None, default=None
        Rows of a block; None is some 32 MB. Parquet, Zarr and Dask go by the chunks
        they have.
    %(system_parameters)s

    Attributes
    ----------
    n_clusters_ : int
        The number of clusters that was asked for, or chosen.
    k_choice_ : KChoice
        Why so many, with ``n_clusters="auto"``.
    labels_ : (n_samples,) int32 array
        The clustering, numbered by first appearance.
    confidence_ : (n_samples,) float32 array
        How firmly the ensemble places each sample there, in [0, 1].
    ensemble_ : BlockEnsemble
        What the members said, by blocks.
    rules_ : list of Rule
        The members, each of which labels any samples.
    consensus_ : RowConsensus
        How label rows become clusters.
    n_iter_ : int
        Passes over the label rows that made the consensus better.
    labels_on_disk_ : bool
        Whether the labels of the members lie on a disk.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : (n_features,) array
        Their names, where X had names that are all strings.

    Notes
    -----
    ``predict`` does with new samples exactly what ``fit`` did: on the same samples it
    gives ``labels_``. The starts of the last k-means are tried on a sample of the label
    rows, and the best goes on with all. "landmarks" differs from
    :class:`~coterie.clusterers.USPEC` in that the graph is that of the sample;
    ``sample_size`` beyond the number of rows makes it the same.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_blobs
    >>> from coterie import LargeEnsembleClustering
    >>> from coterie.metrics import ari
    >>> X, y = make_blobs(20_000, n_features=4, centers=5, random_state=1)
    >>> model = LargeEnsembleClustering(5, n_members=10, random_state=0).fit(X)
    >>> round(ari(y, model.labels_), 2)
    0.99
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": N_CLUSTERS,
        "members": [StrOptions(set(MEMBERS)), HasMethods("fit_predict")],
        "n_members": _COUNT,
        "member_clusters": SPAN,
        "sample_size": _COUNT,
        "consensus": [StrOptions(set(ROW_METHODS))],
        "max_iter": _COUNT,
        "block_rows": [*_COUNT, None],
        **{
            name: BaseSystem._parameter_constraints[name]
            for name in ("random_state", "n_jobs", "progress")
        },
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        members: Any = "kmeans",
        n_members: int = 20,
        member_clusters: Any = None,
        sample_size: int = 50_000,
        consensus: str = "lwgp",
        max_iter: int = 20,
        block_rows: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.members = members
        self.n_members = n_members
        self.member_clusters = member_clusters
        self.sample_size = sample_size
        self.consensus = consensus
        self.max_iter = max_iter
        self.block_rows = block_rows
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> LargeEnsembleClustering:
        """Cluster the data.

        Parameters
        ----------
        X : path, Dask array, memory-mapped or other array, or frame
            (n_samples, n_features); the path of a NPY or Parquet file, of a folder of
            Parquet files, or of a Zarr array.
        y : ignored
        """
        check_parameters(self)
        with nullcontext(), one_cluster(self.n_jobs):
            self._fit(self._rows(X, reset=True))
        return self

    def _fit(self, rows: Rows) -> None:
        who = type(self).__name__
        n_samples = rows.shape[0]
        if self.n_clusters != AUTO:
            check_n_clusters(self.n_clusters, n_samples, who)
        check_range(self.member_clusters, n_samples, who, "member_clusters")
        seed = seed_sequence(self.random_state)
        digest = survey(rows, who, n_jobs=self.n_jobs)
        some = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 2**30))
        set_n_clusters(self, _some_rows(self, rows, some), seed)
        span = self._span(n_samples)
        size, on_disk = self._plan(rows, span)
        for_samples, for_members, for_consensus = seed.spawn(3)
        stores = self._stores(rows, digest, seed, span, size)
        self.labels_on_disk_ = on_disk or stores is not None
        with progress_hook(self.progress, "Members and blocks") as tell:
            total = self.n_members + rows.n_blocks
            samples = self._samples(rows, size, for_samples)
            made = run_members(
                partial(_learn, self.members, samples, span),
                self.n_members,
                who=who,
                seed=for_members,
                n_jobs=self.n_jobs,
                progress=lambda done, _: tell(done, total),
                keeper=None if stores is None else _RuleKeeper(stores[0]),
            )
            del samples
            self.rules_: list[Rule] = [rule for _, rule in made]
            self.ensemble_ = self._labelled(rows, stores, on_disk, tell)
        self._combine(for_consensus)

    def _combine(self, seed: np.random.SeedSequence) -> None:
        self._seed = seed
        found = combine_rows(
            self.ensemble_,
            self.consensus,
            self.n_clusters_,
            rng=np.random.default_rng(seed),
            max_iter=self.max_iter,
        )
        self.consensus_: RowConsensus = found
        self.n_iter_ = found.n_iter
        n = self.ensemble_.n_samples
        self.labels_ = np.empty(n, dtype=LABEL_DTYPE)
        self.confidence_ = np.empty(n, dtype=np.float32)
        bounds = self.ensemble_.bounds
        placed = self.ensemble_.map(found.placed)
        for start, stop, part in zip(bounds[:-1], bounds[1:], placed, strict=True):
            self.labels_[start:stop], self.confidence_[start:stop] = part
        n_found = int(self.labels_.max()) + 1
        if n_found < self.n_clusters_:
            warnings.warn(
                f"{type(self).__name__} found {n_found} clusters, fewer than the "
                f"{self.n_clusters_} asked for.",
                FewerClustersWarning,
                stacklevel=4,
            )

    def recut(self, n_clusters: int) -> LargeEnsembleClustering:
        """Return a fitted system with another number of clusters and the same members.

        Parameters
        ----------
        n_clusters : int
        """
        check_is_fitted(self, "labels_")
        check_n_clusters(
            n_clusters, self.ensemble_.n_samples, f"{type(self).__name__}.recut"
        )
        other: Any = clone(self).set_params(n_clusters=n_clusters)
        other.n_clusters_ = int(n_clusters)
        kept = ("rules_", "ensemble_", "labels_on_disk_", "n_features_in_")
        for name in (*kept, "feature_names_in_"):
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        with nullcontext(), one_cluster(self.n_jobs):
            other._combine(self._seed)
        return other

    def predict(self, X: Any) -> np.ndarray:
        """Place samples as ``fit`` did.

        Parameters
        ----------
        X : path, Dask array, memory-mapped or other array, or frame

        Returns
        -------
        (n_samples,) int32 array
        """
        return self._placed(X)[0]

    def predict_confidence(self, X: Any) -> np.ndarray:
        """Return how firmly samples are placed where ``predict`` places them.

        Parameters
        ----------
        X : path, Dask array, memory-mapped or other array, or frame

        Returns
        -------
        (n_samples,) array in [0, 1]
        """
        return self._placed(X)[1]

    def _placed(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self, "labels_")
        with nullcontext(), one_cluster(self.n_jobs):
            rows = self._rows(X, reset=False)
            survey(rows, type(self).__name__, n_jobs=self.n_jobs)
            dtype = label_type([rule.n_clusters for rule in self.rules_])
            work = partial(_place, self.rules_, dtype, self.consensus_)
            parts = list(map_blocks(work, rows, n_jobs=self.n_jobs))
        labels, confidence = zip(*parts, strict=True)
        return np.concatenate(labels), np.concatenate(confidence)

    def _rows(self, X: Any, *, reset: bool) -> Rows:
        who = type(self).__name__
        by_blocks = isinstance(X, str | Path | Rows | np.memmap)
        if by_blocks or hasattr(X, "to_delayed"):
            rows = open_rows(X, who, self.block_rows)
            if reset:
                vars(self).pop("feature_names_in_", None)
                self.n_features_in_ = rows.shape[1]
            elif rows.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {rows.shape[1]} features, but {who} is expecting "
                    f"{self.n_features_in_} features as input."
                )
            return rows
        reject_text(X, who)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=reset)
        return open_rows(X, who, self.block_rows)

    def _span(self, n_samples: int) -> tuple[int, int]:
        if isinstance(self.member_clusters, tuple | list):
            return int(self.member_clusters[0]), int(self.member_clusters[1])
        if self.member_clusters is not None:
            return int(self.member_clusters), int(self.member_clusters)
        low = max(_LOW, self.n_clusters_)
        most = max(2, math.ceil(math.sqrt(n_samples)))
        high = min(_FACTOR * low, max(most, self.n_clusters_), n_samples)
        return min(low, max(2, high // 2), high), high

    def _plan(self, rows: Rows, span: tuple[int, int]) -> tuple[int, bool]:
        """Return the size of samples, and whether labels go to a disk.

        Raises if there is not memory for what has to be held in any case.
        """
        (n, d), M, C = rows.shape, self.n_members, self.n_members * span[1]
        limit = memory_limit()
        size = min(self.sample_size, n)
        each = M * d * rows.dtype.itemsize
        if size * each > limit // _SAMPLES_SHARE:
            size = max(2 * span[1], limit // _SAMPLES_SHARE // each)
            size = min(size, n)
            if size < min(self.sample_size, n):
                warnings.warn(
                    f"{type(self).__name__} learns members from {size:,} rows instead "
                    f"of {self.sample_size:,}: more would not fit into the limit of "
                    f"{format_bytes(limit)}.",
                    MemoryLimitWarning,
                    stacklevel=4,
                )
        longest = int(np.diff(rows.bounds).max())
        k = self.n_clusters_
        # samples, label rows in two layouts, points or votes in two copies
        block = longest * (2 * d * rows.dtype.itemsize + 8 * M + 16 * (k + 1))
        workers = effective_n_jobs(self.n_jobs)
        need = workers * (block + 8 * C * C) + 32 * C * C + size * each + 8 * n
        check_memory(
            need,
            f"{type(self).__name__}: {workers} blocks of {longest:,} rows, {C:,} "
            f"clusters of members and {size:,} rows for each of {M} members",
            limit,
            "Take smaller blocks (block_rows), fewer members or clusters in them, a "
            "smaller sample_size, or raise memory_limit.",
        )
        labels = n * M * label_type([span[1]]).itemsize
        held = settings().engine in ("serial", "threads", "processes")
        on_disk = held and need + labels > limit
        if on_disk:
            warnings.warn(
                f"{type(self).__name__} keeps the labels of the members "
                f"({format_bytes(labels)}) on a disk: they would not fit into the "
                f"limit of {format_bytes(limit)}.",
                MemoryLimitWarning,
                stacklevel=4,
            )
        return size, on_disk

    def _samples(
        self, rows: Rows, size: int, seed: np.random.SeedSequence
    ) -> list[np.ndarray]:
        """Return the rows that each member is learned from."""
        n = rows.shape[0]
        if size >= n:
            everything = take_rows(rows, np.arange(n), n_jobs=self.n_jobs)
            return [everything] * self.n_members
        rng = np.random.default_rng(seed)
        drawn = [
            np.sort(rng.choice(n, size=size, replace=False))
            for _ in range(self.n_members)
        ]
        wanted = np.unique(np.concatenate(drawn))
        found = take_rows(rows, wanted, n_jobs=self.n_jobs)
        return [found[np.searchsorted(wanted, chosen)] for chosen in drawn]

    def _stores(
        self,
        rows: Rows,
        digest: str,
        seed: np.random.SeedSequence,
        span: tuple[int, int],
        size: int,
    ) -> tuple[MemberStore, MemberStore] | None:
        """Return what keeps rules and labels of this run, if they are to be kept."""
        folder = settings().checkpoint
        if folder is None:
            return None
        run = {
            "system": type(self).__name__,
            "members": repr(self.members),
            "n_members": self.n_members,
            "member_clusters": list(span),
            "sample_size": size,
            "seed": [str(seed.entropy), list(seed.spawn_key)],
            "data": digest,
            "shape": list(rows.shape),
            "blocks": rows.n_blocks,
        }
        return (
            MemberStore(folder / "members", run),
            MemberStore(folder / "labels", run, part="block"),
        )

    def _labelled(
        self,
        rows: Rows,
        stores: tuple[MemberStore, MemberStore] | None,
        on_disk: bool,
        tell: Any,
    ) -> BlockEnsemble:
        done = self.n_members
        total = self.n_members + rows.n_blocks

        def one_more() -> None:
            nonlocal done
            done += 1
            tell(done, total)

        store = None if stores is None else stores[1]
        folder = None
        if store is None and on_disk:
            folder = Path(tempfile.mkdtemp(prefix="coterie-"))
            store = MemberStore(folder, {}, part="block")
        ensemble = label_blocks(
            self.rules_,
            rows,
            n_jobs=self.n_jobs,
            store=store,
            keep_on_workers=hasattr(settings().engine, "submit"),
            tell=one_more,
        )
        if folder is not None:  # it goes with what reads it
            weakref.finalize(ensemble, shutil.rmtree, folder, ignore_errors=True)
        return ensemble


class _RuleKeeper:
    """Keeps rules in a store."""

    def __init__(self, store: MemberStore) -> None:
        self.store = store

    def load(self, number: int) -> Rule | None:
        kept = self.store.read(number)
        return None if kept is None else from_bytes(kept)

    def save(self, number: int, result: Rule) -> None:
        self.store.write(number, to_bytes(result))


def _some_rows(
    model: LargeEnsembleClustering, rows: Rows, seed: np.random.SeedSequence
) -> np.ndarray | None:
    """Return a sample from which the number of clusters is chosen, if it is to be."""
    if model.n_clusters != AUTO:
        return None
    n = rows.shape[0]
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(n, size=min(n, _CHOICE_ROWS), replace=False))
    return take_rows(rows, chosen, n_jobs=model.n_jobs)


def _learn(
    members: Any,
    samples: list[np.ndarray],
    span: tuple[int, int],
    number: int,
    rng: np.random.Generator,
) -> Rule:
    X = samples[number]
    return learn_rule(members, X, draw_n_clusters(span, len(X), rng), rng)


def _place(
    rules: list[Rule], dtype: Any, consensus: RowConsensus, X: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    return consensus.placed(as_codes(row_of_labels(rules, dtype, X)))
