"""Data that are read some rows at a time, wherever they lie."""

from coterie._large._rows import Rows, open_rows, survey, take_rows

__all__ = ["Rows", "open_rows", "survey", "take_rows"]
