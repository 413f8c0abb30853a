"""Data or labels from a file, with index and known classes set apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie._archives import open_arrays
from coterie._memory import check_memory
from coterie._structure import sparse_from_parts
from coterie._tables import is_table
from coterie._validation import require
from coterie.cli._columns import (
    TAKES_TABLES,
    Columns,
    Table,
    assign_roles,
    make_table,
    not_numbers,
    numbered,
    some,
    unique_names,
)
from coterie.cli._delimited import read_delimited
from coterie.cli._files import check_input
from coterie.cli._ids import find_ids, said_of_ids
from coterie.cli._layout import Layout
from coterie.cli._source import source_of

_DATA_KEYS = ("X", "data", "x", "features")
_LABEL_KEYS = ("labels", "members", "label")
_SPARSE_KEYS = (
    frozenset({"data", "indices", "indptr", "shape"}),
    frozenset({"data", "row", "col", "shape"}),
)
_ENSEMBLE_KEYS = frozenset({"header", "labels", "offsets"})
_PANDAS_INDEX = "__index_level_0__"
_HEAD_ROWS = 1000  # shown to those who look for ids
_CELL_BYTES = 8  # of a number, unpacked


def read_data(
    path: Path,
    columns: Columns,
    by_blocks: bool = False,
    as_table: bool = False,
    with_gaps: bool = False,
) -> Table:
    """Return the data of a file.

    ``by_blocks`` reads rows only when needed. ``as_table`` accepts empty cells and
    columns of text, which make the values a frame; ``with_gaps`` only the former.
    """
    if by_blocks:
        return _read_blocks(path, columns)
    table, layout = _read(path, columns, for_labels=False, as_table=as_table)
    if not is_table(table.values):
        _check_finite(table, layout, as_table or with_gaps)
    return table


def read_labels(path: Path, columns: Columns) -> Table:
    """Return a table of labels; Ensemble.save may have written the file."""
    return _read(path, columns, for_labels=True)[0]


def _read(
    path: Path, columns: Columns, for_labels: bool, as_table: bool = False
) -> tuple[Table, Layout | None]:
    kind = check_input(path)
    columns.check()
    _reject_unused(path, columns, kind)
    layout = None
    if kind == "mat":
        table = _read_matlab(path, columns, for_labels)
    elif kind in ("npy", "npz"):
        table = _read_arrays(path, columns, for_labels)
    elif kind in ("parquet", "feather"):
        table = _read_parquet(path, columns, for_labels, as_table)
    else:
        if kind == "xlsx":
            from coterie.cli._workbook import sheet_of

            kind, source = "csv", sheet_of(path, columns.sheet)
        else:
            source = source_of(path, columns.encoding)
        table, layout = read_delimited(source, kind, columns, for_labels, as_table)
    return table, layout


def _reject_unused(path: Path, columns: Columns, kind: str) -> None:
    """Raise for options that mean nothing in a format."""
    if columns.variable is not None and kind not in ("npz", "mat"):
        raise ValueError(
            f"--variable {columns.variable}: {path} holds one table. The option is for "
            ".npz and .mat files."
        )
    if columns.sheet is not None and kind != "xlsx":
        raise ValueError(
            f"--sheet {columns.sheet}: {path} has no sheets. The option is for Excel "
            "files."
        )
    if columns.text and kind in ("npy", "npz", "mat", "rows"):
        raise ValueError(
            f"--text {columns.text[0]}: {path} is read as numbers only. Save it as CSV "
            "or Parquet, or leave the column out with --drop."
        )


def _check_finite(table: Table, layout: Layout | None, with_gaps: bool) -> None:
    """Raise if cells are empty or infinite, saying how many and where.

    Empty cells are fine in an array ``with_gaps``.
    """
    X = table.values
    flat = X.data if hasattr(X, "indptr") else X
    if np.isfinite(flat).all():
        return
    for test, what in ((np.isnan, "empty"), (np.isinf, "infinite")):
        bad = test(flat)
        n = int(bad.sum())
        fine = with_gaps and flat is X and what == "empty"
        if n == 0 or fine:
            continue
        cells = f"{n:,} {what} cell{'s' if n > 1 else ''}"
        if flat is not X:
            raise ValueError(f"{table.path} has {cells}. Impute them or drop them.")
        row, column = np.argwhere(bad)[0]
        remedy = "Fill them with --impute median. " if what == "empty" else ""
        line = "" if layout is None else f" (line {layout.line_of(int(row))})"
        raise ValueError(
            f"{table.path} has {cells}; the first is in row {row + 1} of the data"
            f"{line}, column {table.names[column]!r}. {remedy}Remove those rows, or "
            "leave out those columns with --drop."
            + (f" {TAKES_TABLES}" if what == "empty" else "")
        )


def _read_arrays(path: Path, columns: Columns, for_labels: bool) -> Table:
    """Return a table from an NPY or NPZ file; other arrays of it are not read."""
    with open_arrays(path, str(path)) as file:
        there = file.claims
        if "" in there:
            return _from_matrix(path, file.read(""), {}, columns, for_labels)
        if not there:
            raise ValueError(f"{path} holds no arrays.")
        if for_labels and there.keys() >= _ENSEMBLE_KEYS:
            return _from_ensemble(path, columns)
        arrays: dict[str, Any] = dict.fromkeys(there, np.empty(0))  # names, for errors
        if columns.truth in there:
            arrays[columns.truth] = file.read(columns.truth)
        if not for_labels and any(there.keys() >= keys for keys in _SPARSE_KEYS):
            names = {"format"}.union(*_SPARSE_KEYS) & set(there)
            parts = {name: file.read(name) for name in names}
            matrix = sparse_from_parts(parts, str(path)).astype(np.float64)
            return _from_matrix(path, matrix, arrays, columns, for_labels)
        keys = _LABEL_KEYS if for_labels else _DATA_KEYS
        keys = keys if columns.variable is None else (columns.variable,)
        found = [key for key in keys if key in there]
        tables = [key for key, claim in there.items() if len(claim.shape) == 2]
        if not found and (len(tables) != 1 or columns.variable is not None):
            raise ValueError(
                f"{path} holds the arrays {some(list(there))}, and none is named "
                f"{' or '.join(keys[:2])}. Choose one with --variable."
            )
        matrix = file.read((found or tables)[0])
    return _from_matrix(path, matrix, arrays, columns, for_labels)


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
    roles = assign_roles(names, (), columns, path)
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
    names, ids = _parquet_names(frame.slice(0, _HEAD_ROWS), for_labels)
    roles = assign_roles(names, ids, columns, path)
    if for_labels:
        import pandas

        parts = {names[j]: _cells(frame.column(j)) for j in roles.values}
        values: Any = pandas.DataFrame(parts)
    else:
        is_number = [_is_numeric(kind) for kind in frame.schema.types]
        words = [j for j in roles.values if not is_number[j] or j in roles.texts]
        if words and as_table:
            chosen = frame.select(roles.values).to_pandas()
            values = chosen.set_axis([names[j] for j in roles.values], axis=1)
            for j in roles.texts:
                values[names[j]] = _cells(frame.column(j).cast("string"))
        elif words:
            cells = frame.column(words[0]).drop_null().to_pylist()
            example = repr(str((cells or [""])[0]))
            raise not_numbers(path, [names[j] for j in words], example)
        else:
            parts = [frame.column(j).cast("float64", safe=False) for j in roles.values]
            values = np.column_stack([part.to_numpy() for part in parts])
    return make_table(
        path,
        names,
        roles,
        values,
        lambda j: _cells(frame.column(j)),
        has_header=True,
        guesses=said_of_ids(names, True, roles.ids, columns),
    )


def _read_blocks(path: Path, columns: Columns) -> Table:
    """Return a table of values read by blocks; index and truth are read at once."""
    from coterie._large import open_rows

    columns.check()
    _reject_unused(path, columns, "rows")
    who = "coterie cluster"
    if path.suffix == ".npy" or not _parquet_files(path):
        names = numbered(open_rows(path, who).shape[1])
        roles = assign_roles(names, (), columns, path)
        values = open_rows(path, who, columns=roles.values)

        def column(j: int) -> np.ndarray:
            one = open_rows(path, who, columns=[j])
            return np.concatenate([one.read(b)[:, 0] for b in range(one.n_blocks)])

        return make_table(path, names, roles, values, column)
    file = require("pyarrow.parquet").ParquetFile(_parquet_files(path)[0])
    with file:
        names, ids = _parquet_names(next(file.iter_batches(_HEAD_ROWS)), False)
        stored = file.schema_arrow.names
    roles = assign_roles(names, ids, columns, path)
    return make_table(
        path,
        names,
        roles,
        open_rows(path, who, columns=roles.values),
        lambda j: _cells(_parquet(path, stored[j]).column(0)),
        has_header=True,
        guesses=said_of_ids(names, True, roles.ids, columns),
    )


def _parquet_files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.parquet")) if path.is_dir() else [path]


def _parquet(path: Path, column: str | None) -> Any:
    """Return all columns of Parquet or Feather files, or one, as a pyarrow table."""
    arrow = require("pyarrow")
    is_feather = path.suffix == ".feather"
    kind, read = (
        ("Feather", _unpacked_feather) if is_feather else ("Parquet", _unpacked)
    )
    only = None if column is None else [column]
    try:
        return read(path, only)
    except (arrow.ArrowInvalid, OSError) as error:
        raise ValueError(
            f"{path} cannot be read as {kind}: {str(error).splitlines()[0]}"
        ) from None


def _unpacked(path: Path, only: list[str] | None) -> Any:
    """Return the table of Parquet files, if it fits in memory.

    A column that repeats one value takes next to nothing in a file.
    """
    parquet = require("pyarrow.parquet")
    files, n_bytes = _parquet_files(path), 0
    for file in files:
        about = parquet.read_metadata(file)
        n_columns = about.num_columns if only is None else len(only)
        n_bytes += _CELL_BYTES * about.num_rows * n_columns
    _check_table_bytes(path, n_bytes)
    parts = [parquet.read_table(file, columns=only) for file in files]
    return require("pyarrow").concat_tables(parts)


def _unpacked_feather(path: Path, only: list[str] | None) -> Any:
    """Return the table of a Feather file, whose size shows as it is unpacked."""
    batches, n_bytes = [], 0
    with require("pyarrow.ipc").open_file(path) as file:
        for number in range(file.num_record_batches):
            batch = file.get_batch(number)
            n_bytes += batch.nbytes
            _check_table_bytes(path, n_bytes)
            batches.append(batch)
        table = require("pyarrow").Table.from_batches(batches, file.schema)
    return table if only is None else table.select(only)


def _check_table_bytes(path: Path, n_bytes: int) -> None:
    advice = "Keep fewer columns or rows, or raise memory_limit."
    check_memory(n_bytes, f"The table of {path}", None, advice)


def _parquet_names(head: Any, for_labels: bool) -> tuple[list[str], list[int]]:
    """Return the names of the columns, and which of them look like ids.

    ``head`` is a table or a batch of the first rows.
    """
    stored = head.schema.names
    if _PANDAS_INDEX in stored:
        names = ["" if name == _PANDAS_INDEX else name for name in stored]
        return names, [stored.index(_PANDAS_INDEX)]
    names, _ = unique_names(stored)
    return names, find_ids(names, [_id_cells(c) for c in head.columns], for_labels)


def _id_cells(column: Any) -> list[str]:
    """Return the cells of a column that may hold ids as text, none of another."""
    from pyarrow import types

    kinds = (types.is_integer, types.is_string, types.is_large_string)
    if not any(test(column.type) for test in kinds):
        return []
    return ["" if cell is None else str(cell) for cell in column.to_pylist()]


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
