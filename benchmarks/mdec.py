"""MDEC as a whole against plain scikit-learn and scipy, on the papers' data."""

import math
import os
import statistics
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed, parallel_config
from rich.console import Console
from rich.table import Table
from scipy.cluster.hierarchy import average, cut_tree
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from benchmarks.consensus import eci_scipy, one_hot
from benchmarks.harness import Case, Row
from coterie import Ensemble
from coterie._kernels._jit import kernel_threads
from coterie.consensus import LWEA
from coterie.generation import MetricSubspaceSpectral
from coterie.metrics import diversity, nmi
from coterie.weighting import EntropyWeighter

N_MEMBERS, N_JOBS = 100, 2
N_WARM = 1_600  # rows: enough to load the kernels that many samples need


class Task(NamedTuple):
    """Data, their classes (for the scores) and the seed."""

    X: np.ndarray
    y: np.ndarray
    seed: int = 0


class Outcome(NamedTuple):
    """Labels of the members, labels of the consensus, and where the time went."""

    members: np.ndarray  # (N, M)
    labels: np.ndarray  # (N,)
    generate_seconds: float


class Quality(NamedTuple):
    """NMI is by the larger entropy; diversity is that of coterie.metrics."""

    member_nmi: float
    final_nmi: float
    diversity: float


def load(name: str) -> Task:
    """Read one of the data sets in ``$COTERIE_DATA`` (or ``../shared/data``)."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("COTERIE_DATA", beside)) / f"{name}.npz"
    if not path.is_file():
        raise FileNotFoundError(
            f"no {path}: set COTERIE_DATA to the folder of the benchmark data"
        )
    with np.load(path, allow_pickle=False) as parts:
        return Task(parts["X"].astype(np.float32), parts["y"])


def mdec_ours(task: Task, n_jobs: int = N_JOBS) -> Outcome:
    start = time.perf_counter()
    generator = MetricSubspaceSpectral(N_MEMBERS)
    ensemble = generator.generate(task.X, seed=task.seed, n_jobs=n_jobs)
    made = time.perf_counter() - start
    weights = EntropyWeighter(theta=1.0).weigh(ensemble)
    k = len(np.unique(task.y))
    result = LWEA().combine(ensemble, k, weights=weights, seed=task.seed)
    return Outcome(ensemble.labels, result.labels, made)


def mdec_plain(task: Task, n_jobs: int = N_JOBS) -> Outcome:
    """Members in two processes with one BLAS thread each, then scipy's linkage."""
    start = time.perf_counter()
    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        columns = Parallel()(
            delayed(plain_member)(task.X, (task.seed, m)) for m in range(N_MEMBERS)
        )
    members = np.column_stack(columns)
    made = time.perf_counter() - start
    S = weighted_coassociation(members)
    Z = average(squareform(1 - S, checks=False))
    labels = cut_tree(Z, len(np.unique(task.y))).ravel()
    return Outcome(members, labels, made)


def plain_member(X: np.ndarray, seed: tuple[int, int]) -> np.ndarray:
    """Spectral clustering of a random metric in a random subspace."""
    rng = np.random.default_rng(seed)
    N, D = X.shape
    features = rng.choice(D, round(D / 2), replace=False)
    W = density_graph(X[:, features], int(rng.integers(5, 21)), rng.uniform(0.2, 0.8))
    K = int(rng.integers(2, math.ceil(math.sqrt(N)) + 1))
    scale = sp.diags_array(1 / np.sqrt(W.sum(axis=1)))
    embedding = leading_vectors(scale @ W @ scale, K, rng)
    model = KMeans(K, n_init=3, max_iter=100, random_state=int(rng.integers(2**31)))
    _, labels = np.unique(model.fit_predict(normalize(embedding)), return_inverse=True)
    return labels


def density_graph(X: np.ndarray, k: int, mu: float) -> sp.csr_array:
    """Return MDEC's density kernel on the graph of the k nearest neighbours."""
    model = NearestNeighbors(n_neighbors=min(k, len(X) - 1)).fit(X)
    D = model.kneighbors_graph(mode="distance").tocoo()
    i, j = D.coords
    d = D.data.astype(np.float64) ** 2
    rho = np.bincount(i, d, len(X)) / model.n_neighbors
    width = mu * np.maximum((rho[i] + rho[j] + d) / 3, 1e-12)
    w = np.exp(-((d / width) ** 2) / 2) / (np.sqrt(2 * np.pi) * width)
    W = sp.csr_array((w, (i, j)), shape=D.shape)
    return W.maximum(W.T)


def leading_vectors(A: sp.csr_array, K: int, rng: np.random.Generator) -> np.ndarray:
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    start = rng.standard_normal(A.shape[0])
    try:
        return eigsh(A, K, which="LA", v0=start, tol=1e-4)[1]
    except ArpackNoConvergence as error:  # it does not unpickle: never let it out
        return error.eigenvectors


