"""Combining labels that come from anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._catalog import METHODS, find
from coterie._typing import Seed
from coterie.consensus import ConsensusResult
from coterie.ensemble import Ensemble
from coterie.systems._defaults import default_method, paper_weighter


def combine(
    labels: Any,
    n_clusters: int,
    method: Any = None,
    *,
    weights: Any = "auto",
    X: Any = None,
    random_state: Seed = None,
    return_result: bool = False,
) -> np.ndarray | ConsensusResult:
    """Combine many clusterings of the same samples into one.

    Parameters
    ----------
    labels : Ensemble, array, frame or list
        An (n_samples, n_members) array, a pandas or polars frame with a member in each
        column, a list of label vectors or of fitted clusterers. Labels may be of any
        hashable type; -1, NaN and None mean "not assigned".
    n_clusters : int
        Clusters to find. There may be fewer, with a FewerClustersWarning; never more.
    method : str, consensus function or None, default=None
        ``coterie methods`` lists the names; None is LWEA for up to 20,000 samples and
        LWGP beyond.
    weights : Weights, (n_members,) array, weighter, "auto" or None, default="auto"
        How much members and clusters count; "auto" takes the weighter of the method's
        own paper, None no weights.
    X : array, default=None
        The data, for methods that look at them.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Fixes the result.
    return_result : bool, default=False
        Whether to return the ConsensusResult (with confidence and by-products) instead
        of the labels alone.

    Returns
    -------
    (n_samples,) int32 array, or ConsensusResult

    Examples
    --------
    >>> import coterie
    >>> labels = [["a", "a", "b", "b"], [0, 0, 1, 2], [0, 1, 2, None]]
    >>> coterie.combine(labels, n_clusters=2, method="lwea")
    array([0, 0, 1, 1], dtype=int32)
    """
    ensemble = Ensemble(labels)
    if method is None:
        method = default_method(ensemble.n_samples)
    consensus = find(method, METHODS).load()() if isinstance(method, str) else method
    if not hasattr(consensus, "combine"):
        raise TypeError(
            "combine expects method as a name or a consensus function, got "
            f"{method!r}. `coterie methods` lists the names."
        )
    weights = _weights(weights, consensus, ensemble, X)
    result = consensus.combine(
        ensemble, n_clusters, weights=weights, X=X, seed=random_state
    )
    return result if return_result else result.labels


def _weights(weights: Any, consensus: Any, ensemble: Ensemble, X: Any) -> Any:
    if isinstance(weights, str):
        if weights != "auto":
            weights = find(weights, {"weighter"}).load()()
        else:
            weights = paper_weighter(consensus)
    return weights.weigh(ensemble, X=X) if hasattr(weights, "weigh") else weights
