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


def best_jaccard(inside, labels):
    """Return the largest Jaccard index of a set of samples with a cluster."""
    found = [0.0]
    for cluster in set(labels[labels >= 0].tolist()):
        own = set(np.flatnonzero(labels == cluster))
        given = set(np.flatnonzero(inside & (labels >= 0)))
        found.append(len(own & given) / len(own | given))
    return max(found)


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
    measures = {"nmi": nmi, "ari": ari, "nmi_max": lambda p, q: nmi(p, q, "max")}
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


# --- ensembles, weights and consensus


def cluster_entropy(labels, member, cluster, other):
    """Eq. 16 of MDEC, on the samples that the other member assigns."""
    inside = [
        labels[i, other]
        for i in range(len(labels))
        if labels[i, member] == cluster and labels[i, other] >= 0
    ]
    shares = [inside.count(value) / len(inside) for value in set(inside)]
    return -sum(p * math.log2(p) for p in shares)


def eci(labels, theta):
    """Eqs. 18 and 19 of MDEC, in the order of the ensemble's clusters."""
    M = labels.shape[1]
    result = []
    for member in range(M):
        for cluster in range(labels[:, member].max() + 1):
            total = sum(cluster_entropy(labels, member, cluster, o) for o in range(M))
            result.append(math.exp(-total / (theta * M)))
    return np.array(result)


def coassociation(labels, member_weights=None, cluster_weights=None):
    """Weighted share of the members that put two samples together."""
    N, M = labels.shape
    w = np.ones(M) if member_weights is None else np.asarray(member_weights, float)
    offsets = np.concatenate([[0], np.cumsum(labels.max(axis=0) + 1)])
    S = np.eye(N)
    for i, j in itertools.permutations(range(N), 2):
        together = assigned = 0.0
        for m in range(M):
            a, b = labels[i, m], labels[j, m]
            if a >= 0 and b >= 0:
                assigned += w[m]
                if a == b:
                    c = (
                        1.0
                        if cluster_weights is None
                        else cluster_weights[offsets[m] + a]
                    )
                    together += w[m] * c
        S[i, j] = together / assigned if assigned else 0.0
    return S


def incidence(labels):
    offsets = np.concatenate([[0], np.cumsum(labels.max(axis=0) + 1)])
    B = np.zeros((labels.shape[0], offsets[-1]))
    for i, m in itertools.product(*map(range, labels.shape)):
        if labels[i, m] >= 0:
            B[i, offsets[m] + labels[i, m]] = 1.0
    return B


def kind_agreement(clusterings, kinds):
    """Mean ARI, at least 0, of each column with the columns of other kinds."""
    agreement = member_agreement(clusterings, "ari")
    result = []
    for i, kind in enumerate(kinds):
        others = [j for j, other in enumerate(kinds) if other != kind]
        if len(set(kinds)) == 1:
            others = [j for j in range(len(kinds)) if j != i]
        own = [max(agreement[i, j], 0.0) for j in others]
        result.append(sum(own) / len(own) if own else 1.0)
    return np.array(result)


def council(labels, kinds, views, combine, weights=None):
    """Combine each kind and view, then their clusterings.

    ``combine(labels, weights)`` returns the clusters of samples that are all assigned.
    """

    def combined(labels, weights):
        found = np.full(len(labels), -1)
        seen = (labels >= 0).any(axis=1)
        found[seen] = combine(labels[seen], weights)
        return found

    groups = list(dict.fromkeys(zip(kinds, views, strict=True)))
    clusterings, steadiness, means = [], [], []
    for group in groups:
        own = [m for m in range(len(kinds)) if (kinds[m], views[m]) == group]
        w = [1.0 if weights is None else weights[m] for m in own]
        clusterings.append(combined(labels[:, own], w))
        means.append(np.mean(w))
        if len(own) < 4:
            steadiness.append(1.0)
            continue
        odd = combined(labels[:, own[::2]], w[::2])
        even = combined(labels[:, own[1::2]], w[1::2])
        steadiness.append(max(member_agreement(np.c_[odd, even], "ari")[0, 1], 0.0))
    clusterings = np.column_stack(clusterings)
    agreement = kind_agreement(clusterings, [kind for kind, _ in groups])
    shares = np.sqrt(np.array(steadiness) * agreement)
    if weights is not None:
        shares = np.array(means)
    shares = shares / shares.sum()
    return {
        "kind_labels": clusterings,
        "kind_steadiness": np.array(steadiness),
        "kind_weights": shares,
        "labels": combined(clusterings, shares),
    }


def bipartite_eigenvalues(labels, cluster_weights):
    """Eigenvalues of the whole bipartite graph's normalised adjacency, descending."""
    B = incidence(labels) * cluster_weights
    N, C = B.shape
    W = np.block([[np.zeros((N, N)), B], [B.T, np.zeros((C, C))]])
    d = W.sum(axis=1)
    return np.sort(np.linalg.eigvalsh(W / np.sqrt(np.outer(d, d))))[::-1]


def normalised_cut_embedding(S, k):
    """The k smallest eigenvectors of I - D^-1/2 S D^-1/2, rows of unit length."""
    d = S.sum(axis=1)
    _, U = np.linalg.eigh(np.eye(len(S)) - S / np.sqrt(np.outer(d, d)))
    U = U[:, :k]
    return U / np.linalg.norm(U, axis=1, keepdims=True)


