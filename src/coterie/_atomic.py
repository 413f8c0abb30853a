"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be deleted anyway
    fcntl = None


def write_atomically(
    path: Path, write: Callable[[BinaryIO], Any], *, follow_link: bool = True
) -> None:
    """Write a file under a temporary name, then rename it.

    After a failure, on a full disk or in a killed process, the old file remains. Errors
    name the file.

    Parameters
    ----------
    path : Path
    write : function of an open file
    follow_link : bool, default=True
        Whether a link at this path stays one and the file it leads to is written;
        else the link is replaced.
    """
    path = real_path(path) if follow_link else path
    try:
        _write(path, write)
    except OSError as error:
        if error.errno is None:
            raise OSError(f"{path} could not be written: {error}") from error
        raise OSError(error.errno, error.strerror, str(path)) from error


def real_path(path: Path) -> Path:
    """Return where links lead; unlike ``Path.resolve`` it never raises."""
    return Path(os.path.realpath(path))


def create_exclusively(path: Path, content: bytes) -> bool:
    """Create a complete file unless there is one; return whether it was created.

    Of several processes that try at once, exactly one succeeds.
    """

    def link(temporary: Path) -> None:
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError:  # a disk without hard links
            with path.open("xb") as file:
                file.write(content)

    try:
        _write(path, lambda file: file.write(content), finish=link)
    except FileExistsError:
        return False
    return True


def remove_leftovers(folder: Path, name: str) -> None:
    """Remove temporary files of killed processes for files that begin with ``name``.

    Those that a living process is writing are locked and stay.
    """
    for path in folder.glob(f".{name}*"):
        with suppress(OSError):
            handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                _lock(handle)
                path.unlink()
            finally:
                os.close(handle)


def _write(
    path: Path,
    write: Callable[[BinaryIO], Any],
    finish: Callable[[Path], Any] | None = None,
) -> None:
    handle, name = _temporary(path)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:  # Windows, which renames no open file
                file.close()
            # still locked, so that nobody takes it for a leftover
            temporary.chmod(_mode_for(path))
            if finish is None:
                temporary.replace(path)
            else:
                finish(temporary)
                temporary.unlink()
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _temporary(path: Path) -> tuple[int, str]:
    """Return a new file beside the path, locked until it is closed."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with suppress(OSError):  # a disk without locks
            _lock(handle, wait=True)
        if os.fstat(handle).st_nlink:  # else someone took it for a leftover
            return handle, name
        os.close(handle)


def _lock(handle: int, *, wait: bool = False) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _mode_for(path: Path) -> int:
    """Return the permissions of the existing file, or those of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
