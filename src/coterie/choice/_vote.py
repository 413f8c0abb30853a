"""From curves to one number: p-values, votes of the criteria, and the winner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

# Ties are decided by the first of these that voted for one of the tied numbers.
_TRUSTED = ("pac", "stability", "dispersion", "member_nmi")
_SMALLER_IS_BETTER = frozenset({"pac"})
_LEAST = 0.005  # ambiguity below which clusterings count as the same
# The best value of each criterion, and its tolerance. The correlation is near one for
# any division into few clusters, so it must be exact.
_PERFECT = {
    "pac": (0.0, _LEAST),
    "dispersion": (1.0, _LEAST),
    "stability": (1.0, _LEAST),
    "member_nmi": (1.0, _LEAST),
    "cophenetic": (1.0, 1e-6),
}
_PLOTTED_ONLY = frozenset({"delta_area"})  # has an elbow, but no rule to find it


def compare(
    curves: Mapping[str, np.ndarray],
    null_curves: Mapping[str, np.ndarray],
    statistic: str,
) -> tuple[np.ndarray, float]:
    """Return the p-value of each k, and that of the largest statistic over all k."""
    sign = -1.0 if statistic in _SMALLER_IS_BETTER else 1.0
    both = sign * np.vstack([curves[statistic], null_curves[statistic]])  # (B + 1, n_k)
    ranks = np.mean(both >= both[0], axis=0)
    # The data count as one of the references: under the null they are exchangeable.
    spread = both.std(axis=0)
    largest = ((both - both.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).max(1)
    return ranks, float(np.mean(largest >= largest[0]))


def votes(
    curves: Mapping[str, np.ndarray],
    null_curves: Mapping[str, np.ndarray],
    k_values: Sequence[int],
) -> dict[str, int]:
    """Return the k that each criterion votes for.

    PAC and dispersion vote for the k with the smallest ambiguity relative to the
    references (M3C's relative cluster stability index), which favours neither few nor
    many clusters; stability and separation for the k that exceeds the references most.
    The others have no references and vote for their maximum. Well-separated clusters
    can be merged without ambiguity: if several k are perfect, the vote goes to the
    largest.
    """
    named = {}
    for name, curve in curves.items():
        null = null_curves.get(name)
        if name in _PLOTTED_ONLY:
            continue
        if null is None:
            gain = curve
        elif name == "pac":
            gain = relative_stability(curve, null)
        elif name == "dispersion":
            gain = relative_stability(1.0 - curve, 1.0 - null)
        else:
            gain = curve - null.mean(axis=0)
        best = int(np.argmax(gain))
        if name in _PERFECT:
            value, tolerance = _PERFECT[name]
            perfect = np.flatnonzero(np.abs(curve - value) <= tolerance)
            best = int(perfect[-1]) if best in perfect else best
        named[name] = int(k_values[best])
    return named


def relative_stability(ambiguity: np.ndarray, null: np.ndarray) -> np.ndarray:
    """Return the log of the references' mean ambiguity over that of the data.

    Parameters
    ----------
    ambiguity : (n_k,) array
        PAC of the data, or one minus their dispersion.
    null : (n_null, n_k) array
        The same for the references.
    """
    return np.log((null.mean(axis=0) + _LEAST) / (ambiguity + _LEAST))


def choose(named: Mapping[str, int]) -> int:
    """Return the k with the most votes."""
    count = Counter(named.values())
    most = max(count.values())
    tied = sorted(k for k, n in count.items() if n == most)
    for criterion in _TRUSTED:
        if named.get(criterion) in tied:
            return named[criterion]
    return tied[0]


def sentence(
    n_clusters: int,
    named: Mapping[str, int],
    p_value: float,
    n_null: int,
    alpha: float,
) -> str:
    """Return the answer in words, with its certainty."""
    of = f"p = {p_value:.2g}, {n_null} references without clusters"
    if n_clusters == 1:
        return (
            f"No evidence of clusters: more than {100 * alpha:.3g}% of unclustered "
            f"reference data sets look at least as clustered ({of}). If there are "
            f"clusters, most criteria suggest {choose(named)}."
        )
    for_it = sum(k == n_clusters for k in named.values())
    near = sum(abs(k - n_clusters) == 1 for k in named.values())
    others = sorted({k for k in named.values() if k != n_clusters})
    sure = "Clearly" if for_it >= 0.75 * len(named) else "Probably"
    if for_it < 0.5 * len(named):
        sure = "Perhaps"
    text = f"{sure} {n_clusters} clusters: {for_it} of {len(named)} criteria say so"
    if near:
        text += f", {near} {'is' if near == 1 else 'are'} one off"
    if others:
        text += f" (other answers: {', '.join(map(str, others))})"
    return f"{text}. There are clusters: {of}."