def kcc_objective(labels, partition, member_weights):
    """Sum of squared distances of one-hot labels to the means of their clusters."""
    total = 0.0
    for m in range(labels.shape[1]):
        for c in set(partition):
            column = labels[(np.asarray(partition) == c) & (labels[:, m] >= 0), m]
            if column.size:
                one_hot = np.eye(labels[:, m].max() + 1)[column]
                deviations = one_hot - one_hot.mean(axis=0)
                total += member_weights[m] * (deviations**2).sum()
    return total


def confidence(labels, partition):
    """Mean share of a sample's companions that went with it."""
    N, M = labels.shape
    result = np.zeros(N)
    for i in range(N):
        shares = []
        for m in range(M):
            if labels[i, m] >= 0:
                together = labels[:, m] == labels[i, m]
                shares.append(np.mean(partition[together] == partition[i]))
        result[i] = np.mean(shares)
    return result


# --- k-means and neighbours


def squared_distances(X, Y):
    X, Y = np.asarray(X, dtype=float), np.asarray(Y, dtype=float)
    return ((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2)


def greedy_seeds(X, weights, uniform):
    """Rows drawn by greedy k-means++ from random numbers, and the nearest of each."""
    D = squared_distances(X, X)
    chosen = []
    closest = np.full(len(X), np.inf)
    for c, numbers in enumerate(uniform):
        mass = weights * closest if c else weights
        options = []
        for u in numbers if c else numbers[:1]:
            row = int(np.argmax(np.cumsum(mass) > u * np.sum(mass)))
            options.append((float(weights @ np.minimum(closest, D[row])), row))
        costs = [cost for cost, _ in options]
        chosen.append(options[int(np.argmin(costs))][1])
        closest = np.minimum(closest, D[chosen[-1]])
    return chosen, np.argmin(D[:, chosen], axis=1).tolist()


def lloyd_step(X, centers, weights=None):
    """Return the labels of the centres and the means of their samples."""
    X = np.asarray(X, dtype=float)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
    labels = squared_distances(X, centers).argmin(axis=1)
    moved = np.array(centers, dtype=float)
    for j in range(len(moved)):
        if weights[labels == j].sum() > 0:
            moved[j] = np.average(X[labels == j], axis=0, weights=weights[labels == j])
    return labels, moved


def lloyd(X, centers, weights=None):
    """Repeat until the labels stay; for data in which no cluster runs empty."""
    before = None
    while True:
        labels, moved = lloyd_step(X, centers, weights)
        if before is not None and (labels == before).all():
            return labels, np.asarray(centers)
        before, centers = labels, moved


def inertia(X, centers, weights=None):
    nearest = squared_distances(X, centers).min(axis=1)
    return float(nearest.sum() if weights is None else (weights * nearest).sum())


def neighbors(X, k, queries=None):
    """Return the k nearest rows of each query, by distance, then by index."""
    Q = X if queries is None else queries
    indices = []
    for q, distances in enumerate(squared_distances(Q, X)):
        others = [i for i in range(len(X)) if queries is not None or i != q]
        indices.append(sorted(others, key=lambda i, d=distances: (d[i], i))[:k])
    return np.array(indices), np.take_along_axis(
        squared_distances(Q, X), np.array(indices), axis=1
    )


# --- linkage and eigenvectors


def linkage(D, method, sizes):
    """Merge the two nearest clusters of a square matrix until one is left."""
    members = {i: [i] for i in range(len(D))}
    sizes = np.asarray(sizes, dtype=float)

    def distance(a, b):
        block = D[np.ix_(members[a], members[b])]
        if method == "single":
            return block.min()
        if method == "complete":
            return block.max()
        weights = np.outer(sizes[members[a]], sizes[members[b]])
        return (block * weights).sum() / weights.sum()

    merges = []
    for m in range(len(D) - 1):
        height, a, b = min(
            (distance(a, b), a, b) for a, b in itertools.combinations(members, 2)
        )
        members[len(D) + m] = members.pop(a) + members.pop(b)
        merges.append([a, b, height, sizes[members[len(D) + m]].sum()])
    return np.array(merges).reshape(-1, 4)


def cut_tree(Z, n_clusters):
    n = len(Z) + 1
    clusters = {i: [i] for i in range(n)}
    for m in range(n - n_clusters):
        a, b = (int(node) for node in Z[m, :2])
        clusters[n + m] = clusters.pop(a) + clusters.pop(b)
    labels = np.empty(n, dtype=int)
    for label, members in enumerate(sorted(clusters.values(), key=min)):
        labels[members] = label
    return labels


def normalized_adjacency(W):
    """D^-1/2 W D^-1/2, where a node without edges has a loop."""
    W = np.array(W, dtype=float)
    for i in range(len(W)):
        if W[i].sum() == 0:
            W[i, i] = 1.0
    root = np.sqrt(W.sum(axis=1))
    return W / root[:, None] / root


def outside(V, basis):
    """Sine of the largest angle between the columns of V and an orthonormal basis."""
    V = np.asarray(V, dtype=float)
    return np.linalg.norm(V - basis @ (basis.T @ V), ord=2)


# --- MDEC's graphs


def density_weights(X, k, mu):
    """Return the full matrix of the density kernel; infinite for coinciding samples."""
    D = squared_distances(X, X)
    n = len(D)
    rho = [np.sort(np.delete(D[i], i))[:k].mean() for i in range(n)]
    W = np.zeros((n, n))
    for i, j in itertools.permutations(range(n), 2):
        eps = (rho[i] + rho[j] + D[i, j]) / 3
        if eps == 0:
            W[i, j] = math.inf
        else:
            z = D[i, j] / (mu * eps)
            W[i, j] = math.exp(-(z**2) / 2) / (math.sqrt(2 * math.pi) * mu * eps)
    return W


def keep_largest(W, k):
    """Keep the k largest of each row, the first of equals, and their mirror images."""
    kept = np.zeros_like(W)
    for i in range(len(W)):
        order = sorted((j for j in range(len(W)) if j != i), key=lambda j: -W[i, j])
        kept[i, order[:k]] = W[i, order[:k]]
    return np.maximum(kept, kept.T)


def density_graph(X, k, mu):
    return keep_largest(density_weights(X, k, mu), k)


def exponential_graph(X, k, mu):
    """Equations 1 to 3 of the MDEC paper."""
    d = np.sqrt(squared_distances(X, X))
    n = len(d)
    ids, _ = neighbors(X, k)
    rho = [d[i, ids[i]].mean() for i in range(n)]
    W = np.zeros((n, n))
    for i, j in itertools.permutations(range(n), 2):
        if j in ids[i] or i in ids[j]:
            eps = (rho[i] + rho[j] + d[i, j]) / 3
            W[i, j] = math.exp(-d[i, j] / (mu * eps)) if eps > 0 else 1.0
    return W


# --- C2SWCE


def gaussian_graph(X, k):
    """Equations 1 to 3: neighbours of one or the other, one width."""
    d = np.sqrt(squared_distances(X, X))
    n = len(d)
    ids, _ = neighbors(X, k)
    sigma = np.mean([d[i, j] for i in range(n) for j in ids[i]])
    W = np.zeros((n, n))
    for i, j in itertools.permutations(range(n), 2):
        if j in ids[i] or i in ids[j]:
            W[i, j] = math.exp(-(d[i, j] ** 2) / (2 * sigma**2)) if sigma > 0 else 1.0
    return W


def laplacian_score(f, W):
    """Equations 4 to 6 for one feature."""
    one = np.ones(len(f))
    D = np.diag(W @ one)
    centred = f - (f @ D @ one) / (one @ D @ one) * one
    below = centred @ D @ centred
    return centred @ (D - W) @ centred / below if below > 1e-12 else math.inf


def core_clusters(labels):
    """Definition 1: sets of samples with the same labels, by first appearance."""
    cores = {}
    for i, row in enumerate(map(tuple, labels)):
        cores.setdefault(row, []).append(i)
    return list(cores.values())


def sample_distance(x, y, metric):
    if metric == "euclidean":
        return math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)))
    if metric == "manhattan":
        return sum(abs(a - b) for a, b in zip(x, y, strict=True))
    lengths = math.sqrt(sum(a * a for a in x)) * math.sqrt(sum(b * b for b in y))
    if lengths == 0:
        return 1.0
    return 1.0 - sum(a * b for a, b in zip(x, y, strict=True)) / lengths


