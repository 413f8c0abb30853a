"""Multilayer bootstrap networks: layers of k-centroids clusterings of codes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import scipy.sparse

from coterie._docs import fill_doc
from coterie._engine import MemberStore, run_members
from coterie._linalg import code_layer, nearest_neighbors, sampled_code_layer, unit_rows
from coterie._linalg._centroids import (
    as_similarity,
    draw_centroids,
    nearest_drawn,
    nearest_drawn_sparse,
    strongest_drawn,
)
from coterie._linalg._kept_layers import (
    MOST_SAMPLES,
    KeptLayers,
    Layer,
    kept_bytes,
)
from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie._validation import COUNT, SHARE, StrOptions, is_sparse
from coterie.ensemble import Ensemble
from coterie.generation._base import (
    BaseGenerator,
    Checkpoint,
    checkpoint_folder,
    run_record,
    take_features,
)
from coterie.generation._kept_networks import KeptBottom, KeptNetworks
from coterie.generation._network_layers import (
    Network,
    Task,
    as_networks,
    joined,
    layer_sizes,
    packed,
    some_views,
    stacked,
    stacked_rows,
    unpacked,
)

_MOST_KEPT = 2**30  # bytes
_EXACT_UP_TO = 5_000  # samples, in the bottom layer of dense data
_N_CANDIDATES = 64
_CHECKS, _CHECKED = 8, 200  # clusterings and samples to estimate the error with
_ALL_VIEWS_UP_TO, _VIEWS = 5_000, 64  # samples, and codes compared beyond that


@fill_doc
class BootstrapNetworks(BaseGenerator):
    r"""The top clusterings of multilayer bootstrap networks (MBN).

    A layer consists of V clusterings. Each draws a share of the features and k samples,
    and assigns every sample to the nearest of these. These V labels are the input of
    the next layer. From layer to layer :math:`k_{m} = \lfloor \delta k_{m-1} \rfloor`
    (Eq. 1 of [1]_), from half of the samples down to ``n_out``. The V clusterings of
    the top layer of each network are the members of the ensemble.

    Parameters
    ----------
    n_members : int, default=40
        Number of networks, Z in the paper; each contributes ``n_clusterings`` members.
    n_out : int, default=15
        Smallest k of a layer, :math:`k_o`: about 1.5 times the final number of
        clusters.
    delta_range : (float, float), default=(0.05, 0.95)
        Range from which each network draws its :math:`\delta`; equal ends fix it.
    delta_draw : {"uniform", "stratified"}, default="uniform"
        Whether each network draws from the whole range, or each from its own of Z equal
        parts.
    n_clusterings : int, default=400
        Clusterings per layer, V.
    feature_ratio : float, default=0.5
        Share of the features (in upper layers, of the codes) that a clustering sees.
    fast : bool, default=True
        Whether all networks share one bottom layer and upper layers compare all codes
        (fMBN-E); otherwise each has its own and samples the codes (MBN-E).
    feature_sampling : bool, default=True
        Whether the bottom layer samples features (not in fMBN-Ev2).
    last_layer : {"force", "stop", "append"}, default="force"
        When to add a layer of ``n_out`` clusters once k would fall below ``n_out``: if
        there is no other upper layer, never, or always.
    metric : {"euclidean", "cosine", "precomputed"}, default="euclidean"
        How samples are compared; "precomputed": X holds similarities.
    bottom_layer : {"nearest", "columns"}, default="nearest"
        With ``metric="precomputed"``, what the bottom layer does: assign each sample to
        the most similar of those drawn, or hand on the similarities to them, so that
        the next layer compares samples by those that both are similar to.
    n_views : int, "all" or None, default=None
        Number of codes of the layer below that an upper layer compares; None is all for
        up to 5,000 samples and 64 beyond.
    %(on_error)s

    Notes
    -----
    Labels take one to four bytes each and may have gaps: a drawn sample that is nearest
    to no sample is an empty cluster. ``params`` of a member holds its ``network``, that
    network's ``delta``, the k of its ``layers``, and ``bottom_error``.

    *Bottom layer.* Exact for up to 5,000 samples and for sparse data. Beyond that, the
    nearest centroid is searched for among the 64 samples nearest in all features.
    ``params["bottom_error"]`` estimates the share of codes in which this is not the
    nearest one, on 200 samples in 8 clusterings of their own; it is zero where the
    layer is exact.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import BootstrapNetworks
    >>> networks = BootstrapNetworks(3, n_out=5, n_clusterings=20)
    >>> ensemble = networks.generate(load_iris().data, seed=0)
    >>> ensemble.n_members, ensemble.members[-1].params["network"]
    (60, 2)
    """

    name = "networks"
    summary = "the top clusterings of bootstrap networks of random depth"
    cost = "time V N (N D + Z N), memory N (D + V Z)"
    paper = "zhang2021fmbne"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": COUNT,
        "n_out": COUNT,
        "delta_range": [tuple, list],
        "delta_draw": [StrOptions({"uniform", "stratified"})],
        "n_clusterings": COUNT,
        "feature_ratio": SHARE,
        "fast": ["boolean"],
        "feature_sampling": ["boolean"],
        "last_layer": [StrOptions({"force", "stop", "append"})],
        "metric": [StrOptions({"euclidean", "cosine", "precomputed"})],
        "bottom_layer": [StrOptions({"nearest", "columns"})],
        "n_views": [*COUNT, StrOptions({"all"}), None],
    }

    def __init__(
        self,
        n_members: int = 40,
        n_out: int = 15,
        delta_range: tuple[float, float] = (0.05, 0.95),
        *,
        delta_draw: str = "uniform",
        n_clusterings: int = 400,
        feature_ratio: float = 0.5,
        fast: bool = True,
        feature_sampling: bool = True,
        last_layer: str = "force",
        metric: str = "euclidean",
        bottom_layer: str = "nearest",
        n_views: int | str | None = None,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_out = n_out
        self.delta_range = delta_range
        self.delta_draw = delta_draw
        self.n_clusterings = n_clusterings
        self.feature_ratio = feature_ratio
        self.fast = fast
        self.feature_sampling = feature_sampling
        self.last_layer = last_layer
        self.metric = metric
        self.bottom_layer = bottom_layer
        self.n_views = n_views
        self.on_error = on_error

    def generate_levels(
        self,
        X: Any,
        levels: Sequence[int],
        *,
        seed: Seed = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> list[Ensemble]:
        """Return an ensemble for each of several layers of the same networks.

        Each level takes the last layer with at least that many clusters, or the first
        upper layer of networks that have none. Networks still end at ``n_out``.

        Parameters
        ----------
        X : (n_samples, n_features) array or sparse matrix
        levels : sequence of int
        seed : int, SeedSequence, Generator, RandomState or None, default=None
        n_jobs : int or None, default=None
        progress : bool, function of (done, total) or None, default=None
        """
        X = self._accepted(X)
        self._check(X)
        folder = checkpoint_folder(seed)
        return self._grown(X, X.shape[0], levels, seed, n_jobs, progress, folder)

    def extend(
        self, X: Any, new: Any, *, seed: Seed = None, n_jobs: int | None = None
    ) -> np.ndarray:
        """Return the labels of new samples in the networks of X, (n_new, M).

        The networks are grown again from the same seed, with the new samples carried
        along, so this takes as long as :meth:`generate`.

        Parameters
        ----------
        X : (n_samples, n_features) array or sparse matrix
            The data that the networks were grown on.
        new : (n_new, n_features) array or sparse matrix
            With ``metric="precomputed"``, similarities to the samples of X.
        seed : int, SeedSequence, Generator, RandomState or None, default=None
            The seed passed to :meth:`generate`.
        n_jobs : int or None, default=None
        """
        n_fit = X.shape[0]
        both = self._accepted(stacked_rows(X, new))
        grown = self._grown(both, n_fit, (self.n_out,), seed, n_jobs)
        return grown[0].labels[n_fit:]

    def keep(
        self,
        X: Any,
        *,
        seed: Seed = None,
        networks: Sequence[int] | None = None,
        n_jobs: int | None = None,
    ) -> KeptNetworks | None:
        """Grow the networks again and keep all of their layers for new samples.

        Then one more sample takes milliseconds. By default, 2,000 samples take 0.8 GB;
        memory grows with the number of samples, of clusterings and of layers.

        Parameters
        ----------
        X : (n_samples, n_features) array or sparse matrix
            The data that the networks were grown on.
        seed : int, SeedSequence, Generator, RandomState or None, default=None
            The seed passed to :meth:`generate`.
        networks : sequence of int, default=None
            Which ones to keep, in ascending order; None is all.
        n_jobs : int or None, default=None

        Returns
        -------
        KeptNetworks or None
            None where networks are not kept, and :meth:`extend` has to grow them:
            with ``fast=False``, if layers compare some of the codes, beyond 5,000
            samples, or if more than 1 GiB would be needed.
        """
        X = self._accepted(X)
        task = self._task(X, X.shape[0])
        is_exact = task.candidates is None or not self.feature_sampling
        is_exact = is_exact and self.bottom_layer == "nearest"
        if not (self.fast and is_exact and task.n_views is None):
            return None
        chosen = range(self.n_members) if networks is None else networks
        for_bottom, for_networks, _ = seed_sequence(seed).spawn(3)
        children = for_networks.spawn(self.n_members)
        deltas = [self._delta(z, np.random.default_rng(children[z])) for z in chosen]
        sizes = [
            layer_sizes(task.k, delta, self.n_out, self.last_layer) for delta in deltas
        ]
        width = self.n_clusterings
        needed = sum(kept_bytes(task.n_fit, width, own) for own in sizes)
        if max(task.n_fit, width) > MOST_SAMPLES or needed > _MOST_KEPT:
            return None

        def column(v: int, rng: np.random.Generator) -> tuple[Any, Any]:
            drawn = self._drawn(task, rng)
            return drawn, self._assigned(task, *drawn)

        options: dict[str, Any] = {"who": type(self).__name__, "n_jobs": n_jobs}
        made = run_members(column, width, seed=for_bottom, **options)
        bottom = stacked([codes for _, (_, codes) in made], task.k)
        layers = KeptLayers.with_room(task.n_fit, width, sizes)
        for at, z in enumerate(chosen):
            watched: list[Layer] = []
            rng = np.random.default_rng(children[z])
            self._network(task, bottom, z, (self.n_out,), rng, watched)
            layers.fill(at, watched)
        return KeptNetworks(self._kept_bottom(task, [d for _, (d, _) in made]), layers)

    def _kept_bottom(self, task: Task, drawn: list[tuple[Any, Any]]) -> KeptBottom:
        n_sampled = len(drawn) if self.feature_sampling else 1
        features = np.ones((n_sampled, task.X.shape[1]), dtype=np.float32)
        for row, (_, seen) in zip(features, drawn, strict=False):
            if seen is not None:
                row[:] = 0.0
                row[seen] = 1.0

        def alone(v: int, new: Any) -> np.ndarray:
            draw, seen = drawn[v]
            if self.metric == "precomputed":
                own = replace(task, X=as_similarity(new, task.n_fit))
                return self._assigned(own, draw, seen)
            own = replace(task, X=stacked_rows(task.X[draw], new), candidates=None)
            first = np.arange(draw.size, dtype=np.int32)
            return self._assigned(own, first, seen)[draw.size :]

        draws = np.stack([draw for draw, _ in drawn])
        return KeptBottom(task.X, draws, features, self.metric, alone)

    def _check(self, X: Any) -> None:
        pair = self.delta_range
        fits = len(pair) == 2 and all(isinstance(end, Real) for end in pair)
        if not fits or not 0 < pair[0] <= pair[1] < 1:
            raise ValueError(
                f"{type(self).__name__} expects delta_range as two numbers (low, high) "
                f"with 0 < low <= high < 1, got {pair!r}."
            )
        if self.bottom_layer == "columns" and (
            self.metric != "precomputed" or not self.fast
        ):
            raise ValueError(
                f'{type(self).__name__}(bottom_layer="columns") samples the columns of '
                'a similarity matrix: use it with metric="precomputed" and fast=True.'
            )

    def _generate(
        self, X: Any, seed: Seed, n_jobs: int | None, progress: Progress
    ) -> Ensemble:
        return self.generate_levels(
            X, (self.n_out,), seed=seed, n_jobs=n_jobs, progress=progress
        )[0]

    def _grown(
        self,
        X: Any,
        n_fit: int,
        levels: Sequence[int],
        seed: Seed,
        n_jobs: int | None,
        progress: Progress = None,
        folder: Path | None = None,
    ) -> list[Ensemble]:
        """Grow the networks; only the first ``n_fit`` samples can be centroids."""
        task = self._task(X, n_fit)
        X, k = task.X, task.k
        options: dict[str, Any] = {
            "who": type(self).__name__,
            "n_jobs": n_jobs,
            "on_error": self.on_error,
        }
        for_bottom, for_networks, for_error = seed_sequence(seed).spawn(3)
        bottom = None
        if self.bottom_layer == "columns":
            shared = self._by_columns(task, np.random.default_rng(for_bottom))
            task = replace(task, shared=shared)
        elif self.fast:
            columns = run_members(
                lambda v, rng: [self._bottom_column(task, rng)],
                self.n_clusterings,
                seed=for_bottom,
                keeper=self._keeper(folder, "clustering", X, for_bottom, ()),
                **options,
            )
            bottom = stacked([column for _, [column] in columns], k)
        grown = run_members(
            lambda z, rng: self._network(task, bottom, z, levels, rng),
            self.n_members,
            seed=for_networks,
            progress=progress,
            keeper=self._keeper(folder, "network", X, for_networks, levels),
            **options,
        )
        by_level = zip(*(network for _, network in grown), strict=True)
        error = self._bottom_error(task, np.random.default_rng(for_error))
        return [joined(list(networks), error) for networks in by_level]

    def _task(self, X: Any, n_fit: int) -> Task:
        X = self._prepared(X, n_fit)
        views = self.n_views
        if views is None:
            views = "all" if n_fit <= _ALL_VIEWS_UP_TO else _VIEWS
        n_views = None if views == "all" else int(views)
        k = max(1, n_fit // 2)  # k_1 of Algorithm 2
        return Task(X, n_fit, k, self._candidates(X, n_fit), n_views)

    def _keeper(
        self,
        folder: Path | None,
        part: str,
        X: Any,
        seed: np.random.SeedSequence,
        levels: Sequence[int],
    ) -> Checkpoint | None:
        """Return the store of clusterings or networks of this run, or None."""
        if folder is None:
            return None
        params = {**self.get_params(deep=False), "levels": tuple(levels)}
        run = run_record(self, params, seed, X)
        store = MemberStore(folder / f"{part}s", run, part=part)
        if part == "clustering":
            return Checkpoint(store, packed, unpacked)
        return Checkpoint(store, lambda levels: packed(chain(*levels)), as_networks)

    def _prepared(self, X: Any, n_fit: int) -> Any:
        if self.metric == "precomputed":
            return as_similarity(X, None if n_fit == X.shape[0] else n_fit)
        if is_sparse(X):
            X = scipy.sparse.csr_matrix(X)
            X.sum_duplicates()
            return X
        return np.ascontiguousarray(X)

    def _candidates(self, X: Any, n_fit: int) -> Any:
        """Return the nearest samples in all features if comparing all is slow.

        Without feature sampling they are the nearest for every clustering.
        """
        limit = _EXACT_UP_TO if self.feature_sampling else _N_CANDIDATES
        if n_fit <= limit or is_sparse(X):
            return None
        points = unit_rows(X) if self.metric == "cosine" else X
        return nearest_neighbors(points[:n_fit], _N_CANDIDATES, queries=points).indices

    def _network(
        self,
        task: Task,
        bottom: Any,
        z: int,
        levels: Sequence[int],
        rng: np.random.Generator,
        watch: list[Layer] | None = None,
    ) -> list[Network]:
        """Return the codes of one network; ``watch`` is given its upper layers."""
        delta = self._delta(z, rng)
        sizes = layer_sizes(task.k, delta, self.n_out, self.last_layer)
        if task.shared is not None and len(sizes) == 1:
            sizes.append(task.k)  # some layer has to assign
        if bottom is None and task.shared is None:
            draws = range(self.n_clusterings)
            bottom = stacked([self._bottom_column(task, rng) for _ in draws], task.k)
        # the number of layers up to the last one with enough clusters
        enough = [sum(size >= level for size in sizes) for level in levels]
        wanted = [max(m, min(2, len(sizes))) for m in enough]
        kept: dict[int, Any] = {1: bottom}
        codes: Any = bottom
        for m, k in enumerate(sizes[1:], start=2):
            width = self.n_clusterings
            if task.n_views is not None:
                if codes is not None:
                    codes = some_views(codes, task.n_views, rng)
                width = width if m in wanted else min(width, task.n_views)
            if codes is None:
                orders = draw_centroids(task.n_fit, task.n_fit, width, rng)
                columns = [strongest_drawn(task.shared, order, k) for order in orders]
                codes = stacked(columns, k)
            elif self.fast:
                draws = draw_centroids(task.n_fit, k, width, rng)
                if watch is not None:
                    watch.append(Layer(codes, draws))
                codes = code_layer(codes, draws)
            else:
                codes = sampled_code_layer(
                    codes, k, width, self.feature_ratio, rng=rng, n_fit=task.n_fit
                )
            if m in wanted:
                kept[m] = codes
        return [Network(kept[m], delta, tuple(sizes[:m])) for m in wanted]

    def _by_columns(self, task: Task, rng: np.random.Generator) -> Any:
        """Return the similarity B C B^T: C counts how often each column is sampled.

        It is the product of the bottom layer's outputs, which are columns of B.
        """
        draws = draw_centroids(task.n_fit, task.k, self.n_clusterings, rng)
        often = np.bincount(draws.ravel(), minlength=task.n_fit).astype(np.float64)
        B = task.X
        return scipy.sparse.csr_matrix((B.multiply(often)) @ B[: task.n_fit].T)

    def _delta(self, z: int, rng: np.random.Generator) -> float:
        """Draw the delta of a network, the first thing that it draws."""
        low, high = self.delta_range
        u = rng.random()
        if self.delta_draw == "stratified":
            u = (z + u) / self.n_members
        return low + u * (high - low)

    def _bottom_column(self, task: Task, rng: np.random.Generator) -> Any:
        """Return one clustering of the bottom layer."""
        return self._assigned(task, *self._drawn(task, rng))

    def _assigned(
        self, task: Task, draw: np.ndarray, features: np.ndarray | None
    ) -> Any:
        """Return the codes of all samples in one clustering of the bottom layer."""
        X = task.X
        if self.metric == "precomputed":
            return strongest_drawn(X, draw, task.k)
        if is_sparse(X):
            return nearest_drawn_sparse(X, draw, features, metric=self.metric)
        view = X if features is None else take_features(X, features)
        return nearest_drawn(view, draw, metric=self.metric, candidates=task.candidates)

    def _drawn(
        self, task: Task, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Draw the centroids and the features of a clustering; None: all features.

        With similarities, all samples are drawn; the first k are centroids.
        """
        if self.metric == "precomputed":
            return draw_centroids(task.n_fit, task.n_fit, 1, rng)[0], None
        draw = draw_centroids(task.n_fit, task.k, 1, rng)[0]
        if not self.feature_sampling:
            return draw, None
        n_features = task.X.shape[1]
        size = max(1, math.floor(self.feature_ratio * n_features + 0.5))
        return draw, np.sort(rng.choice(n_features, size=size, replace=False))

    def _bottom_error(self, task: Task, rng: np.random.Generator) -> float:
        """Estimate the share of codes that are not those of the nearest centroid."""
        if task.candidates is None:
            return 0.0
        n_wrong = 0
        n_rows = min(_CHECKED, task.n_fit)
        rows = rng.choice(task.n_fit, size=n_rows, replace=False)
        for _ in range(_CHECKS):
            draw, features = self._drawn(task, rng)
            view = task.X if features is None else take_features(task.X, features)
            found = nearest_drawn(
                view, draw, metric=self.metric, candidates=task.candidates
            )
            alone = np.concatenate([view[draw], view[rows]])
            exact = nearest_drawn(
                alone, np.arange(task.k, dtype=np.int32), metric=self.metric
            )
            n_wrong += np.count_nonzero(found[rows] != exact[task.k :])
        return float(n_wrong / (_CHECKS * n_rows))
