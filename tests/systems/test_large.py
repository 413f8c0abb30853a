"""The system that reads some rows at a time."""

import gc
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_blobs, make_moons
from stand_ins import dask_worker

from coterie import (
    Ensemble,
    LargeEnsembleClustering,
    combine,
    explain,
    report,
    use_engine,
)
from coterie._engine import MemberStore
from coterie.ensemble import BlockEnsemble
from coterie.exceptions import MemoryLimitError, MemoryLimitWarning, StoreError
from coterie.metrics import ari
from coterie.systems._large import CONSENSUS

X, Y = make_blobs(3000, n_features=4, centers=5, cluster_std=1.0, random_state=3)
X = X.astype(np.float32)


def make(**params):
    params = {"n_members": 6, "block_rows": 700, "random_state": 0, **params}
    return LargeEnsembleClustering(5, **params)


@pytest.fixture(scope="module")
def expected():
    return make().fit_predict(X)


@pytest.mark.parametrize("consensus", CONSENSUS)
def test_finds_blobs(consensus):
    # KCC has poor optima where members have many more clusters than asked for
    model = make(consensus=consensus, sample_size=1000, member_clusters=(5, 12)).fit(X)
    assert ari(Y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict_confidence(X), model.confidence_)
    assert model.confidence_.min() >= 0
    assert model.confidence_.max() <= 1


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["serial", "threads", "processes", "dask"])
def test_engines_give_the_same_labels(engine, expected, tmp_path):
    if engine == "dask":
        pytest.importorskip("distributed")
    np.save(tmp_path / "data.npy", X)
    with use_engine(engine):
        model = make(n_jobs=2).fit(X)
        np.testing.assert_array_equal(model.labels_, expected)
        model.fit(tmp_path / "data.npy")
    np.testing.assert_array_equal(model.labels_, expected)


@pytest.mark.slow
def test_a_dask_array_on_workers(expected):
    array = pytest.importorskip("dask.array").from_array(X, chunks=(700, 4))
    np.testing.assert_array_equal(make().fit_predict(array), expected)
    with dask_worker(n_threads=2) as client, use_engine(client):
        model = make().fit(array)
        np.testing.assert_array_equal(model.labels_, expected)
        np.testing.assert_array_equal(model.predict(array), expected)
        labels = model.ensemble_.to_dask()
        assert labels.chunks[0] == (700, 700, 700, 700, 200)
        np.testing.assert_array_equal(labels.compute(), model.ensemble_.labels)
        sizes = [(labels[:, 0] == c).sum().compute() for c in range(2)]
        np.testing.assert_array_equal(sizes, model.ensemble_.cluster_sizes[:2])


@pytest.mark.slow
def test_labels_of_a_worker_that_died_are_made_again(expected):
    distributed = pytest.importorskip("distributed")
    array = pytest.importorskip("dask.array").from_array(X, chunks=(700, 4))
    before = make().fit(X).ensemble_.labels

    async def lose(address, dask_scheduler):
        await dask_scheduler.remove_worker(address, stimulus_id="lost")

    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
        use_engine(client),
    ):
        model = make().fit(array)
        lost = next(iter(client.scheduler_info()["workers"]))
        client.run_on_scheduler(lose, lost)
        again = np.concatenate(list(model.ensemble_.map(np.copy)))
        np.testing.assert_array_equal(again, before)
        np.testing.assert_array_equal(model.labels_, expected)


def test_the_labels_are_a_dask_array():
    pytest.importorskip("dask.array")
    ensemble = make().fit(X).ensemble_
    labels = ensemble.to_dask()
    assert labels.shape == (3000, 6)
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(labels[1500:].compute(), ensemble.labels[1500:])


@pytest.mark.slow
def test_moons_by_landmarks():
    points, y = make_moons(3000, noise=0.05, random_state=0)
    model = LargeEnsembleClustering(
        2, clusterer="landmarks", n_members=5, block_rows=1000, random_state=0
    )
    assert ari(y, model.fit_predict(points)) > 0.98


@pytest.mark.parametrize("clusterer", [KMeans(n_init=1), DBSCAN(eps=1.0)])
def test_members_by_any_clusterer(clusterer):
    model = make(clusterer=clusterer, member_clusters=7, sample_size=1000).fit(X)
    assert ari(Y, model.labels_) > 0.9


def test_recut_keeps_the_members():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make().fit(frame)
    other = model.recut(3)
    assert other.ensemble_ is model.ensemble_
    assert other.labels_.max() == 2
    assert other.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(model.recut(5).labels_, model.labels_)
    np.testing.assert_array_equal(other.predict(frame), other.labels_)


@pytest.mark.slow
def test_the_number_of_clusters_can_be_left_open():
    model = make(sample_size=500).set_params(n_clusters="auto").fit(X)
    assert model.n_clusters_ == model.k_choice_.n_clusters
    assert abs(model.n_clusters_ - 5) <= 1


