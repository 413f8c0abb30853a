"""Graphs in every form that a graph comes in, and what is refused."""

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from coterie.applications import read_graph
from coterie.metrics import modularity

GRAPH = nx.empty_graph(60)
GRAPH.add_edges_from(nx.planted_partition_graph(4, 15, 0.6, 0.02, seed=0).edges)


def dense(graph):
    return read_graph(graph)[0].toarray()


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


def test_every_form_of_a_graph_gives_the_same_matrix():
    A, names = read_graph(GRAPH)
    assert names == list(range(60))
    edges = np.array(GRAPH.edges)
    matrix = nx.to_scipy_sparse_array(GRAPH)
    forms = [
        *(matrix.asformat(kind) for kind in ("csr", "csc", "coo", "bsr", "lil", "dok")),
        matrix.astype(bool),
        sp.csr_matrix(matrix),
        nx.to_numpy_array(GRAPH),
        nx.to_pandas_adjacency(GRAPH),
        sp.triu(matrix),
        igraph.Graph(60, edges.tolist()),
    ]
    for form in forms:
        other, _ = read_graph(form)
        assert (other != A).nnz == 0
    lists = [
        edges,
        edges.astype(float),
        edges.tolist(),
        [tuple(edge) for edge in edges.tolist()],
        pd.DataFrame(edges, columns=["a", "b"]),
        pd.DataFrame({"note": "x", "To": edges[:, 1], "From": edges[:, 0]}),
        pd.DataFrame({"target": edges[:, 1], "weight": 1, "source": edges[:, 0]}),
    ]
    for form in lists:
        B, order = read_graph(form)
        assert all(isinstance(name, int) for name in order)
        np.testing.assert_array_equal(B.toarray(), A.toarray()[np.ix_(order, order)])


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_square_array_is_always_a_matrix(n):
    ones = np.ones((n, n)) - np.eye(n)
    np.testing.assert_array_equal(dense(ones), ones)
    np.testing.assert_array_equal(dense([(0, 1), (1, 2)]), dense(nx.path_graph(3)))


def test_names_and_weights():
    A, names = read_graph([("a", "b", 2.0), ("b", "c", 1.0), ("b", "a", 0.5)])
    assert names == ["a", "b", "c"]
    assert A[0, 1] == A[1, 0] == 2.5
    named = igraph.Graph.TupleList([("x", "y", 3.0)], edge_attrs=["weight"])
    A, names = read_graph(named)
    assert names == ["x", "y"]
    assert A[0, 1] == 3.0
    mixed = [(("x", 1), 7, 2.0), (7, "z")]
    A, names = read_graph(mixed)
    assert names == [("x", 1), 7, "z"]
    assert (A[0, 1], A[1, 2]) == (2.0, 1.0)
    frame = pd.DataFrame([[0, 2], [2, 0]], index=["u", "v"], columns=["u", "v"])
    A, names = read_graph(frame)
    assert (A[0, 1], names) == (2.0, ["u", "v"])


def test_edges_with_the_attributes_of_networkx():
    graph = nx.les_miserables_graph()
    graph.add_edge("Valjean", "nobody", color="red")  # without a weight
    expected, names = read_graph(graph)
    A, found = read_graph(list(graph.edges(data=True)))
    order = [found.index(name) for name in names]
    np.testing.assert_array_equal(A.toarray()[np.ix_(order, order)], expected.toarray())


def test_other_rows_of_edges():
    graph = nx.les_miserables_graph()
    expected, names = read_graph(list(graph.edges(data=True)))
    for rows in (graph.edges, graph.edges(data=True), nx.MultiGraph(graph).edges):
        A, found = read_graph(rows)
        assert found == names
        np.testing.assert_array_equal(A.toarray(), expected.toarray())
    pairs = [("a", "b"), ("b", "c")]
    frame = pl.DataFrame({"target": ["b", "c"], "source": ["a", "b"]})
    for rows in (dict.fromkeys(pairs).keys(), (pair for pair in pairs), frame):
        A, found = read_graph(rows)
        assert found == ["a", "b", "c"]
        np.testing.assert_array_equal(A.toarray(), dense(nx.path_graph(3)))


