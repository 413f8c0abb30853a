"""Communities of graphs beside Leiden's algorithm.

``python -m experiments.communities graphs|lfr|random|million|report``. Finished runs
are in ``results/communities_runs.csv`` and are not repeated; ``report`` writes
``results/communities.md``. Leiden's is igraph's, run until nothing changes. Seconds are
CPU seconds of one thread, for a default call of ours with the test and the tree.
"""

import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
from scipy.sparse import coo_array, triu

from coterie.applications import communities, read_graph
from coterie.metrics import ari, modularity, nmi
from experiments import _communities_report
from experiments._communities_report import BEST, LEIDEN, OURS
from experiments._data import data_folder
from experiments._runs import Key, RunLog

RESULTS = Path(__file__).parent / "results"
MEASURES = ("modularity", "agreement", "nmi", "n_found", "p_value", "seconds", "gb")
GRAPHS = ("karate", "graph_football", "graph_dolphins", "graph_lesmis", "graph_power")
PAGES = ("tvshow", "politician", "company", "athletes", "public_figure", "new_sites")
MIXING = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
SEEDS = (0, 1, 2)  # of ours
STARTS = 10  # of Leiden's
DRAWS = 3  # LFR graphs for each mixing


def load(name: str) -> tuple[object, np.ndarray | None]:
    """Return a graph, and its known communities or None."""
    if name == "karate":
        return nx.karate_club_graph(), None
    with np.load(data_folder() / f"{name}.npz") as parts:
        edges = parts["edges"].astype(np.int64)
        known = parts.get("y")
        weights = parts.get("weights", np.ones(len(edges)))
    graph = nx.empty_graph(int(edges.max()) + 1)
    ends = zip(*edges.T.tolist(), weights.tolist(), strict=True)
    graph.add_weighted_edges_from(ends)
    return graph, known


def leiden_runs(A, seeds) -> Iterator[tuple[np.ndarray, float]]:
    """Yield the labels and the seconds of igraph's Leiden."""
    half = triu(A).tocoo()
    weights = np.where(half.row == half.col, half.data / 2, half.data)  # self-links
    graph = igraph.Graph(A.shape[0], np.column_stack([half.row, half.col]))
    for seed in seeds:
        random.seed(seed)
        start = time.process_time()
        found = graph.community_leiden(
            "modularity", weights=weights.tolist(), n_iterations=-1
        )
        yield np.array(found.membership), time.process_time() - start


def agreement(partitions: list[np.ndarray]) -> float:
    """Return the mean ARI of all pairs."""
    return float(np.mean([ari(a, b) for a, b in combinations(partitions, 2)]))


def numbers(A, found, seconds, known, p_value=np.nan) -> dict[str, float]:
    """Return the measures of several runs of one method."""
    return {
        "modularity": np.mean([modularity(A, labels) for labels in found]),
        "agreement": agreement(found),
        "nmi": np.nan if known is None else np.mean([nmi(known, one) for one in found]),
        "n_found": np.mean([one.max() + 1 for one in found]),
        "p_value": p_value,
        "seconds": seconds,
        "gb": np.nan,
    }


def beside(graph, known, n_null: int | None = None) -> dict[str, dict[str, float]]:
    """Run Leiden's algorithm thirty times, and ours three times."""
    A, _ = read_graph(graph)
    runs = list(leiden_runs(A, range(STARTS * len(SEEDS))))
    single = [labels for labels, _ in runs]
    seconds = float(np.mean([time for _, time in runs]))
    tens = [single[s * STARTS : (s + 1) * STARTS] for s in SEEDS]
    best = [max(ten, key=lambda labels: modularity(A, labels)) for ten in tens]
    start = time.process_time()
    ours = [
        communities(graph, n_null=n_null, random_state=seed, n_jobs=1) for seed in SEEDS
    ]
    own = (time.process_time() - start) / len(SEEDS)
    p_value = np.nan if n_null == 0 else max(one.p_value for one in ours)
    return {
        LEIDEN: numbers(A, single, seconds, known),
        BEST: numbers(A, best, STARTS * seconds, known),
        OURS: numbers(A, [one.labels for one in ours], own, known, p_value),
    }


