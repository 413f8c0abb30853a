"""Samples that are read some rows at a time, from any source."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from coterie._engine import SentOnce, map_blocks
from coterie._hashing import digest
from coterie._magnitudes import (
    BadValue,
    first_bad_value,
    largest_magnitude,
    reject_bad_value,
    reject_tiny_magnitude,
)
from coterie._memory import check_memory
from coterie._typing import LABEL_DTYPE
from coterie._validation import check_data, reject_text, require

_BLOCK_BYTES = 32 * 2**20  # of samples at a time, unless the user gives block_rows
_LEAST, _MOST = 4096, 2**18  # rows


class Rows:
    """Samples in blocks of rows, in memory or read on demand.

    ``bounds`` holds the starts of the blocks and the end of the last; blocks are read
    as ``dtype``, float32 or float64.
    """

    def __init__(
        self, shape: tuple[int, int], bounds: Sequence[int] | np.ndarray, dtype: Any
    ) -> None:
        self.shape = (int(shape[0]), int(shape[1]))
        self.bounds = np.asarray(bounds, dtype=np.int64)
        self.dtype = np.dtype(dtype)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return self.bounds.size - 1

    def read(self, block: int) -> np.ndarray:
        """Return the samples of a block, in C order."""
        start, stop = self.bounds[block : block + 2]
        return np.ascontiguousarray(self._slice(block, start, stop), dtype=self.dtype)

    def remote(self, client: Any) -> Sequence[Any] | None:
        """Return the blocks as futures of a Dask client; None if workers can read."""
        return None

    def _slice(self, block: int, start: int, stop: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must implement _slice.")


class _ArrayRows(SentOnce, Rows):
    """An array in memory, possibly memory-mapped."""

    def __init__(self, array: Any, block_rows: int | None) -> None:
        dtype = _working_dtype(array.dtype)
        super().__init__(array.shape, _even(array.shape, dtype, block_rows), dtype)
        self._array = array

    def _slice(self, block: int, start: int, stop: int) -> Any:
        return self._array[start:stop]

    def _send(self, client: Any) -> Sequence[Any]:
        parts = [self.read(b) for b in range(self.n_blocks)]
        return client.scatter(parts, hash=False)


class _NpyRows(Rows):
    """An NPY file, memory-mapped by each process that reads it."""

    def __init__(self, path: Path, block_rows: int | None) -> None:
        self.path = path
        self._array: Any = None
        array = self._mapped()
        _check_table(array, path)
        dtype = _working_dtype(array.dtype)
        super().__init__(array.shape, _even(array.shape, dtype, block_rows), dtype)

    def _mapped(self) -> np.ndarray:
        if self._array is None:
            try:
                self._array = np.load(self.path, mmap_mode="r", allow_pickle=False)
            except (ValueError, EOFError) as error:
                raise ValueError(
                    f"{self.path} cannot be mapped as an NPY file ({error}). Is it "
                    "damaged, or in another format?"
                ) from error
        return self._array

    def _slice(self, block: int, start: int, stop: int) -> Any:
        return self._mapped()[start:stop]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_array": None}


class _ParquetRows(Rows):
    """A Parquet file, or a folder of them; a block consists of row groups."""

    def __init__(
        self, path: Path, block_rows: int | None, columns: Sequence[int] | None
    ) -> None:
        parquet = require("pyarrow.parquet")
        files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        schema = parquet.read_schema(files[0])
        names = list(schema.names)
        wanted = range(len(names)) if columns is None else columns
        fields = [schema.field(j) for j in wanted]
        self.names = [f.name for f in fields]
        text = [f.name for f in fields if not _is_number(f.type)]
        if text:
            raise ValueError(
                f"{path} has non-numeric columns: {', '.join(text[:5])}. Leave them "
                "out, or encode them as numbers."
            )
        groups = []  # (file, group, rows)
        for file in files:
            meta = parquet.ParquetFile(file).metadata
            if parquet.read_schema(file).names != names:
                raise ValueError(f"{file} and {files[0]} have different columns.")
            sizes = [meta.row_group(g).num_rows for g in range(meta.num_row_groups)]
            groups += [(str(file), g, n) for g, n in enumerate(sizes) if n > 0]
        if not groups or not self.names:
            raise ValueError(f"{path} holds no rows, or no columns.")
        shape = (sum(rows for _, _, rows in groups), len(self.names))
        kinds = [np.dtype(f.type.to_pandas_dtype()) for f in fields]
        dtype = _working_dtype(np.result_type(*kinds))
        want = block_rows or _rows_of(shape, dtype)
        bounds, self._parts = _joined(groups, want)
        longest = max(rows for _, _, rows in groups)
        _check_size(path, shape[0], longest, shape[1] * dtype.itemsize)
        super().__init__(shape, bounds, dtype)

    def _slice(self, block: int, start: int, stop: int) -> Any:
        parquet = require("pyarrow.parquet")
        out = np.empty((stop - start, self.shape[1]), dtype=self.dtype)
        at = 0
        for file, group, n_rows in self._parts[block]:
            table = parquet.ParquetFile(file).read_row_group(group, columns=self.names)
            for j, name in enumerate(self.names):
                out[at : at + n_rows, j] = table.column(name).to_numpy()
            at += n_rows
        return out


class _ZarrRows(Rows):
    """A Zarr array on disk; a block consists of chunks."""

    def __init__(self, path: Path, block_rows: int | None) -> None:
        self.path = path
        array = self._opened()
        _check_table(array, path)
        dtype = _working_dtype(array.dtype)
        want = block_rows or _rows_of(array.shape, dtype)
        step = max(1, want // array.chunks[0]) * array.chunks[0]
        n_across = -(-array.shape[1] // array.chunks[1])  # chunks are unpacked whole
        row_bytes = n_across * array.chunks[1] * array.dtype.itemsize
        _check_size(path, array.shape[0], array.chunks[0], row_bytes)
        super().__init__(array.shape, _steps(array.shape[0], step), dtype)

    def _opened(self) -> Any:
        zarr: Any = require("zarr")
        try:
            return zarr.open_array(str(self.path), mode="r")
        except Exception as error:  # its type depends on the version of the library
            raise ValueError(
                f"{self.path} cannot be opened as a Zarr array ({error}). Pass the "
                "folder of the array itself."
            ) from error

    def _slice(self, block: int, start: int, stop: int) -> Any:
        try:
            return self._opened()[start:stop]
        except Exception as error:  # as above
            raise ValueError(
                f"Rows {start} to {stop - 1} of {self.path} cannot be read ({error}). "
                "Is the file damaged?"
            ) from error


class _DaskRows(SentOnce, Rows):
    """A Dask array; its own chunks are the blocks."""

    def __init__(self, array: Any) -> None:
        if array.ndim != 2 or np.isnan(array.shape).any():
            raise ValueError(
                "A Dask array of known shape (n_samples, n_features) is expected, got "
                f"{array.shape}. Use array.compute_chunk_sizes()."
            )
        if array.numblocks[1] > 1:
            array = array.rechunk({1: -1})
        bounds = np.concatenate([[0], np.cumsum(array.chunks[0])])
        super().__init__(array.shape, bounds, _working_dtype(array.dtype))
        self._array = array.astype(self.dtype)

    def _slice(self, block: int, start: int, stop: int) -> Any:
        return self._array.blocks[block].compute(scheduler="synchronous")

    def _send(self, client: Any) -> Sequence[Any]:
        return client.compute(self._array.to_delayed().ravel().tolist())


class _View(Rows):
    """Rows that are transformed as they are read."""

    def __init__(self, rows: Rows, n_columns: int) -> None:
        bounds = rows.bounds.tolist()
        super().__init__((rows.shape[0], n_columns), bounds, rows.dtype)
        self.rows = rows

    def view(self, X: np.ndarray) -> np.ndarray:
        """Transform samples of the underlying rows."""
        raise NotImplementedError(f"{type(self).__name__} must implement view.")

    def _slice(self, block: int, start: int, stop: int) -> Any:
        return self.view(self.rows.read(block))


class SelectedRows(_View):
    """Some columns of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import SelectedRows, open_rows
    >>> rows = open_rows(np.arange(6.0).reshape(2, 3), "me")
    >>> SelectedRows(rows, [2, 0]).read(0)
    array([[2., 0.],
           [5., 3.]])
    """

    def __init__(self, rows: Rows, columns: Sequence[int]) -> None:
        super().__init__(rows, len(columns))
        self.columns = np.asarray(columns, dtype=np.intp)

    def view(self, X: np.ndarray) -> np.ndarray:
        """Return the columns of some samples."""
        return X[:, self.columns]


class ScaledRows(_View):
    """Rows with columns of mean 0 and standard deviation 1, learned in one pass.

    A constant column has scale 1, as in scikit-learn's StandardScaler.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import ScaledRows, open_rows
    >>> rows = ScaledRows(open_rows(np.array([[1.0, 5.0], [3.0, 5.0]]), "me"))
    >>> rows.read(0)
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    def __init__(
        self, rows: Rows, who: str = "ScaledRows", *, n_jobs: int | None = None
    ) -> None:
        super().__init__(rows, rows.shape[1])
        n, mean, spread = 0, np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
        parts = map_blocks(_moments, rows, n_jobs=n_jobs)
        for (n_more, other, own, bad), start in zip(
            parts, rows.bounds[:-1], strict=True
        ):
            if bad is not None:
                reject_bad_value(bad, int(start), who)
            # Chan, Golub, LeVeque 1979: means and squared deviations of two parts
            apart = other - mean
            spread += own + apart**2 * (n * n_more / (n + n_more))
            n += n_more
            mean = mean + apart * (n_more / n)
        variance = spread / n
        noise = n * np.finfo(np.float64).eps
        constant = variance <= noise * variance + (noise * mean) ** 2
        self.mean = mean
        self.scale = np.sqrt(np.where(constant, 1.0, variance))

    def view(self, X: np.ndarray) -> np.ndarray:
        """Return the scaled samples."""
        return (X - self.mean) / self.scale


