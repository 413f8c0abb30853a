"""NPY, NPZ and MAT files: matrices, sparse matrices and saved ensembles."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.cli._columns import (
    AUTO,
    Columns,
    Table,
    assign_roles,
    make_table,
    numbered,
    some,
)

_DATA_KEYS = ("X", "data", "x", "features")
_LABEL_KEYS = ("labels", "members", "label")
_SPARSE_KEYS = frozenset({"data", "indices", "indptr", "shape"})
_ENSEMBLE_KEYS = frozenset({"header", "labels", "offsets"})


def read_arrays(path: Path, kind: str, columns: Columns, for_labels: bool) -> Table:
    """Return a table from a NPY or NPZ file."""
    arrays = _load(path)
    if kind == "npy":
        return _from_matrix(path, arrays[""], {}, columns, for_labels)
    if for_labels and arrays.keys() >= _ENSEMBLE_KEYS:
        return _from_ensemble(path, columns)
    if not for_labels and arrays.keys() >= _SPARSE_KEYS:
        return _from_matrix(path, _sparse(path, arrays), arrays, columns, for_labels)
    keys = _LABEL_KEYS if for_labels else _DATA_KEYS
    keys = keys if columns.variable is None else (columns.variable,)
    matrix = next((arrays[key] for key in keys if key in arrays), None)
    if matrix is None:
        tables = [key for key, array in arrays.items() if array.ndim == 2]
        if len(tables) != 1 or columns.variable is not None:
            raise ValueError(
                f"{path} holds the arrays {some(list(arrays))}, and none is named "
                f"{' or '.join(keys[:2])}. Name the one to use by --variable."
            )
        matrix = arrays[tables[0]]
    return _from_matrix(path, matrix, arrays, columns, for_labels)


def read_matlab(path: Path, columns: Columns, for_labels: bool) -> Table:
    """Return a table from a MAT file; other variables may be truth and index."""
    from coterie.datasets import _matlab

    there = _matlab.mat_variables(path)
    usual = _matlab.LABEL_NAMES if for_labels else _matlab.DATA_NAMES
    try:
        name = _matlab.find_matrix(there, columns.variable, usual, path)
    except ValueError as error:
        text = str(error).replace("Name it as the variable", "Name it by --variable")
        raise ValueError(text) from None
    roles = {columns.truth, columns.index} & set(there)
    arrays = _matlab.read_mat(path, sorted({name, *roles}))
    matrix = arrays.pop(name)
    if for_labels and not hasattr(matrix, "indptr"):
        matrix = _matlab.as_vector(matrix)
    vectors = {key: _matlab.as_vector(array) for key, array in arrays.items()}
    vectors = dict.fromkeys(there, np.empty(0)) | vectors  # the names, for errors
    return _from_matrix(path, matrix, vectors, columns, for_labels)


def _load(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a NPZ file, or that of a NPY file under an empty name."""
    try:
        with path.open("rb") as file:
            content = np.load(file, allow_pickle=False)
            if isinstance(content, np.ndarray):
                return {"": content}
            arrays = {name: content[name] for name in content.files}
    except (ValueError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        why = (
            "it holds Python objects, which are not loaded for safety"
            if "Object arrays" in str(error)
            else "it is damaged or of another format"
        )
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
        raise ValueError(f"{path} holds no sound sparse matrix: {error}.") from None
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


def _from_matrix(
    path: Path,
    matrix: Any,
    arrays: dict[str, np.ndarray],
    columns: Columns,
    for_labels: bool,
) -> Table:
    """Set columns of a matrix apart; truth and index may also be arrays by name."""
    if matrix.ndim == 1 and for_labels:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(
            f"{path}: an array of two dimensions (samples, columns) was expected, got "
            f"shape {tuple(matrix.shape)}."
        )
    index = "index" if columns.index == AUTO else columns.index
    wanted = {"truth": columns.truth, "index": index}
    own = {
        role: str(name)
        for role, name in wanted.items()
        if name in arrays and arrays[name].shape == (matrix.shape[0],)
    }
    rest = replace(
        columns,
        truth=None if "truth" in own else columns.truth,
        index=AUTO if "index" in own else columns.index,
    )
    _reject_unknown_key(rest.truth, matrix, arrays, path)
    names = numbered(matrix.shape[1])
    roles = assign_roles(names, None, rest, path)
    values = matrix if len(roles.values) == len(names) else matrix[:, roles.values]
    if not for_labels and values.dtype.kind not in "biuf":
        raise ValueError(
            f"{path}: an array of numbers was expected, got the type {values.dtype}."
        )
    table = make_table(path, names, roles, values, lambda j: _dense(matrix[:, [j]]))
    for role, name in own.items():
        table = replace(table, **{role: arrays[name], f"{role}_name": name})
    return table


def _reject_unknown_key(
    truth: str | None, matrix: Any, arrays: dict[str, np.ndarray], path: Path
) -> None:
    if truth is None or not arrays or truth.lstrip("-").isdigit():
        return
    if truth in arrays:
        raise ValueError(
            f"--truth {truth}: that array of {path} has shape {arrays[truth].shape}, "
            f"but ({matrix.shape[0]},) was expected."
        )
    raise ValueError(
        f"--truth {truth}: {path} has no such array. It holds {some(list(arrays))}."
    )


def _dense(column: Any) -> np.ndarray:
    column = column.toarray() if hasattr(column, "toarray") else column
    return np.asarray(column)[:, 0]
