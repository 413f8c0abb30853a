"""Members weighted by their steadiness and by what other kinds of member say."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from coterie._validation import Interval
from coterie.ensemble import Weights
from coterie.metrics._kinds import kind_weights
from coterie.weighting._base import BaseWeighter, Task


class KindWeighter(BaseWeighter):
    r"""Weights a member by its steadiness and its agreement with other kinds.

    Members of one kind agree with each other because they make the same mistakes. What
    counts is whether members made in a different way agree:

    .. math:: w_m = \Bigl(s_m \; \frac{1}{|O_m|} \sum_{l \in O_m}
        \max(0, \mathrm{ARI}(\pi_m, \pi_l))\Bigr)^\beta,

    scaled to a mean of one, where :math:`O_m` are the members with another
    ``params["kind"]``, all others if there is only one kind, and :math:`s_m` is
    ``params["steadiness"]``, one if the member has none.
    :class:`~coterie.consensus.Council` uses it for the clusterings of its groups, whose
    steadiness it measures. Use :class:`AgreementWeighter` if members differ only in
    their seeds.

    Parameters
    ----------
    power : float, default=0.5
        The exponent :math:`\beta`. The default is the geometric mean of steadiness and
        agreement; larger values make the weights differ more.

    Notes
    -----
    Negative agreement counts as none. If no two kinds agree at all, all weights are
    equal. The weights are ours; ``experiments/results/panel.md`` compares them with
    others.

    Examples
    --------
    >>> from coterie import Ensemble
    >>> from coterie.ensemble import Member
    >>> from coterie.weighting import KindWeighter
    >>> kinds = ("kmeans", "kmeans", "genie")
    >>> members = [Member(params={"kind": kind}) for kind in kinds]
    >>> labelings = [[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1]]
    >>> KindWeighter().weigh(Ensemble(labelings, members)).members.round(2)
    array([1.76, 0.  , 1.24])
    """

    name = "kinds"
    summary = "weights members by steadiness and agreement with other kinds"
    cost = "time N M^2, memory M^2"
    gives_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "power": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, power: float = 0.5) -> None:
        self.power = power

    def _weigh(self, task: Task) -> Weights:
        return Weights(members=kind_weights(task.ensemble, self.power))
