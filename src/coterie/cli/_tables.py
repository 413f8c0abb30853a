"""Data or labels from a file, with index and known classes set apart."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie._tables import is_table
from coterie._validation import require
from coterie.cli._columns import (
    TAKES_TABLES,
    Columns,
    Table,
    assign_roles,
    make_table,
    named_index,
    not_numbers,
    numbered,
    some,
    unique_names,
)
from coterie.cli._delimited import Layout, read_delimited
from coterie.cli._files import check_input

_DATA_KEYS = ("X", "data", "x", "features")
_LABEL_KEYS = ("labels", "members", "label")
_SPARSE_KEYS = frozenset({"data", "indices", "indptr", "shape"})
_ENSEMBLE_KEYS = frozenset({"header", "labels", "offsets"})
_PANDAS_INDEX = "__index_level_0__"


def read_data(
    path: Path, columns: Columns, by_blocks: bool = False, as_table: bool = False
) -> Table:
    """Return the data of a file.

    ``by_blocks`` reads rows only when needed. ``as_table`` accepts empty cells and
    columns of text, which make the values a frame.
    """
    if by_blocks:
        return _read_blocks(path, columns)
    return _read(path, columns, for_labels=False, as_table=as_table)


def read_labels(path: Path, columns: Columns) -> Table:
    """Return a table of labels; Ensemble.save may have written the file."""
    return _read(path, columns, for_labels=True)


def standardized(X: Any) -> Any:
    """Return data with columns of mean 0 (unless sparse) and standard deviation 1."""
    if hasattr(X, "bounds"):
        from coterie._large import ScaledRows

        return ScaledRows(X, "coterie cluster")
    if is_table(X):  # its encoding is standardized
        return X
    from sklearn.preprocessing import StandardScaler

    return StandardScaler(with_mean=not hasattr(X, "indptr")).fit_transform(X)


def _read(
    path: Path, columns: Columns, for_labels: bool, as_table: bool = False
) -> Table:
    kind = check_input(path)
    _reject_variable(path, columns, kind)
    layout = None
    if kind == "mat":
        table = _read_matlab(path, columns, for_labels)
    elif kind in ("npy", "npz"):
        table = _read_arrays(path, columns, for_labels)
    elif kind == "parquet":
        table = _read_parquet(path, columns, for_labels, as_table)
    else:
        table, layout = read_delimited(path, kind, columns, for_labels, as_table)
    if not for_labels and not is_table(table.values):
        _check_finite(table, layout, as_table)
    return table


def _reject_variable(path: Path, columns: Columns, kind: str) -> None:
    if columns.variable is not None and kind not in ("npz", "mat"):
        raise ValueError(
            f"--variable {columns.variable}: {path} holds one table. The option is for "
            ".npz and .mat files."
        )


def _check_finite(table: Table, layout: Layout | None, as_table: bool) -> None:
    """Raise if cells are empty or infinite, saying how many and where.

    Empty cells are fine in an array that is taken ``as_table``.
    """
    X = table.values
    flat = X.data if hasattr(X, "indptr") else X
    if np.isfinite(flat).all():
        return
    for test, what in ((np.isnan, "empty"), (np.isinf, "infinite")):
        bad = test(flat)
        n = int(bad.sum())
        fine = as_table and flat is X and what == "empty"
        if n == 0 or fine:
            continue
        cells = f"{n:,} {what} cell{'s' if n > 1 else ''}"
        if flat is not X:
            raise ValueError(f"{table.path} has {cells}. Impute them or drop them.")
        row, column = np.argwhere(bad)[0]
        line = "" if layout is None else f" (line {layout.line_of(int(row))})"
        raise ValueError(
            f"{table.path} has {cells}; the first is in row {row + 1} of the data"
            f"{line}, column {table.names[column]!r}. Impute them, remove those rows, "
            "or leave out those columns with --drop."
            + (f" {TAKES_TABLES}" if what == "empty" else "")
        )


def _read_arrays(path: Path, columns: Columns, for_labels: bool) -> Table:
    """Return a table from an NPY or NPZ file."""
    arrays = _load(path)
    if "" in arrays:
        return _from_matrix(path, arrays[""], {}, columns, for_labels)
    if for_labels and arrays.keys() >= _ENSEMBLE_KEYS:
        return _from_ensemble(path, columns)
    if not for_labels and arrays.keys() >= _SPARSE_KEYS:
        return _from_matrix(path, _sparse(path, arrays), arrays, columns, for_labels)
    keys = _LABEL_KEYS if for_labels else _DATA_KEYS
    keys = keys if columns.variable is None else (columns.variable,)
    found = [key for key in keys if key in arrays]
    tables = [key for key, array in arrays.items() if array.ndim == 2]
    if not found and (len(tables) != 1 or columns.variable is not None):
        raise ValueError(
            f"{path} holds the arrays {some(list(arrays))}, and none is named "
            f"{' or '.join(keys[:2])}. Choose one with --variable."
        )
    return _from_matrix(path, arrays[(found or tables)[0]], arrays, columns, for_labels)


def _load(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of an NPZ file, or that of an NPY file under an empty name."""
    try:
        with path.open("rb") as file:
            content = np.load(file, allow_pickle=False)
            if isinstance(content, np.ndarray):
                return {"": content}
            arrays = {name: content[name] for name in content.files}
    except (ValueError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        why = "it is damaged or has another format"
        if "Object arrays" in str(error):
            why = "it holds Python objects, which are not loaded for safety"
        raise ValueError(f"{path} cannot be read as NumPy arrays: {why}.") from None
    if not arrays:
        raise ValueError(f"{path} holds no arrays.")
    return arrays


def _sparse(path: Path, arrays: dict[str, np.ndarray]) -> Any:
    from scipy.sparse import csr_array

    try:
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        X = csr_array(parts, shape=tuple(arrays["shape"])).astype(np.float64)
        X.check_format(full_check=True)  # indices out of range crash the kernels
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} holds no valid sparse matrix: {error}.") from None
    return X


