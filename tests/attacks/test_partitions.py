"""The partitioners are compiled by others: their input must be safe whatever comes."""

import numpy as np
import pytest
from attacking import attack, examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from coterie._linalg import partition_graph, partition_hypergraph

SIZES = (1, 2, 3, 5, 12, 40)
WEIGHTS = {
    "ones": lambda rng, shape: np.ones(shape),
    "zeros": lambda rng, shape: np.zeros(shape),
    "few": lambda rng, shape: (rng.random(shape) < 0.1) * 1.0,
    "any": lambda rng, shape: rng.random(shape),
    "whole": lambda rng, shape: rng.integers(0, 2**40, shape) * 1.0,
    "huge": lambda rng, shape: np.full(shape, 1e303),
    "too huge": lambda rng, shape: np.full(shape, 1e308),
    "denormal": lambda rng, shape: np.full(shape, 5e-324),
    "wild": lambda rng, shape: 10.0 ** rng.uniform(-300, 300, shape),
    "one heavy": lambda rng, shape: np.r_[1e15, np.zeros(shape)][:shape],
}
EDGE_WEIGHTS = sorted(WEIGHTS.keys() - {"one heavy"})


@st.composite
def problems(draw):
    """Return edge weights, the number of parts, vertex weights, imbalance and seed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from(SIZES))
    weights = WEIGHTS[draw(st.sampled_from(EDGE_WEIGHTS))](rng, (n, n))
    upper = np.triu(weights * (rng.random((n, n)) < draw(st.floats(0, 1))), 1)
    upper[: draw(st.integers(0, n))] = 0.0  # isolated vertices
    sizes = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))](rng, n)
    n_parts = draw(st.sampled_from([1, 2, 3, max(1, n - 1), n, n + 1, 1000]))
    imbalance = draw(st.sampled_from([0.0, 1e-9, 0.03, 5.0, 1e3]))
    return upper, n_parts, sizes, imbalance, rng


def check(found, n_vertices, n_parts):
    assert found.labels.shape == (n_vertices,)
    used = np.unique(found.labels)
    assert used.size == min(n_vertices, n_parts)
    assert used[0] >= 0
    assert used[-1] < n_parts
    assert np.isfinite([found.cut, found.balance]).all()


@pytest.mark.parametrize("backend", ["metis", "mtkahypar"])
@examples(60)
@given(problem=problems())
def test_graphs(backend, problem):
    upper, n_parts, sizes, imbalance, rng = problem
    with attack("partition of a graph"), np.errstate(all="raise", under="ignore"):
        found = partition_graph(
            csr_array(upper + upper.T),
            n_parts,
            rng=rng,
            vertex_weights=sizes,
            imbalance=imbalance,
            backend=backend,
        )
        check(found, len(sizes), n_parts)


@examples(40)
@given(problem=problems())
def test_hypergraphs(problem):
    upper, n_parts, sizes, imbalance, rng = problem
    with attack("partition of a hypergraph"), np.errstate(all="raise", under="ignore"):
        found = partition_hypergraph(
            upper,  # each column is a hyperedge
            n_parts,
            rng=rng,
            edge_weights=upper.max(axis=0, initial=0.0),
            vertex_weights=sizes,
            imbalance=imbalance,
        )
        check(found, len(sizes), n_parts)


def test_an_empty_graph_has_no_parts():
    rng = np.random.default_rng(0)
    assert partition_graph(np.zeros((0, 0)), 3, rng=rng).labels.size == 0
    assert partition_hypergraph(np.zeros((0, 2)), 3, rng=rng).labels.size == 0
