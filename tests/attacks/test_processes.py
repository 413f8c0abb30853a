"""What a call leaves behind in the process, and what happens when it is killed."""

import os
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sessions import living
from stand_ins import dask_worker
from threadpoolctl import threadpool_info, threadpool_limits

from coterie import MDEC, use_engine
from coterie._engine._engines import _SharedLimit
from coterie.generation import RandomKMeans

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(c, 1.0, (40, 5)) for c in (0, 4, 8)])


def blas_threads():
    return [
        lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"
    ]


def global_state():
    return np.random.get_state()[1].tolist()  # noqa: NPY002 - others may use it


def test_the_process_is_as_before_after_eight_threads_at_once():
    def fit(seed):
        return RandomKMeans(6).generate(X, seed=seed, n_jobs=2).labels

    alone = [fit(seed) for seed in range(16)]
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        state, filters = global_state(), list(warnings.filters)
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(fit, range(16)))
        assert blas_threads() == before
        assert 2 in before
    assert global_state() == state
    assert warnings.filters == filters
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_last_to_leave_restores_the_threads_of_blas():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        for limit in (limits := [_SharedLimit()] * 2):
            limit.__enter__()
        assert set(blas_threads()) == {1}
        for limit in limits:
            limit.__exit__()
        assert blas_threads() == before
        assert 2 in before


def in_a_task(engine):
    with use_engine(engine):
        return RandomKMeans(3).generate(X, seed=0).labels.tolist()


def test_dask_inside_a_task_on_its_only_thread():
    expected = RandomKMeans(3).generate(X, seed=0).labels.tolist()
    with dask_worker() as client:
        for engine in ("dask", "threads"):
            future = client.submit(in_a_task, engine, pure=False)
            assert future.result(timeout=60) == expected


SLOW = """
import sys, time
import numpy as np
from coterie import use_engine
from coterie.generation import RandomKMeans

class Slow(RandomKMeans):
    def _member(self, X, number, rng):
        time.sleep(0.2)
        open(sys.argv[2], "a").write("x")
        return super()._member(X, number, rng)

if __name__ == "__main__":
    X = np.random.default_rng(0).normal(size=(100, 4))
    with use_engine(sys.argv[1]):
        try:
            Slow(300).generate(X, seed=0, n_jobs=2)
        except KeyboardInterrupt:
            sys.exit(130)
"""


def after_ten_seconds(session, seconds=10):
    """Return the processes that are left then, and end them."""
    end = time.monotonic() + seconds
    while living(session) and time.monotonic() < end:
        time.sleep(0.1)
    left = living(session)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def started(engine, tmp_path, n_processes=None):
    """Return a process that makes members, once the first or some worker is made."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc")
    program, log = tmp_path / "program.py", tmp_path / "log"
    program.write_text(SLOW)
    words = [sys.executable, str(program), engine, str(log)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, start_new_session=True)

    def is_ready():
        if n_processes is None:
            return log.exists()
        return len(living(process.pid)) >= n_processes

    end = time.monotonic() + 60
    while not is_ready() and time.monotonic() < end:
        time.sleep(0.05)
    assert is_ready()
    return process


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path, how):
    process = started("processes", tmp_path)
    assert len(living(process.pid)) > 2
    process.send_signal(how)
    process.wait()
    left = after_ten_seconds(process.pid)
    process.communicate()
    assert left == []


@pytest.mark.slow
def test_workers_end_with_a_parent_that_never_sent_them_work(tmp_path):
    process = started("processes", tmp_path, n_processes=4)  # with loky's tracker
    process.kill()
    process.wait()
    # they look for their parent once they have imported what they need, which takes
    # long on a busy machine; loky's own limit is 300 s
    left = after_ten_seconds(process.pid, seconds=60)
    process.communicate()
    assert left == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_ctrl_c_ends_without_a_traceback(tmp_path, engine):
    if engine == "dask":
        pytest.importorskip("distributed")
    process = started(engine, tmp_path)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    errors = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130
    assert "Traceback" not in errors, errors
    assert after_ten_seconds(process.pid) == []


CODE = """
import numpy as np
from coterie.generation import RandomKMeans
X = np.vstack([np.random.default_rng(0).normal(c, 1.0, (15, 3)) for c in (0, 5)])
print(RandomKMeans(3).generate(X, seed=0).labels.tolist())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{"NUMBA_DISABLE_JIT": "1"}, {"PYTHONOPTIMIZE": "2", "HOME": "/proc", "LANG": "C"}],
)
def test_odd_environments_give_the_same_labels(settings, capsys):
    env = {**os.environ, **settings}
    words = [sys.executable, "-c", CODE]
    found = subprocess.run(words, env=env, capture_output=True, check=True, text=True)
    exec(CODE, {})
    assert found.stdout == capsys.readouterr().out


