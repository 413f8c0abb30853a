"""Data that are read some rows at a time, from any source."""

from coterie._large._rows import (
    Rows,
    ScaledRows,
    SelectedRows,
    open_rows,
    survey,
    take_rows,
)

__all__ = ["Rows", "ScaledRows", "SelectedRows", "open_rows", "survey", "take_rows"]