def ccs(view, a, b, metric):
    """Equation 8; a sample is at distance zero from itself."""
    total = 0.0
    for i, j in itertools.product(a, b):
        total += 0.0 if i == j else sample_distance(view[i], view[j], metric)
    return total / (len(a) * len(b))


def mean_distance(view, metric):
    """Mean over all pairs; for Euclidean distances the root of the mean square."""
    pairs = list(itertools.combinations(range(len(view)), 2))
    d = [sample_distance(view[i], view[j], metric) for i, j in pairs]
    if metric == "euclidean":
        return math.sqrt(np.mean(np.square(d)))
    return np.mean(d)


def csi(labels, views, metric, scaled):
    """Equations 8 to 10 for all clusters, and 11 to 13 for the members."""
    clusters, members = [], []
    cores = core_clusters(labels)
    for m, view in enumerate(views):
        unit = mean_distance(view, metric) if scaled else 1.0
        own = []
        for c in range(labels[:, m].max() + 1):
            inside = [o for o in cores if labels[o[0], m] == c]
            d = [
                ccs(view, a, b, metric) / unit
                for a, b in itertools.combinations(inside, 2)
            ]
            own.append(math.exp(-np.mean(d)) if d else 1.0)
        clusters += own
        members.append(np.mean(own))
    return np.array(clusters), np.array(members) / np.sum(members)


def core_similarity(labels, views, member_weights, metric, scaled, similarity):
    """Equations 14 to 16, without the factor 1 / k."""
    cores = core_clusters(labels)
    A = np.zeros((len(cores), len(cores)))
    for m, view in enumerate(views):
        unit = mean_distance(view, metric) if scaled else 1.0
        for a, b in itertools.product(range(len(cores)), repeat=2):
            if labels[cores[a][0], m] == labels[cores[b][0], m]:
                d = ccs(view, cores[a], cores[b], metric) / unit
                value = {"exponential": math.exp(-d), "distance": d, "membership": 1}
                A[a, b] += member_weights[m] * value[similarity]
    return A


def cluster_jaccard(labels, unit):
    """Equations 23 and 24, counting core clusters or samples."""
    cores = core_clusters(labels)
    sets = []
    for m in range(labels.shape[1]):
        for c in range(labels[:, m].max() + 1):
            inside = [o for o in cores if labels[o[0], m] == c]
            items = inside if unit == "cores" else [[i] for o in inside for i in o]
            sets.append({tuple(item) for item in items})
    return np.array([[len(a & b) / len(a | b) for b in sets] for a in sets])


