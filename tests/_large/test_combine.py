"""Consensus by blocks against the same methods on the whole ensemble."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from coterie import Ensemble
from coterie._engine import MemberStore
from coterie._large import (
    ROW_METHODS,
    _combine,
    combine_rows,
    label_blocks,
    learn_rule,
    open_rows,
)
from coterie._large._rules import from_bytes, to_bytes
from coterie._linalg import assign_to_centers
from coterie.consensus import HBGF, KCC, LWGP, SEC, Vote
from coterie.metrics import ari
from coterie.weighting import EntropyWeighter
from coterie.weighting._entropy import cluster_entropies, overlap_entropies

X, Y = make_blobs(1500, n_features=4, centers=5, cluster_std=1.5, random_state=3)
WHOLE = {"lwgp": LWGP, "hbgf": HBGF, "kcc": KCC, "sec": SEC, "vote": Vote}


def rng():
    return np.random.default_rng(0)


def rules(n_clusters=(5, 9, 6, 12, 7, 5)):
    made = np.random.default_rng(1)
    return [learn_rule("kmeans", X, k, made) for k in n_clusters]


def blocks(block_rows=400, **options):
    return label_blocks(rules(), open_rows(X, "Test", block_rows), **options)


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
    np.testing.assert_array_equal(ensemble.overlap, B.T @ B)
    np.testing.assert_array_equal(ensemble.cluster_sizes, B.sum(axis=0))
    w = np.linspace(0.5, 2.0, B.shape[1])
    expected = B.T @ (B / (B @ w)[:, None])
    np.testing.assert_allclose(ensemble.weighted_overlap(w), expected, rtol=1e-12)
    plain = Ensemble(labels)
    order = np.argsort(cluster_entropies(plain).sum(axis=1))
    found = overlap_entropies(ensemble.overlap, ensemble.offsets).sum(axis=1)
    expected = cluster_entropies(plain).sum(axis=1)[order]
    np.testing.assert_allclose(np.sort(found), np.sort(expected), atol=1e-9)


@pytest.mark.parametrize("method", ROW_METHODS)
def test_the_result_is_that_of_the_whole(method):
    ensemble = blocks()
    found = combine_rows(ensemble, method, 5, rng=rng(), max_iter=50)
    rows = whole(ensemble)
    weights = EntropyWeighter().weigh(rows) if method == "lwgp" else None
    expected = WHOLE[method]().combine(rows, 5, weights=weights, seed=0)
    labels = np.concatenate(list(ensemble.map(found.labels)))
    assert found.converged
    assert ari(expected.labels, labels) > 0.97
    assert ari(Y, labels) > 0.9
    # numbered by first appearance
    first = np.unique(labels, return_index=True)[1]
    assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("method", ROW_METHODS)
def test_blocks_do_not_change_the_result(method):
    one, many = blocks(2000), blocks(170)
    assert one.blocks.n_blocks == 1
    a = combine_rows(one, method, 5, rng=rng())
    b = combine_rows(many, method, 5, rng=rng())
    np.testing.assert_array_equal(
        np.concatenate(list(one.map(a.labels))),
        np.concatenate(list(many.map(b.labels))),
    )


def test_confidence_is_that_of_the_whole():
    from coterie.ensemble import Weights, placement

    ensemble = blocks()
    found = combine_rows(ensemble, "hbgf", 5, rng=rng())
    parts = list(ensemble.map(found.placed))
    labels = np.concatenate([part[0] for part in parts])
    sure = np.concatenate([part[1] for part in parts])
    expected = placement(whole(ensemble), labels, Weights()).confidence
    np.testing.assert_allclose(sure, expected, atol=1e-6)


def test_blocks_that_are_kept_are_not_made_again(tmp_path, monkeypatch):
    store = MemberStore(tmp_path, {}, part="block")
    first = blocks(store=store)
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
    again = blocks(store=store)
    assert calls == [2]
    for b in range(4):
        np.testing.assert_array_equal(first.blocks.read(b), again.blocks.read(b))


def test_a_block_that_goes_missing(tmp_path):
    ensemble = blocks(store=MemberStore(tmp_path, {}, part="block"))
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
    monkeypatch.setattr(_combine, "_SAMPLE", 12)
    monkeypatch.setattr(_combine, "_PER_CLUSTER", 1)
    ensemble = blocks()
    weights = np.full(ensemble.n_total_clusters, 1.0 / ensemble.n_members)
    start = _combine._first_rule(ensemble, "hbgf", 5, weights, rng())
    better, n_iter, converged = _combine._refined(start, ensemble, 50)

    def cost(rule):
        parts = ensemble.map(rule.points)
        return sum(assign_to_centers(p, rule.centers)[1].sum() for p in parts)

    assert converged
    assert n_iter > 1
    assert cost(better) < 0.99 * cost(start)
    again = better.better(ensemble.total(better.sums))  # where it was already
    np.testing.assert_allclose(again.centers, better.centers, atol=0.01)
