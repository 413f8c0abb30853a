"""fMBN-E against the literal algorithm: the n x n similarity in NumPy."""

import time
from functools import partial

import numpy as np
import scipy.sparse as sp
from rich.console import Console
from sklearn.datasets import make_blobs

from benchmarks.harness import Case
from coterie import MBNEnsemble
from coterie.generation import BootstrapNetworks
from coterie.generation._network_layers import layer_sizes

N_CLUSTERS, N_CLUSTERINGS, N_MODELS = 20, 400, 40
DELTAS = (0.05, 0.95)
N_OUT = 30


def _data(n: int) -> np.ndarray:
    """Return noisy groups in 100 dimensions of falling variance, like images."""
    X = make_blobs(n, n_features=100, centers=N_CLUSTERS, random_state=0)[0]
    noise = np.random.default_rng(0).standard_normal(X.shape)
    return ((X + 8 * noise) / np.sqrt(1 + np.arange(100))).astype(np.float32)


def codes_ours(n_members: int, X: np.ndarray) -> np.ndarray:
    networks = BootstrapNetworks(
        n_members, N_OUT, DELTAS, delta_draw="stratified", n_clusterings=N_CLUSTERINGS
    )
    return networks.generate(X, seed=0, n_jobs=2).labels


def codes_literal(n_members: int, X: np.ndarray) -> np.ndarray:
    """Algorithm 2 as printed; the similarity is made once a layer, not V times."""
    rng = np.random.default_rng(0)
    n, d = X.shape
    columns = []
    for _ in range(N_CLUSTERINGS):
        V = X[:, rng.choice(d, d // 2, replace=False)]
        C = V[rng.choice(n, n // 2, replace=False)]
        distances = (C * C).sum(axis=1) - 2 * (V @ C.T)
        columns.append(distances.argmin(axis=1))
    bottom = np.stack(columns, axis=1)
    found = []
    for z in range(n_members):
        delta = DELTAS[0] + (z + rng.random()) / n_members * (DELTAS[1] - DELTAS[0])
        codes = bottom
        for k in layer_sizes(n // 2, delta, N_OUT, "force")[1:]:
            B = _similarity(codes)
            columns = []
            for _ in range(N_CLUSTERINGS):
                chosen = rng.choice(n, k, replace=False)
                columns.append(B[:, chosen].argmax(axis=1))
            codes = np.stack(columns, axis=1)
        found.append(codes)
    return np.hstack(found)


def _similarity(codes: np.ndarray) -> np.ndarray:
    """Return X^T X of the one-hot codes."""
    n, V = codes.shape
    k = int(codes.max()) + 1
    columns = (codes + np.arange(V) * k).ravel()
    shape = (n, V * k)
    H = sp.csr_matrix(
        (np.ones(n * V, np.float32), columns, range(0, n * V + 1, V)), shape
    )
    return (H @ H.T).toarray()


def whole(X: np.ndarray) -> np.ndarray:
    return MBNEnsemble(N_CLUSTERS, random_state=0, n_jobs=2).fit_predict(X)


CASES = [
    Case(
        "mbn",
        "fMBN-E's codes, 2,000 x 100, V = 400, Z = 40",
        partial(_data, 2000),
        {
            "coterie": partial(codes_ours, N_MODELS),
            "literal NumPy": partial(codes_literal, N_MODELS),
        },
    ),
    Case(
        "mbn-1440",
        "fMBN-E whole, 1,440 x 100, V = 400, Z = 40",
        partial(_data, 1440),
        {"coterie": whole},
    ),
    Case(
        "mbn-7200",
        "fMBN-E whole, 7,200 x 100, V = 400, Z = 40",
        partial(_data, 7200),
        {"coterie": whole},
    ),
]


def one_sample(console: Console) -> None:
    """Print what ``predict`` of one sample takes, 2,000 samples, networks kept."""
    X = _data(2_030)
    fit, new = X[:2_000], X[2_000:]
    model = MBNEnsemble(N_CLUSTERS, random_state=0).fit(fit)
    start = time.process_time()
    labels = model.predict(new)
    console.print(f"first call, 30 samples: {time.process_time() - start:.1f} CPU s")
    clock, work = [], []
    for x, label in zip(new, labels, strict=True):
        start = time.perf_counter(), time.process_time()
        found = model.predict(x[None])
        clock.append(1e3 * (time.perf_counter() - start[0]))
        work.append(1e3 * (time.process_time() - start[1]))
        if found[0] != label:
            raise AssertionError("one sample alone has another label")
    for name, values in (("clock", clock), ("CPU", work)):
        least, middle = min(values), float(np.median(values))
        console.print(f"one sample, {name}: {middle:.1f} ms, at best {least:.1f} ms")
