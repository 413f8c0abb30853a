"""Whether arrays from elsewhere fit together, before any kernel sees them.

Compiled code reads and writes wherever indices point: a broken file or matrix would end
the process, or give an answer made of other memory. What comes from outside is checked
here once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coterie._memory import check_memory, format_bytes
from coterie._typing import LABEL_DTYPE

_REBUILD = "Build it again from rows, columns and values."
_COMPRESSED = ("csr", "csc", "bsr")


def check_sparse(matrix: Any, what: str = "The sparse matrix") -> None:
    """Raise a ValueError if the parts of a sparse matrix do not fit together.

    Parameters
    ----------
    matrix : sparse matrix or array of SciPy, in any format
    what : str, default="The sparse matrix"
        The beginning of the sentence.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from coterie._structure import check_sparse
    >>> A = csr_array(np.eye(3))
    >>> check_sparse(A)
    >>> A.indices[0] = 7
    >>> check_sparse(A)
    Traceback (most recent call last):
        ...
    ValueError: The sparse matrix is broken: index 7 is out of range, as ...
    """
    if matrix.ndim != 2:
        raise ValueError(f"{what} needs two axes, got the shape {matrix.shape}.")
    shape = " x ".join(f"{n:,}" for n in matrix.shape)
    check_memory(
        8 * max(matrix.shape),
        f"{what} is {shape}: a single number for each of its rows or columns",
        None,
        "Is its shape right? Leave out rows and columns without values.",
    )
    if matrix.format not in (*_COMPRESSED, "coo"):
        matrix = matrix.tocoo()
    if matrix.format == "coo":
        for ends, size in zip((matrix.row, matrix.col), matrix.shape, strict=True):
            _check_count(ends, matrix.data, what)
            _check_range(ends, size, what)
    elif matrix.format in _COMPRESSED:
        _check_compressed(matrix, what)


def _check_compressed(matrix: Any, what: str) -> None:
    block = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    sizes = [n // b for n, b in zip(matrix.shape, block, strict=True)]
    n_major, n_minor = reversed(sizes) if matrix.format == "csc" else sizes
    indptr, indices = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    check_offsets(indptr, n_major, f"{what} is broken: its indptr", _REBUILD)
    if indptr[-1] != indices.size:
        raise ValueError(
            f"{what} is broken: its indptr ends at {indptr[-1]}, but it has "
            f"{indices.size} indices. {_REBUILD}"
        )
    _check_count(indices, matrix.data, what)
    _check_range(indices, n_minor, what)


def _check_count(indices: np.ndarray, values: np.ndarray, what: str) -> None:
    if indices.ndim != 1 or len(indices) != len(values):
        raise ValueError(
            f"{what} is broken: it has indices of shape {indices.shape} for "
            f"{len(values)} values. {_REBUILD}"
        )


def _check_range(indices: np.ndarray, size: int, what: str) -> None:
    low, high = _extremes(indices)
    if low < 0 or high >= size:
        raise ValueError(
            f"{what} is broken: index {low if low < 0 else high} is out of range, as "
            f"there are {size} rows or columns. {_REBUILD}"
        )


def check_offsets(offsets: Any, n_parts: int, what: str, remedy: str = "") -> None:
    """Raise unless offsets rise from 0, with one more than there are parts.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._structure import check_offsets
    >>> check_offsets(np.array([0, 2, 5]), 2, "It")
    >>> check_offsets(np.array([1, 2, 5]), 2, "It")
    Traceback (most recent call last):
        ...
    ValueError: It must be 3 whole numbers that rise from 0.
    """
    fits = (
        offsets.shape == (n_parts + 1,)
        and offsets.dtype.kind in "iu"
        and offsets[0] == 0
        and bool((offsets[1:] >= offsets[:-1]).all())
    )
    if not fits:
        text = f"{what} must be {n_parts + 1} whole numbers that rise from 0."
        raise ValueError(f"{text} {remedy}".strip())


def check_labels(labels: Any, offsets: Any, what: str) -> None:
    """Raise unless each label is -1 or below the number of its member's clusters.

    Parameters
    ----------
    labels : (N, M) int array
    offsets : (M + 1,) int array
        Of the members' clusters.
    what : str
        The beginning of the sentence.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._structure import check_labels
    >>> check_labels(np.array([[0, 1], [-1, 0]]), np.array([0, 1, 3]), "The ensemble")
    >>> check_labels(np.array([[0, 2], [-1, 0]]), np.array([0, 1, 3]), "The ensemble")
    Traceback (most recent call last):
        ...
    ValueError: The ensemble is damaged: member 1 has the label 2, but 2 clusters.
    """
    if labels.ndim != 2 or labels.size == 0 or labels.dtype.kind not in "iu":
        raise ValueError(
            f"{what} is damaged: labels must be whole numbers (samples, members), got "
            f"{labels.dtype} of shape {labels.shape}."
        )
    check_offsets(offsets, labels.shape[1], f"{what} is damaged: its offsets")
    sizes = np.diff(offsets)
    if offsets[-1] > np.iinfo(LABEL_DTYPE).max:
        raise ValueError(
            f"{what} is damaged: it claims {offsets[-1]:,} clusters, more than there "
            "can be."
        )
    highest = labels.max(axis=0)  # (M,)
    wrong = np.flatnonzero((highest < -1) | (highest >= sizes.astype(np.int64)))
    if wrong.size:
        j = int(wrong[0])
        raise ValueError(
            f"{what} is damaged: member {j} has the label {highest[j]}, but "
            f"{sizes[j]} clusters."
        )
    if (lowest := int(labels.min())) < -1:
        raise ValueError(
            f"{what} is damaged: it has the label {lowest}. The lowest is -1, which "
            "means not assigned."
        )


def check_claim(
    shape: Sequence[int], itemsize: int, n_present: int | None, what: str
) -> int:
    """Return how many bytes an array of this shape takes, before it is made.

    Raises a ValueError if a file claims more bytes than it holds, and a
    MemoryLimitError if they would not fit.

    Parameters
    ----------
    shape : sequence of int
    itemsize : int
        Bytes of a value.
    n_present : int or None
        Bytes that are there; None if they are compressed.
    what : str
        The array, for the sentence.

    Examples
    --------
    >>> from coterie._structure import check_claim
    >>> check_claim((10, 3), 8, 240, "labels.npy")
    240
    >>> check_claim((10**6, 10**6), 8, 240, "labels.npy")
    Traceback (most recent call last):
        ...
    ValueError: labels.npy is damaged: it claims 8000.0 GB, but holds 240 bytes.
    """
    n_bytes = math.prod(int(n) for n in shape) * itemsize  # Python's int: no overflow
    if min(shape, default=0) < 0:
        raise ValueError(f"{what} is damaged: it claims the shape {tuple(shape)}.")
    if n_present is not None and n_bytes > n_present:
        raise ValueError(
            f"{what} is damaged: it claims {format_bytes(n_bytes)}, but holds "
            f"{format_bytes(n_present)}."
        )
    advice = "Read fewer arrays or columns, save it by blocks, or raise memory_limit."
    check_memory(n_bytes, what, None, advice)
    return n_bytes


def sparse_from_parts(arrays: Mapping[str, Any], what: str) -> Any:
    """Return a CSR matrix of the arrays that ``scipy.sparse.save_npz`` writes.

    Parameters
    ----------
    arrays : mapping of str to array
        ``data``, ``shape``, and ``indices`` and ``indptr``, or ``row`` and ``col``;
        perhaps ``format``, which is CSR if it is not there.
    what : str
        The beginning of the sentence.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._structure import sparse_from_parts
    >>> parts = {"data": [5.0], "indices": [1], "indptr": [0, 1], "shape": [1, 2]}
    >>> parts = {name: np.array(part) for name, part in parts.items()}
    >>> sparse_from_parts(parts, "The file").toarray()
    array([[0., 5.]])
    """
    import scipy.sparse as sp

    kind = str(np.asarray(arrays.get("format", b"csr")).astype("U"))
    places = ("row", "col") if kind == "coo" else ("indices", "indptr")
    makers = {
        "csr": sp.csr_array,
        "csc": sp.csc_array,
        "bsr": sp.bsr_array,
        "coo": sp.coo_array,
    }
    if kind not in makers or not {"data", "shape", *places} <= set(arrays):
        raise ValueError(
            f"{what} is no sparse matrix of SciPy in one of the formats "
            f"{', '.join(makers)}. Save it with scipy.sparse.save_npz."
        )
    data, shape = np.asarray(arrays["data"]), np.asarray(arrays["shape"])
    ends = [np.asarray(arrays[name]) for name in places]
    sound = shape.shape == (2,) and shape.dtype.kind in "iu" and bool((shape > 0).all())
    if not sound or any(end.ndim != 1 or end.dtype.kind not in "iu" for end in ends):
        raise ValueError(
            f"{what} is broken: its shape and indices must be whole numbers, got the "
            f"shape {shape.tolist()}."
        )
    if data.dtype.kind not in "biuf":
        raise ValueError(f"{what} must hold numbers, got values of {data.dtype}.")
    parts = (data, tuple(ends)) if kind == "coo" else (data, *ends)
    try:
        matrix = makers[kind](parts, shape=tuple(int(n) for n in shape))
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise ValueError(f"{what} is broken: {error}. {_REBUILD}") from None
    check_sparse(matrix, what)
    return matrix.tocsr()


def _extremes(indices: np.ndarray) -> tuple[int, int]:
    """Return the lowest and the highest index, in one pass if all are fine."""
    if not indices.size:
        return 0, -1
    if indices.dtype.kind not in "iu":
        raise ValueError(f"Indices must be whole numbers, got {indices.dtype}.")
    unsigned = indices.view(f"u{indices.dtype.itemsize}")
    high = int(unsigned.max())  # negative ones are the highest of all
    if high <= np.iinfo(indices.dtype).max:
        return 0, high
    return int(indices.min()), int(indices.max())
