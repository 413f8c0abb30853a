"""From curves to one number: p-values, what each criterion names, and who wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

# Where votes are tied, the first of these that voted for one of the tied decides.
_TRUSTED = ("pac", "stability", "dispersion", "member_nmi")
_SMALLER_IS_BETTER = frozenset({"pac"})
_LEAST = 0.005  # ambiguity below which clusterings count as the same
# What each criterion is at best, and how near to it is as good. The correlation is
# near one for any division into few clusters, so it must be exact.
_PERFECT = {
    "pac": (0.0, _LEAST),
    "dispersion": (1.0, _LEAST),
    "stability": (1.0, _LEAST),
    "member_nmi": (1.0, _LEAST),
    "cophenetic": (1.0, 1e-6),
}
_FOR_THE_EYE = frozenset({"delta_area"})  # an elbow, for which there is no rule


def compare(
    curves: Mapping[str, np.ndarray],
    null_curves: Mapping[str, np.ndarray],
    statistic: str,
) -> tuple[np.ndarray, float]:
    """Return the p-value of each k, and that of the largest statistic over all k."""
    sign = -1.0 if statistic in _SMALLER_IS_BETTER else 1.0
    both = sign * np.vstack([curves[statistic], null_curves[statistic]])  # (B + 1, n_k)
    ranks = np.mean(both >= both[0], axis=0)
    # The data count as one of the references: under the null all are alike.
    spread = both.std(axis=0)
    largest = ((both - both.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).max(1)
    return ranks, float(np.mean(largest >= largest[0]))


def votes(
    curves: Mapping[str, np.ndarray],
    null_curves: Mapping[str, np.ndarray],
    k_values: Sequence[int],
) -> dict[str, int]:
    """Return the k that each criterion names.

    PAC and dispersion name the k whose ambiguity is the smallest part of that of the
    references (M3C's relative cluster stability index), so that neither few nor many
    clusters are favoured; stability and separation the k that is most above them. The
    others have no references and name the k where they are largest. Clusters far apart
    can be joined to fewer without any doubt: where the best is perfect, and so are
    other k, the largest of these is named.
    """
    named = {}
    for name, curve in curves.items():
        null = null_curves.get(name)
        if name in _FOR_THE_EYE:
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
        Of the data: PAC, or one minus the dispersion.
    null : (n_null, n_k) array
        Of the references.
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
    """Say the answer and how sure it is."""
    of = f"p = {p_value:.2g}, {n_null} references without clusters"
    if n_clusters == 1:
        return (
            f"No clusters: data without any look as clustered as these in more than "
            f"{100 * alpha:.3g}% of the cases ({of}). If there must be some, most "
            f"criteria would say {choose(named)}."
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
