"""Multilayer bootstrap networks: layers of k-centroids clusterings on codes."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from coterie._engine import MemberStore, run_members, settings
from coterie._linalg import code_layer, nearest_neighbors, sampled_code_layer, unit_rows
from coterie._linalg._centroids import (
    as_similarity,
    draw_centroids,
    nearest_drawn,
    nearest_drawn_sparse,
    strongest_drawn,
)
from coterie._linalg._code_layers import code_dtype
from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie.ensemble import Codes
from coterie.generation._base import run_record, take_features

_EXACT_UP_TO = 5_000  # samples, in the bottom layer of dense data
_N_CANDIDATES = 64


@dataclass(frozen=True)
class BootstrapNetworks:
    r"""Makes the codes of many multilayer bootstrap networks (MBN) of the same data.

    A layer is V clusterings. Each draws a share of the features and k samples and gives
    every sample the nearest of these; which one it is, in all V clusterings, is what
    the next layer sees. From layer to layer :math:`k_{m} = \lfloor \delta k_{m-1}
    \rfloor` (Eq. 1), from half of the samples down to ``n_out``.

    Parameters
    ----------
    n_members : int
        Number of networks, Z.
    n_out : int
        Least k of a layer, :math:`k_o`.
    delta_range : (float, float)
        Range from which each network draws its :math:`\delta`; equal ends fix it.
    delta_draw : {"uniform", "stratified"}
        Whether networks draw from the whole range or one from each of Z equal parts.
    n_clusterings : int
        Clusterings of a layer, V.
    feature_ratio : float
        Share of the features (in upper layers, of the codes) that a clustering sees.
    shared : bool
        Whether all networks stand on one bottom layer, and upper layers compare all
        codes (fMBN-E), or each has its own and samples codes, too (MBN-E).
    feature_sampling : bool
        Whether the bottom layer samples features (not in fMBN-Ev2).
    last_layer : {"force", "stop", "append"}
        What happens where k would fall below ``n_out``: a layer of ``n_out`` only if
        there is no other upper layer, none, or always.
    metric : {"euclidean", "cosine", "precomputed"}
        How near samples are; "precomputed": X is similarities.
    n_views : int or None
        How many of the codes below a layer compares; None = all.
    """

    n_members: int
    n_out: int
    delta_range: tuple[float, float]
    delta_draw: str = "uniform"
    n_clusterings: int = 400
    feature_ratio: float = 0.5
    shared: bool = True
    feature_sampling: bool = True
    last_layer: str = "force"
    metric: str = "euclidean"
    n_views: int | None = None

    def grow(
        self,
        X: Any,
        *,
        seed: Seed = None,
        n_jobs: int | None = None,
        progress: Progress = None,
        n_fit: int | None = None,
    ) -> Codes:
        """Return the codes of all samples in the top layers of all networks.

        Parameters
        ----------
        X : (n, d) array or CSR matrix, or (n, n_fit) similarities
        seed : int, SeedSequence, Generator, RandomState or None
        n_jobs : int or None
            Clusterings or networks made side by side, in threads.
        progress : function of (done, total), True for a bar, or None
        n_fit : int, optional
            Only the first so many samples can be centroids; the others are coded by
            networks that are the same as without them.
        """
        levels = self.grow_levels(
            X, (self.n_out,), seed=seed, n_jobs=n_jobs, progress=progress, n_fit=n_fit
        )
        return levels[0]

    def grow_levels(
        self,
        X: Any,
        levels: Sequence[int],
        *,
        seed: Seed = None,
        n_jobs: int | None = None,
        progress: Progress = None,
        n_fit: int | None = None,
    ) -> list[Codes]:
        """Return the codes of several layers of the same networks.

        For each level, those of the last layer of at least so many clusters; of the
        first upper layer in networks that have none so large. The networks end as
        ``n_out`` says. Other parameters are those of :meth:`grow`.
        """
        n_fit = X.shape[0] if n_fit is None else n_fit
        X = self._prepared(X, n_fit)
        task = _Task(X, n_fit, self._candidates(X, n_fit))
        options = {"who": type(self).__name__, "n_jobs": n_jobs}
        for_bottom, for_models = seed_sequence(seed).spawn(2)
        bottom = None
        if self.shared:
            k = self._bottom_size(n_fit)
            columns = run_members(
                lambda v, rng: self._bottom_column(task, k, rng),
                self.n_clusterings,
                seed=for_bottom,
                keeper=self._keeper("clustering", X, for_bottom, ()),
                **options,
            )
            bottom = _stacked([column for _, column in columns], k)
        grown = run_members(
            lambda z, rng: self._network(task, bottom, z, levels, rng),
            self.n_members,
            seed=for_models,
            progress=progress,
            keeper=self._keeper("network", X, for_models, levels),
            **options,
        )
        networks = [network for _, network in grown]
        return [
            _joined([network[t] for network in networks]) for t in range(len(levels))
        ]

    def _keeper(
        self,
        part: str,
        X: Any,
        seed: np.random.SeedSequence,
        levels: Sequence[int],
    ) -> _ArrayKeeper | None:
        """Return what keeps clusterings or networks of this run, if they are to be."""
        folder = settings().checkpoint
        if folder is None:
            return None
        params = {**vars(self), "levels": tuple(levels)}
        run = run_record(f"{type(self).__name__}, {part}", params, seed, X)
        return _ArrayKeeper(MemberStore(folder / f"{part}s", run, part=part))

    def _prepared(self, X: Any, n_fit: int) -> Any:
        if self.metric == "precomputed":
            return as_similarity(X, None if n_fit == X.shape[0] else n_fit)
        if scipy.sparse.issparse(X):
            X = scipy.sparse.csr_matrix(X)
            X.sum_duplicates()
            return X
        return np.ascontiguousarray(X)

    def _candidates(self, X: Any, n_fit: int) -> Any:
        """Return the nearest samples in all features, where looking at all is slow.

        Without feature sampling they are the nearest for every clustering.
        """
        limit = _EXACT_UP_TO if self.feature_sampling else _N_CANDIDATES
        if n_fit <= limit or scipy.sparse.issparse(X):
            return None
        points = unit_rows(X) if self.metric == "cosine" else X
        return nearest_neighbors(points[:n_fit], _N_CANDIDATES, queries=points).indices

    def _bottom_size(self, n: int) -> int:
        return max(1, n // 2)  # k_1 of Algorithm 2

    def _network(
        self,
        task: _Task,
        bottom: Any,
        z: int,
        levels: Sequence[int],
        rng: np.random.Generator,
    ) -> list[_Network]:
        """Return one network's codes; its delta is the first thing it draws."""
        delta = self._delta(z, rng)
        sizes = layer_sizes(
            self._bottom_size(task.n_fit), delta, self.n_out, self.last_layer
        )
        if bottom is None:
            columns = [
                self._bottom_column(task, sizes[0], rng)
                for _ in range(self.n_clusterings)
            ]
            bottom = _stacked(columns, sizes[0])
        wanted = [_last_at_least(sizes, level) for level in levels]
        kept = {1: bottom}
        codes = bottom
        for m, k in enumerate(sizes[1:], start=2):
            width = self.n_clusterings
            if self.n_views is not None:
                codes = self._some_views(codes, rng)
                width = width if m in wanted else min(width, self.n_views)
            if self.shared:
                codes = code_layer(codes, k, width, rng=rng, n_fit=task.n_fit)
            else:
                codes = sampled_code_layer(
                    codes, k, width, self.feature_ratio, rng=rng, n_fit=task.n_fit
                )
            if m in wanted:
                kept[m] = codes
        return [_Network(kept[m], delta, tuple(sizes[:m])) for m in wanted]

    def _delta(self, z: int, rng: np.random.Generator) -> float:
        low, high = self.delta_range
        u = rng.random()
        if self.delta_draw == "stratified":
            u = (z + u) / self.n_members
        return low + u * (high - low)

    def _some_views(self, codes: Any, rng: np.random.Generator) -> Any:
        n_codes = codes.shape[1]
        if n_codes <= self.n_views:
            return codes
        chosen = rng.choice(n_codes, size=self.n_views, replace=False)
        return np.ascontiguousarray(codes[:, np.sort(chosen)])

    def _bottom_column(self, task: _Task, k: int, rng: np.random.Generator) -> Any:
        """Return one clustering of the bottom layer."""
        X = task.X
        if self.metric == "precomputed":
            order = draw_centroids(task.n_fit, task.n_fit, 1, rng)[0]
            return strongest_drawn(X, order, k)
        draw = draw_centroids(task.n_fit, k, 1, rng)[0]
        features = None
        if self.feature_sampling:
            size = max(1, math.floor(self.feature_ratio * X.shape[1] + 0.5))
            features = np.sort(rng.choice(X.shape[1], size=size, replace=False))
        if scipy.sparse.issparse(X):
            return nearest_drawn_sparse(X, draw, features, metric=self.metric)
        view = X if features is None else take_features(X, features)
        return nearest_drawn(view, draw, metric=self.metric, candidates=task.candidates)


