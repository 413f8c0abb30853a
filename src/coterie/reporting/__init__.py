"""One HTML file that says what was found and how sure it is."""

from coterie.reporting._report import report

__all__ = ["report"]
