"""What kind of data it is, and what matters about them when choosing a method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from coterie._display import count
from coterie._large import Rows, open_rows
from coterie._scales import LoudColumns, loud_columns
from coterie._tables import is_table, not_numeric
from coterie._validation import has_missing, is_sparse
from coterie.ensemble import Ensemble
from coterie.ensemble._groups import has_several_kinds
from coterie.metrics import nmi

KINDS = ("data", "labels", "graph", "image")
# Names of the columns of edges; with more columns, the second may be times.
_ENDS = {("source", "target"): 20, ("from", "to"): 3}
_ALIKE = 0.4  # mean NMI of columns that are labelings of the same samples
_MOST_CODES = 200
_PAIRS = 15
_SAMPLE = 5_000  # rows


@dataclass(frozen=True)
class Facts:
    """What was found out about the data.

    Attributes
    ----------
    kind : {"data", "labels", "graph", "image"}
    guessed : bool
        Whether the kind was guessed from the values.
    n_samples, n_features : int
        Members, if these are labels.
    by_blocks : bool
        Whether the rows are read from a disk.
    sparse : bool
    n_text : int
        Columns that are not numeric.
    missing : float
        Share of missing values.
    loud : LoudColumns or None
        The columns that drown the others.
    names : tuple of str or None
        Of the columns.
    several_kinds : bool
        Whether these are members of several kinds of clusterer.
    n_rows : int
        Distinct rows of labels.
    """

    kind: str
    n_samples: int
    n_features: int
    guessed: bool = False
    by_blocks: bool = False
    sparse: bool = False
    n_text: int = 0
    missing: float = 0.0
    loud: LoudColumns | None = None
    names: tuple[str, ...] | None = None
    several_kinds: bool = False
    n_rows: int = 0

    def sentences(self) -> Iterator[str]:
        """Yield what was seen, in words."""
        if self.kind == "labels":
            yield (
                f"{count(self.n_features, 'labeling')} of "
                f"{count(self.n_samples, 'sample')}, "
                f"{count(self.n_rows, 'distinct row')} of labels."
            )
            return
        if self.kind == "graph":
            yield f"A graph of {count(self.n_samples, 'node')}."
            return
        if self.kind == "image":
            yield f"An image of {count(self.n_samples, 'pixel')}."
            return
        where = ", read block by block" if self.by_blocks else ""
        kind = ", sparse" if self.sparse else ""
        yield (
            f"{count(self.n_samples, 'sample')}, "
            f"{count(self.n_features, 'feature')}{kind}{where}."
        )
        if self.n_text:
            yield f"{count(self.n_text, 'column')} of text, categories or dates."
        if self.missing:
            yield f"{max(self.missing, 0.001):.1%} of the values are missing."
        if self.loud is not None:
            yield f"Scales differ: {self.loud.sentence(self.names)}."


def look_at(X: Any, kind: str | None) -> Facts:
    """Return what matters about the data; ``kind`` overrules the guess."""
    if isinstance(X, str | Path):
        X = open_rows(X, "advise")
    guessed = kind is None
    kind = kind or _guessed(X)
    if kind == "labels":
        ensemble = X if isinstance(X, Ensemble) else Ensemble(X)
        return Facts(
            kind,
            ensemble.n_samples,
            ensemble.n_members,
            guessed=guessed and not isinstance(X, Ensemble),
            several_kinds=has_several_kinds(ensemble),
            n_rows=len(ensemble.core),
        )
    if kind == "graph":
        return Facts(kind, _n_nodes(X), 0)
    if kind == "image":
        height, width = np.shape(X)[:2]
        return Facts(kind, height * width, 0)
    return _of_data(X)


def _of_data(X: Any) -> Facts:
    if isinstance(X, Rows):
        n_samples, n_features = X.shape
        loud = loud_columns(X.read(0))
        return Facts("data", n_samples, n_features, by_blocks=True, loud=loud)
    names = getattr(X, "columns", None)
    if not is_sparse(X) and names is None:
        X = np.asarray(X)
    if len(X.shape) != 2:
        raise ValueError(
            f"advise expects a table with samples in rows, got the shape {X.shape}. "
            "Pass X of shape (n_samples, n_features); kind='image' or 'graph' for an "
            "image or a graph."
        )
    n_samples, n_features = X.shape
    known = None if names is None else tuple(str(name) for name in names)
    if is_table(X):
        n_text = len(not_numeric(X)) if known else n_features
        missing = _missing_cells(X)
        return Facts(
            "data", n_samples, n_features, n_text=n_text, missing=missing, names=known
        )
    if is_sparse(X):
        return Facts("data", n_samples, n_features, sparse=True)
    values = np.asarray(X, dtype=np.float64)
    missing = float(np.isnan(values).mean()) if has_missing(values) else 0.0
    loud = loud_columns(values)
    return Facts("data", n_samples, n_features, missing=missing, loud=loud, names=known)


def _n_nodes(graph: Any) -> int:
    """Return the number of nodes of a graph of networkx or igraph, edges, a matrix."""
    if hasattr(graph, "nodes"):
        return len(graph)
    if hasattr(graph, "vcount"):
        return graph.vcount()
    ends = _ends_of(graph)
    return len({*graph[ends[0]], *graph[ends[1]]}) if ends else graph.shape[0]


def _ends_of(X: Any) -> list[str]:
    """Return the columns of a frame that hold the two ends of edges, if it has them."""
    by_name = {str(name).lower(): name for name in getattr(X, "columns", ())}
    for pair, most in _ENDS.items():
        if all(name in by_name for name in pair) and len(by_name) <= most:
            return [by_name[name] for name in pair]
    return []


def _missing_cells(table: Any) -> float:
    """Return the share of missing values of a table with text."""
    if hasattr(table, "isna"):  # pandas
        return float(table.isna().to_numpy().mean())
    if hasattr(table, "null_count"):  # polars
        return sum(table.null_count().row(0)) / (table.height * table.width)
    flat = np.asarray(table, dtype=object).ravel()
    return float(np.mean([cell is None or cell != cell for cell in flat]))


def _guessed(X: Any) -> str:
    """Return the kind of the data, from their type, shape and values."""
    if isinstance(X, Ensemble):
        return "labels"
    if hasattr(X, "nodes") and hasattr(X, "edges"):
        return "graph"
    if hasattr(X, "vcount") or _ends_of(X):
        return "graph"
    if isinstance(X, Rows):
        return "data"
    if is_sparse(X):
        n_rows, n_columns = X.shape
        square = n_rows == n_columns and n_rows > 1
        return "graph" if square and abs(X - X.T).nnz == 0 else "data"
    if isinstance(X, list | tuple) and _are_labelings(np.array(X).T):
        return "labels"
    values = np.asarray(X)
    if values.ndim == 3 and values.shape[2] in (3, 4):
        return "image"
    return "labels" if _are_labelings(values) else "data"


def _are_labelings(values: np.ndarray) -> bool:
    """Whether the columns are codes 0, 1, 2, ... that largely say the same."""
    if values.ndim != 2 or values.shape[1] < 2 or values.shape[0] < 3:
        return False
    if values.dtype.kind == "f" and not (np.mod(values, 1) == 0).all():
        return False
    if values.dtype.kind not in "iuf":
        return False
    columns = [np.unique(column) for column in values.T]
    for codes in columns:
        codes = codes[codes >= 0]  # -1 is a missing label
        most = min(_MOST_CODES, values.shape[0] // 2)
        if not 2 <= codes.size <= max(2, most) or codes[0] > 1:
            return False
        if codes[-1] - codes[0] != codes.size - 1:
            return False
    some = values[:: -(-values.shape[0] // _SAMPLE)].astype(np.int64)
    pairs = list(combinations(range(some.shape[1]), 2))
    chosen = pairs[:: -(-len(pairs) // _PAIRS)]
    return float(np.mean([nmi(some[:, a], some[:, b]) for a, b in chosen])) > _ALIKE
