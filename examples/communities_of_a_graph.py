"""Find groups of people who talk to each other, and say how clear the groups are."""

import numpy as np

from coterie.applications import communities

# Forty people in four offices: nine of ten colleagues talk, one of fifty strangers.
rng = np.random.default_rng(0)
office = np.repeat(["north", "south", "east", "west"], 10)
people = [f"{place}-{i}" for i, place in enumerate(office)]
talks = [
    (people[i], people[j])
    for i in range(40)
    for j in range(i)
    if rng.random() < (0.9 if office[i] == office[j] else 0.02)
]

found = communities(talks, (2, 8), classes=(4,), n_models=8, n_clusterings=50)
print(f"{found.n_communities} communities, modularity {found.modularity:.2f}")
names = np.array(found.names)
for number in range(found.n_communities):
    print(f"{number}: {', '.join(names[found.labels == number])}")
