"""Slow, plain versions of everything that coterie computes fast."""

import itertools
import math

import numpy as np

# --- metrics


def entropy(labels):
    n = len(labels)
    shares = [list(labels).count(value) / n for value in set(labels)]
    return -sum(p * math.log(p) for p in shares)


def mutual_information(y, labels):
    pairs = list(zip(y, labels, strict=True))
    return entropy(y) + entropy(labels) - entropy(pairs)


def nmi(y, labels, average="geometric"):
    h, g = entropy(y), entropy(labels)
    if len(set(y)) == len(set(labels)) == 1:
        return 1.0
    if len(set(y)) == 1 or len(set(labels)) == 1:
        return 0.0
    normaliser = {
        "max": max(h, g),
        "min": min(h, g),
        "arithmetic": (h + g) / 2,
        "geometric": math.sqrt(h * g),
    }[average]
    return mutual_information(y, labels) / normaliser


def pair_counts(y, labels):
    """Pairs together in both, in y only, in labels only, in neither."""
    counts = [0, 0, 0, 0]
    for i, j in itertools.combinations(range(len(y)), 2):
        in_y, in_labels = y[i] == y[j], labels[i] == labels[j]
        counts[2 * (not in_y) + (not in_labels)] += 1
    return counts


def ari(y, labels):
    both, only_y, only_labels, neither = pair_counts(y, labels)
    n_pairs = both + only_y + only_labels + neither
    in_y, in_labels = both + only_y, both + only_labels
    if only_y == only_labels == 0:
        return 1.0
    chance = in_y * in_labels / n_pairs
    return (both - chance) / ((in_y + in_labels) / 2 - chance)


def rand_index(y, labels):
    both, _, _, neither = pair_counts(y, labels)
    n_pairs = math.comb(len(y), 2)
    return (both + neither) / n_pairs if n_pairs else 1.0


def pairwise_f(y, labels):
    both, only_y, only_labels, _ = pair_counts(y, labels)
    if both + only_y + only_labels == 0:
        return 1.0
    return 2 * both / (2 * both + only_y + only_labels)


def accuracy(y, labels):
    """Try every one-to-one naming (few clusters only)."""
    classes, clusters = sorted(set(y)), sorted(set(labels))
    short, long = sorted([classes, clusters], key=len)
    best = 0
    for chosen in itertools.permutations(long, len(short)):
        pairs = set(zip(short, chosen, strict=True))
        if short is clusters:
            pairs = {(c, z) for z, c in pairs}
        best = max(best, sum(pair in pairs for pair in zip(y, labels, strict=True)))
    return best / len(y)


def purity(y, labels):
    right = 0
    for cluster in set(labels):
        inside = [c for c, z in zip(y, labels, strict=True) if z == cluster]
        right += max(inside.count(c) for c in set(inside))
    return right / len(y)


def member_agreement(labels, measure="nmi"):
    """Agreement of the columns of an (N, M) array on rows that both assign."""
    measures = {"nmi": nmi, "ari": ari}
    n_members = labels.shape[1]
    agreement = np.eye(n_members)
    for i, j in itertools.permutations(range(n_members), 2):
        both = (labels[:, i] >= 0) & (labels[:, j] >= 0)
        if both.any():
            p, q = labels[both, i].tolist(), labels[both, j].tolist()
            agreement[i, j] = measures[measure](p, q)
        else:
            agreement[i, j] = 0.0
    return agreement
