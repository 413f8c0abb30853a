"""How certain a clustering is: tables, and a report to read and share."""

from coterie.answers._explain import Explanation, explain
from coterie.answers._report import report

__all__ = ["Explanation", "explain", "report"]
