"""Members from a list of scikit-learn clusterers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie.generation._base import BaseGenerator, Draft
from coterie.generation._draws import cluster_view


@fill_doc
class FromClusterers(BaseGenerator):
    """One member from each of a list of clusterers.

    Each is cloned, seeded if it has a ``random_state``, and fitted to the data. Noise
    (-1, as in DBSCAN) becomes a missing label.

    Parameters
    ----------
    clusterers : list of scikit-learn clusterers
        Anything with ``fit_predict``.
    %(on_error)s

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import FromClusterers
    >>> models = [KMeans(3), AgglomerativeClustering(3), DBSCAN(eps=0.6)]
    >>> FromClusterers(models).generate(load_iris().data, seed=0)
    Ensemble of 3 members on 150 samples: ... labels missing
    """

    name = "clusterers"
    summary = "one member from each of a list of scikit-learn clusterers"
    cost = "the clusterers'"
    group = "reason"
    take_if = "your own scikit-learn clusterers"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "clusterers": [list, tuple],
    }

    def __init__(self, clusterers: Any, *, on_error: str = "raise") -> None:
        self.clusterers = clusterers
        self.on_error = on_error

    def _count(self) -> int:
        return len(self.clusterers)

    def _check(self, X: Any) -> None:
        if not self.clusterers:
            raise ValueError("FromClusterers needs at least one clusterer, got none.")
        for i, model in enumerate(self.clusterers):
            if not hasattr(model, "fit_predict") or isinstance(model, type):
                raise TypeError(
                    "FromClusterers expects clusterers with fit_predict, but number "
                    f"{i} is {model!r}."
                )

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        model = self.clusterers[number]
        found = cluster_view(X, model, None, rng)
        params = {**found.params, "clusterer": repr(model)}
        return Draft(found.labels, params, name=type(model).__name__)