def _moments(X: np.ndarray) -> tuple[int, np.ndarray, np.ndarray, BadValue | None]:
    """Return size, means and squared deviations of a block, and its first bad value."""
    mean = X.mean(axis=0, dtype=np.float64)
    return len(X), mean, ((X - mean) ** 2).sum(axis=0), first_bad_value(X)


def open_rows(
    X: Any,
    who: str,
    block_rows: int | None = None,
    *,
    columns: Sequence[int] | None = None,
) -> Rows:
    """Return samples as rows that are read in blocks.

    Parameters
    ----------
    X : path, Dask array, array or frame
        The path of an NPY or Parquet file, of a folder of Parquet files, or of a Zarr
        array.
    who : str
        The caller, for error messages.
    block_rows : int or None, default=None
        Approximate number of rows per block; None takes about 32 MB.
    columns : sequence of int or None, default=None
        The columns to read; None = all. The others may be text.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import open_rows
    >>> rows = open_rows(np.arange(20.0).reshape(10, 2), "me", block_rows=4)
    >>> rows.read(rows.n_blocks - 1)[-1]
    array([18., 19.])
    """
    if isinstance(X, str | Path) and _is_parquet(Path(X)):
        return _ParquetRows(Path(X), block_rows, columns)
    rows = _opened(X, who, block_rows)
    return rows if columns is None else SelectedRows(rows, columns)


