"""How far members of different kinds agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie.metrics._ensemble import member_agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie.ensemble import Ensemble


def kind_weights(ensemble: Ensemble, power: float = 0.5) -> NDArray[np.float64]:
    r"""Weight members by their steadiness and by what other kinds say.

    .. math:: w_m = (s_m a_m)^\beta,

    scaled to a mean of one, where :math:`s_m` is ``params["steadiness"]`` of the
    member, one if it has none, and :math:`a_m` its agreement with members of other
    kinds. If no two kinds agree at all, all weights are equal.

    Parameters
    ----------
    ensemble : Ensemble
    power : float, default=0.5
        The exponent :math:`\beta`.

    Examples
    --------
    >>> from coterie import Ensemble
    >>> from coterie.ensemble import Member
    >>> from coterie.metrics._kinds import kind_weights
    >>> members = [Member(params={"kind": kind}) for kind in ("genie", "gmm", "leiden")]
    >>> labelings = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]
    >>> kind_weights(Ensemble(labelings, members))
    array([1.5, 1.5, 0. ])
    """
    own = [float(m.params.get("steadiness", 1.0)) for m in ensemble.members]
    w = np.clip(own, 0.0, 1.0) * agreement_with_other_kinds(ensemble)
    if w.max() < 1e-12:
        return np.ones(len(w))
    w = (w / w.max()) ** power
    return w * (len(w) / w.sum())


def agreement_with_other_kinds(ensemble: Ensemble) -> NDArray[np.float64]:
    r"""Return the mean agreement of each member with the members of other kinds.

    .. math:: a_m = \frac{1}{|O_m|} \sum_{l \in O_m}
        \max(0, \mathrm{ARI}(\pi_m, \pi_l)),

    where :math:`O_m` are the members whose ``params["kind"]`` differs; all others if
    there is only one kind.

    Parameters
    ----------
    ensemble : Ensemble

    Returns
    -------
    (n_members,) array in [0, 1]
        One for a single member.
    """
    agreement = np.maximum(member_agreement(ensemble, "ari"), 0.0)
    kinds = np.array([str(m.params.get("kind", "")) for m in ensemble.members])
    other = kinds[:, None] != kinds
    if not other.any():
        other = ~np.eye(len(kinds), dtype=bool)
    n_others = other.sum(axis=1)
    total = np.where(other, agreement, 0.0).sum(axis=1)
    return np.divide(total, n_others, out=np.ones(len(kinds)), where=n_others > 0)
