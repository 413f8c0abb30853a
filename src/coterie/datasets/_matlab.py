"""MATLAB files: version 5 through SciPy, version 7.3 (HDF5) through h5py."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coterie._structure import check_claim, check_sparse, sparse_from_parts
from coterie._validation import require

DATA_NAMES = ("X", "fea", "data", "x", "features")
LABEL_NAMES = ("labels", "members", "baseCls", "label")
_SIZES = {"double": 8, "single": 4, "logical": 1}  # bytes of a value
_SIZES |= {f"{u}int{bits}": bits // 8 for u in ("", "u") for bits in (8, 16, 32, 64)}
_NUMBERS = frozenset([*_SIZES, "sparse"])
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
            return {name: _described(_item(file, name)) for name in names}
    from scipy.io import whosmat

    try:
        return {name: Variable(shape, kind) for name, shape, kind in whosmat(path)}
    except Exception as error:  # scipy raises many kinds for invalid files
        raise _damaged(path) from error


def read_mat(path: Path, names: list[str]) -> dict[str, Any]:
    """Return variables of a MAT file: arrays, CSR matrices, or text as objects."""
    if _is_hdf5(path):
        with _hdf5(path) as file:
            return {name: _from_hdf5(file, _item(file, name), path) for name in names}
    from scipy.io import loadmat

    there = mat_variables(path)
    for name in names:
        if there[name].kind in _SIZES:
            size = _SIZES[there[name].kind]
            check_claim(there[name].shape, size, None, f"{name} of {path}")
    try:
        with warnings.catch_warnings():
            # Either of SciPy's two sparse classes will do here.
            warnings.simplefilter("ignore", DeprecationWarning)
            content = loadmat(path, variable_names=names)
    except Exception as error:
        raise _damaged(path) from error
    return {name: _from_mat5(content[name], f"{name} of {path}") for name in names}


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


@contextmanager
def _hdf5(path: Path) -> Iterator[Any]:
    """Open an HDF5 file; what h5py raises, of many kinds, becomes a sentence."""
    h5py = require("h5py")
    try:
        with h5py.File(path, "r") as file:
            yield file
    except (ValueError, MemoryError, ImportError):
        raise
    except Exception as error:
        raise _damaged(path) from error


def _item(file: Any, name: str) -> Any:
    """Return what a name stands for; links and values in other files are refused."""
    h5py = require("h5py")
    link = file.get(name, getlink=True)
    item: Any = file[name] if isinstance(link, h5py.HardLink) else None
    elsewhere = isinstance(item, h5py.Dataset) and (item.external or item.is_virtual)
    if item is None or elsewhere:
        raise ValueError(
            f"{file.filename}: {name} is a link, or its values are in another file. "
            "Such files are not read; save the values themselves."
        )
    return item


def _damaged(path: Path) -> ValueError:
    return ValueError(
        f"{path} cannot be read as a MAT file: it is damaged or in another format."
    )


def _described(item: Any) -> Variable:
    kind = _class_of(item)
    if "MATLAB_sparse" in item.attrs:
        n_columns = _item(item, "jc").shape[0] - 1
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


def _from_hdf5(file: Any, item: Any, path: Path) -> Any:
    variable, what = _described(item), f"{item.name.lstrip('/')} of {path}"
    if variable.kind == "sparse":
        return _sparse(item, variable.shape, what)
    if variable.kind == "cell":
        cells = [_letters(file[at], what) for at in _values(item, what).T.ravel()]
        return np.array(cells, dtype=object).reshape(variable.shape)
    if item.attrs.get("MATLAB_empty", 0) or variable.kind not in _NUMBERS:
        check_claim(variable.shape, 8, None, what)
        return np.empty(variable.shape, dtype=object)
    values = _values(item, what).T  # HDF5 stores MATLAB's columns as rows
    return values.astype(bool) if variable.kind == "logical" else values


def _sparse(item: Any, shape: tuple[int, ...], what: str) -> Any:
    parts = {"jc": "indptr", "data": "data", "ir": "indices"}
    found = {
        parts[name]: _values(_item(item, name), what) for name in parts if name in item
    }
    if "data" not in found:  # all zero
        found = {"data": np.empty(0), "indices": np.empty(0, int)}
        found["indptr"] = np.zeros(shape[1] + 1, int)
    return sparse_from_parts(
        {**found, "shape": np.array(shape), "format": b"csc"}, what
    )


def _values(item: Any, what: str) -> Any:
    """Return the values of a dataset, if they fit in memory."""
    shape = getattr(item, "shape", None)
    if shape is None:
        raise ValueError(f"{what} holds no values, but a group of variables.")
    check_claim(shape, item.dtype.itemsize, None, what)
    return item[()]


def _letters(item: Any, what: str) -> Any:
    if _class_of(item) != "char":
        return _values(item, what)
    if item.attrs.get("MATLAB_empty", 0):
        return ""
    return "".join(chr(code) for code in _values(item, what).T.ravel())


def _from_mat5(values: Any, what: str) -> Any:
    if hasattr(values, "tocsr"):
        check_sparse(values, what)
        return values.tocsr()
    if values.dtype.kind != "O":
        return values
    texts = np.empty(values.size, dtype=object)
    texts[:] = ["".join(c) if c.dtype.kind == "U" else c for c in values.ravel()]
    return texts.reshape(values.shape)
