"""Any three parts combined into one scikit-learn clusterer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie._catalog import METHODS, find
from coterie._docs import fill_doc
from coterie._tables import missing_note
from coterie._typing import Progress
from coterie._validation import COUNT, HasMethods, clone, has_missing
from coterie.consensus import Council
from coterie.generation import FromClusterers, IncompleteMembers, Panel
from coterie.generation._seats import differ_in_scale
from coterie.generation._views import look
from coterie.systems._base import BaseSystem, Parts
from coterie.systems._defaults import default_consensus, weighter_for

_N_RUNS = 50  # of a single clusterer, as many as generators make members
_KINDS = "a generator, its name, a scikit-learn clusterer, or a list of clusterers"


@fill_doc
class EnsembleClustering(BaseSystem):
    """Ensemble clustering: make many clusterings, weight them, combine them.

    By default it asks a panel: several kinds of clusterer (spectral, Genie, Gaussian
    mixtures, Leiden, MDEC's, bootstrap networks), each on several views of the data
    (as they are, standardised, rows at unit length, ranks). Each kind is combined by
    itself; then the kinds are combined, weighted by how steady they are and how far
    the other kinds agree with them. There is nothing to tune, and no need to scale the
    data first.

    Or choose each part: any generator, weighter and consensus function.

    It takes tables as they are: columns of categories and dates are encoded, columns
    that look like identifiers are left out, and missing values stay missing
    (:class:`~coterie.generation.IncompleteMembers`); ``notes_`` says what was done.

    Parameters
    ----------
    %(system_n_clusters)s
    n_members : int or None, default=None
        Number of clusterings to make; None is the generator's default.
    effort : {"quick", "normal", "thorough"} or float, default="normal"
        How much time the panel takes: "quick" asks the kinds that gain most for their
        cost, "thorough" makes twice the members, and a number is a time limit in
        seconds, with results that depend on the speed of the machine.
    generator : generator, its name, clusterer, list of these, or None, default=None
        What makes the members; None is :class:`~coterie.generation.Panel`. A
        scikit-learn clusterer runs ``n_members`` times with different seeds; a list of
        clusterers makes one member from each
        (:class:`~coterie.generation.FromClusterers`).
    weighter : weighter, its name, "auto" or None, default="auto"
        How members and clusters are weighted; "auto" is the weighter of the consensus
        function's own paper, None means no weights.
    consensus : consensus function, its name, or None, default=None
        How the members are combined; None is :class:`~coterie.consensus.Council` for a
        panel. For other members it is :class:`~coterie.consensus.LWEA` up to 20,000
        samples and :class:`~coterie.consensus.LWGP` beyond. ``coterie methods`` lists
        the names.
    %(system_parameters)s

    Attributes
    ----------
    %(system_attributes)s
    notes_ : tuple of str
        What was done with the columns of a table and with missing values.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import EnsembleClustering
    >>> X, y = load_iris(return_X_y=True)
    >>> model = EnsembleClustering(n_clusters=3, random_state=0).fit(X)
    >>> model.labels_.shape
    (150,)
    >>> model.recut(2).labels_[:5]
    array([0, 0, 0, 0, 0], dtype=int32)

    With your own clusterer:

    >>> from sklearn.cluster import KMeans
    >>> EnsembleClustering(3, n_members=10, generator=KMeans(6)).fit(X).ensemble_
    Ensemble of 10 members on 150 samples: 60 clusters (6 in each), ...
    """

    name = "ensemble"
    summary = "a panel of several kinds of clusterer; or any parts combined"
    cost = "those of its parts"
    group = "start"
    take_if = "any data that fit in memory; there is nothing to tune"
    takes_tables: ClassVar[bool] = True
    tries_scaled: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSystem._parameter_constraints,
        "n_members": [*COUNT, None],
        "effort": Panel._parameter_constraints["effort"],
        "generator": "no_validation",  # ``parts`` has better error messages
        "weighter": [str, HasMethods("weigh"), None],
        "consensus": [str, HasMethods("combine"), None],
    }

    _fit_notes: tuple[str, ...]

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_members: int | None = None,
        effort: str | float = "normal",
        generator: Any = None,
        weighter: Any = "auto",
        consensus: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_members = n_members
        self.effort = effort
        self.generator = generator
        self.weighter = weighter
        self.consensus = consensus
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def parts(self, n_samples: int | None = None) -> Parts:
        generator = _generator(self.generator, self.n_members)
        if isinstance(generator, Panel):
            self._lead(generator)
        elif self.effort != "normal":
            raise ValueError(
                f"EnsembleClustering got effort={self.effort!r}, but only a panel can "
                f"vary its effort, not {type(generator).__name__}. Set n_members, or "
                "omit generator."
            )
        consensus = self.consensus or default_consensus(
            n_samples, isinstance(generator, Panel)
        )
        consensus = _part(consensus, METHODS)
        weighter = weighter_for(self.weighter, consensus)
        if self.weighter is None and not hasattr(self.consensus, "combine"):
            _turn_off_weights(consensus)
        return Parts(
            generator, None if weighter is None else clone(weighter), consensus
        )

    def _lead(self, panel: Panel) -> None:
        """Tell a panel what it does not know; its own parameters come first."""
        if self.effort != "normal":
            panel.set_params(effort=self.effort)
        if panel.target is None:
            panel.set_params(target=getattr(self, "n_clusters_", None))

    @property
    def notes_(self) -> tuple[str, ...]:
        """What was done with the columns, and which kinds of member were left out."""
        check_is_fitted(self, "ensemble_")
        return self._fit_notes + self.ensemble_.notes

    def _parts_for(self, X: Any) -> Parts:
        parts = self.parts(X.shape[0])
        self._fit_notes = tuple(self._said(X))
        encoder = self._fit_table
        if isinstance(parts.generator, Panel) and encoder and encoder.has_categories:
            # encoded columns have their scale, which other views would distort
            parts.generator.set_params(views=["raw"])
        if not has_missing(X):
            return parts
        for part in parts[1:]:
            if part is not None and part.needs_X:
                raise ValueError(
                    f"{type(self).__name__}: {type(part).__name__} needs data without "
                    "missing values. Choose another part, such as "
                    "consensus='lwea', or impute the values first."
                )
        if not getattr(parts.generator, "accepts_missing", False):
            parts = parts._replace(generator=IncompleteMembers(parts.generator))
        return parts

    def _as_scaled(self, X: Any) -> Any:
        sees_both = isinstance(self.parts().generator, Panel)
        return None if sees_both or self._fit_table is not None else X

    def _chosen_from(self, X: Any, seed: np.random.SeedSequence) -> Any:
        if self._scales_first(X):
            return look(X, "zscore")
        return X

    def _scales_first(self, X: Any) -> bool:
        """Whether the number of clusters is chosen from standardised features."""
        return isinstance(self.parts().generator, Panel) and differ_in_scale(X)

    def _said(self, X: Any) -> Iterator[str]:
        """Yield what was done with the columns of the data."""
        encoder = self._fit_table
        if encoder is not None:
            yield from encoder.notes
        if hasattr(self, "k_choice_") and self._scales_first(X):
            yield "The number of clusters was chosen from standardised features."
        if not has_missing(X):
            return
        names = getattr(self, "feature_names_in_", None)
        columns = [f"column {j}" for j in range(X.shape[1])]
        if encoder is not None:
            columns = encoder.sources
        elif names is not None:
            columns = [str(name) for name in names]
        yield missing_note(np.isnan(X), columns) or ""
        yield from IncompleteMembers().notes(X, columns)
        choice = getattr(self, "k_choice_", None)
        if choice is not None:
            n = choice.settings["complete_part"][0]
            yield (
                "The number of clusters was chosen from the largest complete part of "
                f"the table: {n:,} of {X.shape[0]:,} rows."
            )


def _turn_off_weights(consensus: Any) -> None:
    """Let a council hear all groups alike; others learn no weights."""
    if isinstance(consensus, Council):
        consensus.set_params(weighter=None)


def _generator(given: Any, n_members: int | None) -> Any:
    """Return a generator from a generator, a name, a clusterer or a list of these."""
    who = "EnsembleClustering"
    if isinstance(given, type):
        raise TypeError(
            f"{who} expects generator as {_KINDS}; got the class {given.__name__}. "
            f"Pass an instance, such as {given.__name__}()."
        )
    if given is None or isinstance(given, str):
        kind = find(given or "panel", {"generator"}).load()
        if kind is FromClusterers:
            raise ValueError(
                f"{who}: {given!r} needs the clusterers themselves. Pass a list of "
                "them as generator, or FromClusterers([...])."
            )
        generator = kind()
    elif isinstance(given, list | tuple):
        generator = FromClusterers(list(given))
    elif hasattr(given, "generate"):
        generator = clone(given)
    elif hasattr(given, "fit_predict"):
        return FromClusterers([_reseedable(given)] * (n_members or _N_RUNS))
    else:
        raise TypeError(
            f"{who} expects generator as {_KINDS}; got {given!r}. FromClusterers makes "
            "a generator from any clusterers with fit_predict."
        )
    if n_members is None:
        return generator
    if "n_members" not in generator.get_params(deep=False):
        raise ValueError(
            f"{who} got n_members={n_members}, but {type(generator).__name__} decides "
            "how many members it makes. Omit n_members."
        )
    return generator.set_params(n_members=n_members)


def _reseedable(clusterer: Any) -> Any:
    """Return a clusterer, or raise if all its runs would be the same."""
    if not any(name.endswith("random_state") for name in clusterer.get_params()):
        name = type(clusterer).__name__
        raise ValueError(
            f"EnsembleClustering: {name} has no random_state, so all its runs would be "
            "the same. Vary the data with generator=Bootstrap(clusterer=...) or "
            "RandomSubspace(clusterer=...), or pass a list of different clusterers."
        )
    return clusterer


def _part(part: Any, kinds: frozenset[str] | set[str]) -> Any:
    """Return a part from its name, or a copy of it."""
    return find(part, kinds).load()() if isinstance(part, str) else clone(part)
