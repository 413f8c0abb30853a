"""Ensemble clustering of data that do not fit, or barely fit, in memory."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie._catalog import find
from coterie._docs import fill_doc
from coterie._engine import map_blocks, one_cluster
from coterie._large import Rows, open_rows, survey, take_rows
from coterie._typing import Progress
from coterie._validation import StrOptions
from coterie.ensemble._blocks import DiskBlocks, as_codes, label_type
from coterie.generation import SampledMembers
from coterie.generation._draws import check_range
from coterie.generation._rules import row_of_labels
from coterie.generation._sampled import member_span
from coterie.systems._base import BaseSystem, Parts
from coterie.systems._defaults import paper_weighter

CONSENSUS = ("lwgp", "hbgf", "kcc", "sec", "vote")
_CHOICE_ROWS = 20_000  # subsample from which the number of clusters is chosen


@fill_doc
class LargeEnsembleClustering(BaseSystem):
    """Cluster millions of samples with an ensemble, a block of rows at a time.

    Members are learned from random subsamples, label all rows block by block, and are
    combined block by block. Besides the result, memory holds a few blocks, the overlaps
    of the C clusters of all members (C x C numbers) and a byte per label, unless the
    labels are on disk. The data may be a memory-mapped NPY file, Parquet files, a Zarr
    array or a Dask array. Time is linear in the number of samples. If the data fit in
    memory and time allows, :class:`USENC` finds more irregular shapes, and
    :class:`EnsembleClustering` offers more methods.

    Parameters
    ----------
    %(system_n_clusters)s
    clusterer : {"kmeans", "landmarks"} or clusterer, default="kmeans"
        What clusters a subsample: mini-batch k-means; the normalised cut of samples and
        landmarks (U-SPEC), slower, for clusters of any shape; or a scikit-learn
        clusterer, whose cluster means label the other rows.
    n_members : int, default=20
        Number of clusterings to make.
    member_clusters : int, (int, int) or None, default=None
        Clusters of each member, or a range to draw from. None is 20 to 60, k to 3 k
        for more than 20 clusters, and fewer below 3,600 samples.
    sample_size : int, default=50000
        Rows in a member's subsample.
    consensus : {"lwgp", "hbgf", "kcc", "sec", "vote"}, default="lwgp"
        How the members are combined. For "vote", set ``member_clusters`` to
        ``n_clusters``.
    block_rows : int or None, default=None
        Rows per block; None is about 32 MB. Parquet, Zarr and Dask keep their own
        chunks.
    %(system_parameters)s

    Attributes
    ----------
    %(system_attributes)s

    Notes
    -----
    ``predict`` treats new samples exactly as ``fit`` did: on the same samples it
    returns ``labels_``. The final k-means compares its starts on a subsample of the
    label rows and continues the best on all. "landmarks" differs from
    :class:`~coterie.clusterers.USPEC` in that the graph is built on the subsample; with
    ``sample_size`` at least the number of rows they are the same.

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

    name = "large"
    summary = "members learned from samples; all rows labelled and combined by block"
    cost = (
        "time M N (D K + M) + C^2, memory D + C^2 + N M; D for a block of rows, N M "
        "bytes that may be on disk"
    )
    group = "start"
    take_if = "millions of rows, or files larger than memory"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSystem._parameter_constraints,
        "consensus": [StrOptions(set(CONSENSUS))],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        clusterer: Any = "kmeans",
        n_members: int = 20,
        member_clusters: Any = None,
        sample_size: int = 50_000,
        consensus: str = "lwgp",
        block_rows: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clusterer = clusterer
        self.n_members = n_members
        self.member_clusters = member_clusters
        self.sample_size = sample_size
        self.consensus = consensus
        self.block_rows = block_rows
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def parts(self, n_samples: int | None = None) -> Parts:
        span = self.member_clusters
        if n_samples is not None:
            check_range(span, n_samples, type(self).__name__, "member_clusters")
            span = member_span(self.n_clusters_, n_samples) if span is None else span
        generator = SampledMembers(
            self.n_members,
            clusterer=self.clusterer,
            n_clusters=span,
            sample_size=self.sample_size,
            block_rows=self.block_rows,
        )
        consensus = find(self.consensus, {"consensus"}).load()()
        return Parts(generator, paper_weighter(consensus), consensus)

    def _checked(self, X: Any, *, reset: bool) -> Rows:
        who = type(self).__name__
        by_blocks = isinstance(X, str | Path | Rows | np.memmap)
        if not by_blocks and not hasattr(X, "to_delayed"):
            return open_rows(super()._checked(X, reset=reset), who, self.block_rows)
        rows = open_rows(X, who, self.block_rows)
        if reset:
            self.n_features_in_ = rows.shape[1]
        elif rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {who} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return rows

    def _as_scaled(self, X: Rows) -> np.ndarray:
        return X.read(0)

    def _chosen_from(self, X: Rows, seed: np.random.SeedSequence) -> np.ndarray:
        n = X.shape[0]
        own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 2**30))
        rng = np.random.default_rng(own)
        chosen = np.sort(rng.choice(n, size=min(n, _CHOICE_ROWS), replace=False))
        return take_rows(X, chosen, n_jobs=self.n_jobs)

    def _spawned(
        self, seed: np.random.SeedSequence
    ) -> tuple[np.random.SeedSequence, np.random.SeedSequence]:
        # the generator spawns the first two children itself: subsamples and members
        return seed, seed.spawn(3)[2]

    def _owned(self, X: Any, given: Any) -> None:
        """Keep no data: members are rules that label any sample."""

    @property
    def labels_on_disk_(self) -> bool:
        """Whether the labels of the members are on disk."""
        return isinstance(getattr(self.ensemble_, "blocks", None), DiskBlocks)

    def predict(self, X: Any) -> np.ndarray:
        """Assign samples to clusters, exactly as ``fit`` did.

        Parameters
        ----------
        X : path, Dask array, memory-mapped or other array, or frame

        Returns
        -------
        (n_samples,) int32 array
        """
        return self._placed(X)[0]

    def predict_confidence(self, X: Any) -> np.ndarray:
        """Return the confidence of the predictions for samples.

        Parameters
        ----------
        X : path, Dask array, memory-mapped or other array, or frame

        Returns
        -------
        (n_samples,) array in [0, 1]
        """
        return self._placed(X)[1]

    @property
    def predicts_by_(self) -> str:
        """How new samples are placed: by the members' "rules"."""
        return "rules"

    @property
    def predict_agreement_(self) -> float:
        """One: ``predict`` treats the samples of ``fit`` as ``fit`` did."""
        check_is_fitted(self, "labels_")
        return 1.0

    def _placed(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self, "labels_")
        ensemble: Any = self.ensemble_
        with one_cluster(self.n_jobs):
            rows = self._place(X)
            survey(rows, type(self).__name__, n_jobs=self.n_jobs)
            work = partial(_place_rows, ensemble.rules, self.consensus_.placer)
            parts = list(map_blocks(work, rows, n_jobs=self.n_jobs))
        labels, confidence, *_ = zip(*parts, strict=True)
        return np.concatenate(labels), np.concatenate(confidence)


def _place_rows(rules: list[Any], placer: Any, X: np.ndarray) -> Any:
    dtype = label_type([rule.n_clusters for rule in rules])
    return placer.placed(as_codes(row_of_labels(rules, dtype, X)))
