"""MATLAB files: version 5 through SciPy, version 7.3 (HDF5) through h5py."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coterie._validation import require

DATA_NAMES = ("X", "fea", "data", "x", "features")
LABEL_NAMES = ("labels", "members", "baseCls", "label")
_NUMBERS = frozenset(
    ["double", "single", "logical", "sparse"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
_HDF5 = b"\x89HDF\r\n\x1a\n"  # after MATLAB's own header of 512 bytes


class Variable(NamedTuple):
    """Shape and class of a variable, known before it is read."""

    shape: tuple[int, ...]
    kind: str  # MATLAB's name of the class, or "sparse"


def load_mat(
    path: str | Path, variable: str | None = None, *, labels: str | None = None
) -> Any:
    """Read a matrix from a MAT file, version 5 to 7.3.

    Parameters
    ----------
    path : str or Path
        The file. Version 7.3 needs h5py (``pip install h5py``).
    variable : str or None, default=None
        The matrix to read; None takes ``X``, ``fea``, ``data``, ``x`` or ``features``,
        or else the only numeric matrix.
    labels : str or None, default=None
        A variable with a label for each row to read as well, such as ``"gt"``.

    Returns
    -------
    X : (n_samples, n_features) array or CSR matrix
        With the dtype of the file.
    y : (n_samples,) array
        Only with ``labels``; unchanged, so MATLAB's numbering from 1 stays.

    Examples
    --------
    >>> import scipy.io, tempfile, pathlib
    >>> from coterie.datasets import load_mat
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.mat"
    >>> content = {"fea": [[5.1, 3.5], [4.9, 3.0]], "gt": [[1], [2]]}
    >>> scipy.io.savemat(path, content)
    >>> X, y = load_mat(path, labels="gt")
    >>> X.shape, y
    ((2, 2), array([1, 2]))
    """
    path = Path(path)
    there = mat_variables(path)
    name = find_matrix(there, variable, DATA_NAMES, path)
    wanted = [name] if labels is None else [name, _known(labels, there, path)]
    read = read_mat(path, wanted)
    X = read[name]
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"{path}: a numeric matrix (samples, features) was expected, but {name} "
            f"is {there[name].kind} of shape {there[name].shape}."
        )
    if labels is None:
        return X
    y = as_vector(read[labels])
    if y.shape != X.shape[:1]:
        raise ValueError(
            f"{path}: {labels} has shape {y.shape}, but a label for each of the "
            f"{X.shape[0]} rows of {name} was expected."
        )
    return X, y


def mat_variables(path: Path) -> dict[str, Variable]:
    """Return the variables of a MAT file by name, without reading their data."""
    if _is_hdf5(path):
        with _hdf5(path) as file:
            names = [name for name in file if not name.startswith("#")]
            return {name: _described(file[name]) for name in names}
    from scipy.io import whosmat

    try:
        return {name: Variable(shape, kind) for name, shape, kind in whosmat(path)}
    except Exception as error:  # scipy raises many kinds for invalid files
        raise _damaged(path) from error


def read_mat(path: Path, names: list[str]) -> dict[str, Any]:
    """Return variables of a MAT file: arrays, CSR matrices, or text as objects."""
    if _is_hdf5(path):
        with _hdf5(path) as file:
            return {name: _from_hdf5(file, file[name]) for name in names}
    from scipy.io import loadmat

    try:
        with warnings.catch_warnings():
            # Either of SciPy's two sparse classes will do here.
            warnings.simplefilter("ignore", DeprecationWarning)
            content = loadmat(path, variable_names=names)
    except Exception as error:
        raise _damaged(path) from error
    return {name: _from_mat5(content[name]) for name in names}


def find_matrix(
    there: Mapping[str, Variable],
    wanted: str | None,
    usual: tuple[str, ...],
    path: Path,
) -> str:
    """Return the name of the matrix to use, or raise listing what the file holds."""
    if wanted is not None:
        return _known(wanted, there, path)
    numbers = {name: v for name, v in there.items() if v.kind in _NUMBERS}
    for name in usual:
        if name in numbers:
            return name
    matrices = [n for n, v in numbers.items() if len(v.shape) == 2 and 1 not in v.shape]
    if len(matrices) == 1:
        return matrices[0]
    raise ValueError(
        f"{path} holds {_listed(there)}: which matrix should be used? Name it as the "
        "variable."
    )


def as_vector(values: Any) -> np.ndarray:
    """Return a row or column as a vector; anything else unchanged."""
    values = values.toarray() if hasattr(values, "toarray") else values
    is_line = values.ndim == 2 and 1 in values.shape
    return values.ravel() if is_line else values


def _known(name: str, there: Mapping[str, Variable], path: Path) -> str:
    if name in there:
        return name
    raise ValueError(f"{path} has no variable {name!r}. It holds {_listed(there)}.")


def _listed(there: Mapping[str, Variable], most: int = 12) -> str:
    shown = [
        f"{name} ({' x '.join(map(str, v.shape))} {v.kind})"
        for name, v in list(there.items())[:most]
    ]
    return ", ".join(shown + ["..."] * (len(there) > most)) or "no variables"


def _is_hdf5(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(520)
    return _HDF5 in (start[:8], start[512:])


def _hdf5(path: Path) -> Any:
    h5py = require("h5py")
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> ValueError:
    return ValueError(
        f"{path} cannot be read as a MAT file: it is damaged or in another format."
    )


def _described(item: Any) -> Variable:
    kind = _class_of(item)
    if "MATLAB_sparse" in item.attrs:
        n_columns = item["jc"].shape[0] - 1
        return Variable((int(item.attrs["MATLAB_sparse"]), n_columns), "sparse")
    shape = getattr(item, "shape", None)
    if item.attrs.get("MATLAB_empty", 0):
        return Variable(tuple(int(n) for n in item[()]), kind)
    return Variable((1, 1) if shape is None else shape[::-1], kind)


def _class_of(item: Any) -> str:
    kind = item.attrs.get("MATLAB_class", b"")
    if kind:
        return kind.decode() if isinstance(kind, bytes) else str(kind)
    numeric = getattr(getattr(item, "dtype", None), "kind", "O") in "biuf"
    return "double" if numeric else "struct"  # written by another program


def _from_hdf5(file: Any, item: Any) -> Any:
    variable = _described(item)
    if variable.kind == "sparse":
        from scipy.sparse import csc_matrix

        rows, columns = variable.shape
        if "data" not in item:  # all zero
            return csc_matrix((rows, columns)).tocsr()
        parts = (item["data"][()], item["ir"][()], item["jc"][()])
        return csc_matrix(parts, shape=(rows, columns)).tocsr()
    if variable.kind == "cell":
        cells = [_letters(file[reference]) for reference in item[()].T.ravel()]
        return np.array(cells, dtype=object).reshape(variable.shape)
    if item.attrs.get("MATLAB_empty", 0) or variable.kind not in _NUMBERS:
        return np.empty(variable.shape, dtype=object)
    values = item[()].T  # HDF5 stores MATLAB's columns as rows
    return values.astype(bool) if variable.kind == "logical" else values


def _letters(item: Any) -> Any:
    if _class_of(item) != "char":
        return item[()]
    if item.attrs.get("MATLAB_empty", 0):
        return ""
    return "".join(chr(code) for code in item[()].T.ravel())


def _from_mat5(values: Any) -> Any:
    if hasattr(values, "tocsr"):
        return values.tocsr()
    if values.dtype.kind != "O":
        return values
    texts = np.empty(values.size, dtype=object)
    texts[:] = ["".join(c) if c.dtype.kind == "U" else c for c in values.ravel()]
    return texts.reshape(values.shape)
