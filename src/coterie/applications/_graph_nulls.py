"""Whether a graph has communities at all: random graphs of the same degrees."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.sparse import csr_array

from coterie._engine import run_members
from coterie._linalg import leiden, rewired
from coterie.applications._graph_consensus import without_loops
from coterie.metrics import modularity

_MOST_NULLS, _FEWEST_NULLS = 19, 2
_NULL_LINKS = 2_000_000  # random graphs times links, between these two numbers
_LARGE = 1_000_000  # links from which Leiden's algorithm makes one round, not two
_ROUNDING = 1e-9  # a spread or a difference of modularities that means nothing


def usual_nulls(graph: csr_array) -> int:
    """Return how many random graphs a graph gets: fewer, the more links it has."""
    fitting = 2 * _NULL_LINKS // max(graph.nnz, 1)
    return int(np.clip(fitting, _FEWEST_NULLS, _MOST_NULLS))


def p_value_of(
    graph: csr_array,
    n_null: int,
    resolution: float,
    *,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
) -> float:
    r"""Return how likely a random graph of the same degrees is as modular.

    The statistic is the modularity of one run of Leiden's algorithm. With the mean m
    and the standard deviation s of the n random graphs, the modularity Q gives

    .. math:: t = \frac{Q - m}{s \sqrt{1 + 1/n}},

    which has Student's distribution with n - 1 degrees of freedom if the modularities
    of random graphs are normal. So small p-values do not need many random graphs.
    """
    from scipy.stats import t as student

    made = run_members(
        partial(_statistic, without_loops(graph), resolution),
        n_null + 1,
        who="communities",
        seed=seed,
        n_jobs=n_jobs,
    )
    observed, *null = (Q for _, Q in made)
    centre, spread = np.mean(null), np.std(null, ddof=1) * np.sqrt(1 + 1 / n_null)
    if spread <= _ROUNDING:
        return 1.0 if observed <= centre + _ROUNDING else 0.0
    return float(student.sf((observed - centre) / spread, n_null - 1))


def _statistic(
    graph: csr_array, resolution: float, number: int, rng: np.random.Generator
) -> float:
    """Return the modularity of the graph itself (number 0) or of a random one."""
    graph = rewired(graph, rng=rng) if number else graph
    n_rounds = 1 if graph.nnz >= 2 * _LARGE else 2
    labels = leiden(graph, resolution, rng=rng, n_rounds=n_rounds)
    return modularity(graph, labels, resolution=resolution)
