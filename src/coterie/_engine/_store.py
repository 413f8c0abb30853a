"""A folder of finished members of one run, in complete files."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coterie._atomic import create_exclusively, remove_leftovers, write_atomically
from coterie._engine._engines import settings
from coterie.exceptions import StoreError

FORMAT, VERSION = "coterie-members", 2
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
    checksum of the run, its number and its content. A truncated or altered file, or one
    of another run or number, counts as missing. Several processes may work on the same
    folder if they do the same run: they write the same bytes; of different runs that
    start at once, one gets the folder. Links inside the folder are not followed.

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
        text = json.dumps(manifest, indent=1).encode()
        self._run = hashlib.sha256(text).hexdigest()
        path = folder / _MANIFEST
        try:
            _reject_links(folder)
            folder.mkdir(parents=True, exist_ok=True)
            # in this order: another process makes the manifest first
            if any(folder.glob(f"{part}-*")) and not path.exists():
                raise StoreError(
                    f"{folder} holds {part}s, but {_MANIFEST} is missing, which says "
                    "what they belong to. Choose another folder, or empty this one."
                )
            if path.exists() or not create_exclusively(path, text):
                _check_same(path, manifest)
            remove_leftovers(folder, f"{part}-")
            remove_leftovers(folder, f"{_MANIFEST}.")
        except OSError as error:
            raise StoreError(
                f"The folder {folder} cannot keep {part}s: {error.strerror}. Choose "
                "one that is writable."
            ) from error

    def read(self, number: int) -> bytes | None:
        """Return the bytes of a member, or None if it is missing or damaged."""
        path = self._path(number)
        if path.is_symlink() or not path.is_file():
            return None
        content = path.read_bytes()
        start = len(_HEAD) + _DIGEST + 1
        body = content[start:]
        return body if content[:start] == self._head(number, body) else None

    def write(self, number: int, body: bytes) -> None:
        """Store a member, completely or not at all."""
        content = self._head(number, body) + body
        try:
            write_atomically(
                self._path(number), lambda file: file.write(content), follow_link=False
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

    def _head(self, number: int, body: bytes) -> bytes:
        found = hashlib.sha256(f"{self._run} {self.part} {number} ".encode())
        found.update(body)
        return _HEAD + found.hexdigest().encode() + b"\n"


def _reject_links(folder: Path) -> None:
    """Raise if the folder of a part is reached by a link inside the checkpoint."""
    root = settings().root
    inner = [folder, *folder.parents]
    for each in inner[: inner.index(root)] if root in inner else []:
        if each.is_symlink():
            raise StoreError(
                f"{each} is a link, which is not followed inside a checkpoint. Remove "
                "it, or choose another folder."
            )


def _check_same(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise if the folder belongs to another run, naming what differs."""
    try:
        there = json.loads(path.read_text())
        known = there["format"] == FORMAT and not path.is_symlink()
    except (ValueError, KeyError, TypeError, RecursionError):
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
