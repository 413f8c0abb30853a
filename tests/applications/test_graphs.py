"""Communities: planted ones, none at all, any number, and odd graphs."""

import random

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from coterie.applications import _graph_consensus, communities, read_graph
from coterie.applications._graph_consensus import (
    agreement,
    confidence_of,
    link_agreement,
    usual_members,
)
from coterie.applications._graph_kinds import KINDS, other_member
from coterie.applications._graph_nulls import p_value_of, usual_nulls
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.metrics import ari, modularity

GRAPH = nx.empty_graph(60)
GRAPH.add_edges_from(nx.planted_partition_graph(4, 15, 0.6, 0.02, seed=0).edges)
PLANTED = np.repeat(range(4), 15)
NETWORKS = {"method": "mbn", "classes": (4,), "n_members": 6, "n_clusterings": 40}


def nested(coarse, fine):
    return all(len(set(coarse[fine == c])) == 1 for c in range(fine.max() + 1))


class TestConsensus:
    def test_planted_communities_are_found(self):
        found = communities(GRAPH, random_state=0)
        np.testing.assert_array_equal(found.labels, PLANTED)
        assert found.labels.dtype == np.int32
        assert found.modularity == pytest.approx(modularity(found.graph, PLANTED))
        assert found.p_value < 1e-6
        assert found.confidence.min() > 0.9

    def test_a_seed_fixes_all(self):
        graph = nx.gnm_random_graph(80, 200, seed=0)
        first, again = (
            communities(graph, n_null=3, random_state=5, n_jobs=jobs) for jobs in (1, 2)
        )
        np.testing.assert_array_equal(first.labels, again.labels)
        np.testing.assert_array_equal(first.confidence, again.confidence)
        assert first.p_value == again.p_value
        for one, other in zip(first.tree, again.tree, strict=True):
            np.testing.assert_array_equal(one.labels, other.labels)

    @pytest.mark.slow
    def test_seeds_agree_more_than_those_of_leiden(self):
        from coterie._linalg import leiden

        graph = nx.gaussian_random_partition_graph(200, 15, 3, 0.3, 0.03, seed=0)
        A, _ = read_graph(graph)
        single = [leiden(A, 1.0, rng=np.random.default_rng(s)) for s in range(10)]
        ours = [communities(graph, n_null=0, random_state=s) for s in range(3)]
        best = max(modularity(A, labels) for labels in single)
        assert min(one.modularity for one in ours) >= best - 0.002

        def mean_ari(partitions):
            pairs = [(a, b) for a in partitions for b in partitions if a is not b]
            return np.mean([ari(a, b) for a, b in pairs])

        assert mean_ari([one.labels for one in ours]) > mean_ari(single)

    def test_weights_count(self):
        graph = nx.complete_graph(8)
        for a, b in graph.edges:
            graph[a][b]["weight"] = 5.0 if (a < 4) == (b < 4) else 0.2
        found = communities(graph, n_null=0, random_state=0)
        np.testing.assert_array_equal(found.labels, np.repeat([0, 1], 4))

    def test_resolution(self):
        sizes = [
            communities(GRAPH, n_null=0, resolution=r, random_state=0).n_communities
            for r in (0.1, 1.0, 8.0)
        ]
        assert sizes[0] < sizes[1] == 4 < sizes[2]

    def test_a_whole_resolution(self):
        whole, real = (
            communities(GRAPH, resolution=r, random_state=0) for r in (2, 2.0)
        )
        np.testing.assert_array_equal(whole.labels, real.labels)

    @pytest.mark.parametrize("kind", KINDS)
    def test_members_of_other_kinds(self, kind):
        before = random.getstate()
        first, second = (
            communities(
                GRAPH, n_members=8, also=kind, n_null=0, random_state=0, n_jobs=j
            )
            for j in (1, 2)
        )
        np.testing.assert_array_equal(first.labels, second.labels)
        assert ari(first.labels, PLANTED) == 1
        assert random.getstate() == before

    @pytest.mark.parametrize("kind", KINDS)
    def test_other_kinds_see_weights(self, kind):
        strong = np.kron(np.eye(3), np.ones((12, 12)))
        graph = sp.csr_array(np.where(strong, 1.0, 0.01) - np.eye(36) * strong)
        found = other_member(kind, graph, 1.0, np.random.default_rng(0))
        np.testing.assert_array_equal(
            relabel_by_appearance(found), np.repeat([0, 1, 2], 12)
        )

    def test_every_fourth_member_is_of_another_kind(self, monkeypatch):
        asked = []

        def noted(kind, graph, resolution, rng):
            asked.append(kind)
            return np.zeros(graph.shape[0], dtype=np.int32)

        monkeypatch.setattr(_graph_consensus, "other_member", noted)
        also = ("mbn", "louvain")
        communities(GRAPH, n_members=12, also=also, n_null=0, random_state=0, n_jobs=1)
        assert asked == ["mbn", "louvain", "mbn"]

    def test_progress(self):
        told = []
        communities(GRAPH, n_members=5, n_null=0, progress=lambda *at: told.append(at))
        assert told[-1] == (5, 5)

    def test_larger_graphs_get_fewer_members(self):
        assert usual_members(read_graph(GRAPH)[0]) == 100
        assert usual_members(sp.random_array((3000, 3000), density=0.001)) == 40
        assert usual_members(sp.random_array((3000, 3000), density=0.03)) == 10
        assert usual_members(sp.random_array((3000, 3000), density=0.3)) == 6

    def test_fewer_random_graphs_for_large_graphs(self):
        assert usual_nulls(read_graph(GRAPH)[0]) == 19
        assert usual_nulls(sp.random_array((3000, 3000), density=0.1)) == 4
        assert usual_nulls(sp.random_array((3000, 3000), density=0.3)) == 2

    def test_most_members_of_a_large_graph_see_groups_of_nodes(self, monkeypatch):
        graph = nx.planted_partition_graph(8, 20, 0.3, 0.04, seed=0)
        A, _ = read_graph(graph)
        monkeypatch.setattr(_graph_consensus, "_LARGE", A.nnz // 2)
        assert usual_members(A) == 6
        seed = np.random.SeedSequence(0)
        found = _graph_consensus.agreed_communities(
            A, 6, 1.0, seed=seed, n_jobs=1, progress=None
        )
        first, second, *rough = found.members
        assert len(rough) == 4
        heads, tails = A.nonzero()
        kept = (first[heads] == first[tails]) & (second[heads] == second[tails])
        for member in rough:
            np.testing.assert_array_equal(member[heads[kept]], member[tails[kept]])
        assert ari(np.repeat(range(8), 20), found.labels) > 0.8


class TestTree:
    def test_levels_are_nested_from_coarse_to_fine(self):
        found = communities(nx.karate_club_graph(), random_state=0)
        assert len(found.tree) >= 3
        for coarse, fine in zip(found.tree, found.tree[1:], strict=False):
            assert coarse.resolution * 2 == fine.resolution
            assert coarse.n_communities <= fine.n_communities
            assert nested(coarse.labels, fine.labels)
        level = next(level for level in found.tree if level.resolution == 1)
        np.testing.assert_array_equal(level.labels, found.labels)
        assert level.modularity == found.modularity

    def test_groups_of_groups(self):
        # Two pairs of groups: each pair is one community at a lower resolution.
        graph = nx.stochastic_block_model(
            [20] * 4,
            [
                [0.8, 0.25, 0.01, 0.01],
                [0.25, 0.8, 0.01, 0.01],
                [0.01, 0.01, 0.8, 0.25],
                [0.01, 0.01, 0.25, 0.8],
            ],
            seed=0,
        )
        found = communities(nx.to_numpy_array(graph), random_state=0)
        numbers = [level.n_communities for level in found.tree]
        assert {2, 4} <= set(numbers)
        pairs = found.tree[numbers.index(2)].labels
        np.testing.assert_array_equal(pairs, np.repeat([0, 1], 40))


class TestNumber:
    @pytest.mark.parametrize("k", [1, 2, 3, 5, 11, 34])
    def test_a_number_is_met_exactly(self, k):
        found = communities(nx.karate_club_graph(), k, n_null=0, random_state=0)
        assert found.n_communities == k
        assert sorted(set(found.labels)) == list(range(k))

    def test_two_groups_of_the_karate_club(self):
        graph = nx.karate_club_graph()
        found = communities(graph, 2, random_state=0)
        club = [graph.nodes[node]["club"] for node in graph]
        assert ari(club, found.labels) > 0.8

    def test_the_nearest_number_of_a_range(self):
        for span, k in (((2, 9), 4), ((6, 9), 6), ((2, 3), 3), ((1, 100), 4)):
            found = communities(GRAPH, span, n_null=0, random_state=0)
            assert found.n_communities == k

    def test_fewer_communities_than_components(self):
        apart = nx.disjoint_union_all([nx.complete_graph(4)] * 5)
        assert communities(apart, 2, random_state=0).n_communities == 2


class TestNone:
    @pytest.mark.slow
    def test_random_graphs_have_no_communities(self):
        none = 0
        for seed in range(10):
            graph = nx.gnm_random_graph(100, 300, seed=seed)
            found = communities(graph, random_state=seed)
            if found.p_value > 0.01:
                none += 1
                assert found.n_communities == nx.number_connected_components(graph)
                assert found.sentence.startswith("no evidence of communities (p = ")
        assert none >= 9

    def test_a_complete_graph(self):
        found = communities(nx.complete_graph(12), random_state=0)
        assert (found.p_value, found.n_communities) == (1.0, 1)
        assert "it is connected" in found.sentence

    def test_the_level_decides(self):
        graph = nx.gnm_random_graph(100, 300, seed=0)
        sure = communities(graph, alpha=0.999, random_state=0)
        assert sure.n_communities > 1
        assert sure.tree
        untested = communities(graph, n_null=0, random_state=0)
        assert untested.p_value is None
        np.testing.assert_array_equal(untested.labels, sure.labels)

    def test_the_p_value_is_that_of_a_prediction(self, monkeypatch):
        from scipy.stats import t

        from coterie.applications import _graph_nulls

        values = [0.5, 0.30, 0.32, 0.28, 0.31]
        monkeypatch.setattr(
            _graph_nulls, "_statistic", lambda graph, gamma, number, rng: values[number]
        )
        A, _ = read_graph(GRAPH)
        found = p_value_of(A, 4, 1.0, seed=np.random.SeedSequence(0), n_jobs=1)
        null = values[1:]
        sd = np.std(null, ddof=1)
        expected = t.sf((0.5 - np.mean(null)) / (sd * np.sqrt(1.25)), 3)
        assert found == pytest.approx(expected)


class TestParts:
    def test_link_agreement_counts_members(self):
        rng = np.random.default_rng(0)
        A = sp.csr_array(np.triu(rng.random((12, 12)) < 0.4).astype(float))
        members = [rng.integers(0, 3, 12) for _ in range(7)]
        expected = [
            sum(labels[i] == labels[j] for labels in members) / 7
            for i in range(12)
            for j in range(12)
            if A[i, j]
        ]
        np.testing.assert_allclose(link_agreement(A, members), expected)

    def test_confidence_is_the_share_of_companions(self):
        rng = np.random.default_rng(0)
        labels = rng.integers(0, 3, 20)
        members = [rng.integers(0, 4, 20) for _ in range(5)]
        for i, found in enumerate(confidence_of(labels, members)):
            shares = [np.mean(labels[m == m[i]] == labels[i]) for m in members]
            assert found == pytest.approx(np.mean(shares))

    def test_members_that_agree_are_the_answer(self):
        A, _ = read_graph(GRAPH)
        rng = np.random.default_rng(0)
        joint = agreement(A, [PLANTED] * 3, 1.0, rng=rng)
        assert ari(joint, PLANTED) == 1.0

    def test_the_majority_of_members_is_followed(self):
        A = sp.csr_array(np.ones((9, 9)) - np.eye(9))
        right, wrong = np.repeat(range(3), 3), np.arange(9) % 3
        joint = agreement(A, [right] * 5 + [wrong], 1.0, rng=np.random.default_rng(0))
        assert ari(joint, right) == 1.0


class TestOddGraphs:
    def test_one_node(self):
        found = communities(np.zeros((1, 1)))
        assert found.labels.tolist() == [0]
        assert (found.modularity, found.p_value) == (0.0, None)

    @pytest.mark.parametrize("graph", [np.zeros((4, 4)), np.eye(4), nx.empty_graph(4)])
    def test_no_links_between_nodes(self, graph):
        for method in ("consensus", "mbn"):
            found = communities(graph, method=method)
            assert found.labels.tolist() == [0, 1, 2, 3]
            assert found.sentence.startswith("no communities: there are no links")
        assert communities(graph, 2).n_communities == 2

    @pytest.mark.parametrize("unit", [1e-306, 1e-160, 1e160, 1e306])
    def test_the_unit_of_weights_does_not_matter(self, unit):
        from matplotlib.figure import Figure

        weights = nx.to_numpy_array(nx.karate_club_graph())
        found = communities(weights * unit, random_state=0)
        usual = communities(weights, random_state=0)
        assert found.p_value < 1e-3
        assert found.modularity == pytest.approx(usual.modularity)
        np.testing.assert_array_equal(found.labels, usual.labels)
        np.testing.assert_array_equal(found.graph.max(), 7 * unit)
        found.draw(Figure().subplots())

    def test_isolated_nodes_are_alone(self):
        graph = GRAPH.copy()
        graph.add_nodes_from(["x", "y"])
        found = communities(graph, random_state=0)
        np.testing.assert_array_equal(found.labels, [*PLANTED, 4, 5])

    def test_communities_do_not_span_components(self):
        graph = nx.disjoint_union(GRAPH, nx.karate_club_graph())
        found = communities(graph, random_state=0)
        assert not set(found.labels[:60]) & set(found.labels[60:])

    def test_communities_are_connected(self):
        graph = nx.barabasi_albert_graph(300, 1, seed=0)
        found = communities(graph, n_null=0, random_state=0)
        for c in range(found.n_communities):
            nodes = np.flatnonzero(found.labels == c)
            assert nx.is_connected(graph.subgraph(nodes.tolist()))

    def test_self_links(self):
        looped = GRAPH.copy()
        looped.add_edges_from((node, node, {"weight": 5.0}) for node in range(60))
        found = communities(looped, random_state=0)
        assert nested(PLANTED, found.labels)
        assert found.modularity >= modularity(found.graph, PLANTED) - 0.001

    def test_names_are_kept(self):
        words = nx.relabel_nodes(GRAPH, {i: f"node {i}" for i in range(60)})
        found = communities(words, random_state=0)
        assert found.names == [f"node {i}" for i in range(60)]
        np.testing.assert_array_equal(found.labels, PLANTED)


class TestNetworks:
    @pytest.mark.slow
    def test_planted_communities_are_found(self):
        found = communities(GRAPH, (2, 8), random_state=0, **NETWORKS)
        np.testing.assert_array_equal(found.labels, PLANTED)
        assert found.modularity == max(found.curve.values())
        assert sorted(found.curve) == list(range(2, 9))
        assert (found.p_value, found.confidence, found.tree) == (None, None, ())

    @pytest.mark.slow
    def test_selected_networks(self):
        selected = {**NETWORKS, "method": "mbn-sd", "n_members": 14}
        found = communities(GRAPH, 4, random_state=0, **selected)
        np.testing.assert_array_equal(found.labels, PLANTED)

    def test_a_seed_fixes_all(self):
        a = communities(GRAPH, 4, random_state=3, **NETWORKS).labels
        again = communities(GRAPH, 4, random_state=3, **NETWORKS).labels
        np.testing.assert_array_equal(a, again)

    @pytest.mark.slow
    def test_two_to_fifty_communities_are_tried(self):
        found = communities(GRAPH, random_state=0, **NETWORKS)
        assert sorted(found.curve) == list(range(2, 51))
        tiny = communities([(0, 0)], method="mbn", classes=(1,), n_members=2)
        assert tiny.n_communities == 1


@pytest.mark.parametrize(
    ("span", "more", "text"),
    [
        ((5, 2), {}, r"got \(5, 2\)"),
        (2.5, {}, "whole number, a range .* or None; got 2.5"),
        ("many", {}, "got 'many'"),
        ((1, 2, 3), {}, r"got \(1, 2, 3\)"),
        (9, {}, "asked for 9 communities in a graph of 2 nodes"),
        (None, {"method": "louvain"}, "method as one of consensus, mbn, mbn-sd; got"),
        (None, {"resolution": 0}, "resolution as a number above 0; got 0"),
        (None, {"resolution": np.inf}, "got inf"),
        (None, {"n_members": 0}, "n_members as a whole number from 1, or None; got 0"),
        (None, {"n_null": 1}, "n_null as a whole number from 2, 0 for no test"),
        (None, {"also": "leiden"}, "also as kinds among louvain, .*; got 'leiden'"),
        (None, {"alpha": 1.0}, "alpha as a number between 0 and 1; got 1.0"),
        (None, {"also": 5}, "also as kinds among louvain, .*; got 5"),
        (None, {"classes": ()}, r"classes as sizes of at least 1, .*; got \(\)"),
        (None, {"classes": 5}, "classes as sizes of at least 1, .*; got 5"),
        (None, {"n_clusterings": 0}, "n_clusterings as a whole number from 1; got 0"),
        (None, {"bottom_layer": "top"}, "one of nearest, columns; got 'top'"),
    ],
)
def test_wrong_settings(span, more, text):
    with pytest.raises(ValueError, match=text):
        communities([(0, 1)], span, **more)


class TestResult:
    def test_it_prints_its_nodes(self):
        found = communities(GRAPH, random_state=0)
        lines = repr(found).splitlines()
        assert lines[0].startswith(
            "Communities: 4 communities of 60 nodes, modularity "
        )
        assert lines[1:3] == [
            " community  size  nodes",
            "         0    15  0, 1, 2, 3, 4, 5, 6, 7, ...",
        ]

    def test_the_frame_has_all_levels(self):
        found = communities(GRAPH, random_state=0)
        frame = found.to_frame()
        assert frame["node"].tolist() == found.names
        np.testing.assert_array_equal(frame["community"], found.labels)
        np.testing.assert_array_equal(frame["confidence"], found.confidence)
        np.testing.assert_array_equal(frame["resolution 1"], found.labels)
        assert frame.shape[1] == 3 + len(found.tree)

    def test_the_picture_has_all_nodes_and_no_disc_on_another(self):
        from matplotlib.figure import Figure

        from coterie.applications._graph_picture import node_places

        found = communities(GRAPH, random_state=0)
        ax = Figure().subplots()
        assert found.draw(ax) is ax
        assert len(ax.collections[1].get_offsets()) == 60
        assert len(ax.collections[0].get_segments()) == GRAPH.number_of_edges()
        places = node_places(found.graph, found.labels, found.confidence)
        centres = np.array([places[found.labels == c].mean(axis=0) for c in range(4)])
        far = np.linalg.norm(places[:, None] - centres, axis=2)
        np.testing.assert_array_equal(far.argmin(axis=1), found.labels)

    def test_the_picture_names_the_best_linked_node_of_each_community(self):
        from matplotlib.figure import Figure

        star = nx.relabel_nodes(nx.star_graph(4), lambda node: f"s{node}")
        hub = nx.relabel_nodes(nx.star_graph(4), lambda node: f"h{4 - node}")
        ax = Figure().subplots()
        communities(nx.union(star, hub), 2, random_state=0).draw(ax)
        assert {text.get_text() for text in ax.texts} == {"s0", "h4"}

    def test_one_disc(self):
        from matplotlib.figure import Figure

        found = communities(nx.complete_graph(5), 1, random_state=0)
        found.draw(Figure().subplots())