def meta_vote(labels, groups):
    """Equations 32 and 33: shares of each core cluster in the groups of clusters."""
    B = incidence(labels[[o[0] for o in core_clusters(labels)]])
    shares = np.zeros((len(B), max(groups) + 1))
    for i, j in itertools.product(range(len(B)), set(groups)):
        inside = [c for c, g in enumerate(groups) if g == j]
        shares[i, j] = sum(B[i, c] for c in inside) / len(inside)
    return shares


def stacked_bipartite(labels, cluster_weights, unit):
    """E of Equations 27 and 28: core clusters, then clusters, against clusters."""
    cores = core_clusters(labels)
    B = incidence(labels[[o[0] for o in cores]]) * cluster_weights
    repeats = [len(o) if unit == "samples" else 1 for o in cores]
    return np.vstack([np.repeat(B, repeats, axis=0), cluster_jaccard(labels, unit)])


# --- WOEC


def difficulty(labels, smoothing):
    """Eqs. 1 to 4 of the WOEC paper."""
    A = coassociation(labels)
    N = len(labels)
    weights = []
    for i in range(N):
        confusion = sum(A[i, j] * (1 - A[i, j]) for j in range(N))
        weights.append((4 / N * confusion + smoothing) / (1 + smoothing))
    return np.array(weights)


def weighted_jaccard(labels, w):
    """Eq. 5, in the order of the ensemble's clusters."""
    clusters = [
        set(np.flatnonzero(labels[:, m] == c))
        for m in range(labels.shape[1])
        for c in range(labels[:, m].max() + 1)
    ]
    S = np.zeros((len(clusters),) * 2)
    for a, b in itertools.permutations(range(len(clusters)), 2):
        shared = sum(w[i] for i in clusters[a] & clusters[b])
        S[a, b] = shared / sum(w[i] for i in clusters[a] | clusters[b])
    return S


def woec_probabilities(X, labels, w, bandwidth):
    """Eqs. 6 to 9: a list of one (N, k) array for each member."""
    t, result = None, []
    for m in range(labels.shape[1]):
        k = labels[:, m].max() + 1
        centers = [
            np.average(X[labels[:, m] == c], axis=0, weights=w[labels[:, m] == c])
            for c in range(k)
        ]
        D = squared_distances(X, centers)
        if bandwidth == "member" or t is None:
            t = D.mean() if isinstance(bandwidth, str) else bandwidth
        E = np.exp(-D / t)
        result.append(E / E.sum(axis=1, keepdims=True))
    return result


def woec_similarity(X, labels, w, bandwidth):
    """Eqs. 10 and 11."""
    S = np.zeros((len(X), len(X)))
    for P in woec_probabilities(X, labels, w, bandwidth):
        for i, j in itertools.product(range(len(X)), repeat=2):
            cosine = P[i] @ P[j] / np.linalg.norm(P[i]) / np.linalg.norm(P[j])
            S[i, j] += cosine / labels.shape[1]
    return S


# --- walks and links among clusters


def trajectory_similarity(P, n_steps):
    """Cosine of the concatenated rows of P, P^2, ..., P^T, one pair at a time."""
    powers = [np.linalg.matrix_power(P, t) for t in range(1, n_steps + 1)]
    S = np.eye(len(P))
    for i, j in itertools.permutations(range(len(P)), 2):
        p = np.concatenate([power[i] for power in powers])
        q = np.concatenate([power[j] for power in powers])
        if p.any() and q.any():
            S[i, j] = p @ q / math.sqrt((p @ p) * (q @ q))
    return S


def elite_transitions(rows, counts, n_elite):
    """Transition probabilities among the distinct label rows of PTA and PTGP."""
    u = len(rows)
    A = np.array([[np.mean(rows[i] == rows[j]) for j in range(u)] for i in range(u)])
    np.fill_diagonal(A, 0.0)
    E = np.zeros((u, u))
    for i in range(u):
        weakest = sorted(A[i], reverse=True)[n_elite - 1]
        for j in range(u):
            if A[i, j] > 0 and A[i, j] >= weakest - 1e-9:
                E[i, j] = E[j, i] = A[i, j]
    P = E * counts
    sums = P.sum(axis=1, keepdims=True)
    return np.divide(P, sums, out=np.zeros_like(P), where=sums > 0)


def sample_jaccard(labels):
    """Jaccard coefficients of all clusters, diagonal zero."""
    B = incidence(labels)
    both = B.T @ B
    sizes = B.sum(axis=0)
    W = both / (sizes[:, None] + sizes - both)
    np.fill_diagonal(W, 0.0)
    return W


def member_mean(labels, Z):
    """Mean over members of the similarity of the clusters of two samples."""
    starts = np.concatenate([[0], np.cumsum(labels.max(axis=0) + 1)])[:-1]
    flat = labels + starts
    N, M = labels.shape
    S = np.eye(N)
    for i, j in itertools.permutations(range(N), 2):
        S[i, j] = sum(Z[flat[i, m], flat[j, m]] for m in range(M)) / M
    return S


def cts(labels, decay):
    W = sample_jaccard(labels)
    sizes = labels.max(axis=0) + 1
    Z = np.zeros_like(W)
    start = 0
    for k in sizes:
        for a, b in itertools.permutations(range(start, start + k), 2):
            Z[a, b] = np.minimum(W[a], W[b]).sum()
        start += k
    Z *= decay / Z.max()
    np.fill_diagonal(Z, 1.0)
    return member_mean(labels, Z)


