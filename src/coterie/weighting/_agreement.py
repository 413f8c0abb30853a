"""Members weighted by how much the others agree with them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._validation import StrOptions
from coterie.ensemble import Ensemble, Weights
from coterie.metrics import member_agreement
from coterie.weighting._base import BaseWeighter


class AgreementWeighter(BaseWeighter):
    r"""Each member counts by its mean agreement with the rest.

    .. math:: w_m = \frac{1}{M - 1} \sum_{l \ne m} \mathrm{NMI}(\pi_m, \pi_l),

    scaled to a mean of one, so that a member which contradicts all others counts
    little.

    Parameters
    ----------
    measure : {"nmi", "ari"}, default="nmi"
        How agreement is measured; a negative adjusted Rand index counts as zero.

    Notes
    -----
    Where no two members agree at all, all count the same.

    Examples
    --------
    >>> from coterie.weighting import AgreementWeighter
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]
    >>> AgreementWeighter().weigh(ensemble).members
    array([1.5, 1.5, 0. ])
    """

    gives_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "measure": [StrOptions({"nmi", "ari"})],
    }

    def __init__(self, measure: str = "nmi") -> None:
        self.measure = measure

    def _weigh(self, ensemble: Ensemble, X: Any) -> Weights:
        M = ensemble.n_members
        agreement = np.maximum(member_agreement(ensemble, self.measure), 0.0)
        total = agreement.sum(axis=1) - agreement.diagonal()
        total[total < 1e-12] = 0.0
        if not total.any():
            return Weights(members=np.ones(M))
        return Weights(members=total * (M / total.sum()))