def _from_ensemble(path: Path, columns: Columns) -> Table:
    from coterie.ensemble import Ensemble

    if columns.truth is not None or columns.drop:
        option = "--truth" if columns.truth is not None else "--drop"
        raise ValueError(
            f"{path} is a saved ensemble, which has no named columns, so {option} does "
            "not apply."
        )
    ensemble = Ensemble.load(path)
    names = [m.name or f"member {j + 1}" for j, m in enumerate(ensemble.members)]
    return Table(path, ensemble, names)


def _read_matlab(path: Path, columns: Columns, for_labels: bool) -> Table:
    from coterie.datasets import _matlab

    there = _matlab.mat_variables(path)
    usual = _matlab.LABEL_NAMES if for_labels else _matlab.DATA_NAMES
    try:
        name = _matlab.find_matrix(there, columns.variable, usual, path)
    except ValueError as error:
        text = str(error).replace("Name it as the variable", "Choose with --variable")
        raise ValueError(text) from None
    more = [v for v in there if v == columns.truth != name]
    arrays = _matlab.read_mat(path, [name, *more])
    matrix = arrays.pop(name)
    if for_labels and not hasattr(matrix, "indptr"):
        matrix = _matlab.as_vector(matrix)
    vectors = {key: _matlab.as_vector(array) for key, array in arrays.items()}
    names = dict.fromkeys(there, np.empty(0))  # for errors
    return _from_matrix(path, matrix, names | vectors, columns, for_labels)


def _from_matrix(
    path: Path,
    matrix: Any,
    arrays: dict[str, np.ndarray],
    columns: Columns,
    for_labels: bool,
) -> Table:
    """Return a table from a matrix; ``arrays`` may hold the known classes by name."""
    if matrix.ndim == 1 and for_labels:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(
            f"{path}: an array of two dimensions (samples, columns) was expected, got "
            f"shape {tuple(matrix.shape)}."
        )
    truth, n = columns.truth, matrix.shape[0]
    known = None if truth is None else arrays.get(truth)
    if known is not None:
        columns = replace(columns, truth=None)
        if known.shape != (n,):
            raise ValueError(
                f"--truth {truth}: that array of {path} has shape {known.shape}, but "
                f"({n},) was expected."
            )
    elif truth is not None and arrays and not truth.lstrip("-").isdigit():
        raise ValueError(
            f"--truth {truth}: {path} has no such array. It holds {some(list(arrays))}."
        )
    names = numbered(matrix.shape[1])
    roles = assign_roles(names, None, columns, path)
    values = matrix if len(roles.values) == len(names) else matrix[:, roles.values]
    if not for_labels and values.dtype.kind not in "biuf":
        raise ValueError(
            f"{path}: an array of numbers was expected, got the type {values.dtype}."
        )

    def column(j: int) -> np.ndarray:
        one = matrix[:, [j]]
        return np.asarray(one.toarray() if hasattr(one, "toarray") else one)[:, 0]

    table = make_table(path, names, roles, values, column)
    return table if known is None else replace(table, truth=known, truth_name=truth)


