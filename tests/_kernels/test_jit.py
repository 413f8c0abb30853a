"""Threads are borrowed, and change no bit."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from coterie import Ensemble
from coterie._kernels import _jit
from coterie._kernels._jit import kernel_threads, thread_limit
from coterie.datasets import make_planted_ensemble
from coterie.weighting import EntropyWeighter


def test_kernel_threads_gives_back_what_was_there():
    before = thread_limit()
    with kernel_threads(1):
        assert thread_limit() == 1
        with kernel_threads(None):
            assert thread_limit() == 1
    assert thread_limit() == before


def computed(labels):
    ensemble = Ensemble(labels)
    weights = EntropyWeighter().weigh(ensemble)
    return [
        ensemble.core.index,
        ensemble.overlap(),
        weights.clusters,
        ensemble.coassociation(weights, format="condensed"),
        ensemble.coassociation(weights),
    ]


def test_serial_and_parallel_kernels_give_the_same_bits(monkeypatch):
    labels = make_planted_ensemble(
        400, n_members=12, missing=0.1, random_state=0
    ).ensemble.labels
    with kernel_threads(1):
        serial = computed(labels)
    monkeypatch.setattr(_jit, "LARGE", 0)  # threads even for small arrays
    parallel = computed(labels)
    threaded = []
    worker = threading.Thread(target=lambda: threaded.extend(computed(labels)))
    worker.start()
    worker.join()
    for a, b, c in zip(serial, parallel, threaded, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


def test_two_threads_at_once_do_not_abort(monkeypatch):
    monkeypatch.setattr(_jit, "LARGE", 0)
    labels = make_planted_ensemble(200, random_state=1).ensemble.labels
    expected = computed(labels)
    results = []
    workers = [
        threading.Thread(target=lambda: results.append(computed(labels)))
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 4
    for result in results:
        for a, b in zip(result, expected, strict=True):
            np.testing.assert_array_equal(a, b)


FORKED = """
import multiprocessing
import numpy as np
from coterie._kernels import _jit
from coterie._kernels._spmm import csr_matmat

def product(_):
    out = np.zeros((3, 1))
    csr_matmat(np.arange(4), np.arange(3), np.ones(3), np.arange(3.0)[:, None], out)
    return out[:, 0].tolist(), _jit._pool.cache_info().currsize

_jit.LARGE = 0
assert product(0) == ([0.0, 1.0, 2.0], 1), "no threads were used"
with multiprocessing.get_context("fork").Pool(1) as children:
    assert children.map_async(product, [0]).get(timeout=60) == [([0.0, 1.0, 2.0], 1)]
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_forked_process_goes_on_computing():
    env = {**os.environ, "NUMBA_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_an_error_in_a_block_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(_jit, "LARGE", 0)

    def fails(begin, end, out):
        if begin > 0:
            raise ValueError(begin)
        out[begin:end] = 1

    out = np.zeros(8)
    with pytest.raises(ValueError, match=r"\d"):
        _jit._run_blocks(fails, (out,), 8, 4, 2)
    assert out[0] == 1
