"""NPY and NPZ files from elsewhere: only what is asked for is read, if it fits.

``np.load`` allocates what a header claims, and reading all arrays unpacks those that
nobody needs. Pickles are never loaded.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy

from coterie._structure import check_claim

_HEADER = 16 * 1024  # bytes; NumPy refuses headers of more than 10,000
_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_SUFFIX = ".npy"


class Claim(NamedTuple):
    """What the header of an array says about it."""

    shape: tuple[int, ...]
    dtype: np.dtype
    n_present: int  # bytes of values that the file holds


class ArrayFile:
    """The arrays of an NPY or NPZ file; that of an NPY file has an empty name.

    Attributes
    ----------
    claims : dict of str to Claim
        Shapes and types, from the headers.
    """

    def __init__(self, file: BinaryIO, what: str) -> None:
        self._file, self._what, self._archive = file, what, None
        with self._explained():
            if zipfile.is_zipfile(file):
                self._archive = zipfile.ZipFile(file)
            self.claims = {name: self._claim(name) for name in self._names()}

    def read(self, name: str) -> np.ndarray:
        """Return an array, if its claims are true and it fits in memory."""
        claim = self.claims[name]
        what = f"The array {name!r} of {self._what}" if name else self._what
        if claim.dtype.hasobject:
            raise ValueError(
                f"{what} cannot be read as numbers: it holds Python objects, which are "
                "not loaded for safety."
            )
        check_claim(claim.shape, claim.dtype.itemsize, claim.n_present, what)
        with self._explained(), self._open(name) as stream:
            return npy.read_array(stream, allow_pickle=False)

    def _names(self) -> list[str]:
        if self._archive is None:
            return [""]
        names = [entry.filename for entry in self._archive.infolist()]
        return [n.removesuffix(_SUFFIX) for n in names if n.endswith(_SUFFIX)]

    def _claim(self, name: str) -> Claim:
        with self._open(name) as stream:
            head = io.BytesIO(stream.read(_HEADER))
        shape, _, dtype = _READERS[npy.read_magic(head)](head)
        if self._archive is None:
            n_bytes = self._file.seek(0, io.SEEK_END)
        else:
            n_bytes = self._archive.getinfo(name + _SUFFIX).file_size
        return Claim(shape, dtype, n_bytes - head.tell())

    @contextmanager
    def _open(self, name: str) -> Iterator[Any]:
        if self._archive is not None:
            with self._archive.open(name + _SUFFIX) as stream:
                yield stream
        else:
            self._file.seek(0)
            yield self._file

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what zipfile and NumPy raise, of many kinds, into a sentence."""
        try:
            yield
        except MemoryError:
            raise
        except Exception as error:
            why = "it is damaged or has another format."
            if isinstance(error, RuntimeError) and "encrypted" in str(error):
                why = "it is encrypted. Save it without a password."
            elif isinstance(error, NotImplementedError):
                why = "it is packed by a method unknown to Python. Save it again."
            raise ValueError(
                f"{self._what} cannot be read as NumPy arrays: {why}"
            ) from error


@contextmanager
def open_arrays(source: Path | bytes, what: str) -> Iterator[ArrayFile]:
    """Open an NPY or NPZ file.

    Parameters
    ----------
    source : Path or bytes
    what : str
        The file, for errors.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from coterie._archives import open_arrays
    >>> file = io.BytesIO()
    >>> np.savez(file, a=np.arange(3), b=np.ones((2, 2)))
    >>> with open_arrays(file.getvalue(), "The file") as arrays:
    ...     arrays.claims["b"].shape, arrays.read("a").tolist()
    ...
    ((2, 2), [0, 1, 2])
    """
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
        yield ArrayFile(file, what)