def _read_parquet(
    path: Path, columns: Columns, for_labels: bool, as_table: bool
) -> Table:
    frame = _parquet(path, None)
    if frame.num_rows == 0 or frame.num_columns == 0:
        raise ValueError(f"{path} holds no rows.")
    names, found = _parquet_names(frame.column_names, path)
    roles = assign_roles(names, found, columns, path)
    if for_labels:
        import pandas

        parts = {names[j]: _cells(frame.column(j)) for j in roles.values}
        values: Any = pandas.DataFrame(parts)
    else:
        words = [j for j in roles.values if not _is_numeric(frame.column(j).type)]
        if words and as_table:
            chosen = frame.select(roles.values).to_pandas()
            values = chosen.set_axis([names[j] for j in roles.values], axis=1)
        elif words:
            cells = frame.column(words[0]).drop_null().to_pylist()
            example = repr(str((cells or [""])[0]))
            raise not_numbers(path, [names[j] for j in words], example)
        else:
            parts = [frame.column(j).cast("float64", safe=False) for j in roles.values]
            values = np.column_stack([part.to_numpy() for part in parts])
    return make_table(
        path, names, roles, values, lambda j: _cells(frame.column(j)), has_header=True
    )


def _read_blocks(path: Path, columns: Columns) -> Table:
    """Return a table of values read by blocks; index and truth are read at once."""
    from coterie._large import open_rows

    _reject_variable(path, columns, "rows")
    who = "coterie cluster"
    if path.suffix == ".npy" or not _parquet_files(path):
        names = numbered(open_rows(path, who).shape[1])
        roles = assign_roles(names, None, columns, path)
        values = open_rows(path, who, columns=roles.values)

        def column(j: int) -> np.ndarray:
            one = open_rows(path, who, columns=[j])
            return np.concatenate([one.read(b)[:, 0] for b in range(one.n_blocks)])

        return make_table(path, names, roles, values, column)
    parquet = require("pyarrow.parquet")
    stored = parquet.read_schema(_parquet_files(path)[0]).names
    names, found = _parquet_names(stored, path)
    roles = assign_roles(names, found, columns, path)
    return make_table(
        path,
        names,
        roles,
        open_rows(path, who, columns=roles.values),
        lambda j: _cells(_parquet(path, stored[j]).column(0)),
        has_header=True,
    )


def _parquet_files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.parquet")) if path.is_dir() else [path]


def _parquet(path: Path, column: str | None) -> Any:
    """Return all columns, or one, as a pyarrow table."""
    arrow = require("pyarrow")
    parquet = require("pyarrow.parquet")
    only = None if column is None else [column]
    files = _parquet_files(path)
    try:
        parts = [parquet.read_table(file, columns=only) for file in files]
    except (arrow.ArrowInvalid, OSError) as error:
        raise ValueError(
            f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}"
        ) from None
    return arrow.concat_tables(parts)


def _parquet_names(stored: list[str], path: Path) -> tuple[list[str], int | None]:
    """Return the names of the columns, and which one looks like an index."""
    if _PANDAS_INDEX in stored:
        names = ["" if name == _PANDAS_INDEX else name for name in stored]
        return names, stored.index(_PANDAS_INDEX)
    names = unique_names(stored, path)
    return names, named_index(names)


def _is_numeric(kind: Any) -> bool:
    from pyarrow import types

    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    return any(test(kind) for test in tests)


def _cells(column: Any) -> np.ndarray:
    """Return numbers unchanged, anything else as text; None = missing."""
    from pyarrow import types

    whole = types.is_integer(column.type) and not column.null_count
    if whole or types.is_floating(column.type):
        return column.to_numpy()
    cells = np.empty(len(column), dtype=object)
    cells[:] = [None if v is None else str(v) for v in column.to_pylist()]
    return cells
