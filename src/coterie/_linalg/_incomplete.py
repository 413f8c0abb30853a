"""Arrays with missing values (NaN): complete parts, and nearest samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_FEWEST, _SHARE = 10, 0.05  # samples of a part that no sample depends on
_FADE = 0.25  # how much less a row counts for each further value that it misses
_SEEN = 0.1  # worth of all rows that are in a part, relative to those in none
_STEPS = 60  # in which a search drops its columns
_CELLS = 2**24  # distances in memory at once


@dataclass(frozen=True, eq=False)
class CompletePart:
    """Rows and columns of a table between which no value is missing.

    Attributes
    ----------
    rows : (n,) int array
        All rows that are complete in the columns.
    columns : (d,) int array
    """

    rows: np.ndarray
    columns: np.ndarray


def complete_parts(missing: np.ndarray, n_parts: int) -> list[CompletePart]:
    """Return complete parts of a table that together cover its rows.

    The first part has the columns that no row misses, if there are any. Each further
    one has the columns, with all rows that are complete in them, that cover the most
    values that no part covers yet; columns are dropped one by one from all columns, the
    one first that keeps the most rows incomplete. More parts than asked for are made if
    a row is in none, or a column that one row in twenty has.

    Parameters
    ----------
    missing : (N, D) bool array
        No row may miss everything.
    n_parts : int

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import complete_parts
    >>> missing = np.zeros((40, 3), dtype=bool)
    >>> missing[:10, 2] = True
    >>> [(part.rows.size, part.columns) for part in complete_parts(missing, 4)]
    [(40, array([0, 1])), (30, array([0, 1, 2]))]
    """
    table = _Table.of(missing)
    least = max(min(_FEWEST, len(missing) // 2), round(_SHARE * len(missing)))
    everything = np.ones(table.widths.size, dtype=bool)
    never = np.logical_not(table.missing.any(axis=0))
    found: list[np.ndarray] = [never] if never.any() else []
    fresh = ~table.missing
    for columns in found:
        fresh &= ~table.covered(columns)
    while len(found) < n_parts:
        columns = table.widest(everything, fresh)
        if table.n_rows(columns) < least or not (fresh & table.covered(columns)).any():
            break
        found.append(columns)
        fresh &= ~table.covered(columns)
    while True:  # rows in no part
        seen = np.zeros(table.counts.size, dtype=bool)
        for columns in found:
            seen |= table.complete(columns)
        if seen.all():
            break
        row = int(np.argmax(np.where(seen, 0, table.counts)))
        share = table.counts[~seen].sum() / table.counts.sum()
        worth = np.where(seen, _SEEN * share, 1.0)[:, None] * ~table.missing
        found.append(table.widest(~table.missing[row], worth))
    for j in np.argsort(table.counts @ table.missing, kind="stable"):  # unused columns
        has = ~table.missing[:, j]
        used = any(columns[j] for columns in found)
        if used or table.counts[has].sum() < max(least, 1):
            continue
        found.append(table.widest(everything, ~table.missing & has[:, None], keep=j))
    return [table.part(columns) for columns in found]


def largest_complete_part(missing: np.ndarray) -> CompletePart:
    """Return a complete part of a table with many values, found greedily.

    Parameters
    ----------
    missing : (N, D) bool array

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import largest_complete_part
    >>> missing = np.zeros((40, 3), dtype=bool)
    >>> missing[:30, 2] = True
    >>> largest_complete_part(missing).columns
    array([0, 1])
    """
    table = _Table.of(missing)
    everything = np.ones(table.widths.size, dtype=bool)
    return table.part(table.widest(everything, ~table.missing))


@dataclass(frozen=True, eq=False)
class _Table:
    """The distinct rows and the distinct columns of a table of missing values."""

    missing: np.ndarray  # (R, C)
    counts: np.ndarray  # (R,) float: rows of each kind
    widths: np.ndarray  # (C,) float: columns of each kind
    row_kinds: np.ndarray  # (N,)
    column_kinds: np.ndarray  # (D,); -1 = without any value

    @classmethod
    def of(cls, missing: np.ndarray) -> _Table:
        rows, row_kinds, counts = _distinct(missing)
        columns, column_kinds, widths = _distinct(rows.T)
        empty = columns.all(axis=1)
        numbers = np.where(empty, -1, np.cumsum(~empty) - 1)
        return cls(
            np.ascontiguousarray(columns[~empty].T),
            counts.astype(np.float64),
            widths[~empty].astype(np.float64),
            row_kinds,
            numbers[column_kinds],
        )

    def complete(self, columns: np.ndarray) -> np.ndarray:
        """Return which kinds of rows are complete in the columns, (R,)."""
        return np.logical_not(self.missing[:, columns].any(axis=1))

    def n_rows(self, columns: np.ndarray) -> float:
        return float(self.counts[self.complete(columns)].sum())

    def covered(self, columns: np.ndarray) -> np.ndarray:
        return self.complete(columns)[:, None] & columns

    def widest(
        self, start: np.ndarray, worth: np.ndarray, keep: int | None = None
    ) -> np.ndarray:
        """Return the columns whose complete rows have the values of most worth, (C,).

        Columns are dropped from those of ``start``, except ``keep``.
        """
        cells = worth * self.counts[:, None] * self.widths  # (R, C)
        gaps = self.missing.astype(np.float64)
        rare = 1e-9 * (self.counts @ gaps) / self.counts.sum()  # decides ties
        columns = start.copy()
        n_missing = gaps @ columns  # (R,)
        per_row = cells @ columns
        best, most = columns.copy(), -1.0
        at_once = max(1, int(columns.sum()) // _STEPS)
        while True:
            value = float(per_row[n_missing == 0].sum())
            if value > most:
                best, most = columns.copy(), value
            matter = np.where(n_missing > 0, per_row * _FADE**n_missing, 0.0)
            harm = np.where(columns, (matter @ gaps) / self.widths + rare, 0.0)
            if keep is not None:
                harm[keep] = 0.0
            worst = np.argsort(-harm, kind="stable")[:at_once]
            worst = worst[harm[worst] > 0]
            if worst.size == 0 or worst.size >= columns.sum():
                return best
            columns[worst] = False
            n_missing -= gaps[:, worst].sum(axis=1)
            per_row -= cells[:, worst].sum(axis=1)

    def part(self, columns: np.ndarray) -> CompletePart:
        rows = self.complete(columns)[self.row_kinds]
        known = self.column_kinds >= 0
        chosen = known & columns[np.maximum(self.column_kinds, 0)]
        return CompletePart(np.flatnonzero(rows), np.flatnonzero(chosen))


def _distinct(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct rows by first appearance, each row's kind, the counts."""
    packed = np.packbits(table, axis=1)
    _, first, kinds, counts = np.unique(
        packed, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    return table[first[order]], rank[kinds.ravel()], counts[order]


def nearest_incomplete(
    known: np.ndarray, n_neighbors: int, queries: np.ndarray
) -> np.ndarray:
    """Return the nearest samples by the values that both have, (n, n_neighbors).

    The squared distance is the mean squared difference of these values; samples without
    a common value are infinitely far.

    Parameters
    ----------
    known : (N, D) array
    n_neighbors : int
        At most N.
    queries : (n, D) array

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import nearest_incomplete
    >>> known = np.array([[0.0, 5.0], [np.nan, 1.0], [9.0, 9.0]])
    >>> nearest_incomplete(known, 1, np.array([[8.0, np.nan], [0.0, 1.0]]))
    array([[2],
           [1]])
    """
    from sklearn.metrics.pairwise import nan_euclidean_distances

    step = max(1, _CELLS // known.shape[0])
    found: list[Any] = []
    for start in range(0, queries.shape[0], step):
        far = nan_euclidean_distances(queries[start : start + step], known)
        far[np.isnan(far)] = np.inf
        found.append(np.argsort(far, axis=1, kind="stable")[:, :n_neighbors])
    return np.concatenate(found)
