"""The result of choose_k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._cards import html_of
from coterie._display import table
from coterie.choice._card import choice_card


@dataclass(frozen=True, eq=False)
class KChoice:
    """The chosen number of clusters, and the evidence for it.

    Attributes
    ----------
    n_clusters : int
        The answer; 1 means that there are no clusters.
    k_values : (n_k,) int array
        The numbers that were compared.
    curves : mapping of str to (n_k,) array
        Each criterion at each k, as defined (for ``"pac"``, small is good).
    null_curves : mapping of str to (n_null, n_k) array
        The same for the references, if the criterion is compared with them.
    votes : mapping of str to int
        The k that each criterion votes for.
    p_values : (n_k,) array
        For each k, how often data without clusters look as clustered as these.
    p_value : float
        The same for "no clusters at all", accounting for all k.
    cdf_grid : (101,) array
        Consensus values from 0 to 1.
    cdf : (n_k, 101) array
        The share of pairs of samples with at most this consensus value.
    labels : (n_k, n_used) int32 array
        The consensus labels of the samples used, at each k.
    samples : (n_used,) int array
        The rows of X that were used.
    sentence : str
        The answer in words, with its certainty.
    settings : mapping
        The parameters: null, statistic, members, n_null, alpha and so on.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from coterie import choose_k
    >>> X, _ = make_blobs(90, centers=3, random_state=3)
    >>> choice = choose_k(X, range(2, 5), n_null=19, random_state=0)
    >>> choice.n_clusters, choice.p_value
    (3, 0.05)
    >>> choice.votes["separation"]
    3
    """

    n_clusters: int
    k_values: np.ndarray
    curves: Mapping[str, np.ndarray]
    null_curves: Mapping[str, np.ndarray]
    votes: Mapping[str, int]
    p_values: np.ndarray
    p_value: float
    cdf_grid: np.ndarray
    cdf: np.ndarray
    labels: np.ndarray
    samples: np.ndarray
    sentence: str
    settings: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain numbers, lists and strings, for JSON."""
        return {
            "n_clusters": self.n_clusters,
            "sentence": self.sentence,
            "p_value": self.p_value,
            "votes": dict(self.votes),
            "k_values": self.k_values.tolist(),
            "p_values": self.p_values.tolist(),
            "curves": {name: c.tolist() for name, c in self.curves.items()},
            "null_means": {
                name: c.mean(axis=0).tolist() for name, c in self.null_curves.items()
            },
            "settings": dict(self.settings),
        }

    def columns(self) -> dict[str, np.ndarray]:
        """Return k, the p-values and all curves as columns of a table."""
        return {"k": self.k_values, "p_value": self.p_values, **self.curves}

    def to_frame(self) -> Any:
        """Return k, the p-values and all curves as a pandas frame, a row per k."""
        import pandas

        return pandas.DataFrame(self.columns())

    def _repr_html_(self) -> str:
        return html_of(choice_card, self)

    def __repr__(self) -> str:
        known = dict(zip(self.k_values.tolist(), self.p_values, strict=True))
        shown = sorted({*known, *self.votes.values()})
        columns = {
            "k": shown,
            "p_value": [known.get(k, np.nan) for k in shown],
            "voted for by": [
                ", ".join(name for name, vote in self.votes.items() if vote == k)
                for k in shown
            ],
        }
        lines = table(columns, len(shown)) if shown else []
        return "\n".join([f"KChoice: {self.sentence}", *lines])