def srs(labels, decay, n_iter):
    """SimRank on all samples and clusters, round by round."""
    B = incidence(labels)
    N, M = labels.shape
    sizes = B.sum(axis=0)
    S, C = np.eye(N), np.eye(len(sizes))
    for _ in range(n_iter - 1):
        new_S = decay * (B @ C @ B.T) / M**2
        new_C = decay * (B.T @ S @ B) / np.outer(sizes, sizes)
        np.fill_diagonal(new_S, 1.0)
        np.fill_diagonal(new_C, 1.0)
        S, C = new_S, new_C
    return S


def asrs(labels, decay):
    W = sample_jaccard(labels)
    n = (W > 0).sum(axis=1)
    Z = W @ W / np.outer(n, n)
    np.fill_diagonal(Z, 0.0)
    Z *= decay / Z.max()
    np.fill_diagonal(Z, 1.0)
    B = incidence(labels)
    S = B @ Z @ B.T / labels.shape[1] ** 2
    np.fill_diagonal(S, 1.0)
    return S


def mgla_graph(labels, influence, alpha):
    """The stacked edges (N + C, C) of GP-MGLA."""
    B = incidence(labels)
    sizes = labels.max(axis=0) + 1
    own = np.repeat(influence, sizes)
    W = sample_jaccard(labels)
    np.fill_diagonal(W, 1.0)
    C = len(W)
    Z = np.empty((C, C))
    for a in range(C):
        for b in range(C):
            Z[a, b] = np.sum(own * np.minimum(W[a], W[b]))
    Z /= Z.max()
    np.fill_diagonal(Z, 1.0)
    return np.vstack([alpha * B * own, Z])


def transfer_cut(B, k):
    """Rows of the normalised-cut eigenvectors of a bipartite graph, unscaled."""
    dx = B.sum(axis=1)
    E = B.T @ (B / dx[:, None])
    d = 1 / np.sqrt(E.sum(axis=1))
    values, vectors = np.linalg.eigh(d[:, None] * E * d)
    order = np.argsort(-values)[:k]
    return (B / dx[:, None]) @ (d[:, None] * vectors[:, order]), values[order]


def dense_representation(rows, lam, n_iter):
    """Z of DREC: min |X - XZ|_{2,1} + lambda |Z|_F^2, column by column."""
    X = incidence(rows).T
    gram = X.T @ X
    u = len(rows)
    mu = np.full(u, float(lam))
    for _ in range(n_iter):
        Z = np.column_stack(
            [np.linalg.solve(gram + mu[j] * np.eye(u), gram[:, j]) for j in range(u)]
        )
        mu = 2 * lam * np.linalg.norm(X - X @ Z, axis=0)
    return Z


# --- the field: utilities, spectral ensemble clustering


def utility(labels, partition, which, p=5.0):
    """Utility of a partition with respect to one member, on the samples it assigns."""
    phi = {
        "uc": lambda P: sum(x**2 for x in P),
        "uh": lambda P: sum(x * math.log(x) for x in P if x > 0),
        "ucos": lambda P: math.sqrt(sum(x**2 for x in P)),
        "ulp": lambda P: sum(x**p for x in P) ** (1 / p),
    }[which]
    here = labels >= 0
    labels, partition = labels[here], np.asarray(partition)[here]
    values = np.unique(labels)
    whole = phi([np.mean(labels == v) for v in values])
    gain = -whole
    for c in np.unique(partition):
        inside = labels[partition == c]
        share = inside.size / labels.size
        gain += share * phi([np.mean(inside == v) for v in values])
    return gain, whole


def association(S, partition):
    """Sum over clusters of what they hold together, over the degrees of theirs."""
    degrees = S.sum(axis=1)
    inside = [np.asarray(partition) == c for c in np.unique(partition)]
    return sum(S[np.ix_(c, c)].sum() / degrees[c].sum() for c in inside)


def partitions(n, k):
    """Yield all partitions of n samples into at most k clusters."""

    def grow(start, used):
        if len(start) == n:
            yield np.array(start)
            return
        for c in range(min(used + 1, k)):
            yield from grow([*start, c], max(used, c + 1))

    yield from grow([0], 1)


# --- the field: factorisations, models, votes


def nmf_step(M, Q, S):
    """One update of Q and of S in M = Q S Q^T."""
    Q = Q * np.sqrt((M @ Q @ S) / (Q @ Q.T @ M @ Q @ S))
    S = S * np.sqrt((Q.T @ M @ Q) / (Q.T @ Q @ S @ Q.T @ Q))
    return Q, S


def mixed_membership(row, beta, alpha, max_iter, tol):
    """Variational Dirichlet of one sample; beta[m][label, h], label -1 left out."""
    from scipy.special import digamma

    present = [m for m, label in enumerate(row) if label >= 0]
    gamma = 1.0 + len(present) / len(alpha) * np.ones(len(alpha))
    for _ in range(max_iter):
        logs = digamma(gamma) - digamma(gamma.sum())
        new = np.array(alpha, dtype=float)
        for m in present:
            phi = np.exp(logs) * beta[m][row[m]]
            new += phi / phi.sum()
        moved = np.abs(new - gamma).max()
        gamma = new
        if moved < tol:
            break
    return gamma


