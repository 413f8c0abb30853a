"""Consensus by blocks against the same methods on the whole ensemble."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from coterie import Ensemble
from coterie._engine import MemberStore
from coterie._large import open_rows
from coterie._linalg import assign_to_centers
from coterie.consensus import ECC, HBGF, KCC, LWGP, SEC, Borda, Vote, _by_blocks
from coterie.consensus._base import Task
from coterie.ensemble import Weights
from coterie.ensemble._blocks import DiskBlocks
from coterie.ensemble._votes import placement
from coterie.generation._rules import from_bytes, learn_rule, to_bytes
from coterie.generation._sampled import label_rows
from coterie.metrics import ari
from coterie.weighting import EntropyWeighter
from coterie.weighting._entropy import cluster_entropies, overlap_entropies

X, Y = make_blobs(1500, n_features=4, centers=5, cluster_std=1.5, random_state=3)
METHODS = [LWGP, HBGF, KCC, SEC, ECC, Vote, Borda]
every = pytest.mark.parametrize("method", METHODS)


def rng():
    return np.random.default_rng(0)


def rules(n_clusters=(5, 9, 6, 12, 7, 5)):
    made = np.random.default_rng(1)
    return [learn_rule("kmeans", X, k, made) for k in n_clusters]


def blocks(block_rows=400, **options):
    return label_rows(rules(), open_rows(X, "Test", block_rows), **options)


def combined(method, ensemble, n_clusters=5):
    weights = EntropyWeighter().weigh(ensemble) if method is LWGP else None
    return method().combine(ensemble, n_clusters, weights=weights, seed=0)


def whole(ensemble):
    parts = [ensemble.blocks.read(b) for b in range(ensemble.blocks.n_blocks)]
    return Ensemble(np.concatenate(parts))


def test_labels_are_small_and_those_of_the_rules():
    ensemble = blocks()
    first = ensemble.blocks.read(0)
    assert first.dtype == np.uint8
    expected = np.column_stack([rule.labels(X) for rule in rules()])
    found = np.concatenate([ensemble.blocks.read(b) for b in range(4)])
    np.testing.assert_array_equal(found, expected)


def test_overlap_and_entropies_equal_those_of_the_whole():
    ensemble = blocks()
    # codes by first appearance differ from the rules' own: compare by sums
    labels = np.concatenate([ensemble.blocks.read(b) for b in range(4)])
    B = np.zeros((len(X), ensemble.n_total_clusters))
    for j, start in enumerate(ensemble.offsets[:-1]):
        B[np.arange(len(X)), start + labels[:, j]] = 1.0
    np.testing.assert_array_equal(ensemble.overlap(), B.T @ B)
    np.testing.assert_array_equal(ensemble.cluster_sizes, B.sum(axis=0))
    w = np.linspace(0.5, 2.0, B.shape[1])
    expected = B.T @ (B / (B @ w)[:, None])
    np.testing.assert_allclose(ensemble.weighted_overlap(w), expected, rtol=1e-12)
    plain = Ensemble(labels)
    order = np.argsort(cluster_entropies(plain).sum(axis=1))
    found = overlap_entropies(ensemble.overlap(), ensemble.offsets).sum(axis=1)
    expected = cluster_entropies(plain).sum(axis=1)[order]
    np.testing.assert_allclose(np.sort(found), np.sort(expected), atol=1e-9)


@every
def test_the_result_is_that_of_the_whole(method, monkeypatch):
    monkeypatch.setattr(_by_blocks, "MAX_ITER", 50)
    ensemble = blocks()
    found = combined(method, ensemble)
    expected = combined(method, whole(ensemble))
    labels = found.labels
    assert found.converged
    np.testing.assert_array_equal(found.placer.labels(ensemble.labels), labels)
    assert ari(expected.labels, labels) > 0.97
    assert ari(Y, labels) > 0.9
    # numbered by first appearance
    first = np.unique(labels, return_index=True)[1]
    assert (np.diff(first) > 0).all()


@every
def test_blocks_do_not_change_the_result(method):
    one, many = blocks(2000), blocks(170)
    assert one.blocks.n_blocks == 1
    np.testing.assert_array_equal(
        combined(method, one).labels, combined(method, many).labels
    )


def test_confidence_is_that_of_the_whole():
    ensemble = blocks()
    found = combined(HBGF, ensemble)
    expected = placement(whole(ensemble), Weights(), found.labels)
    np.testing.assert_allclose(found.confidence, expected.confidence, atol=1e-6)
    np.testing.assert_allclose(found.margin, expected.margin, atol=1e-6)
    np.testing.assert_array_equal(found.second, expected.second)


def test_blocks_that_are_kept_are_not_made_again(tmp_path, monkeypatch):
    store = MemberStore(tmp_path, {}, part="block")
    first = blocks(blocks=DiskBlocks(store, 4))
    assert sorted(p.name for p in tmp_path.glob("block-*")) == [
        f"block-{b:06d}" for b in range(4)
    ]
    torn = tmp_path / "block-000002"
    torn.write_bytes(torn.read_bytes()[:-1])
    calls = []
    original = MemberStore.write

    def counted(self, number, body):
        calls.append(number)
        original(self, number, body)

    monkeypatch.setattr(MemberStore, "write", counted)
    again = blocks(blocks=DiskBlocks(store, 4))
    assert calls == [2]
    for b in range(4):
        np.testing.assert_array_equal(first.blocks.read(b), again.blocks.read(b))


def test_a_block_that_goes_missing(tmp_path):
    store = MemberStore(tmp_path, {}, part="block")
    ensemble = blocks(blocks=DiskBlocks(store, 4))
    (tmp_path / "block-000001").unlink()
    with pytest.raises(OSError, match="Block 1 of the labels"):
        ensemble.total(lambda rows: rows.sum(axis=0))


@pytest.mark.parametrize("members", ["kmeans", "landmarks"])
def test_rules_survive_the_store(members):
    rule = learn_rule(members, X, 6, np.random.default_rng(0))
    again = from_bytes(to_bytes(rule))
    np.testing.assert_array_equal(rule.labels(X), again.labels(X))
    assert again.n_clusters == 6


def test_a_landmark_rule_is_uspec():
    from coterie._linalg import landmark_spectral

    rule = learn_rule("landmarks", X, 5, np.random.default_rng(4))
    labels, _ = landmark_spectral(X, 5, rng=np.random.default_rng(4))
    assert ari(labels, rule.labels(X)) > 0.95


def test_passes_over_all_rows_make_a_poor_start_better(monkeypatch):
    monkeypatch.setattr(_by_blocks, "_SAMPLE", 12)
    monkeypatch.setattr(_by_blocks, "_PER_CLUSTER", 1)
    ensemble = blocks()
    start = _by_blocks.cut_rule(Task(ensemble, 5, Weights(), None, rng()), n_init=3)
    better, n_iter, converged = _by_blocks.refined(start, ensemble, 50)

    def cost(rule):
        parts = ensemble.map(rule.points)
        return sum(assign_to_centers(p, rule.centers)[1].sum() for p in parts)

    assert converged
    assert n_iter > 1
    assert cost(better) < 0.99 * cost(start)
    again = better.better(ensemble.total(better.sums))  # where it was already
    np.testing.assert_allclose(again.centers, better.centers, atol=0.01)
