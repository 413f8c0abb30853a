"""Communities of graphs in every form that a graph comes in."""

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from coterie.applications import Communities, communities, read_graph
from coterie.metrics import modularity

GRAPH = nx.empty_graph(60)
GRAPH.add_edges_from(nx.planted_partition_graph(4, 15, 0.6, 0.02, seed=0).edges)
QUICK = {"classes": (4,), "n_members": 6, "n_clusterings": 40}


def test_modularity_is_that_of_networkx():
    graph = nx.karate_club_graph()
    graph.add_edge(0, 0, weight=3.0)
    A, names = read_graph(graph)
    labels = np.array([graph.nodes[n]["club"] == "Officer" for n in names])
    groups = [{n for n in names if labels[n] == c} for c in (False, True)]
    expected = nx.community.modularity(graph, groups)
    assert modularity(A, labels) == pytest.approx(expected)


def test_modularity_of_odd_graphs():
    assert modularity(np.zeros((3, 3)), [0, 1, 1]) == 0
    with pytest.raises(ValueError, match="modularity got 2 labels for a matrix"):
        modularity(np.eye(3), [0, 1])


def test_planted_communities_are_found():
    found = communities(GRAPH, (2, 8), **QUICK)
    assert found.n_communities == 4
    assert found.modularity == max(found.curve.values())
    assert sorted(found.curve) == list(range(2, 9))
    groups = [set(np.flatnonzero(found.labels == c)) for c in range(4)]
    assert {frozenset(range(g * 15, g * 15 + 15)) for g in range(4)} == {
        frozenset(group) for group in groups
    }


def test_every_form_of_a_graph_gives_the_same_matrix():
    A, names = read_graph(GRAPH)
    assert names == list(range(60))
    edges = np.array(GRAPH.edges)
    forms = [
        nx.to_scipy_sparse_array(GRAPH),
        nx.to_numpy_array(GRAPH),
        sp.triu(nx.to_scipy_sparse_array(GRAPH)),
        igraph.Graph(60, edges.tolist()),
    ]
    for form in forms:
        other, _ = read_graph(form)
        assert (other != A).nnz == 0
    B, order = read_graph(edges)
    np.testing.assert_array_equal(B.toarray(), A.toarray()[np.ix_(order, order)])


def test_names_and_weights():
    A, names = read_graph([("a", "b", 2.0), ("b", "c", 1.0), ("b", "a", 0.5)])
    assert names == ["a", "b", "c"]
    assert A[0, 1] == A[1, 0] == 2.5
    named = igraph.Graph.TupleList([("x", "y", 3.0)], edge_attrs=["weight"])
    A, names = read_graph(named)
    assert names == ["x", "y"]
    assert A[0, 1] == 3.0
    weighted = nx.Graph()
    weighted.add_edge("u", "v", weight=0.25)
    assert read_graph(weighted)[0][0, 1] == 0.25


def test_a_seed_fixes_all():
    a = communities(GRAPH, 4, random_state=3, **QUICK).labels
    again = communities(GRAPH, 4, random_state=3, **QUICK).labels
    np.testing.assert_array_equal(a, again)


@pytest.mark.parametrize(
    ("graph", "span", "text"),
    [
        ([], 2, "no edges"),
        ([(1, 2, 3, 4)], 2, "got one with 4 values"),
        ([(0, 1, -2.0)], 2, "not negative, got -2"),
        (sp.csr_matrix(np.ones((2, 3))), 2, "must be square"),
        ([(0, 1)], (5, 2), r"got \(5, 2\)"),
        ([(0, 1)], 2.5, 'whole number, a range .* or "auto"; got 2.5'),
        ([(0, 1)], None, "got None"),
        ([(0, 1)], "many", "got 'many'"),
        ([(0, 1)], (1, 2, 3), r"got \(1, 2, 3\)"),
        ([(0, 1)], 9, "asked for 9 communities in a graph of 2 nodes"),
    ],
)
def test_wrong_graphs(graph, span, text):
    with pytest.raises(ValueError, match=text):
        communities(graph, span)


def test_communities_print_their_nodes():
    names = [f"n{i}" for i in range(11)]
    found = Communities(np.array([0] * 9 + [1] * 2), 0.25, names, {2: 0.25})
    assert repr(found).splitlines() == [
        "Communities: 2 communities of 11 nodes, modularity 0.250",
        " community  size  nodes",
        "         0     9  n0, n1, n2, n3, n4, n5, n6, n7, ...",
        "         1     2  n9, n10",
    ]
    frame = found.to_frame()
    assert frame["node"].tolist() == names
    assert frame["community"].tolist() == found.labels.tolist()


def test_auto_looks_at_two_to_fifty_communities():
    found = communities(GRAPH, "auto", **QUICK)
    assert sorted(found.curve) == list(range(2, 51))
    np.testing.assert_array_equal(found.labels, communities(GRAPH, **QUICK).labels)
    assert communities([(0, 0)], "auto", classes=(1,), n_members=2).n_communities == 1
