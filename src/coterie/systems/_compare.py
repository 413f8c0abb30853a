"""Comparing many consensus functions on one ensemble."""

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

from coterie._cards import html_of
from coterie._catalog import METHODS, Entry, entries, find
from coterie._display import count, shortened, table
from coterie._engine import progress_hook
from coterie._kernels._jit import kernel_threads
from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie._validation import check_data, check_n_clusters, is_sparse
from coterie.choice._auto import AUTO
from coterie.consensus import ConsensusResult
from coterie.consensus._base import quiet
from coterie.ensemble import Ensemble
from coterie.exceptions import FewerClustersWarning
from coterie.metrics import member_agreement, score
from coterie.metrics._contingency import as_vector
from coterie.metrics._ensemble import agreement_with_ensemble
from coterie.metrics._validity import CRITERIA, distance_tiles, sums_of_each
from coterie.systems._card import comparison_card
from coterie.systems._combine import combine, several_members

_EXTERNAL = {"nmi": "nmi_geometric", "ari": "ari", "acc": "acc"}
_INTERNAL = {"silhouette": "swc", "variance_ratio": "vrc"}
_FEW_SAMPLES, _FEW_MEMBERS = 60, 10  # for the trial that triggers compilation
_MOST_SAMPLES = 5000  # for internal scores
_EXPECTED = (ValueError, MemoryError, ImportError)  # if a method does not apply


@dataclass(frozen=True, eq=False)
class Comparison:
    """The results of several methods on the same members.

    Attributes
    ----------
    methods : tuple of str
        The methods that gave a result, in the order requested; if none were named,
        those that agree best with the members, or with known classes, come first.
    results : dict of str to ConsensusResult
        The result of each method.
    scores : dict of str to (n_methods,) array
        ``agreement`` (mean NMI with the members); with dense data ``silhouette`` and
        ``variance_ratio`` (of at most 5,000 evenly spaced samples); with known classes
        ``nmi``, ``ari`` and ``acc``. Larger is better for all.
    seconds : (n_methods,) array
        Time of each method on one thread.
    similarity : (n_methods, n_methods) array
        NMI between the results.
    failed : dict of str to str
        Methods without a result, and why.

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
        """The label vectors, (n_samples, n_methods)."""
        return np.column_stack([self.results[name].labels for name in self.methods])

    @property
    def ranks(self) -> dict[str, np.ndarray]:
        """The rank of each method by each score; 1 is best, ties share a rank."""
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
            A score, or "seconds" (fastest first).
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

    def _repr_html_(self) -> str:
        return html_of(comparison_card, self)

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
    """Combine the same clusterings by many methods, and compare the results.

    Parameters
    ----------
    labels : Ensemble, list, dict, frame or array
        The members, in any form that :func:`combine` takes.
    n_clusters : int or "auto"
        Number of clusters; "auto" takes, for each method, the number that the members
        support best, which takes many times as long.
    consensus : sequence of str, default=None
        Names, as listed by ``coterie methods``. None is every consensus function and
        baseline, except those that need data if there are none, those that would take
        minutes because there are too many distinct label rows or members, and those in
        ``coterie.experimental``.
    X : array, default=None
        The data, for internal scores and for methods that use them.
    y : (n_samples,) array, default=None
        Known classes, used only to score the results.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Every method gets the same seed.
    progress : bool or callable, default=None
        True shows a progress bar; a callable gets (done, total).

    Returns
    -------
    Comparison
        Results, scores, seconds and the similarity of the results.

    Notes
    -----
    A method that fails (for lack of memory, or a missing library) is left out, with the
    reason in ``failed``. All methods run on one thread, each first on a few samples, so
    that ``seconds`` do not include compilation.

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
        y = as_vector("compare", "y", y)
        _check_length("y", len(y), ensemble)
    seed = seed_sequence(random_state)
    results: dict[str, ConsensusResult] = {}
    seconds, failed = [], {}
    with (
        progress_hook(progress, "Combining") as report,
        threadpool_limits(1),
        kernel_threads(1),
    ):
        for done, entry in enumerate(chosen, start=1):
            much = entry.too_many(len(ensemble.core), ensemble.n_members)
            if consensus is None and much:
                failed[entry.name] = (
                    f"left out: with {much}, it may take minutes. Name it to run it."
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
        raise ValueError(f"compare: no method gave a result. {name}: {reason}")
    answers = [result.labels for result in results.values()]
    found = Comparison(
        tuple(results),
        results,
        _scores(answers, ensemble, X, y),
        np.array(seconds),
        member_agreement(Ensemble(answers)),
        failed,
    )
    if consensus is None:
        return found.sort_by("agreement" if y is None else "nmi")
    return found


def _chosen(consensus: Iterable[str] | None, has_data: bool) -> list[Entry]:
    if consensus is not None:
        names = [consensus] if isinstance(consensus, str) else list(consensus)
        if not names:
            raise ValueError(
                "compare got no names. Name consensus functions, or pass None for all."
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
            f"compare expects {what} with the {ensemble.n_samples} samples of the "
            f"members, got {n}."
        )


def _timed(
    entry: Entry, ensemble: Ensemble, n_clusters: int | str, X: Any, seed: Any
) -> tuple[ConsensusResult, float]:
    """Return the result and its seconds, after a trial on a few samples."""
    k = 2 if isinstance(n_clusters, str) else n_clusters
    few = slice(0, max(_FEW_SAMPLES, k))
    trial = Ensemble(list(ensemble.labels[few, :_FEW_MEMBERS].T))
    of_few = None if X is None else X[few]
    function = quiet(entry.load()())
    with warnings.catch_warnings():
        # The number of clusters found and the agreement are columns of the table.
        warnings.simplefilter("ignore", FewerClustersWarning)
        with suppress(*_EXPECTED):  # a method may fail on a few samples only
            combine(trial, k, function, X=of_few, random_state=seed)
        start = time.perf_counter()
        result = combine(
            ensemble, n_clusters, function, X=X, random_state=seed, return_result=True
        )
        return result, time.perf_counter() - start


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
    """Score by the distances between samples, at most 5,000 evenly spaced ones."""
    n = X.shape[0]
    rows = np.linspace(0, n - 1, min(n, _MOST_SAMPLES)).astype(np.intp)
    sums = sums_of_each(distance_tiles(X[rows]), [labels[rows] for labels in answers])
    return {
        name: [CRITERIA[criterion](one) for one in sums]
        for name, criterion in _INTERNAL.items()
    }
