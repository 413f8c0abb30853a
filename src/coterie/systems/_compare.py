"""Many consensus functions on one ensemble, side by side."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

from coterie._catalog import METHODS, Entry, entries, find
from coterie._display import count, shortened, table
from coterie._engine import progress_hook
from coterie._kernels._jit import numba_threads
from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie._validation import check_data, check_n_clusters, is_sparse
from coterie.choice._auto import AUTO
from coterie.consensus import ConsensusResult
from coterie.ensemble import Ensemble
from coterie.exceptions import FewerClustersWarning
from coterie.metrics import member_agreement, score
from coterie.metrics._ensemble import agreement_with_ensemble
from coterie.metrics._validity import CRITERIA, distance_tiles, sums_of_each
from coterie.systems._combine import combine, several_members

_EXTERNAL = {"nmi": "nmi_geometric", "ari": "ari", "acc": "acc"}
_INTERNAL = {"silhouette": "swc", "variance_ratio": "vrc"}
_FEW_SAMPLES = 60  # of the trial that compiles
_MOST_SAMPLES = 5000  # of which internal scores see the distances
_EXPECTED = (ValueError, MemoryError, ImportError)  # of a method that does not suit


@dataclass(frozen=True, eq=False)
class Comparison:
    """What several methods made of the same members.

    Attributes
    ----------
    methods : tuple of str
        Those that gave an answer, in the order asked for.
    results : dict of str to ConsensusResult
        The answer of each method.
    scores : dict of str to (n_methods,) array
        ``agreement`` (mean NMI with the members); with dense data ``silhouette`` and
        ``variance_ratio`` (of at most 5,000 evenly spaced samples); with known classes
        ``nmi``, ``ari`` and ``acc``. Larger is better in all.
    seconds : (n_methods,) array
        Time of each method alone, on one thread.
    similarity : (n_methods, n_methods) array
        NMI between the answers.
    failed : dict of str to str
        Methods without an answer, and why.

    Examples
    --------
    >>> import coterie
    >>> found = coterie.compare([[0, 0, 1, 1], [0, 0, 1, 2]], 2, ["eac", "vote"])
    >>> found.methods
    ('eac', 'vote')
    >>> found.labels
    array([[0, 0],
           [0, 0],
           [1, 1],
           [1, 1]], dtype=int32)
    """

    methods: tuple[str, ...]
    results: Mapping[str, ConsensusResult]
    scores: Mapping[str, np.ndarray]
    seconds: np.ndarray
    similarity: np.ndarray
    failed: Mapping[str, str]

    @property
    def labels(self) -> np.ndarray:
        """The answers, (n_samples, n_methods)."""
        return np.column_stack([self.results[name].labels for name in self.methods])

    @property
    def ranks(self) -> dict[str, np.ndarray]:
        """The place of each method by each score, 1 the best, equals sharing theirs."""
        return {name: rankdata(-values) for name, values in self.scores.items()}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each method: name, clusters found, scores, seconds."""
        return [
            {
                "method": name,
                "n_found": int(self.results[name].labels.max()) + 1,
                **{score: float(values[m]) for score, values in self.scores.items()},
                "seconds": float(self.seconds[m]),
            }
            for m, name in enumerate(self.methods)
        ]

    def to_frame(self) -> Any:
        """Return the :meth:`records` as a pandas frame."""
        import pandas

        return pandas.DataFrame(self.records())

    def sort_by(self, column: str) -> Comparison:
        """Return the same comparison with the best method first.

        Parameters
        ----------
        column : str
            A score, or "seconds", of which the fewest come first.
        """
        if column != "seconds" and column not in self.scores:
            known = ", ".join([*self.scores, "seconds"])
            raise ValueError(
                f"Comparison.sort_by expects one of {known}; got {column!r}."
            )
        keys = self.seconds if column == "seconds" else -self.scores[column]
        order = np.argsort(keys, kind="stable")
        return replace(
            self,
            methods=tuple(self.methods[m] for m in order),
            scores={name: values[order] for name, values in self.scores.items()},
            seconds=self.seconds[order],
            similarity=self.similarity[np.ix_(order, order)],
        )

    def __repr__(self) -> str:
        rows = self.records()
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        n_samples = self.results[self.methods[0]].labels.size
        lines = [
            f"Comparison: {count(len(rows), 'method')} on {count(n_samples, 'sample')}",
            *table(columns, len(rows)),
        ]
        if self.failed:
            reasons = [shortened(reason) for reason in self.failed.values()]
            failed = {"failed": list(self.failed), "because": reasons}
            lines += ["", *table(failed, len(reasons))]
        return "\n".join(lines)