class Stop(Exception):
    """In the middle of a run."""


@pytest.mark.parametrize("after", [2, 8])
def test_a_run_that_was_stopped_goes_on(after, expected, tmp_path, monkeypatch):
    original = MemberStore.write
    written = []

    def until(self, number, body):
        if len(written) == after:
            raise Stop
        written.append((self.part, number))
        original(self, number, body)

    monkeypatch.setattr(MemberStore, "write", until)
    with pytest.raises(Stop), use_engine(checkpoint=tmp_path):
        make().fit(X)
    monkeypatch.setattr(MemberStore, "write", original)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*-0*")}
    assert len(before) == after
    with use_engine(checkpoint=tmp_path):
        np.testing.assert_array_equal(make().fit_predict(X), expected)
    for path, when in before.items():
        assert path.stat().st_mtime_ns == when
    with pytest.raises(StoreError, match="data was"), use_engine(checkpoint=tmp_path):
        make().fit(X + 1)


@pytest.mark.slow
def test_labels_go_to_a_disk_where_memory_is_short():
    few = {"sample_size": 100, "member_clusters": 6}
    with pytest.raises(MemoryLimitError) as told, use_engine(memory_limit=50_000):
        make(**few).fit(X)
    need = float(re.search(r"would need ([\d.]+) kB", str(told.value))[1]) * 1000
    enough = int(need) + 10_000  # but not for 18 kB of labels
    with (
        pytest.warns(MemoryLimitWarning, match="on disk"),
        use_engine(memory_limit=enough),
    ):
        model = make(**few).fit(X)
    assert model.labels_on_disk_
    folder = model.ensemble_.blocks.store.folder
    assert len(list(folder.glob("block-*"))) == 5
    plain = make(**few).fit(X)
    assert not plain.labels_on_disk_
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    del model
    gc.collect()
    assert not folder.exists()


def test_too_little_memory_is_told_before_the_work():
    with (
        pytest.raises(MemoryLimitError, match="Use smaller blocks"),
        use_engine(memory_limit=50_000),
    ):
        make(sample_size=10).fit(X)


def test_a_smaller_sample_where_memory_is_short():
    with (
        pytest.warns(MemoryLimitWarning, match="instead of 3,000"),
        use_engine(memory_limit=900_000),
    ):
        model = make(sample_size=3000, block_rows=200, member_clusters=6).fit(X)
    assert ari(Y, model.labels_) > 0.9


@pytest.mark.parametrize("n", [1, 2, 7])
def test_very_few_samples(n):
    model = LargeEnsembleClustering(1, n_members=3, random_state=0).fit(X[:n])
    assert model.labels_.tolist() == [0] * n


def test_equal_rows():
    from coterie.exceptions import FewerClustersWarning

    with pytest.warns(FewerClustersWarning, match="found 1 cluster,"):
        labels = make(member_clusters=3).fit_predict(np.ones((50, 2)))
    assert labels.tolist() == [0] * 50


def test_explain_and_report_of_a_model_fitted_on_a_file(tmp_path, expected):
    np.save(tmp_path / "data.npy", X)
    model = make().fit(tmp_path / "data.npy")
    found = explain(model)
    whole = explain(Ensemble(model.ensemble_.labels), model.labels_)
    np.testing.assert_array_equal(found.samples["cluster"], expected)
    np.testing.assert_array_equal(found.clusters["size"], np.bincount(expected))
    np.testing.assert_allclose(
        found.samples["item_consensus"], whole.samples["item_consensus"], atol=1e-6
    )
    assert report(model, X, tmp_path / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize("method", ["lwea", "drec"])
def test_any_consensus_function_takes_an_ensemble_by_blocks(method):
    ensemble = make(member_clusters=(5, 12)).fit(X[:600]).ensemble_
    labels = combine(ensemble, 5, method, weighter=None, random_state=0)
    assert ari(Y[:600], labels) > 0.9
    sizes = ensemble.n_clusters_per_member
    fresh = BlockEnsemble(ensemble.blocks, ensemble.bounds, sizes)
    with (
        pytest.raises(MemoryLimitError, match="which read them by blocks"),
        use_engine(memory_limit=1000),
    ):
        combine(fresh, 5, method, weighter=None)


def test_a_file_with_other_columns(tmp_path):
    model = make().fit(X)
    np.save(tmp_path / "other.npy", X[:, :3])
    with pytest.raises(ValueError, match="X has 3 features"):
        model.predict(tmp_path / "other.npy")


def test_too_many_clusters_for_the_samples():
    with pytest.raises(ValueError, match="n_clusters=5, but there are only"):
        make().fit(X[:4])
    with pytest.raises(ValueError, match="members of up to 9 clusters"):
        make(member_clusters=(2, 9)).fit(X[:6])
