"""How near the machine's limit? Arithmetic and memory traffic against the time taken.

The rates are measured in the same run, on one thread: products of large float32
matrices and copies of large arrays. The limit of a part is what its arithmetic takes at
the one rate or its traffic at the other, whichever is longer. Arithmetic in double
precision counts twice. Traffic is what must come from memory at least once.

Another system is one more entry of ``CASES``: its data, the call, and its parts.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

import coterie
from benchmarks.large import million
from benchmarks.mdec import load
from coterie._kernels import _incidence, _kmeans, _labels, _similarity, _tables
from coterie._kernels._jit import kernel_threads
from coterie._linalg import _eigen, _neighbors, _spectral
from coterie.consensus import _embedding


class Work(NamedTuple):
    """What a call must do: operations in single precision, and bytes."""

    operations: float
    bytes: float = 0.0


class Part(NamedTuple):
    """A function whose calls are timed; ``work`` takes its arguments and result."""

    name: str
    place: Any
    function: str
    work: Callable[..., Work]


class Case(NamedTuple):
    """A task: what prepares it, what runs it on that, and its parts."""

    task: str
    setup: Callable[[], Any]
    run: Callable[[Any], Any]
    parts: list[Part]


def _listed(
    found: Any, X: Any, rows: Any, ids: Any, mirror: Any, scratch: Any, D: Any
) -> Work:
    done = np.ones(ids.shape, dtype=bool)
    if mirror.size:
        mirrored = (mirror >= 0) & (mirror < ids.shape[1])
        done = ~(mirrored & (ids < np.arange(len(ids))[:, None]))
    return Work(3 * X.shape[1] * done.sum(), X.nbytes + ids.nbytes + D.nbytes)


def _densest(found: Any, D: Any, *_: Any) -> Work:
    return Work(50 * D.size)  # with the logarithm, in double precision


def _products(found: Any, asked: Any, which: Any, data: Any, cols: Any) -> Work:
    return Work(2 * found.size * data.values.shape[1], found.nbytes)


def _steps(
    found: Any, indptr: Any, indices: Any, data: Any, before: Any, V: Any, _: Any,
    scales: Any, weights: Any,
) -> Work:  # fmt: skip
    once = 2 * data.size * V.shape[1] + 4 * V.size
    return Work(len(scales) * once, V.nbytes + data.nbytes + indices.nbytes)


def _ritz(found: Any, apply: Any, V: Any) -> Work:
    n, b = V.shape
    size = V.itemsize // 4
    return Work((6 * n * b * b) * size + 2 * 9 * b**3, 3 * V.nbytes)


def _basis(found: Any, V: Any) -> Work:
    n, b = V.shape
    return Work(2 * (2 * n * b * b) + V.itemsize // 4 * 2 * n * b * b, 2 * V.nbytes)


def _lloyd(found: Any, X: Any, scored: Any, *rest: Any) -> Work:
    k = rest[7].shape[0]
    rounds = found[0] - rest[5] + 1
    return Work(2 * rounds * X.size * k, X.nbytes)


def _seed(found: Any, X: Any, tiles: Any, weights: Any, uniform: Any, *_: Any) -> Work:
    return Work(3 * X.size * uniform.size, X.nbytes)


def _pairs(found: Any, columns: Any, *_: Any) -> Work:
    M, u = columns.shape
    return Work(u * M * (M - 1) / 2, columns.nbytes + 8 * u)


def _overlap(found: Any, columns: Any, *_: Any) -> Work:
    M, u = columns.shape
    return Work(2 * u * M * (M + 1) / 2, columns.nbytes + 8 * u)


def _gather(found: Any, labels: Any, offsets: Any, U: Any, out: Any) -> Work:
    return Work(2 * labels.size * U.shape[1], labels.nbytes + out.nbytes)


def _scatter(found: Any, columns: Any, offsets: Any, V: Any, out: Any) -> Work:
    return Work(2 * columns.size * V.shape[1], columns.nbytes + V.nbytes)


def _rows(found: Any, U: Any) -> Work:
    return Work(2 * 4 * U.size, 2 * U.nbytes)


def _coded(found: Any, values: Any, *_: Any) -> Work:
    return Work(values.size, 12 * values.size)


def _hashed(found: Any, labels: Any, hashes: Any) -> Work:
    return Work(4 * labels.size, labels.nbytes)


EIGEN = [
    Part("eigenvectors: sparse products", _spectral, "csr_chebyshev_steps", _steps),
    Part("eigenvectors: Rayleigh-Ritz", _eigen, "_rayleigh_ritz", _ritz),
    Part("eigenvectors: orthonormal bases", _eigen, "_orthonormalize", _basis),
]
KMEANS = [
    Part("k-means: iterations", _kmeans, "lloyd", _lloyd),
    Part("k-means: first centres", _kmeans, "seed", _seed),
]
MDEC_PARTS = [
    Part("candidates, once for all members", _neighbors, "_products", _products),
    Part("distances to candidates", _similarity, "listed_dense", _listed),
    Part("the nearest", _similarity, "mean_nearest", lambda _, D, *__: Work(D.size)),
    Part("the densest", _similarity, "densest_listed", _densest),
    *EIGEN,
    *KMEANS,
]
CUT_PARTS = [
    Part("labels coded", _labels, "code_columns", _coded),
    Part("distinct rows", _labels, "hash_rows", _hashed),
    Part("entropies of clusters", _tables, "pair_entropies", _pairs),
    Part("overlap of clusters", _tables, "overlap", _overlap),
    Part("rows embedded", _incidence, "gather", _gather),
    Part("sizes of clusters", _incidence, "scatter", _scatter),
    Part("rows of unit length", _embedding, "unit_rows", _rows),
    *EIGEN[1:],
    *KMEANS,
]


def _mdec(X: Any) -> Any:
    return coterie.MDEC(10, random_state=0, n_jobs=1).fit(X)


def _digits(n: int) -> Callable[[], Any]:
    def rows() -> Any:
        X = load("mnist70k").X
        return X[np.random.default_rng(0).choice(len(X), n, replace=False)]

    return rows


CASES = [
    Case(
        "MDEC, 2,000 x 649, 100 members",
        lambda: load("multiple_features").X,
        _mdec,
        MDEC_PARTS,
    ),
    Case(
        "MDEC-BG, 10,000 x 784, 10 members",
        _digits(10_000),
        lambda X: coterie.MDEC(
            10, consensus="bg", n_members=10, random_state=0, n_jobs=1
        ).fit(X),
        MDEC_PARTS,
    ),
    Case(
        'combine(labels, 20, "lwgp"), 1,000,000 x 50',
        lambda: million()[1],
        lambda labels: coterie.combine(labels, 20, "lwgp", random_state=0),
        CUT_PARTS,
    ),
]


def rates() -> tuple[float, float]:
    """Return operations and bytes per second of one thread."""
    A, B, out = np.random.default_rng(0).random((3, 2048, 2048), dtype=np.float32)
    source, target = np.ones((2, 2**25))
    best = [np.inf, np.inf]
    for _ in range(5):
        for place, call in enumerate(
            (lambda: np.dot(A, B, out=out), lambda: np.copyto(target, source))
        ):
            start = time.process_time()
            call()
            best[place] = min(best[place], time.process_time() - start)
    return 2 * 2048**3 / best[0], 2 * source.nbytes / best[1]


@contextmanager
def _watched(part: Part, clock: list[float], log: list[tuple[float, Work]]) -> Iterator:
    """Time the calls of a part without those of other parts inside them."""
    original = getattr(part.place, part.function)

    def watch(*args: Any, **options: Any) -> Any:
        clock.append(0.0)
        start = time.process_time()
        found = original(*args, **options)
        took = time.process_time() - start
        own = took - clock.pop()
        before = time.process_time()
        log.append((own, part.work(found, *args)))
        counting = time.process_time() - before
        if clock:  # neither the call nor the counting is the caller's own
            clock[-1] += took + counting
        return found

    watch.serial = watch  # type: ignore[attr-defined]
    with patch.object(part.place, part.function, watch):
        yield


def limits(console: Console) -> None:
    """Share of the time that arithmetic and traffic need at the machine's rates."""
    with threadpool_limits(1), kernel_threads(1):
        speed, bandwidth = rates()
        console.print(
            f"one thread: {speed / 1e9:.0f} GFLOP/s in float32 products, "
            f"{bandwidth / 1e9:.1f} GB/s copied"
        )
        for case in CASES:
            _show(case, speed, bandwidth, console)


