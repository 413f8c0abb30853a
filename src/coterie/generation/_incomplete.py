"""Members of data with missing values, without imputing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._engine import progress_hook, subfolder
from coterie._linalg import CompletePart, complete_parts
from coterie._seeds import seed_sequence
from coterie._tables import some
from coterie._typing import LABEL_DTYPE, NOT_ASSIGNED, Progress, Seed
from coterie._validation import COUNT, HasMethods, clone, has_missing
from coterie.ensemble import Ensemble, Member
from coterie.ensemble._ensemble import offsets_of
from coterie.generation._base import BaseGenerator
from coterie.generation._kmeans import RandomKMeans
from coterie.generation._sampled import SampledMembers


@fill_doc
class IncompleteMembers(BaseGenerator):
    """Any generator's members, for data with missing values (NaN).

    Nothing is imputed. Members are made from blocks of columns, each from the rows that
    are complete in its block; the other rows have no label (-1) there, and a consensus
    function compares two samples by the members that assign both. The first block has
    the columns that no row misses, so that it relates all samples. Every row is in a
    block, and so is every column that at least one row in twenty has. Without missing
    values, it is the generator itself.

    Parameters
    ----------
    generator : generator or None, default=None
        What makes the members; None is :class:`RandomKMeans`. The blocks share its
        members: at least a tenth each, and most where many rows have no wider block. A
        generator that has no ``n_members`` makes all of its members in each.
    n_blocks : int, default=5
        Most blocks of columns, unless rows or columns need more.

    Notes
    -----
    Blocks are large where columns are missing together, or in few columns. If many
    columns miss values here and there, blocks are small, and imputing the values first
    uses the data better. ``params`` of a member has the number of its ``block``;
    ``features`` are the columns of the block that it saw.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import IncompleteMembers, RandomKMeans
    >>> X = load_iris().data
    >>> X[::5, 3] = np.nan
    >>> generator = IncompleteMembers(RandomKMeans(20))
    >>> [(part.rows.size, part.columns) for part in generator.blocks(X)]
    [(150, array([0, 1, 2])), (120, array([0, 1, 2, 3]))]
    >>> ensemble = generator.generate(X, seed=0)
    >>> [member.features for member in ensemble.members][::19]
    [array([0, 1, 2]), array([0, 1, 2, 3])]
    """

    name = "incomplete"
    summary = "any generator on data with missing values, by complete blocks of columns"
    cost = "that of the generator"
    accepts_sparse: ClassVar[bool] = False
    accepts_missing: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "generator": [HasMethods("generate"), None],
        "n_blocks": COUNT,
    }

    def __init__(self, generator: Any = None, *, n_blocks: int = 5) -> None:
        self.generator = generator
        self.n_blocks = n_blocks

    def blocks(self, X: Any) -> list[CompletePart]:
        """Return the ``rows`` and ``columns`` of each block.

        Parameters
        ----------
        X : (n_samples, n_features) array or frame
        """
        X = self._accepted(X)
        self._check(X)
        return complete_parts(np.isnan(X), self.n_blocks)

    def notes(self, X: Any, columns: Sequence[str]) -> list[str]:
        """Return in sentences which columns were used how, if values are missing.

        Parameters
        ----------
        X : (n_samples, n_features) array
        columns : sequence of str
            A name for each feature; those of one column of a table share its name.
        """
        if not has_missing(X):
            return []
        parts, names = self.blocks(X), np.array(columns)
        sizes = [(p.rows.size, np.unique(names[p.columns]).size) for p in parts]
        listed = some([f"{n:,} rows and {d:,} columns" for n, d in sizes], 4)
        sets = "1 set" if len(parts) == 1 else f"{len(parts)} sets"
        said = [
            f"No value was imputed: members were made from {sets} of columns, each "
            f"from the rows that are complete in it ({listed})."
        ]
        used = {name for part in parts for name in names[part.columns]}
        for name in dict.fromkeys(columns):
            if name not in used:
                n = int((~np.isnan(X[:, list(columns).index(name)])).sum())
                of = f"{n:,} of {X.shape[0]:,} rows"
                said.append(f"Left out {name!r}: only {of} have it.")
        return said

    def _count(self) -> int:
        inner = self._inner()
        return inner._count() if isinstance(inner, BaseGenerator) else inner.n_members

    def _inner(self) -> Any:
        return RandomKMeans() if self.generator is None else clone(self.generator)

    def _check(self, X: Any) -> None:
        who = type(self).__name__
        if isinstance(self.generator, SampledMembers):
            raise ValueError(
                f"{who} cannot use SampledMembers, whose labels are kept in blocks of "
                "rows. Choose another generator, such as RandomKMeans."
            )
        empty = np.flatnonzero(np.isnan(X).all(axis=1))
        if empty.size:
            rows = some([str(row) for row in empty])
            verb = "samples have" if empty.size > 1 else "sample has"
            raise ValueError(
                f"{who}: {empty.size:,} {verb} no value at all (numbers from 0: "
                f"{rows}). Remove {'them' if empty.size > 1 else 'it'}."
            )

    def _generate(
        self, X: Any, seed: Seed, n_jobs: int | None, progress: Progress
    ) -> Ensemble:
        inner = self._inner()
        if not has_missing(X):
            return inner.generate(X, seed=seed, n_jobs=n_jobs, progress=progress)
        parts = complete_parts(np.isnan(X), self.n_blocks)
        makers = self._makers(inner, parts)
        totals = [IncompleteMembers(maker)._count() for maker in makers]
        # a checkpoint needs a seed, and the generator says so
        seeds = [None] * len(parts)
        if seed is not None:
            seeds = seed_sequence(seed).spawn(len(parts))
        found = []
        with progress_hook(progress, "Members") as tell:
            for b, (part, maker) in enumerate(zip(parts, makers, strict=True)):
                before = sum(totals[:b])
                with subfolder(f"block-{b}"):
                    ensemble = maker.generate(
                        np.ascontiguousarray(X[np.ix_(part.rows, part.columns)]),
                        seed=seeds[b],
                        n_jobs=n_jobs,
                        progress=lambda done, _, n=before: tell(n + done, sum(totals)),
                    )
                found.append(ensemble.voters())
        return _joined(found, parts, X.shape[0])

    def _makers(self, inner: Any, parts: list[CompletePart]) -> list[Any]:
        """Return a generator for each block."""
        if "n_members" not in inner.get_params(deep=False):
            return [clone(inner) for _ in parts]
        shares = _shares(self._count(), parts)
        return [clone(inner).set_params(n_members=share) for share in shares]


def _shares(total: int, parts: list[CompletePart]) -> list[int]:
    """Divide the members: a tenth to each block, the rest where it is the widest.

    A row counts, with its number of values, for the block with the most columns that
    it is in. Narrow blocks have little to add for rows that are in a wide one.
    """
    least = max(1, min(total // 10, total // len(parts)))
    best: dict[int, int] = {}  # the widest block of each row
    for b in np.argsort([part.columns.size for part in parts], kind="stable"):
        best |= dict.fromkeys(parts[b].rows.tolist(), int(b))
    rows = np.bincount(list(best.values()), minlength=len(parts))
    sizes = rows * np.array([part.columns.size for part in parts])
    exact = max(0, total - least * len(parts)) * sizes / sizes.sum()
    shares = least + np.floor(exact).astype(int)
    left = max(0, total - int(shares.sum()))
    shares[np.argsort(np.floor(exact) - exact, kind="stable")[:left]] += 1
    return shares.tolist()


def _joined(
    ensembles: list[Ensemble], parts: list[CompletePart], n_samples: int
) -> Ensemble:
    """Return one ensemble of all samples; those outside of a block have no label."""
    columns, members = [], []
    for b, (ensemble, part) in enumerate(zip(ensembles, parts, strict=True)):
        labels = np.full((n_samples, ensemble.n_members), NOT_ASSIGNED, LABEL_DTYPE)
        labels[part.rows] = ensemble.labels
        columns.append(labels)
        members += [_of_block(member, b, part.columns) for member in ensemble.members]
    sizes = np.concatenate([e.n_clusters_per_member for e in ensembles])
    labels = np.ascontiguousarray(np.hstack(columns))
    first, *others = ensembles
    # what a generator says of one block only may not hold for the others
    notes = tuple(n for n in first.notes if all(n in e.notes for e in others))
    return Ensemble._from_coded(labels, offsets_of(sizes), tuple(members), notes)


def _of_block(member: Member, block: int, columns: np.ndarray) -> Member:
    features = columns if member.features is None else columns[member.features]
    return replace(member, params={**member.params, "block": block}, features=features)