@dataclass(frozen=True, eq=False)
class _Task:
    """The data, and the neighbours of many dense samples, found once."""

    X: Any
    n_fit: int
    candidates: np.ndarray | None  # (N, L); None: all samples


@dataclass(frozen=True, eq=False)
class _Network:
    codes: np.ndarray  # (N, V)
    delta: float
    layers: tuple[int, ...]


class _ArrayKeeper:
    """Keeps a clustering (an array), or the levels of a network, in a store."""

    def __init__(self, store: MemberStore) -> None:
        self.store = store

    def load(self, number: int) -> Any:
        kept = self.store.read(number)
        if kept is None:
            return None
        with np.load(io.BytesIO(kept), allow_pickle=False) as file:
            if "column" in file:
                return file["column"]
            n_levels = sum(name.startswith("codes") for name in file.files)
            return [
                _Network(
                    file[f"codes_{t}"],
                    float(file[f"delta_{t}"]),
                    tuple(file[f"layers_{t}"].tolist()),
                )
                for t in range(n_levels)
            ]

    def save(self, number: int, result: Any) -> None:
        if isinstance(result, np.ndarray):
            arrays = {"column": result}
        else:
            arrays = {
                f"{name}_{t}": np.asarray(value)
                for t, network in enumerate(result)
                for name, value in vars(network).items()
            }
        file = io.BytesIO()
        np.savez(file, **arrays)
        self.store.write(number, file.getvalue())


