"""Objects that look like those of other parts, as small as can be."""

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans

from coterie import EnsembleClustering
from coterie.consensus import EAC, BaseConsensus, ConsensusResult
from coterie.ensemble._groups import groups_of
from coterie.generation import BaseGenerator, Draft


def k_choice(**changes):
    """Return what ``choose_k`` would for k = 2, 3, 4, with 40 samples."""
    rng = np.random.default_rng(0)
    choice = {
        "n_clusters": 3,
        "k_values": np.array([2, 3, 4]),
        "curves": {"pac": np.array([0.3, 0.1, np.nan]), "delta_area": np.arange(3.0)},
        "votes": {"pac": 3, "delta_area": 1},
        "p_values": np.array([0.2, 0.01, np.nan]),
        "p_value": 0.01,
        "cdf_grid": np.linspace(0, 1, 101),
        "cdf": np.sort(rng.random((3, 101)), axis=1),
        "labels": np.array([rng.integers(k, size=40) for k in (2, 3, 4)]),
        "samples": np.arange(40),
        "sentence": "Three <clusters>, and quite sure.",
    }
    return SimpleNamespace(**{**choice, **changes})


class MembersOfKinds(BaseGenerator):
    """Members of three kinds on two views, in turn; "noise" sees nothing."""

    def __init__(self, n_members=12):
        self.n_members = n_members

    def _member(self, X, number, rng):
        kind = ("kmeans", "ward", "noise")[number % 3]
        view = ("raw", "zscore")[number // 3 % 2]
        seen = (X - X.mean(axis=0)) / X.std(axis=0) if view == "zscore" else X
        if kind == "noise":
            labels = rng.integers(3, size=len(X))
        elif kind == "ward":
            labels = AgglomerativeClustering(3 + number % 4).fit_predict(seen)
        else:
            seed = int(rng.integers(1000))
            labels = KMeans(4, n_init=1, random_state=seed).fit_predict(seen)
        return Draft(labels, {"kind": kind, "view": view}, name=f"{kind} {view}")


class OfKinds(BaseConsensus):
    """Each group combined by itself, then the groups."""

    def _combine(self, task):
        groups = groups_of(task.ensemble)
        own = np.column_stack(
            [
                EAC().combine(task.ensemble.subset(g.members), task.n_clusters).labels
                for g in groups
            ]
        )
        weights = np.array([1.0 + 3.0 * (g.kind != "noise") for g in groups])
        result = EAC().combine(list(own.T), task.n_clusters, weights=weights)
        details = {
            "kind_labels": own,
            "kind_weights": weights / weights.sum(),
            "kind_steadiness": np.linspace(1.0, 0.5, len(groups)),
        }
        return ConsensusResult(result.labels, details=details)


def panel(X):
    """Return a fitted system whose members are of several kinds."""
    return EnsembleClustering(
        3, generator=MembersOfKinds(), consensus=OfKinds(), random_state=0
    ).fit(X)


@contextmanager
def dask_worker(n_threads=1):
    """Yield the client of a Dask cluster with one worker in this process."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=n_threads,
            processes=False,
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
