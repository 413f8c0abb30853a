"""Parameter paragraphs that occur in more than two docstrings.

``@fill_doc`` replaces ``%(name)s`` in a docstring by the paragraph of that name.
"""

from __future__ import annotations

import inspect
from typing import TypeVar

T = TypeVar("T", bound=type)

PARAGRAPHS = {
    "n_members": """
n_members : int, default=50
    Number of clusterings to make.
""",
    "n_clusters_range": """
n_clusters : int, (int, int) or None, default=None
    Clusters of each member: a number, a range from which each member draws its own
    (both ends included), or None for the range from 2 to the square root of the
    number of samples, rounded up.
""",
    "clusterer": """
clusterer : scikit-learn clusterer or None, default=None
    What clusters each draw of the data; it is cloned, and seeded where it has a
    ``random_state``. None is k-means.
n_clusters : int, (int, int) or None, default=None
    Clusters of each member: a number, or a range from which each member draws its own.
    None is the range from 2 to the square root of the number of samples for k-means,
    and what it has been given already for any other clusterer.
""",
    "on_error": """
on_error : {"raise", "drop"}, default="raise"
    Whether a member that fails is an error or is left out with a warning.
""",
    "n_init": """
n_init : int, default=3
    Starts of the final k-means; the best is kept.
""",
}


def fill_doc(cls: T) -> T:
    """Fill the paragraphs into the docstring of a class."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    for name, text in PARAGRAPHS.items():
        doc = doc.replace(f"%({name})s", text.strip())
    cls.__doc__ = doc
    return cls
