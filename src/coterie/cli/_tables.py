"""From a file to data or labels, with index and truth set apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from coterie._validation import require
from coterie.cli._arrays import read_arrays, read_matlab
from coterie.cli._columns import (
    Columns,
    Table,
    assign_roles,
    make_table,
    named_index,
    not_numbers,
    numbered,
    unique_names,
)
from coterie.cli._delimited import Layout, read_delimited
from coterie.cli._files import check_input

_PANDAS_INDEX = "__index_level_0__"


def read_data(path: Path, columns: Columns, by_blocks: bool = False) -> Table:
    """Return a table of numbers; ``by_blocks``: Rows, read when they are needed."""
    return _read_blocks(path, columns) if by_blocks else _read(path, columns, False)


def read_labels(path: Path, columns: Columns) -> Table:
    """Return a table of labels; the file may be one that Ensemble.save wrote."""
    return _read(path, columns, for_labels=True)


def standardized(X: Any) -> Any:
    """Return the data with columns of mean 0 (unless sparse) and deviation 1."""
    if hasattr(X, "bounds"):
        from coterie._large import ScaledRows

        return ScaledRows(X, "coterie cluster")
    from sklearn.preprocessing import StandardScaler

    return StandardScaler(with_mean=not hasattr(X, "indptr")).fit_transform(X)


def _read(path: Path, columns: Columns, for_labels: bool) -> Table:
    kind = check_input(path)
    _reject_variable(path, columns, kind)
    layout = None
    if kind == "mat":
        table = read_matlab(path, columns, for_labels)
    elif kind in ("npy", "npz"):
        table = read_arrays(path, kind, columns, for_labels)
    elif kind == "parquet":
        table = _read_parquet(path, columns, for_labels)
    else:
        table, layout = read_delimited(path, kind, columns, for_labels)
    if not for_labels:
        _check_finite(table, layout)
    return table


def _reject_variable(path: Path, columns: Columns, kind: str) -> None:
    if columns.variable is not None and kind not in ("npz", "mat"):
        raise ValueError(
            f"--variable {columns.variable}: {path} holds one table. The option is for "
            ".npz and .mat files."
        )


def _check_finite(table: Table, layout: Layout | None) -> None:
    """Raise if data have empty or infinite cells, saying how many and where."""
    X = table.values
    flat = X.data if hasattr(X, "indptr") else X
    if np.isfinite(flat).all():
        return
    for test, what in ((np.isnan, "empty"), (np.isinf, "infinite")):
        bad = test(flat)
        n = int(bad.sum())
        if n == 0:
            continue
        cells = f"{n:,} {what} cell{'s' if n > 1 else ''}"
        if flat is not X:
            raise ValueError(f"{table.path} has {cells}. Fill in or leave out.")
        row, column = np.argwhere(bad)[0]
        line = "" if layout is None else f" (line {layout.line_of(int(row))})"
        raise ValueError(
            f"{table.path} has {cells}; the first is in row {row + 1} of the data"
            f"{line}, column {table.names[column]!r}. Fill them in (impute), or leave "
            "out those rows, or those columns with --drop."
        )


def _read_parquet(path: Path, columns: Columns, for_labels: bool) -> Table:
    frame = _parquet(path, None)
    if frame.num_rows == 0 or frame.num_columns == 0:
        raise ValueError(f"{path} holds no rows.")
    names, found = _parquet_names(frame.column_names, path)
    roles = assign_roles(names, found, columns, path)
    words = [j for j in roles.values if not _is_numeric(frame.column(j).type)]
    if words and not for_labels:
        cells = (v for v in frame.column(words[0]).to_pylist() if v is not None)
        example = repr(str(next(cells, "")))
        raise not_numbers(path, [names[j] for j in words], example)
    if for_labels:
        import pandas

        parts = {names[j]: _cells(frame.column(j)) for j in roles.values}
        values: Any = pandas.DataFrame(parts)
    else:
        values = np.column_stack([_floats(frame.column(j)) for j in roles.values])
    return make_table(
        path, names, roles, values, lambda j: _cells(frame.column(j)), has_header=True
    )


def _read_blocks(path: Path, columns: Columns) -> Table:
    """Return a table whose values are read by blocks; index and truth are read now."""
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
    """Return a table of pyarrow: all columns, or one."""
    arrow = require("pyarrow")
    parquet = require("pyarrow.parquet")
    only = None if column is None else [column]
    try:
        parts = [
            parquet.read_table(file, columns=only) for file in _parquet_files(path)
        ]
    except (arrow.ArrowInvalid, OSError) as error:
        raise ValueError(
            f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}"
        ) from None
    return arrow.concat_tables(parts)


def _parquet_names(stored: list[str], path: Path) -> tuple[list[str], int | None]:
    """Return the names of columns, and which of them looks like an index."""
    if _PANDAS_INDEX in stored:
        found = stored.index(_PANDAS_INDEX)
        names = ["" if j == found else name for j, name in enumerate(stored)]
        return names, found
    names = unique_names(stored, path)
    return names, named_index(names)


def _is_numeric(kind: Any) -> bool:
    from pyarrow import types

    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    return any(test(kind) for test in tests)


def _floats(column: Any) -> np.ndarray:
    import pyarrow

    return column.cast(pyarrow.float64(), safe=False).to_numpy()


def _cells(column: Any) -> np.ndarray:
    """Return numbers as they are, anything else as text; None = missing."""
    from pyarrow import types

    if types.is_floating(column.type):
        return column.to_numpy()
    if types.is_integer(column.type) and not column.null_count:
        return column.to_numpy()
    cells = np.empty(len(column), dtype=object)
    cells[:] = [None if v is None else str(v) for v in column.to_pylist()]
    return cells
