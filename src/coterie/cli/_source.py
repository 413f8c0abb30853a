"""The text of a delimited file: where it is, and in which encoding."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from coterie.cli._columns import AUTO

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8 = "utf-8-sig"
_BLOCK = 2**20
_NOT_WINDOWS = b"\x81\x8d\x8f\x90\x9d"  # bytes without a meaning in Windows-1252


@dataclass(frozen=True, eq=False)
class Source:
    """Delimited text: a file, or a sheet of a workbook written as CSV."""

    path: Path
    encoding: str = _UTF8
    content: bytes | None = None  # instead of that of the file
    guesses: tuple[str, ...] = ()

    def text(self) -> Any:
        """Open it as text, with line ends as they are."""
        if self.content is not None:
            return io.StringIO(self.content.decode(self.encoding), newline="")
        return self.path.open(encoding=self.encoding, newline="")

    def binary(self) -> Any:
        """Return a path or a stream of bytes, for pyarrow."""
        return self.path if self.content is None else io.BytesIO(self.content)

    def lines(self, skip: int = 0) -> Iterator[str]:
        """Yield the lines, or raise if they are not in the encoding."""
        with self.text() as file:
            try:
                for number, line in enumerate(file):
                    if number >= skip:
                        yield line
            except UnicodeError as error:
                raise ValueError(
                    f"{self.path} is not text in {self.encoding} ({error}). Name "
                    "another with --encoding, such as latin-1."
                ) from None

    def tabbed(self) -> Source:
        """Return text whose columns are aligned by spaces, with tabs instead."""
        text = io.StringIO(newline="")
        lines = (line.strip() for line in self.lines())
        rows = csv.reader(lines, delimiter=" ", skipinitialspace=True)
        csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
        return replace(self, encoding="utf-8", content=text.getvalue().encode())


def source_of(path: Path, encoding: str = AUTO) -> Source:
    """Return the text of a file, with a guess at the encoding unless it is given."""
    if encoding != AUTO:
        try:
            found = codecs.lookup(encoding).name
        except LookupError:
            raise ValueError(
                f"--encoding {encoding}: there is no such encoding. Usual ones are "
                "utf-8, latin-1 and utf-16."
            ) from None
        return Source(path, _UTF8 if found == "utf-8" else found)
    found = _guessed(path)
    if found == _UTF8:
        return Source(path)
    said = f"the text is in {found}, not in UTF-8 (else --encoding NAME)"
    return Source(path, found, guesses=(said,))


def _guessed(path: Path) -> str:
    """Return the encoding that the bytes of a file show."""
    with path.open("rb") as file:
        head = file.read(_BLOCK)
        for mark, name in _MARKS:
            if head.startswith(mark):
                return name
        if b"\0" in head:
            return _by_zeros(path, head)
        file.seek(0)
        blocks = iter(lambda: file.read(_BLOCK), b"")
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            for block in blocks:
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            file.seek(0)
            blocks = iter(lambda: file.read(_BLOCK), b"")
            odd = any(set(_NOT_WINDOWS) & set(block) for block in blocks)
            return "latin-1" if odd else "windows-1252"
    return _UTF8


def _by_zeros(path: Path, head: bytes) -> str:
    """Return the kind of UTF-16: Latin text has a zero in every other byte."""
    even, odd = (head[at::2].count(0) for at in (0, 1))
    if max(even, odd) < 3 * min(even, odd) or 5 * max(even, odd) < len(head):
        raise ValueError(
            f"{path} is not text: it has bytes of zero. If it is text after all, name "
            "its encoding with --encoding."
        )
    return "utf-16-le" if odd > even else "utf-16-be"
