"""Data and ensembles that are read some rows at a time."""

from coterie.large._combine import ROW_METHODS, RowConsensus, combine_rows
from coterie.large._ensemble import BlockEnsemble, MemoryBlocks, label_blocks
from coterie.large._rows import Rows, open_rows, survey, take_rows
from coterie.large._rules import MEMBERS, Rule, learn_rule

__all__ = [
    "MEMBERS",
    "ROW_METHODS",
    "BlockEnsemble",
    "MemoryBlocks",
    "RowConsensus",
    "Rows",
    "Rule",
    "combine_rows",
    "label_blocks",
    "learn_rule",
    "open_rows",
    "survey",
    "take_rows",
]
