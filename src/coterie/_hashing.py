"""One hash of data and of parameters, for checkpoints and reports."""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

_ROWS = 4096  # made contiguous at a time
_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)
_VERSIONED = ("coterie", "sklearn", "numpy", "scipy", "builtins", "abc", "typing")


def digest(*parts: Any) -> str:
    """Return a hash of arrays, CSR matrices and strings, 32 hexadecimal digits.

    It depends on dtype, shape and values, not on the memory layout. Data in blocks are
    hashed as the digests of their blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._hashing import digest
    >>> X = np.arange(6.0).reshape(2, 3)
    >>> digest(X) == digest(np.asfortranarray(X)), digest(X) == digest(X.T)
    (True, False)
    """
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, str):
            found.update(f"{len(part)} {part}".encode())
            continue
        found.update(f"{part.dtype} {part.shape}".encode())
        is_csr = hasattr(part, "indptr")
        for array in [part.data, part.indices, part.indptr] if is_csr else [part]:
            for start in range(0, len(array), _ROWS):
                rows = np.ascontiguousarray(array[start : start + _ROWS])
                found.update(rows.data)
    return found.hexdigest()


def fingerprint(value: Any) -> str:
    """Return a parameter as text that is equal only for equal content.

    Numbers and words are shown. Anything else is shown as its type with a digest:
    arrays of all of their values, functions of module, name, code and what they refer
    to, estimators of their class and parameters.

    Examples
    --------
    >>> from coterie._hashing import fingerprint
    >>> fingerprint(0.5), fingerprint("kmeans")
    ('0.5', "'kmeans'")
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    if isinstance(value, _PLAIN):
        return repr(value)
    found = hashlib.blake2b(digest_size=16)
    for piece in _pieces(value, ()):
        found.update(f"{len(piece)} ".encode() + piece)
    return f"{type(value).__name__} {found.hexdigest()}"


def _pieces(value: Any, outer: tuple[int, ...]) -> Iterator[bytes]:
    """Yield bytes that together determine a value; ``outer`` holds what is around it.

    Each value is preceded by its type, and each collection by its length, so that no
    two values have the same pieces.
    """
    yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
    if id(value) in outer:
        yield f"around {len(outer) - outer.index(id(value))}".encode()
        return
    if isinstance(value, _PLAIN):
        yield repr(value).encode(errors="surrogatepass")
        return
    if isinstance(value, set | frozenset):
        yield from sorted(fingerprint(each).encode() for each in value)
        return
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        yield f"{value.shape} {digest(np.atleast_1d(value))}".encode()
        return
    parts = _parts(value)
    yield str(len(parts)).encode()
    for part in parts:
        yield from _pieces(part, (*outer, id(value)))


def _parts(value: Any) -> list[Any]:
    """Return the values that determine an object."""
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, value.ravel().tolist()]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, types.FunctionType):
        return _of_function(value)
    if isinstance(value, types.MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, types.CodeType):
        return [value.co_code, value.co_consts, value.co_names, value.co_varnames]
    if isinstance(value, type):
        return [value.__module__, value.__qualname__, _code_of(value)]
    if hasattr(value, "tocoo"):
        coo = value.tocoo()
        return [coo.shape, *coo.coords, coo.data]
    if hasattr(value, "to_numpy"):  # a frame or a series
        return [list(getattr(value, "columns", ())), value.to_numpy()]
    if hasattr(value, "get_params"):
        return [type(value), value.get_params(deep=False)]
    return [type(value), *_state(value)]


def _of_function(function: Any) -> list[Any]:
    cells = inspect.getclosurevars(function).nonlocals
    names = [function.__module__, function.__qualname__, function.__code__]
    return [*names, function.__defaults__, function.__kwdefaults__, cells]


def _code_of(kind: type) -> list[Any]:
    """Return the functions of a class and its bases, but those of known versions."""
    bases = [b for b in kind.__mro__ if b.__module__.split(".")[0] not in _VERSIONED]
    return [
        (base.__qualname__, name, item)
        for base in bases
        for name, item in sorted(vars(base).items())
        if isinstance(item, types.FunctionType)
    ]


def _state(value: Any) -> list[Any]:
    """Return the state of an object by its own account, else as it would be pickled."""
    generator = getattr(value, "bit_generator", None)
    if generator is not None:
        return [generator.state]
    if isinstance(value, np.random.RandomState):
        return [value.get_state(legacy=False)]
    if "__dict__" in dir(value) and type(value).__reduce_ex__ is object.__reduce_ex__:
        return [dict(sorted(vars(value).items()))]
    try:
        return [pickle.dumps(value, protocol=4)]
    except Exception:
        raise ValueError(
            f"A checkpoint must recognise its parameters in the next run, but "
            f"{type(value).__name__} objects cannot be told apart. Use a function, an "
            "estimator or a class with attributes instead."
        ) from None