def graphs(log: RunLog) -> None:
    for name in (*GRAPHS, *(f"facebook_{page}" for page in PAGES)):
        once(log, Key("graphs", name, "", 0), lambda name=name: beside(*load(name)))


def lfr_graph(mixing: float, draw: int) -> tuple[nx.Graph, np.ndarray]:
    """Return one of the LFR graphs that networkx can make, and its communities."""
    done = -1
    for seed in range(1000):
        try:
            graph = nx.LFR_benchmark_graph(
                1000,
                3,
                1.5,
                mixing,
                average_degree=20,
                max_degree=50,
                min_community=20,
                max_community=100,
                seed=seed,
            )
        except nx.ExceededMaxIterations:
            continue
        done += 1
        if done == draw:
            break
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    groups = {frozenset(graph.nodes[node]["community"]) for node in graph}
    known = np.empty(1000, dtype=int)
    for number, group in enumerate(groups):
        known[list(group)] = number
    return graph, known


def lfr(log: RunLog) -> None:
    for mixing in MIXING:
        for draw in range(DRAWS):
            once(
                log,
                Key("lfr", f"{mixing:.1f}", "", draw),
                lambda mixing=mixing, draw=draw: beside(*lfr_graph(mixing, draw), 0),
            )


def random_graphs(log: RunLog) -> None:
    kinds: dict[str, Callable[[int], nx.Graph]] = {
        "300 nodes, 1,200 links": lambda seed: nx.gnm_random_graph(
            300, 1200, seed=seed
        ),
        "300 nodes, preferential": lambda seed: nx.barabasi_albert_graph(300, 4, seed),
    }
    for kind, make in kinds.items():
        for seed in range(10):
            once(
                log,
                Key("random", kind, "", seed),
                lambda s=seed, make=make: alone(make(s)),
            )


def alone(graph, known=None) -> dict[str, dict[str, float]]:
    """Run ours once."""
    A, _ = read_graph(graph)
    start = time.process_time()
    found = communities(graph, random_state=0, n_jobs=1)
    values = numbers(A, [found.labels] * 2, time.process_time() - start, known)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {OURS: values | {"p_value": found.p_value, "agreement": np.nan, "gb": peak}}


def planted(n: int = 1_000_000, n_links: int = 5_000_000, n_groups: int = 1000):
    """Return a stochastic block model: four links of five stay within the groups."""
    rng = np.random.default_rng(0)
    group = np.sort(rng.integers(0, n_groups, n))
    first = np.searchsorted(group, np.arange(n_groups + 1))
    sizes = np.diff(first)
    within = rng.choice(n_groups, int(0.8 * n_links), p=sizes / n)
    inside = first[within] + (rng.random((2, within.size)) * sizes[within]).astype(int)
    across = rng.integers(0, n, (2, n_links - within.size))
    names = rng.permutation(n)  # so that the order of nodes tells nothing
    ends = names[np.hstack([inside, across])]
    ends = ends[:, ends[0] != ends[1]]
    known = np.empty(n, dtype=int)
    known[names] = group
    weights = np.ones(ends.shape[1])
    return coo_array((weights, (ends[0], ends[1])), shape=(n, n)).tocsr(), known


def million(log: RunLog) -> None:
    once(log, Key("million", "block model", "", 0), lambda: alone(*planted()))


def once(log: RunLog, key: Key, run: Callable[[], dict[str, dict[str, float]]]) -> None:
    if key in log:
        return
    results = run()
    log.add(key, results)
    for method, values in results.items():
        print(
            *key, method, {name: round(v, 4) for name, v in values.items()}, flush=True
        )


def main() -> None:
    parts = {
        "graphs": graphs,
        "lfr": lfr,
        "random": random_graphs,
        "million": million,
        "report": lambda log: _communities_report.write(log, RESULTS),
    }
    communities(nx.karate_club_graph(), random_state=0)  # compiles what is timed
    for name in sys.argv[1:] or parts:
        parts[name](RunLog(RESULTS / "communities_runs.csv", MEASURES))


if __name__ == "__main__":
    main()