NO_SEMAPHORES = """
import _multiprocessing
class SemLock(_multiprocessing.SemLock):
    def __new__(cls, *parts, **names):
        raise OSError(30, "Read-only file system")
_multiprocessing.SemLock = SemLock  # as if there were no /dev/shm
import coterie
with coterie.use_engine("processes"):
    exec(code)
"""


@pytest.mark.slow
def test_processes_without_shared_memory_are_threads(capsys):
    program = f"code = {CODE!r}\n{NO_SEMAPHORES}"
    words = [sys.executable, "-W", "ignore", "-c", program]
    found = subprocess.run(words, capture_output=True, check=True, text=True)
    exec(CODE, {})
    assert found.stdout == capsys.readouterr().out


LITTLE_MEMORY = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9, 3 * 10**9))  # ulimit -v
import numpy as np
from coterie._memory import memory_limit
from coterie.consensus import EAC
from coterie.exceptions import MemoryLimitError
assert memory_limit() < 0.6 * 3e9
labels = np.random.default_rng(0).integers(0, 50, (30_000, 8))
try:
    EAC().combine(labels, 2)  # 1.8 GB or more
except MemoryLimitError as error:
    print("refused:", error)
EXEC
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS and /proc")
def test_a_limit_of_the_address_space_is_respected(capsys):
    words = [sys.executable, "-c", LITTLE_MEMORY.replace("EXEC", CODE)]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    found = subprocess.run(words, capture_output=True, check=True, text=True, env=env)
    exec(CODE, {})
    said, labels = found.stdout.split("\n", 1)
    assert said.startswith("refused: The co-association of 30,000")
    assert labels == capsys.readouterr().out


def test_dask_that_cannot_start_says_what_to_do(monkeypatch):
    distributed = pytest.importorskip("distributed")

    def fail(**options):
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", fail)
    text = 'Nanny failed to start.*Choose the engine "threads", or pass the client'
    with use_engine("dask"), pytest.raises(RuntimeError, match=text):
        RandomKMeans(3).generate(X, seed=0)


@pytest.mark.slow
def test_standard_output_that_is_closed_full_or_ascii(tmp_path):
    np.save(tmp_path / "x.npy", X)
    command = f"{sys.executable} -m coterie cluster {tmp_path / 'x.npy'} -k 3"
    plain = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}

    def shell(words, **options):
        done = subprocess.run(
            f"{command} {words}", shell=True, capture_output=True, **options
        )
        return done.returncode, done.stderr.decode()

    code, said = shell("--json >&-")
    assert code == 2
    assert said.startswith("Error: Standard output is closed")
    code, said = shell("-o - > /dev/full")
    assert (code, said) == (2, "Error: standard output: No space left on device.\n")
    assert shell("", env=plain)[0] == 0


def test_members_in_a_forked_process():
    MDEC(3, n_members=4, random_state=0).fit(X)
    pid = os.fork()
    if pid == 0:
        MDEC(3, n_members=4, random_state=0, n_jobs=2).fit(X)
        os._exit(0)
    end = time.monotonic() + 60
    while (done := os.waitpid(pid, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
        time.sleep(0.05)
    assert done == (pid, 0)