def _opened(X: Any, who: str, block_rows: int | None) -> Rows:
    if isinstance(X, Rows):
        return X
    if isinstance(X, str | Path):
        return _open_path(Path(X), who, block_rows)
    if hasattr(X, "to_delayed") and hasattr(X, "numblocks"):
        return _DaskRows(X)
    if isinstance(X, np.memmap):
        _check_table(X, f"{who}: the array")
        return _ArrayRows(X, block_rows)
    reject_text(X, who)
    return _ArrayRows(check_data(X, who, accept_sparse=False), block_rows)


def _is_parquet(path: Path) -> bool:
    if not path.is_dir():
        return path.exists() and path.suffix in (".parquet", ".pq")
    return not _is_zarr(path) and any(path.rglob("*.parquet"))


def _is_zarr(path: Path) -> bool:
    marks = (".zarray", "zarr.json")
    return path.suffix == ".zarr" or any((path / mark).exists() for mark in marks)


def _open_path(path: Path, who: str, block_rows: int | None) -> Rows:
    if not path.exists():
        raise FileNotFoundError(f"{who}: there is no file or folder {path}.")
    if path.suffix == ".npy":
        return _NpyRows(path, block_rows)
    if path.is_dir() and _is_zarr(path):
        return _ZarrRows(path, block_rows)
    raise ValueError(
        f"{who} reads NPY and Parquet files, folders of Parquet files and Zarr arrays "
        f"in blocks, got {path}. Load other files completely and pass the array."
    )