def borda_points(labels, partition, k):
    """Points of each sample for each cluster of a partition."""
    N, M = labels.shape
    points = np.zeros((N, k))
    for i in range(N):
        for m in range(M):
            if labels[i, m] < 0:
                continue
            same = labels[:, m] == labels[i, m]
            shares = [np.mean(partition[same] == c) for c in range(k)]
            for c in range(k):
                below = sum(s < shares[c] for s in shares)
                equal = sum(s == shares[c] for s in shares)
                points[i, c] += below + (equal + 1) / 2
    return points


# --- the field: clusters with weights of features


def lac_step(X, centers, weights, h):
    """One iteration of locally adaptive clustering; no cluster may become empty."""

    def nearest():
        return np.array(
            [
                np.argmin(
                    [
                        (w * (x - c) ** 2).sum()
                        for c, w in zip(centers, weights, strict=True)
                    ]
                )
                for x in X
            ]
        )

    k = len(centers)
    labels = nearest()
    spread = [((X[labels == j] - centers[j]) ** 2).mean(axis=0) for j in range(k)]
    weights = np.array([np.exp(-v / h) / np.exp(-v / h).sum() for v in spread])
    labels = nearest()
    centers = np.array([X[labels == j].mean(axis=0) for j in range(k)])
    return labels, centers, weights


def wspa_likelihoods(X, centers, weights):
    """Chance of each cluster of one member for each sample."""
    result = np.zeros((len(X), len(centers)))
    for i, x in enumerate(X):
        d = [
            math.sqrt((w * (x - c) ** 2).sum())
            for c, w in zip(centers, weights, strict=True)
        ]
        k, D = len(d), max(d)
        for j in range(k):
            result[i, j] = (D - d[j] + 1) / (k * D + k - sum(d))
    return result


# --- the field: single clusterers


def gnmf_step(X, U, V, W, alpha):
    """One update of both factors of X (features x samples)."""
    D = np.diag(W.sum(axis=1))
    U = U * (X @ V) / (U @ V.T @ V)
    V = V * (X.T @ U + alpha * W @ V) / (V @ U.T @ U + alpha * D @ V)
    return U, V


def ssc_admm(X, penalty, rho, affine, n_iter):
    """Self-expression of X (features x samples) by plain ADMM."""
    n = X.shape[1]
    C, delta, d = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, 1))
    ones = np.ones((n, 1)) if affine else np.zeros((n, 1))
    for _ in range(n_iter):
        K = penalty * X.T @ X + rho * np.eye(n) + rho * ones @ ones.T
        right = penalty * X.T @ X + rho * (ones @ ones.T + C) - ones @ d.T - delta
        A = np.linalg.solve(K, right)
        J = A + delta / rho
        C = np.sign(J) * np.maximum(np.abs(J) - 1 / rho, 0)
        C = C - np.diag(np.diag(C))
        delta = delta + rho * (A - C)
        if affine:
            d = d + rho * (A.T @ ones - ones)
    return C


# --- the field: improved co-associations


def eccms(A, H, penalty, n_iter):
    """The authors' iteration on all samples: C after n_iter rounds."""
    n = len(A)
    C, E, F, Y2 = (np.zeros((n, n)) for _ in range(4))
    Y1 = A.copy()
    laplacian = np.diag(H.sum(axis=1)) - H
    for _ in range(n_iter):
        C = np.linalg.solve(2 * laplacian + 2 * np.eye(n), A - E + Y1 + F - Y2)
        E = (A - C + Y1) / (penalty + 1)
        E[H > 0] = 0
        F = C + Y2
        F = np.clip((F + F.T) / 2, 0, 1)
        Y1 = Y1 + A - C - E
        Y2 = Y2 + C - F
    return C


def rsec(S, k, rank_weight, error_weight, n_iter):
    """Plain iteration on all samples: Z and the projector on the embedding."""
    n = len(S)
    E, Y1, Y2, Z = (np.zeros((n, n)) for _ in range(4))
    H, D = np.zeros((n, k)), np.eye(n)
    mu = 1.5 / np.linalg.norm(S, 2)
    for _ in range(n_iter):
        U, s, Vt = np.linalg.svd(Z + Y2 / mu)
        J = U @ np.diag(np.maximum(s - rank_weight / mu, 0)) @ Vt
        right = S.T @ S + J - S.T @ E + (S.T @ Y1 - Y2 + D @ H @ H.T @ D) / mu
        Z = np.linalg.solve(S.T @ S + np.eye(n), right)
        Q = S - S @ Z + Y1 / mu
        E = np.zeros((n, n))
        for j in range(n):
            length = np.linalg.norm(Q[:, j])
            if length > error_weight / mu:
                E[:, j] = (length - error_weight / mu) / length * Q[:, j]
        U, s, _ = np.linalg.svd((Z + Z.T) / 2 + H @ H.T)
        kept = s > 1e-4 * s[0]
        rows = U[:, kept] * np.sqrt(s[kept])
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        W = (rows @ rows.T) ** 4
        D = np.diag(1 / np.sqrt(W.sum(axis=1)))
        U = np.linalg.svd(D @ W @ D)[0][:, :k]
        H = D @ U
        Y1 = Y1 + mu * (S - S @ Z - E)
        Y2 = Y2 + mu * (Z - J)
        mu = min(mu * 1.1, 1e10)
    return Z, H @ H.T


