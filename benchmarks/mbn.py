"""fMBN-E against the literal algorithm: the n x n similarity in NumPy."""

import math
import time
from functools import partial

import numpy as np
import scipy.sparse as sp
from rich.console import Console
from sklearn.datasets import make_blobs

from benchmarks.harness import Case
from coterie import MBNEnsemble
from coterie._kernels._codes import agreement_rows, posting_lists
from coterie._kernels._equal import BLOCK
from coterie._linalg._code_layers import in_blocks
from coterie._linalg._kept_layers import Layer
from coterie.generation import BootstrapNetworks
from coterie.generation._bootstrap_networks import stacked
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


def limit(console: Console, n: int = 7_200) -> None:
    """Print the share of fMBN-E's time that must go by, at this machine's own rates.

    What cannot be avoided is to count equal codes, either by comparing bytes or by
    steps along posting lists, whichever is less; to look at candidates until each draw
    has its centroid; and to compare all codes at the end. Rates are those of two
    kernels on data in the cache, in the same run and on one thread.
    """
    X = _data(n)
    networks = BootstrapNetworks(
        N_MODELS, N_OUT, n_clusterings=N_CLUSTERINGS, delta_draw="stratified"
    )
    model = MBNEnsemble(
        N_CLUSTERS, n_clusterings=N_CLUSTERINGS, delta_draw="stratified", random_state=0
    )
    whole(X[:5_100])  # compiles
    start = time.process_time()
    model.fit(X)
    took = time.process_time() - start
    task = networks._task(X, n)
    rng = np.random.default_rng(0)
    columns = [networks._bottom_column(task, rng) for _ in range(N_CLUSTERINGS)]
    bottom = stacked(columns, task.k)
    layers: list[Layer] = []
    for z in range(N_MODELS):
        networks._network(task, bottom, z, (N_OUT,), rng, layers)
    compared, stepped = _rates()
    at_least = n * n / 2 * N_MODELS * N_CLUSTERINGS / compared
    for codes, draws in layers:
        at_least += _layer_seconds(codes, draws, compared, stepped)
    console.print(
        f"fMBN-E, {n:,} x 100: {took:.1f} CPU s; {compared / 1e9:.0f} GB/s compared, "
        f"{stepped / 1e9:.2f} G steps/s: at least {at_least:.1f} s, "
        f"{100 * at_least / took:.0f}% of it"
    )


def _layer_seconds(
    codes: np.ndarray, draws: np.ndarray, compared: float, stepped: float
) -> float:
    """Return the least time that a layer can take."""
    _, first, row = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    drawn = codes[first[np.unique(row[draws])]]
    sizes = [np.bincount(column) for column in drawn.T]
    steps = sum(
        float(own[column[column < own.size]].sum())
        for own, column in zip(sizes, codes[first].T, strict=True)
    )
    n_bytes = len(first) * drawn.nbytes
    rank = len(drawn) / draws.shape[1] * (math.log(len(draws)) + np.euler_gamma)
    looks = len(first) * min(rank, len(drawn))
    return min(n_bytes / compared, steps / stepped) + looks / stepped


def _rates() -> tuple[float, float]:
    """Return bytes compared and steps along lists, each in a second, the best of 20."""
    codes = np.random.default_rng(0).integers(0, 9, (2_048, 64)).astype(np.uint8)
    blocks = in_blocks(codes)
    counts = np.empty((32, len(blocks) * BLOCK), dtype=np.uint16)
    columns = np.ascontiguousarray(codes.T, dtype=np.uint16)
    starts = np.empty((64, 10), dtype=np.int32)
    members = np.empty(columns.shape, dtype=np.int32)
    place = np.empty(9, dtype=np.int32)
    compared, stepped = [], []
    for _ in range(20):
        start = time.perf_counter()
        agreement_rows.serial(blocks, codes, 0, counts)
        compared.append(32 * codes.nbytes / (time.perf_counter() - start))
        start = time.perf_counter()
        posting_lists(columns, starts, place, members)
        stepped.append(2 * columns.size / (time.perf_counter() - start))
    return max(compared), max(stepped)
