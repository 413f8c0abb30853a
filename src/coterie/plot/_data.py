"""The numbers behind the pictures."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import partial
from typing import Any

from coterie.plot._choice import cdf_data, curve_data, tracking_data
from coterie.plot._consensus import (
    cluster_consensus_data,
    consensus_matrix_data,
    item_consensus_data,
)
from coterie.plot._kinds import kinds_data, seen_by_data
from coterie.plot._members import (
    alluvial_data,
    member_agreement_data,
    quality_diversity_data,
)
from coterie.plot._samples import (
    sample_map_data,
    self_paced_weights_data,
    silhouette_data,
)

_DATA: dict[str, Callable[..., dict[str, Any]]] = {
    "alluvial": alluvial_data,
    "cdf": cdf_data,
    "cluster_consensus": cluster_consensus_data,
    "consensus_matrix": consensus_matrix_data,
    "delta_area": partial(curve_data, name="delta_area"),
    "item_consensus": item_consensus_data,
    "kinds": kinds_data,
    "member_agreement": member_agreement_data,
    "pac": partial(curve_data, name="pac"),
    "quality_diversity": quality_diversity_data,
    "sample_map": sample_map_data,
    "seen_by": seen_by_data,
    "self_paced_weights": self_paced_weights_data,
    "silhouette": silhouette_data,
    "tracking": tracking_data,
}


def data(picture: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Return the numbers behind a picture, for plots of your own.

    Parameters
    ----------
    picture : str
        The name of a function of this module, such as "sample_map".
    *args : Any
        The arguments of that function, except ``ax``.
    **kwargs : Any
        Its keyword arguments.

    Returns
    -------
    dict of str to array

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import EnsembleClustering, plot
    >>> X = load_iris().data
    >>> model = EnsembleClustering(3, random_state=0).fit(X)
    >>> plot.data("sample_map", model, X)["x"].shape
    (150,)
    """
    if picture not in _DATA:
        near = difflib.get_close_matches(str(picture), _DATA, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise ValueError(
            f"plot.data: there is no picture {picture!r}. {hint}Choose one of "
            f"{', '.join(_DATA)}."
        )
    return _DATA[picture](*args, **kwargs)