def completion(A, reliable, error_weight, n_iter):
    """Plain augmented Lagrangians on all samples: the completed matrix."""
    n = len(A)
    A = np.where(reliable, A, 0.0)
    E, Y, M = (np.zeros((n, n)) for _ in range(3))
    mu = 1.25 / np.linalg.norm(A, 2)
    for _ in range(n_iter):
        U, s, Vt = np.linalg.svd(A - E + Y / mu)
        M = U @ np.diag(np.maximum(s - 1 / mu, 0)) @ Vt
        for i in range(n):
            for j in range(n):
                rest = A[i, j] - M[i, j] + Y[i, j] / mu
                if reliable[i, j]:
                    E[i, j] = np.sign(rest) * max(abs(rest) - error_weight / mu, 0)
                    Y[i, j] += mu * (A[i, j] - M[i, j] - E[i, j])
                else:
                    E[i, j] = rest
        mu = min(mu * 1.2, 1e7)
    return M


def tensor_shrunk(T, threshold):
    """Shrink the singular values of each slice that the full transform leaves."""
    M, n, _ = T.shape
    transformed = np.fft.fft(T, axis=1)
    out = np.zeros_like(transformed)
    for f in range(n):
        U, s, Vh = np.linalg.svd(transformed[:, f, :])
        S = np.zeros((M, n))
        np.fill_diagonal(S, np.maximum(s - threshold, 0.0))
        out[:, f, :] = U @ S @ Vh
    return np.fft.ifft(out, axis=1).real


def celta(W, joined, error_weight, n_iter):
    """The authors' iteration, entry by entry: the similarity."""
    n = len(W)
    B, C, E, L1, L2, L3 = (np.zeros((n, n)) for _ in range(6))
    mu = 1e-4
    for _ in range(n_iter):
        first = B - L1 / mu
        second = 0.5 * (W - E - L2 / mu + C - L3 / mu)
        A1, A2 = tensor_shrunk(np.stack([first, second]), 1 / mu)
        for i in range(n):
            for j in range(n):
                E[i, j] = (W[i, j] - A2[i, j] - L2[i, j] / mu) * mu
                E[i, j] /= 2 * error_weight + mu
                pair = (A1[i, j] + A1[j, i] + (L1[i, j] + L1[j, i]) / mu) / 2
                B[i, j] = 1.0 if joined[i, j] else min(max(pair, 0.0), 1.0)
                pair = (A2[i, j] + A2[j, i] + (L3[i, j] + L3[j, i]) / mu) / 2
                C[i, j] = min(max(pair, 0.0), 1.0)
        L1 = L1 + mu * (A1 - B)
        L2 = L2 + mu * (A2 + E - W)
        L3 = L3 + mu * (A2 - C)
        mu *= 1.1
    return A2 + A2.T


def gtlec(labels, k, sparsity, rank_weight, n_iter):
    """The authors' iteration, member by member: the similarity."""
    n, M = labels.shape
    H = [(labels[:, [v]] == labels[:, v]).astype(float) for v in range(M)]
    S, Z, A = ([np.eye(n) for _ in range(M)] for _ in range(3))
    Y1, Y2 = ([np.zeros((n, n)) for _ in range(M)] for _ in range(2))
    w, mu, rho = [1 / M] * M, 1e-5, 0.01
    for _ in range(n_iter):
        for v in range(M):
            first, second = Z[v] - Y1[v] / mu, A[v] - Y2[v] / rho
            B = 2 * w[v] * H[v] + mu * first + rho * second
            B /= 2 * w[v] + rho + mu
            values, vectors = np.linalg.eigh((B + B.T) / 2)
            S[v] = vectors @ np.diag(capped(values, k)) @ vectors.T
            rest = S[v] + Y1[v] / mu
            Z[v] = np.sign(rest) * np.maximum(np.abs(rest) - sparsity / mu, 0)
            Y1[v] = Y1[v] + mu * (S[v] - Z[v])
        shifted = np.stack([S[v] + Y2[v] / rho for v in range(M)])
        A = list(tensor_shrunk(shifted, rank_weight / rho))
        for v in range(M):
            w[v] = 0.5 / np.linalg.norm(H[v] - S[v])
            Y2[v] = Y2[v] + rho * (S[v] - A[v])
        mu, rho = 3 * mu, 3 * rho
    total = sum(np.abs(z) + np.abs(z.T) for z in Z)
    return total - np.diag(np.diag(total))


def capped(values, total):
    """The shift that brings clipped values to this sum, by bisection."""
    low, high = values.min() - 1, values.max()
    for _ in range(200):
        middle = (low + high) / 2
        if np.clip(values - middle, 0, 1).sum() > total:
            low = middle
        else:
            high = middle
    return np.clip(values - low, 0, 1)


def ceam(members, alpha, n_neighbors, n_rounds, n_steps):
    """Diffusion on one large graph of all samples in all layers: the mean layer."""
    M, n = len(members), len(members[0])

    def scaled(graphs):
        degrees = np.concatenate([W.sum(axis=1) + M - 1 for W in graphs])
        whole = np.kron(np.ones((M, M)) - np.eye(M), np.eye(n))
        for j, W in enumerate(graphs):
            whole[j * n : (j + 1) * n, j * n : (j + 1) * n] = W
        return whole / np.sqrt(np.outer(degrees, degrees))

    graphs = [Y @ Y.T for Y in members]
    spread = [np.vstack([Y] * M) for Y in members]
    for _ in range(n_rounds):
        for j, Y in enumerate(members):
            for _ in range(n_steps):
                spread[j] = alpha * scaled(graphs) @ spread[j]
                spread[j] += (1 - alpha) * np.vstack([Y] * M)
            own = spread[j][j * n : (j + 1) * n]
            units = own / np.linalg.norm(own, axis=1, keepdims=True)
            cosines = units @ units.T
            W = np.eye(n)
            for i in range(n):
                others = [m for m in np.argsort(-cosines[i]) if m != i]
                for m in others[:n_neighbors]:
                    W[i, m] = W[m, i] = cosines[i, m]
            graphs[j] = W
    whole = scaled(graphs)
    parts = [whole[j * n : (j + 1) * n, j * n : (j + 1) * n] for j in range(M)]
    return sum(parts) / M