def survey(rows: Rows, who: str, *, n_jobs: int | None = None) -> str:
    """Read all samples once: raise for values out of range; return a hash."""
    parts, largest = [], 0.0
    looks = map_blocks(_look, rows, n_jobs=n_jobs)
    for (part, most, bad), start in zip(looks, rows.bounds[:-1], strict=True):
        if bad is not None:
            reject_bad_value(bad, int(start), who)
        parts.append(part)
        largest = max(largest, most)
    reject_tiny_magnitude(largest, who)
    return digest(*parts)


def _look(X: np.ndarray) -> tuple[str, float, BadValue | None]:
    bad = first_bad_value(X)
    return ("", 0.0, bad) if bad else (digest(X), largest_magnitude(X), None)


def take_rows(
    rows: Rows, indices: np.ndarray, *, n_jobs: int | None = None
) -> np.ndarray:
    """Return the samples of some ascending indices, (len(indices), d).

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import open_rows, take_rows
    >>> rows = open_rows(np.arange(20.0).reshape(10, 2), "me", block_rows=4)
    >>> take_rows(rows, np.array([0, 9]))
    array([[ 0.,  1.],
           [18., 19.]])
    """
    if isinstance(rows, _View):
        found = rows.view(take_rows(rows.rows, indices, n_jobs=n_jobs))
        return np.ascontiguousarray(found, dtype=rows.dtype)
    at = np.searchsorted(indices, rows.bounds)
    wanted = np.flatnonzero(np.diff(at)).tolist()
    out = np.empty((len(indices), rows.shape[1]), dtype=rows.dtype)
    if isinstance(rows, _ArrayRows | _NpyRows):  # without reading whole blocks
        for b in wanted:
            local = indices[at[b] : at[b + 1]] - rows.bounds[b]
            start, stop = rows.bounds[b : b + 2]
            out[at[b] : at[b + 1]] = rows._slice(b, start, stop)[local]
        return out
    local = {b: indices[at[b] : at[b + 1]] - rows.bounds[b] for b in wanted}
    parts = map_blocks(
        partial(_pick, local), rows, numbered=True, numbers=list(local), n_jobs=n_jobs
    )
    for b, part in zip(local, parts, strict=True):
        out[at[b] : at[b + 1]] = part
    return out


def _pick(local: dict[int, np.ndarray], number: int, X: np.ndarray) -> np.ndarray:
    return X[local[number]]


def _working_dtype(dtype: Any) -> np.dtype:
    """Return the float dtype for computing with numbers of this dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "fiub":
        raise ValueError(f"Numbers are expected, got values of type {dtype}.")
    small = dtype.itemsize <= (4 if dtype.kind == "f" else 2)
    return np.dtype(np.float32 if small else np.float64)


def _is_number(kind: Any) -> bool:
    import pyarrow

    types = pyarrow.types
    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)


def _check_table(array: Any, what: Any) -> None:
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{what} has shape {tuple(array.shape)}, but (n_samples, n_features) is "
            "expected, with at least one of each."
        )


def _check_size(what: Any, n_rows: int, part_rows: int, row_bytes: int) -> None:
    """Raise if a file claims more rows, or longer parts, than fit in memory."""
    labels = f"One label for each of the {n_rows:,} rows of {what}"
    check_memory(n_rows * LABEL_DTYPE().itemsize, labels, None, "Is it damaged?")
    part = f"A part of {what}, {part_rows:,} rows,"
    advice = "Save it in smaller chunks or row groups, or raise memory_limit."
    check_memory(part_rows * row_bytes, part, None, advice)


def _rows_of(shape: Sequence[int], dtype: np.dtype) -> int:
    rows = _BLOCK_BYTES // (shape[1] * dtype.itemsize)
    return int(np.clip(rows, _LEAST, _MOST))


def _even(shape: Sequence[int], dtype: np.dtype, block_rows: int | None) -> list[int]:
    return _steps(shape[0], block_rows or _rows_of(shape, dtype))


def _steps(n_rows: int, step: int) -> list[int]:
    return [*range(0, n_rows, step), n_rows]


def _joined(
    groups: list[tuple[str, int, int]], want: int
) -> tuple[list[int], list[list[tuple[str, int, int]]]]:
    """Join row groups into blocks of about the wanted number of rows."""
    bounds, parts = [0], []
    for group in groups:
        if not parts or bounds[-1] - bounds[-2] + group[2] > want:
            parts.append([])
            bounds.append(bounds[-1])
        parts[-1].append(group)
        bounds[-1] += group[2]
    return bounds, parts
