"""Principal components and distances of one-hot codes, in implicit form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._kernels._equal import BLOCK, ROWS
from coterie._linalg._code_layers import count_dtype, in_blocks, padded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_GRAM_UP_TO = 10_000  # samples: 400 MB; beyond that, products with the codes
_TILE_BYTES = 32 * 2**20
_TILE_ROWS = 512  # of half a matrix
_MIRRORED = 256
_COLUMNS = 2048  # codes compared at a time: 16 rows of them stay in the cache
_OVERSAMPLING = 10
_TOL, _MAX_ITER = 1e-4, 12


@dataclass(frozen=True, eq=False)
class CodePCA:
    """Principal components of one-hot codes.

    ``scores`` (n, d): the samples in the directions of largest variance, the largest
    first; the entry of largest magnitude in each column is positive. ``values`` (d,):
    sums of squares of the columns.
    """

    scores: NDArray[np.float64]
    values: NDArray[np.float64]


def code_pca(
    codes: NDArray[Any],
    n_components: int,
    *,
    rng: np.random.Generator,
    gram: bool | None = None,
) -> CodePCA:
    r"""Principal components of the one-hot form of codes.

    The one-hot matrix H has a column for each code of each clustering, perhaps a
    million; its centred Gram matrix is :math:`(I - \frac1n 1 1^T) H H^T (I - \frac1n 1
    1^T)`, and :math:`(H H^T)_{ij}` is the number of clusterings in which i and j agree.
    Its leading eigenvectors are found by randomised subspace iteration [1]_; neither H
    nor its centred form is ever built.

    Parameters
    ----------
    codes : unsigned ndarray of shape (n, P)
        The code of each sample in each clustering.
    n_components : int
        Number of components; at most n - 1 are returned.
    rng : numpy.random.Generator
        Draws the first block.
    gram : bool, default=None
        Whether to build the n x n Gram matrix (fast for few samples) or to compute each
        product from the codes (memory linear in n). None decides by n.

    References
    ----------
    .. [1] N. Halko, P. G. Martinsson, J. A. Tropp, "Finding structure with randomness:
       probabilistic algorithms for constructing approximate matrix decompositions",
       SIAM Review 53(2), 217-288, 2011. :doi:`10.1137/090771806`
    """
    n = codes.shape[0]
    if gram is None:
        gram = n <= _GRAM_UP_TO
    if n > 1 and gram:
        G = code_gram(codes)
        return _components(lambda B: G @ B.astype(np.float32), n, n_components, rng)
    columns = np.ascontiguousarray(codes.T)
    return _components(lambda B: _gram_product(columns, B), n, n_components, rng)


def one_hot_pca(H: Any, n_components: int, *, rng: np.random.Generator) -> CodePCA:
    """Principal components of an explicit one-hot matrix, (n, C).

    Rows may lack entries, and entries may be weights.
    """
    return _components(lambda B: H @ (H.T @ B), H.shape[0], n_components, rng)


def _components(
    product: Callable[[Any], Any], n: int, n_components: int, rng: np.random.Generator
) -> CodePCA:
    d = min(n_components, n - 1)
    if d < 1:
        return CodePCA(np.zeros((n, 1)), np.zeros(1))
    values, U = _leading(product, n, d, rng)
    scores = U * np.sqrt(values)
    peaks = scores[np.abs(scores).argmax(axis=0), np.arange(d)]
    return CodePCA(scores * np.where(peaks < 0, -1.0, 1.0), values)


def unsigned_codes(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels, none missing, in the smallest unsigned dtype, contiguous."""
    if labels.dtype.kind != "u":
        labels = labels.astype(np.min_scalar_type(int(labels.max(initial=0))))
    return np.ascontiguousarray(labels)


