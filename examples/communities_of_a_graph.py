"""
Communities of a graph
======================

Find groups of people who talk to each other, and see how clear the groups are.
"""

import matplotlib.pyplot as plt
import numpy as np

from coterie.applications import communities
from coterie.plot import cluster_colors

# %%
# Sixty people work in four offices. Two people from the same office talk with a chance
# of one half, two from different offices with a chance of one in fifteen. Here the
# graph is a list of pairs; networkx, igraph and sparse matrices work, too.

rng = np.random.default_rng(0)
office = np.repeat(["north", "south", "east", "west"], 15)
people = [f"{place}-{i}" for i, place in enumerate(office)]
talks = [
    (people[i], people[j])
    for i in range(60)
    for j in range(i)
    if rng.random() < (0.5 if office[i] == office[j] else 1 / 15)
]

# %%
# We try two to eight communities; the largest modularity wins.

found = communities(talks, (2, 8), classes=(4,), n_members=8, n_clusterings=50)
print(f"{found.n_communities} communities, modularity {found.modularity:.2f}")

# %%
# One circle per office; the colour is the community.

names = np.array(found.names)
place_of = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
turn = 2 * np.pi * np.arange(60) / 15
rim = np.array([place_of[o] for o in office]) * 1.25
rim = rim + 0.5 * np.column_stack([np.cos(turn), np.sin(turn)])
at = dict(zip(people, rim, strict=True))
colors = np.array(cluster_colors(found.n_communities))
color = dict(zip(names, colors[found.labels], strict=True))

figure, axis = plt.subplots(figsize=(6.4, 6.0), layout="constrained")
for one, other in talks:
    same = color[one] == color[other]
    line = np.array([at[one], at[other]])
    axis.plot(*line.T, c=color[one] if same else "#cccccc", lw=0.8, zorder=same)
for person in people:
    axis.scatter(*at[person], s=70, c=color[person], edgecolors="white", zorder=3)
for name, (x, y) in place_of.items():
    axis.text(1.25 * x, 1.25 * y, name, ha="center", va="center", size=12)
axis.set_axis_off()
axis.set_aspect("equal")
