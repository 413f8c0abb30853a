"""
Communities of a graph
======================

Find groups of people who talk to each other, see who belongs to them for sure, compare
with Leiden's algorithm, and learn when there are no groups at all.
"""

import random
import time

import igraph
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from coterie.applications import communities
from coterie.metrics import ari, nmi
from coterie.plot import cluster_colors

# %%
# Three hundred people work in fifteen offices of different sizes. Most of their talks
# are with people from other offices, so the groups are hard to see. Here the graph is
# networkx's; igraph, sparse matrices, frames and lists of pairs work, too.

graph = nx.gaussian_random_partition_graph(300, 20, 3, 0.4, 0.035, seed=0)
offices = graph.graph["partition"]
office = {person: number for number, group in enumerate(offices) for person in group}
truth = [office[person] for person in graph]

found = communities(graph, random_state=0)
print(found)

# %%
# The p-value compares the graph with random ones in which everybody talks with as many
# people. Leiden's algorithm gives an answer in less time, and another one for another
# seed; the consensus of forty partitions is steadier.


def leiden(seed):
    random.seed(seed)
    pairs = igraph.Graph.from_networkx(graph)
    return pairs.community_leiden("modularity", n_iterations=-1).membership


def ours(seed):
    return communities(graph, random_state=seed).labels


for name, method in {"Leiden": leiden, "consensus": ours}.items():
    start = time.perf_counter()
    runs = [method(seed) for seed in range(3)]
    seconds = (time.perf_counter() - start) / 3
    steady = np.mean([ari(a, b) for i, a in enumerate(runs) for b in runs[:i]])
    right = np.mean([nmi(truth, labels) for labels in runs])
    print(
        f"{name:10} seeds agree to {steady:.2f}, NMI with offices {right:.2f}, "
        f"{seconds:.2f} s"
    )

# %%
# Each disc is a community. The people in the middle and in full colour are those on
# whom the members agree; the number is that of the person with the most talks.

figure, axis = plt.subplots(figsize=(6.4, 6.0), layout="constrained")
found.draw(axis)

# %%
# The same at several resolutions: each community lies within one of the level above.

figure, axis = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
order = np.lexsort([level.labels for level in reversed(found.tree)])
for row, level in enumerate(found.tree):
    colors = np.array(cluster_colors(level.n_communities))
    axis.bar(range(300), 0.9, 1.0, bottom=-row, color=colors[level.labels[order]])
names = [f"{level.resolution:g}: {level.n_communities}" for level in found.tree]
axis.set_yticks(0.45 - np.arange(len(names)), names)
axis.set_xlabel("people")
axis.set_title("resolution: communities")

# %%
# A random graph has partitions of a large modularity as well, but no communities.

print(communities(nx.gnm_random_graph(300, 1500, seed=0), random_state=0).sentence)
