"""A folder of finished members of one run, in complete files."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coterie._atomic import write_atomically
from coterie.exceptions import StoreError

FORMAT, VERSION = "coterie-members", 1
_MANIFEST = "run.json"
_HEAD = b"coterie member "  # then the checksum in hex, and a new line
_DIGEST = 64


class MemberStore:
    """Stores the bytes of finished members in a folder.

    Parameters
    ----------
    folder : Path
        Created if it does not exist.
    run : mapping of str to JSON
        What defines the run: data, generator, seed. A folder of another run is refused.
    part : str, default="member"
        What the parts are called, in file names and errors.

    Notes
    -----
    Each file is written under a temporary name, flushed to disk and renamed, with a
    checksum of its content. A truncated or altered file counts as missing. Two
    processes may work on the same folder: they write the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from coterie._engine import MemberStore
    >>> store = MemberStore(Path(tempfile.mkdtemp()), {"seed": 0})
    >>> store.write(3, b"labels")
    >>> store.read(3), store.read(4)
    (b'labels', None)
    """

    def __init__(
        self, folder: Path, run: Mapping[str, Any], part: str = "member"
    ) -> None:
        self.folder = folder
        self.part = part
        manifest = {"format": FORMAT, "version": VERSION, **run}
        path = folder / _MANIFEST
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if path.exists():
                _check_same(path, manifest)
            elif any(folder.glob(f"{part}-*")):
                raise StoreError(
                    f"{folder} holds {part}s, but {_MANIFEST} is missing, which says "
                    "what they belong to. Choose another folder, or empty this one."
                )
            else:
                text = json.dumps(manifest, indent=1).encode()
                write_atomically(path, lambda file: file.write(text))
        except OSError as error:
            raise StoreError(
                f"The folder {folder} cannot keep {part}s: {error.strerror}. Choose "
                "one that is writable."
            ) from error

    def read(self, number: int) -> bytes | None:
        """Return the bytes of a member, or None if it is missing or damaged."""
        try:
            content = self._path(number).read_bytes()
        except FileNotFoundError:
            return None
        start = len(_HEAD) + _DIGEST + 1
        body = content[start:]
        return body if content[:start] == _head(body) else None

    def write(self, number: int, body: bytes) -> None:
        """Store a member, completely or not at all."""
        try:
            write_atomically(
                self._path(number), lambda file: file.write(_head(body) + body)
            )
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            why = "the disk is full" if full else f"{error.strerror}"
            raise StoreError(
                f"{self.part.capitalize()} {number} could not be stored in "
                f"{self.folder}: {why}. Finished {self.part}s are safe; make room and "
                "repeat the run to continue."
            ) from error

    def _path(self, number: int) -> Path:
        return self.folder / f"{self.part}-{number:06d}"


def _head(body: bytes) -> bytes:
    return _HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n"


def _check_same(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise if the folder belongs to another run, naming what differs."""
    try:
        there = json.loads(path.read_text())
        known = there["format"] == FORMAT
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise StoreError(f"{path} is not a record of coterie. Choose another folder.")
    mine = json.loads(json.dumps(manifest))  # tuples become lists, as in the file
    differs = [
        f"{name} was {there.get(name)!r} and is {mine.get(name)!r}"
        for name in sorted({*there, *mine})
        if there.get(name) != mine.get(name)
    ]
    if differs:
        raise StoreError(
            f"The folder {path.parent} holds members of another run: "
            f"{'; '.join(differs)}. Choose another folder, or repeat that run."
        )
