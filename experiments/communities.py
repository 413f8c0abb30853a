"""Communities of graphs beside Leiden's algorithm.

``python -m experiments.communities PART``, where PART is graphs, lfr, tested, members,
random, million or report. Finished runs are in ``results/communities_runs.csv`` and are
not repeated; ``report`` writes ``results/communities.md``. Leiden's is igraph's, run
until nothing changes. Seconds are CPU seconds of one thread, for a default call of ours
with the test and the tree.
"""

import argparse
import random
import resource
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
from scipy.sparse import coo_array, triu

from coterie.applications import communities, read_graph
from coterie.applications._graph_kinds import KINDS
from coterie.metrics import ami, ari, modularity, nmi
from experiments import _communities_report
from experiments._communities_report import ALONE, BEST, LEIDEN, OURS
from experiments._data import data_folder
from experiments._runs import Key, RunLog

RESULTS = Path(__file__).parent / "results"
MEASURES = (
    "modularity", "agreement", "nmi", "ami", "n_found", "p_value", "seconds", "gb",
)  # fmt: skip
GRAPHS = ("karate", "graph_football", "graph_dolphins", "graph_lesmis", "graph_power")
PAGES = ("tvshow", "politician", "company", "athletes", "public_figure", "new_sites")
MIXING = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
STARTS = 10  # of Leiden's
SEEDS, SEEDS_OF_SMALL, SEEDS_OF_LFR = 3, 10, 2  # of ours
SMALL = 1_000  # links; graphs with fewer have more seeds
DRAWS = 10  # LFR graphs for each mixing
TESTED_MIXING, TESTED_DRAWS = (0.5, 0.6, 0.7, 0.8), 5  # graphs with the test
OTHER_DRAWS = range(100, 103)  # LFR graphs on which members are compared


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

    def mean(score) -> float:
        return np.nan if known is None else np.mean([score(known, x) for x in found])

    return {
        "modularity": np.mean([modularity(A, labels) for labels in found]),
        "agreement": agreement(found) if len(found) > 1 else np.nan,
        "nmi": mean(nmi),
        "ami": mean(ami),
        "n_found": np.mean([one.max() + 1 for one in found]),
        "p_value": p_value,
        "seconds": seconds,
        "gb": np.nan,
    }


def beside(
    graph, known, n_seeds: int | None = None, n_null: int | None = None
) -> dict[str, dict[str, float]]:
    """Run Leiden's algorithm ten times for each run of ours."""
    A, _ = read_graph(graph)
    if n_seeds is None:
        n_seeds = SEEDS_OF_SMALL if A.nnz < 2 * SMALL else SEEDS
    runs = list(leiden_runs(A, range(STARTS * n_seeds)))
    single = [labels for labels, _ in runs]
    seconds = float(np.mean([time for _, time in runs]))
    tens = [single[s * STARTS : (s + 1) * STARTS] for s in range(n_seeds)]
    best = [max(ten, key=lambda labels: modularity(A, labels)) for ten in tens]
    start = time.process_time()
    ours = [
        communities(graph, n_null=n_null, random_state=seed, n_jobs=1)
        for seed in range(n_seeds)
    ]
    own = (time.process_time() - start) / n_seeds
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
    for attempt in range(1000):
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
                seed=1000 * draw + attempt,
            )
            break
        except nx.ExceededMaxIterations:
            continue
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    groups = {frozenset(graph.nodes[node]["community"]) for node in graph}
    known = np.empty(1000, dtype=int)
    for number, group in enumerate(sorted(groups, key=min)):
        known[list(group)] = number
    return graph, known


def lfr(log: RunLog) -> None:
    for draw in range(DRAWS):
        for mixing in MIXING:
            once(
                log,
                Key("lfr", f"{mixing:.1f}", "", draw),
                lambda m=mixing, d=draw: beside(
                    *lfr_graph(m, d), SEEDS_OF_LFR, n_null=0
                ),
            )


def tested(log: RunLog) -> None:
    for mixing in TESTED_MIXING:
        for draw in range(TESTED_DRAWS):
            once(
                log,
                Key("tested", f"{mixing:.1f}", "", draw),
                lambda m=mixing, d=draw: alone(*lfr_graph(m, d)),
            )


def members(log: RunLog) -> None:
    for mixing in (0.4, 0.5, 0.6):
        for draw in OTHER_DRAWS:
            once(
                log,
                Key("members", f"{mixing:.1f}", "", draw),
                lambda mixing=mixing, draw=draw: by_kinds(*lfr_graph(mixing, draw)),
            )


def by_kinds(graph: nx.Graph, known: np.ndarray) -> dict[str, dict[str, float]]:
    """Find communities with members of one more kind, once for each kind."""
    A, _ = read_graph(graph)
    values = {}
    for kind in (ALONE, *KINDS):
        also = () if kind == ALONE else kind
        start = time.process_time()
        found = communities(graph, also=also, n_null=0, random_state=0, n_jobs=1)
        values[kind] = numbers(A, [found.labels], time.process_time() - start, known)
    return values


def random_graphs(log: RunLog) -> None:
    kinds: dict[str, Callable[[int], nx.Graph]] = {
        "Erdős and Rényi": lambda seed: nx.gnm_random_graph(300, 1200, seed=seed),
        "configuration model": configuration_model,
    }
    for kind, make in kinds.items():
        for seed in range(10):
            once(
                log,
                Key("random", kind, "", seed),
                lambda s=seed, make=make: alone(make(s)),
            )


def configuration_model(seed: int) -> nx.Graph:
    """Return a random graph of 300 nodes whose degrees have a heavy tail."""
    rng = np.random.default_rng(seed)
    degrees = np.minimum(4 * rng.random(300) ** -0.5, 60).astype(int)  # exponent 3
    degrees[0] += degrees.sum() % 2
    return nx.Graph(nx.configuration_model(degrees.tolist(), seed=seed))


def alone(graph, known=None) -> dict[str, dict[str, float]]:
    """Run ours once."""
    A, _ = read_graph(graph)
    start = time.process_time()
    found = communities(graph, random_state=0, n_jobs=1)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    values = numbers(A, [found.labels], seconds, known, found.p_value)
    return {OURS: values | {"gb": peak}}


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
        "tested": tested,
        "members": members,
        "random": random_graphs,
        "million": million,
        "report": lambda log: _communities_report.write(log, RESULTS),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", choices=parts, help="all by default")
    chosen = parser.parse_args().part or parts
    communities(nx.karate_club_graph(), random_state=0)  # compiles what is timed
    for name in chosen:
        parts[name](RunLog(RESULTS / "communities_runs.csv", MEASURES))


if __name__ == "__main__":
    main()
