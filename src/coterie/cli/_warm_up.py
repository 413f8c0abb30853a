"""`coterie warm-up`: compiles everything beforehand, for images and clusters."""

from __future__ import annotations

import multiprocessing
import os
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from coterie._catalog import entries, find
from coterie.cli import _console
from coterie.cli._files import Outputs
from coterie.cli._options import command

_K = 3
_SIZES = (150, 1500)  # samples: members of few and of many clusters


class _Task(NamedTuple):
    """Something that is run on small data of one kind, to compile what it needs."""

    kind: str  # system, clusterer, consensus or choose_k
    name: str
    n_samples: int
    dtype: str
    sparse: bool = False

    def __str__(self) -> str:
        kind = f"{'sparse ' if self.sparse else ''}{self.dtype}"
        return f"{self.name or self.kind} ({self.n_samples} samples, {kind})"


class WarmUp(NamedTuple):
    """What was compiled, in how many seconds, and where everything is kept.

    ``left_out`` names the methods that need a package which is not installed.
    """

    n_kernels: int
    compile_seconds: float
    folder: str
    megabytes: float
    left_out: list[str]


@command
def warm_up(only: str | None = None, jobs: int = -1, as_json: bool = False) -> None:
    """Compile all kernels now, so that no later call has to wait.

    Run it once when an image is built or software is installed on a cluster, as the
    user who will compute, or with NUMBA_CACHE_DIR set as it will be then.

    Example: [bold]coterie warm-up[/bold]

    Parameters
    ----------
    only : --only SYSTEM
        Only what this system needs: a name from 'coterie methods --kind system'.
    jobs
        Processes to use; -1 = all cores.
    """
    files = Outputs(as_json=as_json)
    with _console.work(files) as work:
        work.start("compiling")
        done = compile_all(only, jobs, work.step)
    work.tell("warm-up", files, done._asdict(), partial(_show, done))


def _show(done: WarmUp, to: Any) -> None:
    facts = [
        ("kernels", f"{done.n_kernels} compiled in {done.compile_seconds:.0f} s"),
        ("kept in", f"{done.folder} ({done.megabytes:.0f} MB)"),
        ("left out", "; ".join(done.left_out)),
    ]
    _console.print_facts(facts, to)


def compile_all(
    only: str | None = None,
    n_jobs: int = -1,
    progress: Callable[[int, int], None] | None = None,
) -> WarmUp:
    """Run systems on small data, in processes side by side, to compile their kernels.

    Parameters
    ----------
    only : str, default=None
        The name of a system; None compiles for everything in the catalog.
    n_jobs : int, default=-1
        Number of processes; -1 = all cores.
    progress : callable, default=None
        Called with the number of tasks that are done, and of all.

    Raises
    ------
    RuntimeError
        If anything fails but for want of a package: every method of the catalog must
        run on such data, so that is a fault of ours. All others are run first.
    """
    from coterie._kernels._labels import group_rows

    tasks, start = list(_tasks(only)), time.perf_counter()
    folder = Path(group_rows.stats.cache_path)
    n_before, missing, failed = len(_kept(folder)), {}, []
    n_jobs = (os.cpu_count() or 1) if n_jobs < 0 else n_jobs
    spawned = multiprocessing.get_context("spawn")  # on all systems alike
    with ProcessPoolExecutor(max(1, min(n_jobs, len(tasks))), spawned) as pool:
        running = {pool.submit(_compile, task): task for task in tasks}
        for n_done, finished in enumerate(as_completed(running), 1):
            task, error = running[finished], finished.exception()
            if isinstance(error, ImportError):
                missing[task.name] = str(error)
            elif error is not None:
                failed.append(f"{task}: {type(error).__name__}: {error}")
            if progress is not None:
                progress(n_done, len(tasks))
    if failed:
        raise RuntimeError(
            f"warm-up could not run {'; '.join(sorted(failed))}; all else is compiled"
        )
    kept = _kept(folder)
    size = sum(file.stat().st_size for file in kept) / 1e6
    return WarmUp(
        n_kernels=len(kept) - n_before,
        compile_seconds=round(time.perf_counter() - start, 1),
        folder=str(folder),
        megabytes=round(size, 1),
        left_out=[f"{name} ({reason})" for name, reason in sorted(missing.items())],
    )


def _kept(folder: Path) -> list[Path]:
    """Return the files of compiled kernels, one for each version."""
    return list(folder.glob("*.nbc"))


def _tasks(only: str | None) -> Iterator[_Task]:
    if only is None:
        yield _Task("choose_k", "", _SIZES[0], "float64")
        for entry in entries("consensus"):
            yield _Task("consensus", entry.name, _SIZES[0], "float64")
        chosen = entries("system", "clusterer")
    else:
        chosen = [find(only, {"system", "clusterer"})]
    for entry in chosen:
        for n_samples in _SIZES:
            for dtype in ("float64", "float32"):
                yield _Task(entry.kind, entry.name, n_samples, dtype)
        yield _Task(entry.kind, entry.name, _SIZES[0], "float64", sparse=True)


def _compile(task: _Task) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such small data deserve many
        _run(task)


def _run(task: _Task) -> None:
    import numpy as np
    import scipy.sparse
    from sklearn.datasets import make_blobs
    from sklearn.utils import get_tags

    from coterie import choose_k
    from coterie.datasets import make_planted_ensemble

    if task.kind == "consensus":
        planted = make_planted_ensemble(task.n_samples, random_state=0)
        method: Any = find(task.name, {"consensus"}).load()()
        X = np.random.default_rng(0).random((task.n_samples, 4))
        method.combine(planted.ensemble, _K, X=X, seed=0)
        return
    X = np.abs(make_blobs(task.n_samples, 12, centers=_K, random_state=0)[0])
    X = X.astype(task.dtype)
    if task.kind == "choose_k":
        choose_k(X, random_state=0)
        return
    model: Any = find(task.name, {task.kind}).load()(_K, random_state=0)
    if task.sparse:
        if not get_tags(model).input_tags.sparse:
            return
        X = scipy.sparse.csr_array(X)
    model.fit(X)
    if hasattr(model, "predict"):
        model.predict(X[:5])
