"""Names that are imported when they are first used.

``import coterie`` must stay quick and must not load numba, so the package lists where
each public name lives and loads that module on first access.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], modules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for a package.

    Parameters
    ----------
    package : str
        The ``__name__`` of the package.
    homes : mapping of str to str
        For each public name the module that holds it, absolute.
    modules : sequence of str
        Subpackages that are attributes, too.
    """
    known = sorted({*homes, *modules})

    def __getattr__(name: str) -> Any:
        if name in homes:
            return getattr(importlib.import_module(homes[name]), name)
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return known

    return __getattr__, __dir__, known
