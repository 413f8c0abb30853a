"""How sure a clustering is: tables, and one page to look at and pass on."""

from coterie.answers._explain import Explanation, explain
from coterie.answers._report import report

__all__ = ["Explanation", "explain", "report"]