def weighted_coassociation(members: np.ndarray) -> np.ndarray:
    B = one_hot(members).astype(np.float32)
    eci = sp.diags_array(eci_scipy(members).astype(np.float32))
    S = ((B @ eci) @ B.T).toarray() / members.shape[1]
    np.fill_diagonal(S, 1.0)
    return S


def measure(y: np.ndarray, outcome: Outcome) -> Quality:
    members = [nmi(y, labels, average="max") for labels in outcome.members.T]
    return Quality(
        float(np.mean(members)),
        nmi(y, outcome.labels, average="max"),
        diversity(Ensemble(outcome.members)),
    )


CONTENDERS = {"coterie": mdec_ours, "scikit-learn": mdec_plain}
CASES = [
    Case(name, f"MDEC-HC, {shape}, M = 100", partial(load, data), CONTENDERS)
    for name, shape, data in (
        ("mdec-mf", "2,000 x 649", "multiple_features"),
        ("mdec-mnist5000", "5,000 x 784", "mnist5000"),
        ("mdec-usps", "11,000 x 256", "usps"),
    )
]


def order_of_rows(console: Console) -> None:
    """MDEC's members of 70,000 x 784, rows as given and with neighbours together."""
    X, y, _ = load("mnist70k")
    generator = MetricSubspaceSpectral(4)
    start = time.process_time()
    (near,) = generator._prepare(X)
    console.print(f"lists of candidates: {time.process_time() - start:.0f} CPU s")
    order, place = near.order, np.argsort(near.order)
    as_given = replace(
        near,
        values=near.values[place],
        candidates=order[near.candidates[place]].astype(np.int32),
        mirror=near.mirror[place],
        order=None,
    )
    table = Table("member", "clusters", "rows", "CPU s", "NMI", "x as given")
    with threadpool_limits(1), kernel_threads(1):
        for number in range(4):
            times = []
            for name, task in (("as given", as_given), ("neighbours", near)):
                rng = np.random.default_rng(number)
                start = time.process_time()
                draft = generator._member((task,), number, rng)
                times.append(time.process_time() - start)
                found = nmi(y, draft.labels, average="max")
                k, ratio = draft.params["n_clusters"], f"{times[-1] / times[0]:.2f}"
                cells = f"{times[-1]:.2f}", f"{found:.3f}", ratio
                table.add_row(str(number), str(k), name, *cells)
    console.print(table)


def on_one_thread(console: Console) -> None:
    """CPU seconds of MDEC-HC and of plain scikit-learn, 2,000 x 649, in turns."""
    task = load("multiple_features")
    with threadpool_limits(1), kernel_threads(1):
        mdec_ours(task, 1)  # compiles
        for turn in range(3):
            start = time.process_time()
            mdec_ours(task._replace(seed=turn), 1)
            ours = time.process_time() - start
            start = time.process_time()
            for number in range(N_MEMBERS):
                plain_member(task.X, (turn, number))
            plain = time.process_time() - start
            ratio = f"{plain / ours:.1f} x"
            console.print(f"coterie {ours:.2f} s, plain members {plain:.2f} s: {ratio}")


def run_long(case: Case, repeats: int, console: Console) -> list[Row]:
    """Run a case that takes minutes: warm up on some rows, then once for each seed."""
    try:
        task = case.setup()
    except FileNotFoundError as error:
        console.print(f"{case.name}: skipped, {error}")
        return []
    few = np.random.default_rng(0).choice(len(task.X), N_WARM, replace=False)
    table = Table(title=f"{case.name}: {case.task}", title_justify="left")
    table.add_column("contender")
    for column in ("seconds", "x coterie", "generation", *Quality._fields):
        table.add_column(column, justify="right")
    rows: list[Row] = []
    for name, contender in case.contenders.items():
        contender(Task(task.X[few], task.y[few]))  # compiles, starts the processes
        times, outcomes = [], []
        for seed in range(repeats):
            start = time.perf_counter()
            outcomes.append(contender(task._replace(seed=seed)))
            times.append(time.perf_counter() - start)
        seconds = statistics.median(times)
        made = statistics.median(outcome.generate_seconds for outcome in outcomes)
        ratio = seconds / rows[0].seconds if rows else 1.0
        rows.append(Row(case.name, name, seconds, ratio, None))
        found = np.mean([measure(task.y, outcome) for outcome in outcomes], axis=0)
        table.add_row(
            name,
            *(f"{value:.2f}" for value in (seconds, ratio, made)),
            *(f"{value:.4f}" for value in found),
        )
    console.print(table)
    return rows
