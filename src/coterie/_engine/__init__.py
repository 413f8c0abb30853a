"""Where members are computed, and where finished ones are stored."""

# ruff: noqa: F401

from coterie._engine._blocks import (
    Blocks,
    SentOnce,
    keep_blocks,
    map_blocks,
    one_cluster,
)
from coterie._engine._engines import (
    ENGINES,
    check_engine,
    settings,
    subfolder,
    use_engine,
)
from coterie._engine._members import Keeper, run_members
from coterie._engine._progress import progress_hook
from coterie._engine._store import MemberStore