def _leading(
    product: Callable[[Any], Any], n: int, d: int, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Return the leading eigenpairs of the centred Gram matrix."""
    width = min(n, d + _OVERSAMPLING)
    Q = np.linalg.qr(_centred(rng.standard_normal((n, width))))[0]
    before = np.zeros(d)
    for _ in range(_MAX_ITER):
        KQ = _centred(np.asarray(product(Q), dtype=np.float64))
        values, W = np.linalg.eigh(Q.T @ KQ)
        values, W = np.maximum(values[::-1], 0.0), W[:, ::-1]
        change = np.abs(values[:d] - before).max()
        if change <= _TOL * values[0]:
            break
        before = values[:d]
        Q = np.linalg.qr(KQ @ W)[0]
    return values[:d], (Q @ W)[:, :d]


def _centred(B: NDArray[np.float64]) -> NDArray[np.float64]:
    return B - B.mean(axis=0)


def _gram_product(columns: NDArray[Any], B: NDArray[np.float64]) -> Any:
    """Return H H^T B."""
    from coterie._kernels._codes import add_by_code, sum_by_code

    single = B.astype(np.float32)
    starts = _first_places(columns)
    sums = np.zeros((starts[-1], B.shape[1]), dtype=np.float32)
    sum_by_code(columns, starts, single, sums)
    out = np.zeros_like(single)
    add_by_code(columns, starts, sums, out)
    return out


def _first_places(columns: NDArray[Any]) -> NDArray[np.int64]:
    """Return the first column in H of each clustering, and the number of columns."""
    sizes = columns.max(axis=1).astype(np.int64) + 1
    return np.concatenate([[0], np.cumsum(sizes)])


@dataclass(frozen=True, eq=False)
class CodeProjection:
    """The principal components of codes as a table with a row for each code.

    ``starts`` (P + 1,) is the first row of each clustering, ``table`` (C, d) has the
    loadings, less those of the mean.
    """

    starts: NDArray[np.int64]
    table: NDArray[np.float64]

    @classmethod
    def of(
        cls, codes: NDArray[Any], pca: CodePCA, starts: NDArray[np.int64]
    ) -> CodeProjection:
        """Return the projection on the principal components of ``codes``, (n, P)."""
        from coterie._kernels._codes import sum_by_code

        sure = pca.values > _TOL**2 * max(pca.values[0], 1e-300)
        scale = np.divide(1.0, pca.values, out=np.zeros_like(pca.values), where=sure)
        B = pca.scores * scale  # (n, d)
        columns = np.ascontiguousarray(codes.T)
        sums = np.zeros((starts[-1], B.shape[1]))
        sum_by_code(columns, starts, B, sums)
        for low, high, column in zip(starts[:-1], starts[1:], columns, strict=True):
            counts = np.bincount(column, minlength=high - low)
            sums[low:high] -= counts @ sums[low:high] / len(codes)  # centring
        return cls(starts, sums)

    def place(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Return the coordinates of samples with these codes, (m, d)."""
        from coterie._kernels._codes import add_by_code

        out = np.zeros((len(codes), self.table.shape[1]))
        add_by_code(np.ascontiguousarray(codes.T), self.starts, self.table, out)
        return out


def project_codes(
    codes: NDArray[Any], new: NDArray[Any], pca: CodePCA
) -> NDArray[np.float64]:
    """Project new samples (m, P) on the principal components of ``codes``.

    For the original samples the result equals ``pca.scores``.
    """
    most = np.maximum(codes.max(axis=0), new.max(axis=0))
    return CodeProjection.of(codes, pca, _first_places(most[:, None])).place(new)


def code_gram(codes: NDArray[Any]) -> NDArray[np.float32]:
    """Return the number of clusterings in which each pair of samples agrees, (n, n)."""
    n = codes.shape[0]
    G = np.zeros((n, n), dtype=np.float32)
    for start in range(0, codes.shape[1], _COLUMNS):
        part = np.ascontiguousarray(codes[:, start : start + _COLUMNS])
        for tile, counts in agreement_tiles(part, upper=True):
            G[tile, n - counts.shape[1] :] += counts
    for start in range(0, n, _MIRRORED):  # from above the diagonal to below it
        stop = min(start + _MIRRORED, n)
        G[stop:, start:stop] = G[start:stop, stop:].T
        corner = G[start:stop, start:stop]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
    return G


def agreement_tiles(
    codes: NDArray[Any], *, upper: bool = False
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield the numbers of agreements, some rows at a time.

    Each tile is a slice of rows and their unsigned counts, overwritten by the next
    tile. With ``upper``, the first columns are left out, below the diagonal.
    """
    from coterie._kernels._codes import agreement_rows

    n, n_codes = codes.shape
    rows, blocks = padded(codes), in_blocks(codes)
    width = BLOCK * len(blocks)
    size = min(max(_TILE_BYTES // (2 * width) // ROWS, 1) * ROWS, len(rows))
    size = min(size, _TILE_ROWS) if upper else size
    room = np.empty(size * width, dtype=count_dtype(n_codes))
    for s in range(0, n, size):
        skipped = s // BLOCK if upper else 0
        columns = width - BLOCK * skipped
        height = min(size, len(rows) - s)
        out = room[: height * columns].reshape(height, columns)
        agreement_rows(blocks[skipped:], rows, s, out)
        stop = min(s + size, n)
        yield slice(s, stop), out[: stop - s, : n - BLOCK * skipped]
