"""Data and ensembles that are read some rows at a time."""

from coterie._large._combine import ROW_METHODS, RowConsensus, combine_rows
from coterie._large._ensemble import BlockEnsemble, MemoryBlocks, label_blocks
from coterie._large._rows import (
    Rows,
    ScaledRows,
    SelectedRows,
    open_rows,
    survey,
    take_rows,
)
from coterie._large._rules import MEMBERS, Rule, learn_rule

__all__ = [
    "MEMBERS",
    "ROW_METHODS",
    "BlockEnsemble",
    "MemoryBlocks",
    "RowConsensus",
    "Rows",
    "Rule",
    "ScaledRows",
    "SelectedRows",
    "combine_rows",
    "label_blocks",
    "learn_rule",
    "open_rows",
    "survey",
    "take_rows",
]
