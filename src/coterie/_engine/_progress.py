"""Progress of long computations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from coterie._typing import Progress


@contextmanager
def progress_hook(
    progress: Progress, description: str
) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to call with (done, total) as the work proceeds.

    ``progress`` is None or False (silent), True (a bar with this description) or the
    caller's own function of (done, total).
    """
    if progress is None or progress is False:
        yield lambda done, total: None
    elif progress is True:
        from rich.progress import Progress as Bar

        with Bar(transient=True) as bar:
            task = bar.add_task(description, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    elif callable(progress):
        yield progress
    else:
        raise TypeError(
            "progress must be None, True or a function of (done, total), got "
            f"{progress!r}."
        )