def _show(case: Case, speed: float, bandwidth: float, console: Console) -> None:
    data = case.setup()
    case.run(data)  # compiles
    start = time.process_time()
    case.run(data)
    total = time.process_time() - start
    logs: list[list[tuple[float, Work]]] = [[] for _ in case.parts]
    clock: list[float] = []
    with ExitStack() as stack:
        for part, log in zip(case.parts, logs, strict=True):
            stack.enter_context(_watched(part, clock, log))
        case.run(data)
    table = Table(title=case.task, title_justify="left")
    table.add_column("part")
    for column in (
        "calls",
        "CPU s",
        "of all",
        "GFLOP",
        "GB",
        "limit, s",
        "of the limit",
    ):
        table.add_column(column, justify="right")
    spent = needed = 0.0
    for part, log in zip(case.parts, logs, strict=True):
        seconds = sum(took for took, _ in log)
        operations = sum(work.operations for _, work in log)
        moved = sum(work.bytes for _, work in log)
        least = max(operations / speed, moved / bandwidth)
        spent, needed = spent + seconds, needed + least
        table.add_row(
            part.name,
            str(len(log)),
            f"{seconds:.2f}",
            f"{seconds / total:.0%}",
            f"{operations / 1e9:.1f}",
            f"{moved / 1e9:.2f}",
            f"{least:.3f}",
            f"{least / seconds:.0%}" if seconds > 0.005 else "-",
        )
    rest = total - spent
    table.add_row("the rest", "", f"{rest:.2f}", f"{rest / total:.0%}")
    share = f"{needed / total:.0%}"
    table.add_row("all", "", f"{total:.2f}", "100%", "", "", f"{needed:.3f}", share)
    console.print(table)