def test_a_weight_of_zero_is_no_link():
    graph = nx.Graph()
    graph.add_edge("u", "v", weight=0.25)
    graph.add_edge("v", "w", weight=0)
    graph.add_edge("w", "u")
    A, _ = read_graph(graph)
    expected = [[0, 0.25, 1], [0.25, 0, 0], [1, 0, 0]]
    np.testing.assert_array_equal(A.toarray(), expected)
    assert A.nnz == 4
    assert read_graph([(0, 1, 0.0), (1, 2, 1.0)])[0].nnz == 2
    explicit = sp.csr_array(([0.0, 1.0], ([0, 0], [1, 2])), shape=(3, 3))
    assert read_graph(explicit)[0].nnz == 2


def test_self_links_count_twice_in_every_form():
    expected = [[6.0, 1.0], [1.0, 0.0]]
    graph = nx.Graph([(0, 1)])
    graph.add_edge(0, 0, weight=3.0)
    matrix = np.array([[3.0, 1.0], [1.0, 0.0]])
    upper = np.array([[3.0, 1.0], [0.0, 0.0]])
    loop = igraph.Graph(2, [(0, 1), (0, 0)])
    loop.es["weight"] = [1.0, 3.0]
    edges = [(0, 1, 1.0), (0, 0, 3.0)]
    for form in (graph, matrix, sp.csr_array(matrix), upper, loop, edges):
        np.testing.assert_array_equal(dense(form), expected)


def test_directions_are_ignored_and_both_count():
    directed = nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")])
    expected = [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    np.testing.assert_array_equal(dense(directed), expected)
    np.testing.assert_array_equal(dense(nx.to_numpy_array(directed)), expected)
    several = nx.MultiGraph([("a", "b"), ("a", "b")])
    assert dense(several)[0, 1] == 2


def test_graphs_of_subclasses_are_read():
    class Mine(nx.Graph):
        pass

    np.testing.assert_array_equal(dense(Mine([(0, 1)])), [[0, 1], [1, 0]])


def test_what_is_given_is_not_changed():
    matrix = sp.csr_array(([1.0, 0.0, 2.0], ([0, 0, 1], [1, 2, 0])), shape=(3, 3))
    before = matrix.copy()
    read_graph(matrix)
    np.testing.assert_array_equal(matrix.data, before.data)
    np.testing.assert_array_equal(matrix.indices, before.indices)


def test_broken_matrices_are_refused():
    matrix = sp.csr_array(np.ones((3, 3)) - np.eye(3))
    matrix.indices[0] = 7
    with pytest.raises(ValueError, match=r"The graph's matrix is broken: index 7"):
        read_graph(matrix)


@pytest.mark.parametrize(
    ("graph", "text"),
    [
        ([], "no edges"),
        ([(1, 2, 3, 4)], r"got \(1, 2, 3, 4\)"),
        ([1, 2], r"\(node, node, weight\), got 1"),
        ([(0, 1, -2.0)], "not negative, got -2"),
        ([(0, 1, np.nan)], "finite and not negative, got nan"),
        ([(0, 1, 2.0), (0, 1, "heavy")], "weights must be numbers, got 'heavy'"),
        ([(0, 1, 1e308), (1, 0, 1e308)], "too large: their sum is infinite. Divide"),
        ([(0, None)], "edge 0 is missing"),
        (np.array([[0, 1], [1, np.nan], [2, 3]]), "edge 1 is missing"),
        (sp.csr_matrix(np.ones((2, 3))), "must be square"),
        (np.ones((2, 5)), "must be square, or have an edge per row"),
        (np.ones(4), "needs two axes"),
        (np.array([[0, 1j], [1j, 0]]), "real numbers, got complex128"),
        (np.array([[0, np.inf], [np.inf, 0]]), "finite and not negative, got inf"),
        (np.empty((0, 0)), "no nodes"),
        (nx.Graph(), "no nodes"),
        (pd.DataFrame(np.ones((3, 5))), "needs columns source and target"),
    ],
)
def test_wrong_graphs(graph, text):
    with pytest.raises(ValueError, match=text):
        read_graph(graph)


@pytest.mark.parametrize(
    ("graph", "text"),
    [
        ("karate.gml", "a list of edges, got str. Read the file first"),
        ({"a": ["b"]}, r"got dict. Pass networkx.Graph\(graph\)"),
        (5, "a list of edges, got int"),
    ],
)
def test_wrong_types(graph, text):
    with pytest.raises(TypeError, match=text):
        read_graph(graph)
