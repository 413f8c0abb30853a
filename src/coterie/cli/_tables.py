"""From a file to data or labels, with index and truth set apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.cli import _delimited
from coterie.cli._arrays import read_arrays, read_matlab
from coterie.cli._columns import Columns, Roles, Table, assign_roles, some
from coterie.cli._files import check_input

_PANDAS_INDEX = "__index_level_0__"


class LabelColumns:
    """Label columns of any type, as much of a frame as Ensemble looks at."""

    def __init__(self, names: Sequence[str], vectors: Sequence[np.ndarray]) -> None:
        self.columns = list(names)
        self._vectors = dict(zip(names, vectors, strict=True))
        self.shape = (len(vectors[0]), len(vectors))

    def __getitem__(self, name: str) -> np.ndarray:
        return self._vectors[name]

    def __len__(self) -> int:
        return self.shape[0]


def read_data(path: Path, columns: Columns) -> Table:
    """Return a table of finite numbers, or raise saying what is wrong with which."""
    return _read(path, columns, for_labels=False)


def read_labels(path: Path, columns: Columns) -> Table:
    """Return a table of labels; the file may be one that Ensemble.save wrote."""
    return _read(path, columns, for_labels=True)


def _read(path: Path, columns: Columns, for_labels: bool) -> Table:
    kind = check_input(path)
    if columns.variable is not None and kind not in ("npz", "mat"):
        raise ValueError(
            f"--variable {columns.variable}: {path} holds one table. The option is for "
            ".npz and .mat files."
        )
    if kind == "mat":
        table = read_matlab(path, columns, for_labels)
    elif kind in ("npy", "npz"):
        table = read_arrays(path, kind, columns, for_labels)
    elif kind == "parquet":
        table = _read_parquet(path, columns, for_labels)
    else:
        layout = _delimited.sniff(path, kind, columns.header, for_labels)
        roles = assign_roles(layout.names, layout.index, columns, path)
        vectors = _delimited.read_columns(
            path, layout, [*roles.values, *roles.apart], roles.apart
        )
        table = _table(path, layout.names, vectors, roles, for_labels)
        table = replace(table, has_header=layout.has_header)
    if not for_labels:
        _check_finite(table)
    return table


def _table(
    path: Path,
    names: Sequence[str],
    vectors: dict[int, np.ndarray],
    roles: Roles,
    for_labels: bool,
) -> Table:
    kept = [names[j] or "(no name)" for j in roles.values]
    values = [vectors[j] for j in roles.values]
    if for_labels:
        content: Any = LabelColumns(kept, values)
    else:
        _reject_words(kept, values, path)
        content = np.column_stack(values)
    index, truth = roles.index, roles.truth
    return Table(
        path,
        content,
        kept,
        index=None if index is None else vectors[index],
        index_name=None if index is None else names[index] or "index",
        truth=None if truth is None else vectors[truth],
        truth_name=None if truth is None else names[truth],
        dropped=[names[j] for j in roles.dropped],
    )


def _reject_words(names: Sequence[str], vectors: list[np.ndarray], path: Path) -> None:
    pairs = zip(names, vectors, strict=True)
    words = [name for name, vector in pairs if vector.dtype.kind == "O"]
    if not words:
        return
    which = "column" if len(words) == 1 else "columns"
    vector = vectors[list(names).index(words[0])]
    example = next(v for v in vector if v is not None and not _delimited.is_number(v))
    raise ValueError(
        f"{path}: the {which} {some(words)} {'holds' if len(words) == 1 else 'hold'} "
        f"something that is not a number ({example!r}). Leave out with --drop "
        f"{words[0]!r}, or name it as --truth or --index."
    )


def _check_finite(table: Table) -> None:
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
        raise ValueError(
            f"{table.path} has {cells}; the first is in row {row + 1} of the data, "
            f"column {table.names[column]!r}. Fill them in (impute), or leave out "
            "those rows, or those columns with --drop."
        )


def _read_parquet(path: Path, columns: Columns, for_labels: bool) -> Table:
    from coterie._validation import require

    arrow = require("pyarrow")
    parquet = require("pyarrow.parquet")
    try:
        frame = parquet.read_table(path)
    except (arrow.ArrowInvalid, OSError) as error:
        raise ValueError(
            f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}"
        ) from None
    if frame.num_rows == 0 or frame.num_columns == 0:
        raise ValueError(f"{path} holds no rows.")
    names = list(frame.column_names)
    found = None
    if _PANDAS_INDEX in names:
        found = names.index(_PANDAS_INDEX)
        names[found] = ""
    elif len(names) > 1 and names[0].casefold() in _delimited.INDEX_NAMES:
        found = 0
    roles = assign_roles(names, found, columns, path)
    vectors = {
        j: _from_arrow(frame.column(j), keep=j in roles.apart)
        for j in [*roles.values, *roles.apart]
    }
    return replace(_table(path, names, vectors, roles, for_labels), has_header=True)


def _from_arrow(column: Any, keep: bool) -> np.ndarray:
    """Return a column as float64, or as objects where it holds anything else."""
    import pyarrow.types as kinds

    numeric = kinds.is_integer(column.type) or kinds.is_floating(column.type)
    if not keep and (numeric or kinds.is_boolean(column.type)):
        return (
            np.array(
                [np.nan if v is None else v for v in column.to_pylist()],
                dtype=np.float64,
            )
            if column.null_count
            else column.to_numpy().astype(np.float64)
        )
    if keep and numeric and not column.null_count:
        return column.to_numpy()
    cells = np.empty(len(column), dtype=object)
    cells[:] = [None if v is None else str(v) for v in column.to_pylist()]
    return cells
