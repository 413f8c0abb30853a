"""NPY, NPZ and MAT files: matrices, sparse matrices and saved ensembles."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.cli._columns import AUTO, Columns, Table, assign_roles, some

_DATA_KEYS = ("X", "data", "x", "features")
_LABEL_KEYS = ("labels", "members", "label")
_SPARSE_KEYS = frozenset({"data", "indices", "indptr", "shape"})


def read_arrays(path: Path, kind: str, columns: Columns, for_labels: bool) -> Table:
    """Return a table from a NPY or NPZ file."""
    arrays = _load(path)
    if kind == "npy":
        return _from_matrix(path, arrays[""], {}, columns, for_labels)
    if for_labels and {"header", "labels", "offsets"} <= set(arrays):
        return _from_ensemble(path, columns)
    if not for_labels and set(arrays) >= _SPARSE_KEYS:
        from scipy.sparse import csr_array

        try:
            parts = (arrays["data"], arrays["indices"], arrays["indptr"])
            X = csr_array(parts, shape=tuple(arrays["shape"])).astype(np.float64)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path} holds no sound sparse matrix: {error}.") from None
        return _from_matrix(path, X, arrays, columns, for_labels)
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
        pickled = "Object arrays" in str(error)
        why = (
            "it holds Python objects, which are not loaded for safety"
            if pickled
            else "it is damaged or of another format"
        )
        raise ValueError(f"{path} cannot be read as NumPy arrays: {why}.") from None
    if not arrays:
        raise ValueError(f"{path} holds no arrays.")
    return arrays


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
    apart: dict[str, tuple[str, np.ndarray]] = {}
    for role, name in (("truth", columns.truth), ("index", columns.index)):
        key = "index" if role == "index" and columns.index == AUTO else name
        if key in arrays and arrays[key].shape == (matrix.shape[0],):
            apart[role] = key, arrays[key]
    rest = replace(
        columns,
        truth=None if "truth" in apart else columns.truth,
        index=AUTO if "index" in apart else columns.index,
    )
    _reject_unknown_key(rest.truth, matrix, arrays, path)
    names = [f"column {j + 1}" for j in range(matrix.shape[1])]
    roles = assign_roles(names, None, rest, path)
    values = matrix
    if len(roles.values) < len(names):
        values = matrix[:, roles.values]
    if not for_labels:
        _reject_other_types(values, path)
    index_name, index = apart.get("index", (None, None))
    truth_name, truth = apart.get("truth", (None, None))
    if roles.index is not None:
        index_name, index = names[roles.index], _dense(matrix[:, [roles.index]])
    if roles.truth is not None:
        truth_name, truth = names[roles.truth], _dense(matrix[:, [roles.truth]])
    return Table(
        path,
        values if for_labels or hasattr(values, "indptr") else np.asarray(values),
        [names[j] for j in roles.values],
        index=index,
        index_name=index_name,
        truth=truth,
        truth_name=truth_name,
        dropped=[names[j] for j in roles.dropped],
    )


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


def _reject_other_types(values: Any, path: Path) -> None:
    if values.dtype.kind not in "biuf":
        raise ValueError(
            f"{path}: an array of numbers was expected, got the type {values.dtype}."
        )


def _dense(column: Any) -> np.ndarray:
    column = column.toarray() if hasattr(column, "toarray") else column
    return np.asarray(column)[:, 0]
