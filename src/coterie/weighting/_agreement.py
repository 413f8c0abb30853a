"""Members weighted by how much the others agree with them."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import Interval, StrOptions
from coterie.ensemble import Weights
from coterie.metrics import member_agreement
from coterie.weighting._base import BaseWeighter, Task

if TYPE_CHECKING:
    from coterie.metrics._ensemble import Measure


@fill_doc
class AgreementWeighter(BaseWeighter):
    r"""Weights each member by its mean agreement with the others.

    .. math:: w_m = \Bigl(\frac{1}{M - 1}
        \sum_{l \ne m} \mathrm{NMI}(\pi_m, \pi_l)\Bigr)^\beta,

    scaled to a mean of one, so a member that contradicts all others gets little weight.
    With ``measure="nmi_max"`` and ``power=2`` it is the crowd agreement (NCAI)
    of WEAC and GP-MGLA [1]_, up to a factor.

    Parameters
    ----------
    measure : {"nmi", "ari", "nmi_max"}, default="nmi"
        The measure of agreement: mutual information divided by the geometric mean of
        the entropies; the adjusted Rand index, with negative values set to zero; or
        mutual information divided by the larger entropy.
    power : float, default=1.0
        The exponent :math:`\beta`; larger values make the weights differ more.

    Notes
    -----
    If no two members agree at all, all weights are equal.

    References
    ----------
    %(paper:huang2015crowd)s

    Examples
    --------
    >>> from coterie.weighting import AgreementWeighter
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]
    >>> AgreementWeighter().weigh(ensemble).members
    array([1.5, 1.5, 0. ])
    """

    name = "agreement"
    summary = "weights members by their mean agreement with the others"
    cost = "time N M^2, memory M^2"
    gives_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "measure": [StrOptions({"nmi", "ari", "nmi_max"})],
        "power": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, measure: Measure = "nmi", *, power: float = 1.0) -> None:
        self.measure: Measure = measure
        self.power = power

    def _weigh(self, task: Task) -> Weights:
        ensemble = task.ensemble
        M = ensemble.n_members
        agreement = np.maximum(member_agreement(ensemble, self.measure), 0.0)
        total = agreement.sum(axis=1) - agreement.diagonal()
        total[total < 1e-12] = 0.0
        if not total.any():
            return Weights(members=np.ones(M))
        total = (total / total.max()) ** self.power
        return Weights(members=total * (M / total.sum()))
