"""Where members are computed, and where finished ones are kept."""

from coterie._engine._blocks import Blocks, keep_blocks, map_blocks, one_cluster
from coterie._engine._engines import ENGINES, check_engine, settings, use_engine
from coterie._engine._members import Keeper, run_members
from coterie._engine._progress import progress_hook
from coterie._engine._store import MemberStore

__all__ = [
    "ENGINES",
    "Blocks",
    "Keeper",
    "MemberStore",
    "check_engine",
    "keep_blocks",
    "map_blocks",
    "one_cluster",
    "progress_hook",
    "run_members",
    "settings",
    "use_engine",
]