# --- answers


def item_consensus(labels, partition):
    """Mean of the consensus matrix over the other samples of each cluster."""
    n, k = len(partition), max(partition) + 1
    M = coassociation(labels)
    result = np.full((n, k), np.nan)
    for i in range(n):
        for c in range(k):
            others = [j for j in range(n) if partition[j] == c and j != i]
            if others:
                result[i, c] = np.mean([M[i, j] for j in others])
    return result


def votes(labels, partition, member_weights=None):
    """For each sample the mean share of each final cluster among its companions."""
    n, n_members = labels.shape
    k = max(partition) + 1
    weights = np.ones(n_members) if member_weights is None else member_weights
    result = np.zeros((n, k))
    for i in range(n):
        total = 0.0
        for m in range(n_members):
            if labels[i, m] < 0:
                continue
            mates = [j for j in range(n) if labels[j, m] == labels[i, m]]
            total += weights[m]
            for c in range(k):
                share = sum(partition[j] == c for j in mates) / len(mates)
                result[i, c] += weights[m] * share
        result[i] /= total
    return result


def dip(sample):
    """Hartigan's dip as a linear program: the distance to the best unimodal G.

    G is a polygon through the sample's values whose slopes rise up to some interval
    and fall after it; all such intervals are tried.
    """
    from scipy.optimize import linprog

    x, counts = np.unique(sample, return_counts=True)
    upto = np.cumsum(counts) / counts.sum()
    below = upto - counts / counts.sum()
    n, best = x.size, np.inf
    slopes = np.zeros((n - 1, n + 1))  # of G(x_0), ..., G(x_n-1) and the distance
    for i, width in enumerate(np.diff(x)):
        slopes[i, [i, i + 1]] = -1 / width, 1 / width
    near = np.zeros((2 * n, n + 1))
    near[:n, :n], near[n:, :n], near[:, n] = -np.eye(n), np.eye(n), -1
    for mode in range(n - 1):
        bend = [
            (slopes[i] - slopes[i + 1]) * (1 if i < mode else -1) for i in range(n - 2)
        ]
        rows = np.vstack([*bend, -slopes, near])
        right = np.concatenate([np.zeros(len(rows) - 2 * n), -upto, below])
        goal = np.append(np.zeros(n), 1.0)
        free = [(None, None)] * n + [(0, None)]
        best = min(best, linprog(goal, A_ub=rows, b_ub=right, bounds=free).fun)
    return best


def valleys(points, labels, centers):
    """Depths between neighbouring clusters, by the dip as a linear program."""
    found = {}
    for a in range(len(centers)):
        for b in range(a + 1, len(centers)):
            middle = (centers[a] + centers[b]) / 2
            radius = np.linalg.norm(centers[a] - middle)
            rest = [c for i, c in enumerate(centers) if i not in (a, b)]
            if any(np.linalg.norm(c - middle) <= radius for c in rest):
                continue
            both = points[(labels == a) | (labels == b)]
            if len(both) >= 4:
                values = both @ (centers[b] - centers[a])
                found[a, b] = np.sqrt(len(both)) * dip(values)
    return found


def consensus_values(labels):
    """Share of members that put each pair of samples together, (N, N)."""
    n = len(labels)
    return np.array(
        [[np.mean(labels[i] == labels[j]) for j in range(n)] for i in range(n)]
    )


# --- spanning trees


def spanning_tree(X):
    """Kruskal's algorithm on all pairs; ties by the ends."""
    n = len(X)
    pairs = itertools.combinations(range(n), 2)
    edges = sorted((float(((X[i] - X[j]) ** 2).sum()), i, j) for i, j in pairs)
    group = list(range(n))
    tree = []
    for length, i, j in edges:
        if group[i] != group[j]:
            tree.append((i, j, math.sqrt(length)))
            group = [group[i] if g == group[j] else g for g in group]
    return tree


def gini(sizes):
    m = len(sizes)
    differences = sum(abs(a - b) for a, b in itertools.combinations(sizes, 2))
    return differences / ((m - 1) * sum(sizes))


def genie(ends, n, k, threshold):
    """Merge along the edges, which are sorted; while sizes are uneven, the smallest."""
    clusters = {i: {i} for i in range(n)}
    left = [tuple(edge) for edge in ends]
    while len(clusters) > k:
        sizes = [len(c) for c in clusters.values()]
        at = {i: name for name, members in clusters.items() for i in members}
        edge = left[0]
        if gini(sizes) > threshold:
            smallest = min(sizes)
            edge = next(
                e for e in left if any(len(clusters[at[i]]) == smallest for i in e)
            )
        left.remove(edge)
        clusters[at[edge[0]]] |= clusters.pop(at[edge[1]])
    labels = [0] * n
    for label, members in enumerate(clusters.values()):
        for i in members:
            labels[i] = label
    return labels