def layer_sizes(k: int, delta: float, n_out: int, last_layer: str) -> list[int]:
    """Return the k of each layer, from the bottom.

    Parameters
    ----------
    k : int
        Of the bottom layer.
    delta : float
    n_out : int
        Least k of a layer.
    last_layer : {"force", "stop", "append"}
    """
    sizes = [k]
    while (k := math.floor(delta * k)) >= n_out:  # Eq. 1
        sizes.append(k)
    forced = last_layer == "append" or (last_layer == "force" and len(sizes) == 1)
    if forced and sizes[-1] > n_out:
        sizes.append(n_out)
    return sizes


def _last_at_least(sizes: list[int], level: int) -> int:
    """Return the number of layers up to the last of at least so many clusters."""
    fitting = sum(size >= level for size in sizes)
    return max(fitting, min(2, len(sizes)))


def _stacked(columns: list[np.ndarray], k: int) -> np.ndarray:
    out = np.empty((columns[0].size, len(columns)), dtype=code_dtype(k))
    for v, column in enumerate(columns):
        out[:, v] = column
    return out


def _joined(networks: list[_Network]) -> Codes:
    widths = [network.codes.shape[1] for network in networks]
    tops = [network.layers[-1] for network in networks]
    n = networks[0].codes.shape[0]
    offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    values = np.empty((n, offsets[-1]), dtype=code_dtype(max(tops)))
    for z, network in enumerate(networks):
        values[:, offsets[z] : offsets[z + 1]] = network.codes
    return Codes(
        values,
        np.repeat(np.array(tops, dtype=np.int64), widths),
        offsets,
        np.array([network.delta for network in networks]),
        tuple(network.layers for network in networks),
    )
