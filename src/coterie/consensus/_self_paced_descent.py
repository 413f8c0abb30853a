"""Algorithm 1 of self-paced clustering ensemble: stages, rank test, records."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from coterie.consensus._self_paced_core import (
    Problem,
    Spectrum,
    Terms,
    age,
    member_shares,
)

if TYPE_CHECKING:
    from coterie._typing import FloatArray

STAGES = (0.9, 0.8, 0.7, 0.6, 0.5)  # r, the agreement from which on a pair is easy
_LEAST_ITER = 2  # of a stage, as in the authors' program


@dataclass(frozen=True)
class Settings:
    """What the user chose; see :class:`SelfPaced`."""

    n_clusters: int
    theta: float
    pace: str
    max_iter: int
    last_max_iter: int


@dataclass(eq=False)
class Records:
    """What happened, an entry for each iteration (or stage).

    Attributes
    ----------
    stage : list of float
        r of the iteration.
    rho : list of float
    n_components : list of int
    exact : list of bool
        Whether the collapsed problem is that of the samples.
    objective : list of four floats
        At this rho: before the iteration, after S, after Y, after alpha.
    mean_weight : list of (u,) arrays
        For each stage, the mean of W over the partners of a sample.
    """

    stage: list[float] = field(default_factory=list)
    rho: list[float] = field(default_factory=list)
    n_components: list[int] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    objective: list[list[float]] = field(default_factory=list)
    mean_weight: list[FloatArray] = field(default_factory=list)

    def add(
        self, r: float, rho: float, spectrum: Spectrum, objective: list[float]
    ) -> None:
        """Record one iteration."""
        self.stage.append(r)
        self.rho.append(rho)
        self.n_components.append(spectrum.n_components)
        self.exact.append(spectrum.is_exact)
        self.objective.append(objective)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The variables after the last iteration, and the records."""

    S: FloatArray
    W: FloatArray
    alpha: FloatArray
    spectrum: Spectrum
    records: Records


def descend(problem: Problem, settings: Settings) -> Outcome:
    """Run the stages."""
    c, m = settings.n_clusters, problem.n_members
    gamma = (m * settings.theta) ** 2
    S = problem.coassociation()
    alpha = np.full(problem.weights.size, 1.0 / m)
    spectrum = problem.spectrum(S, c)
    Y, rho = spectrum.Y, 1.0
    W = np.ones_like(S)
    records = Records()
    for r in STAGES:
        lam = age(r, m)
        if settings.pace == "self" or (settings.pace == "fixed" and r == STAGES[0]):
            W = problem.pair_weights(S, alpha, lam)
        sums = problem.sum_of_weights(W)
        records.mean_weight.append(sums / problem.n_samples)
        easy = lam * float(problem.counts @ sums)  # lambda ||W||_1
        most = settings.last_max_iter if r == STAGES[-1] else settings.max_iter
        for i in range(most):
            fit = problem.update_similarity(S, W, Y, alpha, rho, gamma)
            spectrum = problem.spectrum(S, c)
            alpha = member_shares(fit.residuals, problem.weights)
            loss = float((problem.weights / alpha) @ fit.residuals)
            records.add(
                r,
                rho,
                spectrum,
                [
                    _objective(fit.before, gamma, rho) - easy,
                    _objective(fit.after, gamma, rho) - easy,
                    _objective(_cut(fit.after, spectrum), gamma, rho) - easy,
                    _objective(_cut(fit.after, spectrum, loss), gamma, rho) - easy,
                ],
            )
            if spectrum.n_components < c:  # the rank of L is above n - c
                rho *= 2
                Y = spectrum.Y
            elif spectrum.n_components > c:
                rho /= 2  # and Y stays the last one that did not cut too much
            else:
                Y = spectrum.Y
                if i + 1 >= _LEAST_ITER:
                    break
    return Outcome(S, W, alpha, spectrum, records)


def _cut(terms: Terms, spectrum: Spectrum, loss: float | None = None) -> Terms:
    """Return the terms with the new Y, for which the cut is 2 tr(Y^T L Y)."""
    changes: dict[str, float] = {"cut": 2 * float(spectrum.values.sum())}
    return replace(terms, **changes, **({} if loss is None else {"loss": loss}))


def _objective(terms: Terms, gamma: float, rho: float) -> float:
    """Return Eq. 10 without the term in W, the trace counted as in Eq. 14."""
    return terms.loss + gamma * terms.n_nonzero + rho * terms.cut
