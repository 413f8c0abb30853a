"""What checking structure costs, before kernels see arrays from elsewhere."""

import numpy as np
from scipy.sparse import csr_array

from benchmarks.harness import Case
from coterie._structure import check_labels, check_sparse

N, M, K = 1_000_000, 50, 20
SHAPE, ENTRIES = (100_000, 30_000), 30_000_000


def _labels() -> tuple[np.ndarray, np.ndarray]:
    labels = np.random.default_rng(0).integers(K, size=(N, M), dtype=np.int32)
    return labels, np.arange(M + 1) * K


def _matrix() -> csr_array:
    indices = np.random.default_rng(0).integers(SHAPE[1], size=ENTRIES, dtype=np.int32)
    indptr = np.linspace(0, ENTRIES, SHAPE[0] + 1).astype(np.int32)
    return csr_array((np.ones(ENTRIES, np.float32), indices, indptr), shape=SHAPE)


CASES = [
    Case(
        "structure-labels",
        f"structure of an ensemble of {N:,} x {M}",
        _labels,
        {
            "coterie": lambda data: check_labels(*data, "It"),
            "one copy, to compare": lambda data: data[0].copy(),
        },
    ),
    Case(
        "structure",
        f"structure of a sparse matrix, {SHAPE[0]:,} x {SHAPE[1]:,}, 1% filled",
        _matrix,
        {
            "coterie": check_sparse,
            "scipy, full check": lambda matrix: matrix.check_format(full_check=True),
        },
    ),
]
