"""Files of the command line: which are known, may be read, may be written."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie._atomic import write_atomically

if TYPE_CHECKING:
    import numpy as np

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npy": "npy",
    ".npz": "npz",
    ".mat": "mat",
}
DELIMITERS = {"csv": ",", "tsv": "\t"}
STDOUT = Path("-")
_KNOWN = ".csv, .tsv, .parquet, .npy, .npz and .mat"


def format_of(path: Path) -> str:
    """Return the format that the name of a file tells, or raise."""
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        kind = f"the suffix {path.suffix}" if path.suffix else "no suffix"
        raise ValueError(f"{path} has {kind}; known are {_KNOWN}.") from None


def check_input(path: Path) -> str:
    """Return the format of a file that can be read, or raise saying why it cannot."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder, a file was expected.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    kind = format_of(path)
    if not os.access(path, os.R_OK):
        raise PermissionError(f"{path} may not be read (no permission).")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    if kind == "parquet":
        _require_pyarrow()
    return kind


def check_output(path: Path | None, *inputs: Path, only: str | None = None) -> None:
    """Raise unless a file can be written there, before any long work.

    Parameters
    ----------
    path : Path or None
        None and ``-`` (standard output) need no check.
    *inputs : Path
        Files that must not be overwritten.
    only : str, optional
        The one suffix that is allowed.
    """
    if path is None or path == STDOUT:
        return
    if path.is_dir():
        raise ValueError(f"{path} is a folder, the name of a file was expected.")
    if only is not None and path.suffix.lower() != only:
        raise ValueError(f"{path} must end in {only}.")
    kind = "html" if only == ".html" else format_of(path)
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{path} cannot be written: the folder {folder} does not exist."
        )
    may = os.access(folder, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    if not may:
        raise PermissionError(f"{path} cannot be written (no permission).")
    for other in inputs:
        if path.resolve() == other.resolve():
            raise ValueError(
                f"{path} is read and would be overwritten. Choose another name for the "
                "output."
            )
    if kind == "parquet":
        _require_pyarrow()


def write_columns(path: Path, columns: Mapping[str, np.ndarray]) -> None:
    """Write columns of one length in the format that the name of the file tells.

    NPY holds the column ``label`` alone. An existing file is replaced only by a whole
    new one.
    """
    kind = format_of(path)
    if kind in DELIMITERS:
        text = delimited(columns, DELIMITERS[kind])
        write_atomically(path, lambda file: file.write(text.encode()))
        return
    import numpy as np

    if kind == "npy":
        write_atomically(path, lambda file: np.save(file, columns["label"]))
    elif kind == "npz":
        plain: dict[str, Any] = {
            name: _without_objects(column) for name, column in columns.items()
        }
        write_atomically(path, lambda file: np.savez_compressed(file, **plain))
    elif kind == "mat":
        from scipy.io import savemat

        plain = dict(columns)
        write_atomically(path, lambda file: savemat(file, plain, oned_as="column"))
    else:
        pyarrow = _require_pyarrow()
        from pyarrow import parquet

        table = pyarrow.table({name: pyarrow.array(c) for name, c in columns.items()})
        write_atomically(path, lambda file: parquet.write_table(table, file))


def delimited(columns: Mapping[str, np.ndarray], delimiter: str = ",") -> str:
    """Return columns as text with a header; six decimals for floats."""
    import numpy as np

    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    cells = []
    for column in columns.values():
        values = np.asarray(column).tolist()
        decimals = np.asarray(column).dtype.kind == "f"
        cells.append([f"{v:.6f}" for v in values] if decimals else values)
    writer.writerows(zip(*cells, strict=True))
    return text.getvalue()


def _without_objects(column: np.ndarray) -> np.ndarray:
    """Return text as fixed-width text, which NPZ holds without pickle."""
    return column.astype(str) if column.dtype.kind == "O" else column


def _require_pyarrow() -> Any:
    from coterie._validation import require

    return require("pyarrow")
