"""Files: known formats, what can be read, and writing results."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from coterie._atomic import real_path, write_atomically

if TYPE_CHECKING:
    import numpy as np

_WRITTEN = ("csv", "tsv", "parquet", "npy", "npz", "mat")
FORMATS = {f".{kind}": kind for kind in (*_WRITTEN, "txt", "feather", "xlsx")}
FORMATS |= {".tab": "tsv", ".dat": "txt", ".pq": "parquet", ".xlsm": "xlsx"}
DELIMITERS = {"csv": ",", "tsv": "\t"}
STDOUT = Path("-")
_NEEDED = {"parquet": "pyarrow", "feather": "pyarrow", "xlsx": "openpyxl"}


def format_of(path: Path, for_output: bool = False) -> str:
    """Return the format that the name of a file implies, or raise."""
    kind = FORMATS.get(path.suffix.lower())
    known = _WRITTEN if for_output else [*dict.fromkeys(FORMATS.values())]
    if kind is not None and kind in known:
        return kind
    given = f"the suffix {path.suffix}" if path.suffix else "no suffix"
    *others, last = (f".{one}" for one in known)
    raise ValueError(f"{path} has {given}; known are {', '.join(others)} and {last}.")


def no_file(path: Path) -> FileNotFoundError:
    """Return the error for a file that does not exist, with similar names."""
    if path.is_symlink():
        return FileNotFoundError(f"{path} is a link to nothing, or to itself.")
    others = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, others, n=1)
    hint = f"Did you mean {path.parent / near[0]}?" if near else "Check its name."
    return FileNotFoundError(f"There is no file {path}. {hint}")


def check_input(path: Path) -> str:
    """Return the format of a file, or raise saying why it cannot be read."""
    if path.is_dir():
        raise ValueError(
            f"{path} is a folder; a file was expected. Name a file in it, or a folder "
            "of Parquet files."
        )
    if not path.exists():
        raise no_file(path)
    kind = format_of(path)
    if not os.access(path, os.R_OK):
        raise PermissionError(
            f"{path} cannot be read (no permission). Allow it, or name a copy."
        )
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty. Name a file with rows of numbers.")
    _require_for(kind)
    return kind


def check_output(path: Path | None, *inputs: Path, only: str | None = None) -> None:
    """Raise unless a file can be written there, before any long work.

    None and ``-`` (standard output) always can; ``inputs`` must not be overwritten;
    ``only`` is the only suffix allowed.
    """
    if path is None or path == STDOUT:
        return
    if path.is_dir():
        raise ValueError(
            f"{path} is a folder; a file name was expected, such as "
            f"{path / ('labels' + (only or '.csv'))}."
        )
    if only is not None and path.suffix.lower() != only:
        raise ValueError(f"{path} must end in {only}: {path.with_suffix(only)}.")
    if only is None:
        _require_for(format_of(path, for_output=True))
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{path} cannot be written: the folder {folder} does not exist. Make it "
            f"first: mkdir {folder}"
        )
    may = os.access(folder, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    if not may:
        raise PermissionError(
            f"{path} cannot be written (no permission). Choose another folder."
        )
    if real_path(path).is_symlink():
        raise ValueError(f"{path} is a link to itself. Choose another name.")
    if real_path(path) in [real_path(other) for other in inputs]:
        raise ValueError(
            f"{path} is an input and would be overwritten. Choose another name."
        )


@dataclass(frozen=True)
class Outputs:
    """What a command writes."""

    panel: ClassVar[str] = "Output"
    shown: ClassVar[frozenset[str]] = frozenset({"output", "report", "as_json"})
    output: Path | None = None
    as_json: bool = False
    quiet: bool = False

    @property
    def to_stdout(self) -> bool:
        """Whether standard output is the output file."""
        return self.output == STDOUT

    def check(self, data: Path) -> None:
        """Raise for impossible outputs before any work is done."""
        check_output(self.output, data)
        if self.as_json and self.to_stdout:
            raise ValueError(
                "--json and -o - both want standard output. Give -o a file, or leave "
                "it out: the JSON document then holds the labels."
            )
        paths = [value for value in vars(self).values() if isinstance(value, Path)]
        if self.quiet and not self.as_json and not paths:
            raise ValueError(
                "--quiet would do the work and show nothing. Choose where the result "
                "goes with -o, or use --json."
            )


@dataclass(frozen=True)
class MoreOutputs(Outputs):
    """What a command that clusters writes.

    Attributes
    ----------
    report : FILE.html
        Write a report for any browser.
    save_ensemble : FILE.npz
        Keep the members, for `coterie combine`.
    """

    report: Path | None = None
    save_ensemble: Path | None = None

    def check(self, data: Path) -> None:
        """Raise for impossible outputs before any work is done."""
        super().check(data)
        check_output(self.report, data, only=".html")
        others = [] if self.output is None else [self.output]
        check_output(self.save_ensemble, data, *others, only=".npz")


def write_columns(path: Path, columns: Mapping[str, np.ndarray]) -> None:
    """Write columns of equal length in the format that the file's name implies.

    NPY holds the column ``label`` alone, ``-`` is CSV on standard output. An existing
    file is replaced only by a complete new one.
    """
    import numpy as np
    import pandas
    from scipy.io import savemat

    kind = "csv" if path == STDOUT else format_of(path, for_output=True)
    if kind == "npy" and "label" not in columns:
        raise ValueError(f"{path}: .npy holds labels alone. Write .csv or .npz.")
    arrays: dict[str, Any] = dict(columns)

    def write_text(file: Any) -> None:
        harmless = {spelled(name): _spelled(cells) for name, cells in arrays.items()}
        pandas.DataFrame(harmless).to_csv(
            file,
            sep=DELIMITERS.get(kind, ","),
            index=False,
            float_format="%.6f",
            lineterminator="\n",
        )

    if path == STDOUT:
        from coterie.cli._console import standard_output

        with standard_output() as stream:
            write_text(stream)
        return
    if kind == "npz":  # text of fixed width needs no pickle
        objects = [name for name in arrays if arrays[name].dtype.kind == "O"]
        arrays |= {name: arrays[name].astype(str) for name in objects}
    writers: dict[str, Callable[[Any], Any]] = {
        "npy": lambda file: np.save(file, arrays["label"]),
        "npz": lambda file: np.savez_compressed(file, **arrays),
        "mat": lambda file: savemat(file, arrays, oned_as="column"),
        "parquet": lambda file: pandas.DataFrame(arrays).to_parquet(file, index=False),
    }
    write_atomically(path, writers.get(kind, write_text))


def spelled(cell: Any) -> Any:
    """Return a cell of text so that no spreadsheet takes it for a formula.

    Text that begins like one gets a single quote in front, unless it is a number.
    """
    return f"'{cell}" if isinstance(cell, str) and _is_formula(cell) else cell


def unspelled(cell: Any) -> Any:
    """Return the text of which :func:`spelled` made a cell."""
    is_ours = isinstance(cell, str) and cell[:1] == "'" and _is_formula(cell[1:])
    return cell[1:] if is_ours else cell


def _is_formula(text: str) -> bool:
    if not text.startswith(("=", "+", "-", "@", "\t", "\r")):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def _spelled(cells: np.ndarray) -> Any:
    return cells if cells.dtype.kind not in "OU" else [spelled(cell) for cell in cells]


def _require_for(kind: str) -> None:
    """Raise if the package that reads or writes a format is not installed."""
    if kind in _NEEDED:
        from coterie._validation import require

        require(_NEEDED[kind])
