"""The unimodal distribution nearest to a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._kernels._dip import hull, modal_interval


@dataclass(frozen=True, eq=False)
class UnimodalFit:
    """A distribution with one mode: its density rises, is flat, then falls.

    Attributes
    ----------
    dip : float
        Hartigan's dip: the smallest distance of the sample's distribution function from
        a unimodal one.
    interval : (float, float)
        Where the density is largest.
    knots, values : (m,) arrays
        The distribution function, which is linear between the knots.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.choice._unimodal import fit_unimodal
    >>> x = np.sort(np.concatenate([np.linspace(0, 1, 50), np.linspace(5, 6, 50)]))
    >>> fit = fit_unimodal(x)
    >>> round(fit.dip, 2)
    0.2
    """

    dip: float
    interval: tuple[float, float]
    knots: np.ndarray
    values: np.ndarray

    def draw(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Return ``size`` draws from the distribution."""
        return np.interp(rng.random(size), self.values, self.knots)


def fit_unimodal(sample: Any, slack: float = 0.0) -> UnimodalFit:
    r"""Fit the unimodal distribution behind Hartigan's dip.

    Left of the modal interval it is the greatest convex minorant of the sample's
    distribution function F, right of it the least concave majorant, and linear in
    between [1]_. Its support is the range of the sample.

    Parameters
    ----------
    sample : (n,) array
        In any order; ties are allowed.
    slack : float, default=0.0
        The modal interval is widened as long as F differs from a straight line in it by
        at most this (the distance between majorant and minorant).

    Notes
    -----
    The unimodal distribution function nearest to F in the maximum norm is this one
    shifted towards F by the dip on both sides. That would move mass beyond the ends of
    the sample, so we do not shift it.

    References
    ----------
    .. [1] J. A. Hartigan, P. M. Hartigan, "The dip test of unimodality", Annals of
       Statistics 13(1), 70-84, 1985. :doi:`10.1214/aos/1176346577`

    Examples
    --------
    >>> from coterie.choice._unimodal import fit_unimodal
    >>> fit = fit_unimodal([0, 1, 2, 8, 9, 10])
    >>> fit.interval, round(fit.dip, 3)
    ((8.0, 10.0), 0.188)
    """
    x, counts = np.unique(np.asarray(sample, dtype=np.float64), return_counts=True)
    upto = np.cumsum(counts) / counts.sum()
    below = np.concatenate([[0.0], upto[:-1]])
    scratch = np.empty((2, x.size), dtype=np.int64), np.empty((2, x.size))
    dip, lo, hi = modal_interval(x, below, upto, x.size, 0.0, *scratch)
    if slack > 0:
        _, lo, hi = modal_interval(x, below, upto, x.size, slack, *scratch)
    corners = scratch[0]
    rising = corners[0, : hull(x, below, 0, lo, 1.0, corners[0])]
    falling = corners[1, : hull(x, upto, hi, x.size - 1, -1.0, corners[1])]
    knots = np.concatenate([x[rising], x[falling]])
    values = np.concatenate([below[rising], upto[falling]])
    return UnimodalFit(float(dip), (float(x[lo]), float(x[hi])), knots, values)
