"""Where members are computed, and where finished ones are kept."""

from coterie.engine._blocks import Blocks, keep_blocks, map_blocks, one_cluster
from coterie.engine._engines import ENGINES, check_engine, settings, use_engine
from coterie.engine._members import Keeper, run_members
from coterie.engine._progress import progress_hook
from coterie.engine._store import MemberStore

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
