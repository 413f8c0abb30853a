"""What is done to data before they are clustered: gaps filled, columns scaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from coterie.cli._columns import AUTO, NONE

_YES, _NO = "yes", "no"
_FILLS = {"median": "the median", "mean": "the mean", "knn": "the 5 nearest rows"}


class Prepared(NamedTuple):
    """Data as they are clustered, and what was done to them."""

    X: Any
    notes: list[str]
    is_scaled: bool


@dataclass(frozen=True)
class Preparation:
    """Options for gaps and scales.

    Attributes
    ----------
    standardize : auto|yes|no
        Scale the columns; 'auto': if a few hold nearly all the variance.
    impute : median|mean|knn
        Fill empty cells from the same column, or from the 5 nearest rows; text by the
        most frequent word. [default: none; the default system copes with gaps]
    """

    panel: ClassVar[str] = "Reading the file"
    shown: ClassVar[frozenset[str]] = frozenset({"standardize"})
    standardize: str = AUTO
    impute: str = NONE

    def check(self) -> None:
        """Raise for unknown words before any file is read."""
        for option, wish, known in (
            ("--standardize", self.standardize, (AUTO, _YES, _NO)),
            ("--impute", self.impute, (NONE, *_FILLS)),
        ):
            if wish not in known:
                *others, last = known
                raise ValueError(
                    f"{option} expects {', '.join(others)} or {last}, got {wish}."
                )

    @property
    def fills(self) -> bool:
        """Whether empty cells are filled."""
        return self.impute != NONE

    def apply(self, X: Any, names: Sequence[str], copes: bool) -> Prepared:
        """Return the data with filled gaps and scaled columns, as wished.

        Parameters
        ----------
        X : array, sparse matrix, frame or Rows
        names : sequence of str
            Of the columns.
        copes : bool
            Whether the scales of the columns do not matter.
        """
        from coterie._tables import is_table

        notes = []
        if self.fills:
            X, n_filled = _filled(X, self.impute)
            if n_filled:
                notes.append(_said_of_filled(n_filled, self.impute))
        if is_table(X):  # its encoding is standardized
            return Prepared(X, notes, self.standardize == _YES)
        is_scaled = self.standardize == _YES
        if self.standardize == AUTO and not copes:
            from coterie._scales import loud_columns

            loud = loud_columns(X.read(0) if _is_rows(X) else X)
            is_scaled = loud is not None
            if loud is not None:
                why = loud.sentence(names)
                notes.append(f"Standardized: {why} (else --standardize no).")
        return Prepared(_standardized(X) if is_scaled else X, notes, is_scaled)


def _said_of_filled(n_filled: int, how: str) -> str:
    from coterie._display import count

    return f"Filled {count(n_filled, 'empty cell')} by {_FILLS[how]}."


def _is_rows(X: Any) -> bool:
    return hasattr(X, "bounds")


def _standardized(X: Any) -> Any:
    """Return data with columns of mean 0 (unless sparse) and standard deviation 1."""
    if _is_rows(X):
        from coterie._large import ScaledRows

        return ScaledRows(X, "coterie cluster")
    from sklearn.preprocessing import StandardScaler

    return StandardScaler(with_mean=not hasattr(X, "indptr")).fit_transform(X)


def _filled(X: Any, how: str) -> tuple[Any, int]:
    """Return data without gaps, and how many there were."""
    import numpy as np

    if _is_rows(X):
        raise ValueError(
            f"--impute {how}: rows that are read block by block cannot be filled. Fill "
            "them before, or choose --system ensemble, which takes gaps as they are."
        )
    if hasattr(X, "indptr"):
        return X, 0
    if not hasattr(X, "columns"):
        return _filled_numbers(X, how), int(np.isnan(X).sum())
    gaps, filled = X.isna(), X.copy()
    numbers = [name for name in X if X[name].dtype.kind in "iuf"]
    if numbers:
        filled[numbers] = _filled_numbers(X[numbers].to_numpy(np.float64), how)
    for name in X.columns.difference(numbers):
        is_date = X[name].dtype.kind in "mM"
        usual = X[name].median() if is_date else X[name].mode().iloc[0]
        filled[name] = X[name].fillna(usual)
    return filled, int(gaps.to_numpy().sum())


def _filled_numbers(X: Any, how: str) -> Any:
    if how != "knn":
        from sklearn.impute import SimpleImputer

        return SimpleImputer(strategy=how).fit_transform(X)
    from sklearn.impute import KNNImputer
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler()  # it ignores gaps, and no unit should decide who is near
    near = KNNImputer(n_neighbors=5).fit_transform(scaler.fit_transform(X))
    return scaler.inverse_transform(near)
