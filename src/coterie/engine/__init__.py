"""Where members are computed."""

from coterie.engine._members import run_members
from coterie.engine._progress import progress_hook

__all__ = ["progress_hook", "run_members"]
