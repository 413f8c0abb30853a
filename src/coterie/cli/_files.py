"""Files of the command line: which are known, may be read, may be written."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from coterie._atomic import write_atomically
from coterie.cli import _console

if TYPE_CHECKING:
    import numpy as np

FORMATS = {f".{kind}": kind for kind in ("csv", "tsv", "parquet", "npy", "npz", "mat")}
FORMATS |= {".tab": "tsv", ".pq": "parquet"}
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

    None and ``-`` (standard output) need no check; ``inputs`` must not be overwritten;
    ``only`` is the one suffix that is allowed.
    """
    if path is None or path == STDOUT:
        return
    if path.is_dir():
        raise ValueError(f"{path} is a folder, the name of a file was expected.")
    if only is not None and path.suffix.lower() != only:
        raise ValueError(f"{path} must end in {only}.")
    if only is None and format_of(path) == "parquet":
        _require_pyarrow()
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{path} cannot be written: the folder {folder} does not exist."
        )
    may = os.access(folder, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    if not may:
        raise PermissionError(f"{path} cannot be written (no permission).")
    if path.resolve() in [other.resolve() for other in inputs]:
        raise ValueError(
            f"{path} is read and would be overwritten. Choose another name for the "
            "output."
        )


@dataclass(frozen=True)
class Outputs:
    """What a command writes."""

    panel: ClassVar[str] = "Output"
    output: Path | None = None
    as_json: bool = False
    quiet: bool = False

    @property
    def silent(self) -> bool:
        """Whether no progress is shown."""
        return self.quiet or self.as_json

    def console(self) -> Any:
        """Return where the summary goes: not into a file on standard output."""
        return _console.err() if self.output == STDOUT else _console.out()

    def check(self, data: Path) -> None:
        """Raise for outputs that cannot be, before any work."""
        check_output(self.output, data)
        if self.as_json and self.output == STDOUT:
            raise ValueError(
                "--json and -o - both want the standard output. Give -o a file, or "
                "leave it out: the JSON document then holds the labels."
            )
        paths = [value for value in vars(self).values() if isinstance(value, Path)]
        if self.quiet and not self.as_json and not paths:
            raise ValueError(
                "--quiet would do the work and show nothing. Say where the result goes "
                "with -o, or use --json."
            )


@dataclass(frozen=True)
class MoreOutputs(Outputs):
    """What a command that clusters writes.

    Attributes
    ----------
    report : FILE.html
        Write a report to look at in a browser: one file, opens offline.
    save_ensemble : FILE.npz
        Keep the members, for `coterie combine`.
    """

    report: Path | None = None
    save_ensemble: Path | None = None

    def check(self, data: Path) -> None:
        """Raise for outputs that cannot be, before any work."""
        super().check(data)
        check_output(self.report, data, only=".html")
        others = [] if self.output is None else [self.output]
        check_output(self.save_ensemble, data, *others, only=".npz")


def write_columns(path: Path, columns: Mapping[str, np.ndarray]) -> None:
    """Write columns of one length in the format that the name of the file tells.

    NPY holds the column ``label`` alone. ``-`` is CSV on standard output. An existing
    file is replaced only by a whole new one.
    """
    if path == STDOUT:
        sys.stdout.write(delimited(columns))
        return
    kind = format_of(path)
    if kind in DELIMITERS:
        text = delimited(columns, DELIMITERS[kind])
        write_atomically(path, lambda file: file.write(text.encode()))
        return
    import numpy as np

    plain: dict[str, Any] = dict(columns)
    if kind == "npy":
        if "label" not in columns:
            raise ValueError(f"{path}: .npy holds labels alone. Write .csv or .npz.")
        write_atomically(path, lambda file: np.save(file, columns["label"]))
    elif kind == "npz":  # holds text without pickle only if its width is fixed
        for name, column in columns.items():
            plain[name] = column.astype(str) if column.dtype.kind == "O" else column
        write_atomically(path, lambda file: np.savez_compressed(file, **plain))
    elif kind == "mat":
        from scipy.io import savemat

        write_atomically(path, lambda f: savemat(f, plain, oned_as="column"))  # type: ignore[arg-type]
    else:
        import pandas

        frame = pandas.DataFrame(plain)
        write_atomically(path, lambda file: frame.to_parquet(file, index=False))


def delimited(columns: Mapping[str, np.ndarray], delimiter: str = ",") -> str:
    """Return columns as text with a header; six decimals for floats."""
    import pandas

    frame = pandas.DataFrame(dict(columns))
    return frame.to_csv(
        sep=delimiter, index=False, float_format="%.6f", lineterminator="\n"
    )


def _require_pyarrow() -> None:
    from coterie._validation import require

    require("pyarrow")