def compare(
    labels: Any,
    n_clusters: int | str,
    consensus: Iterable[str] | None = None,
    *,
    X: Any = None,
    y: Any = None,
    random_state: Seed = None,
    progress: Progress = None,
) -> Comparison:
    """Combine the same clusterings by many methods, and compare the answers.

    Parameters
    ----------
    labels : Ensemble, list, dict, frame or array
        The members, as :func:`combine` takes them.
    n_clusters : int or "auto"
        Clusters to find; "auto" leaves the number to each method, the one that the
        members support best, which takes many times as long.
    consensus : sequence of str, default=None
        Names, as ``coterie methods`` lists them. None is every consensus function and
        baseline, less those that need data if there are none, those that would take
        minutes for so many distinct label rows, and those of
        :mod:`coterie.experimental`.
    X : array, default=None
        The data, for internal scores and for methods that look at them.
    y : (n_samples,) array, default=None
        Known classes, to score the answers. They choose nothing.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Every method gets the same seed.
    progress : bool or callable, default=None
        True shows a bar; a callable gets (done, total).

    Returns
    -------
    Comparison
        Answers, scores, seconds and how alike the answers are.

    Notes
    -----
    A method that cannot do the task (its memory guard says no, a library is missing) is
    left out, with the reason in ``failed``. All methods run on one thread, each first
    on a few samples, so that its seconds hold no compilation.

    Examples
    --------
    >>> import coterie
    >>> members = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> found = coterie.compare(members, 2, ["lwea", "vote"])
    >>> [row["method"] for row in found.records()]
    ['lwea', 'vote']
    """
    ensemble = several_members(labels, "compare")
    chosen = _chosen(consensus, X is not None)
    if n_clusters != AUTO:
        n_clusters = check_n_clusters(n_clusters, ensemble.n_samples, "compare")
    if X is not None:
        X = check_data(X, "compare", accept_sparse=True)
        _check_length("X", X.shape[0], ensemble)
    if y is not None:
        y = np.asarray(y)
        _check_length("y", y.shape[0], ensemble)
    seed = seed_sequence(random_state)
    results: dict[str, ConsensusResult] = {}
    seconds, failed = [], {}
    with (
        progress_hook(progress, "Combining") as report,
        threadpool_limits(1),
        numba_threads(1),
    ):
        for done, entry in enumerate(chosen, start=1):
            if consensus is None and not entry.is_quick(len(ensemble.core)):
                failed[entry.name] = (
                    f"left out: with {len(ensemble.core):,} distinct label rows, more "
                    f"than {entry.most_rows:,}, it takes minutes. Name it to run it."
                )
                continue
            try:
                result, took = _timed(entry, ensemble, n_clusters, X, seed)
            except _EXPECTED as error:
                failed[entry.name] = " ".join(str(error).split())
            else:
                results[entry.name] = result
                seconds.append(took)
            report(done, len(chosen))
    if not results:
        name, reason = next(iter(failed.items()))
        raise ValueError(f"compare: no method gave an answer. {name}: {reason}")
    answers = [result.labels for result in results.values()]
    return Comparison(
        tuple(results),
        results,
        _scores(answers, ensemble, X, y),
        np.array(seconds),
        member_agreement(Ensemble(answers)),
        failed,
    )


def _chosen(consensus: Iterable[str] | None, has_data: bool) -> list[Entry]:
    if consensus is not None:
        names = [consensus] if isinstance(consensus, str) else list(consensus)
        if not names:
            raise ValueError(
                "compare got no names. Name some consensus functions, or none for all."
            )
        return list({name: find(name, METHODS) for name in names}.values())
    return [
        entry
        for entry in entries("baseline", "consensus", experimental=False)
        if has_data or not entry.load().needs_X
    ]


def _check_length(what: str, n: int, ensemble: Ensemble) -> None:
    if n != ensemble.n_samples:
        raise ValueError(
            f"compare expects {what} of the {ensemble.n_samples} samples of the "
            f"members, got {n}."
        )


def _timed(
    entry: Entry, ensemble: Ensemble, n_clusters: int | str, X: Any, seed: Any
) -> tuple[ConsensusResult, float]:
    """Return the answer and its seconds, after a trial on a few samples."""
    k = 2 if isinstance(n_clusters, str) else n_clusters
    few = slice(0, max(_FEW_SAMPLES, k))
    trial = Ensemble(list(ensemble.labels[few].T))
    with warnings.catch_warnings():
        # How many were found is a column of the table.
        warnings.simplefilter("ignore", FewerClustersWarning)
        with suppress(*_EXPECTED):  # what fails on a few samples may do on all
            _combine(entry, trial, k, None if X is None else X[few], seed)
        start = time.perf_counter()
        result = _combine(entry, ensemble, n_clusters, X, seed)
        return result, time.perf_counter() - start


def _combine(
    entry: Entry, ensemble: Ensemble, n_clusters: int | str, X: Any, seed: Any
) -> ConsensusResult:
    options = {"X": X, "random_state": seed, "return_result": True}
    result: Any = combine(ensemble, n_clusters, entry.name, **options)
    return result


def _scores(
    answers: list[np.ndarray], ensemble: Ensemble, X: Any, y: Any
) -> dict[str, np.ndarray]:
    columns = {
        "agreement": [agreement_with_ensemble(labels, ensemble) for labels in answers]
    }
    if X is not None and not is_sparse(X):
        columns |= _internal(answers, X)
    if y is not None:
        measured = [score(y, labels) for labels in answers]
        for name, key in _EXTERNAL.items():
            columns[name] = [one[key] for one in measured]
    return {name: np.array(values) for name, values in columns.items()}


def _internal(answers: list[np.ndarray], X: Any) -> dict[str, list[float]]:
    """Score by the distances between samples, of evenly spaced ones if many."""
    n = X.shape[0]
    rows = np.linspace(0, n - 1, min(n, _MOST_SAMPLES)).astype(np.intp)
    sums = sums_of_each(distance_tiles(X[rows]), [labels[rows] for labels in answers])
    return {
        name: [CRITERIA[criterion](one) for one in sums]
        for name, criterion in _INTERNAL.items()
    }
