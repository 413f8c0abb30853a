"""Warnings about a system on data for which another one is known to be better."""

from __future__ import annotations

import warnings
from typing import Any

from coterie._figures import FEW, ROWS, TRIALS
from coterie._scales import LoudColumns, loud_columns
from coterie.exceptions import UnscaledDataWarning, UnsuitableMethodWarning

_MEASURED_AS = {"mbn": "mbn-e"}  # one network was not measured by itself
_TO_CALLER = 6  # from here through _fit, fit_whole and fit


def quiet(system: Any) -> Any:
    """Return the system, which no longer warns: for our own use inside a function."""
    system._quiet = True
    return system


def warn_of_few_features(system: Any, n_features: int) -> None:
    """Warn if the system needs more features than there are.

    Parameters
    ----------
    system : system
    n_features : int
    """
    if n_features >= system.fewest_features:
        return
    there = "is" if n_features == 1 else "are"
    warnings.warn(
        f"{type(system).__name__} is poor on few features, and there {there} only "
        f"{n_features}{_measured(system.name)}. Use "
        f"coterie.EnsembleClustering({system.n_clusters!r}).",
        UnsuitableMethodWarning,
        stacklevel=_TO_CALLER,
    )


def _measured(name: str) -> str:
    """Return what the experiments say about a system on few features."""
    method = _MEASURED_AS.get(name, name)
    figure = ROWS.get((FEW, method))
    if figure is None:
        return ""
    return (
        f": on {figure.n_sets} sets of {TRIALS[FEW].about}, the mean ARI of {method} "
        f"was {figure.ari:.2f}, that of EnsembleClustering {figure.default:.2f}"
    )


def warn_of_scales(system: Any, X: Any) -> None:
    """Warn if a few columns hold nearly all the variance, and name them.

    Parameters
    ----------
    system : system
    X : array, sparse matrix or None
        The data as the members see them; None if their scales do not matter.
    """
    found = None if X is None else loud_columns(X)
    if found is None:
        return
    names = getattr(system, "feature_names_in_", None)
    warnings.warn(
        f"{type(system).__name__} takes the columns as they are, but "
        f"{found.sentence(names)}: {_others(found)}. Standardise them, X = "
        "sklearn.preprocessing.StandardScaler().fit_transform(X), or use "
        f"coterie.EnsembleClustering({system.n_clusters!r}), "
        "whose panel tries both.",
        UnscaledDataWarning,
        stacklevel=_TO_CALLER,
    )


def _others(found: LoudColumns) -> str:
    n_others = found.n_columns - len(found.columns)
    if n_others == 1:
        return "the other one hardly counts"
    return f"the other {n_others:,} hardly count"
