"""Agreement and diversity of the members of an ensemble.

Two members are compared on the samples that both assign; members without a common
sample have agreement 0. Everything runs on the core clusters, so time grows with the
number of distinct label rows, not with the number of samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from coterie._typing import LABEL_DTYPE
from coterie.metrics._contingency import as_vector, code

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from coterie.ensemble import Ensemble

Measure = Literal["nmi", "ari", "nmi_max"]


def member_agreement(
    ensemble: Ensemble, measure: Measure = "nmi"
) -> NDArray[np.float64]:
    """Agreement of each pair of members.

    Parameters
    ----------
    ensemble : Ensemble
        The members to compare.
    measure : {"nmi", "ari", "nmi_max"}, default="nmi"
        Mutual information over the geometric mean of the entropies, the adjusted Rand
        index, or mutual information over the larger entropy.

    Returns
    -------
    ndarray of shape (n_members, n_members)
        Symmetric, with ones on the diagonal. Only samples that both members assign
        count; without any, the agreement is 0.

    Examples
    --------
    >>> from coterie.ensemble import Ensemble
    >>> from coterie.metrics import member_agreement
    >>> ensemble = Ensemble([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]])
    >>> member_agreement(ensemble)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    measure = _check_measure("member_agreement", measure)
    rows, counts = ensemble.core.rows, ensemble.core.counts
    i, j = np.triu_indices(rows.shape[1], k=1)
    agreement = np.eye(rows.shape[1])
    agreement[i, j] = agreement[j, i] = _compare(
        rows.T, counts, np.diff(ensemble.offsets), (i, j), measure
    )
    return agreement


def member_diversity(
    ensemble: Ensemble, measure: Measure = "nmi"
) -> NDArray[np.float64]:
    """Return one minus each member's mean agreement with the others, (n_members,)."""
    _check_measure("member_diversity", measure)
    agreement = member_agreement(ensemble, measure)
    n_members = len(agreement)
    if n_members == 1:
        return np.zeros(1)
    return 1.0 - (agreement.sum(axis=1) - 1.0) / (n_members - 1)


def diversity(ensemble: Ensemble, measure: Measure = "nmi") -> float:
    """How much the members of an ensemble differ, on average over pairs.

    Parameters
    ----------
    ensemble : Ensemble
        The members to compare.
    measure : {"nmi", "ari", "nmi_max"}, default="nmi"
        The measure of agreement, as in :func:`member_agreement`.

    Returns
    -------
    float
        One minus the mean agreement of two different members: 0 if all are identical
        (and for a single member), 1 if they are unrelated.

    Examples
    --------
    >>> from coterie.ensemble import Ensemble
    >>> from coterie.metrics import diversity
    >>> diversity(Ensemble([[0, 0, 1, 1], [1, 1, 0, 0]]))
    0.0
    >>> diversity(Ensemble([[0, 0, 1, 1], [0, 1, 0, 1]]))
    1.0
    """
    _check_measure("diversity", measure)
    return float(np.mean(member_diversity(ensemble, measure)))


def agreement_with_ensemble(
    labels: ArrayLike, ensemble: Ensemble, measure: Measure = "nmi"
) -> float:
    """Return the mean of :func:`member_quality`.

    With NMI this is the ANMI that consensus clustering aims to maximise (Strehl and
    Ghosh); it needs no known classes.
    """
    return float(np.mean(member_quality(labels, ensemble, measure)))


def member_quality(
    labels: ArrayLike, ensemble: Ensemble, measure: Measure = "nmi"
) -> NDArray[np.float64]:
    """Agreement of each member with one labeling, such as the consensus.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        The labeling; -1, NaN and None mean "not assigned".
    ensemble : Ensemble
        The members to compare it with.
    measure : {"nmi", "ari", "nmi_max"}, default="nmi"
        The measure of agreement, as in :func:`member_agreement`.

    Returns
    -------
    ndarray of shape (n_members,)
        As between members, only samples that both assign count.

    Examples
    --------
    >>> from coterie.ensemble import Ensemble
    >>> from coterie.metrics import member_quality
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 0, 1]])
    >>> member_quality([1, 1, 0, 0], ensemble)
    array([1., 0.])
    """
    who = "member_quality"
    measure = _check_measure(who, measure)
    values = as_vector(who, "labels", labels)
    core = ensemble.core
    if len(values) != len(core.index):
        raise ValueError(
            f"{who} expects one label for each of the {len(core.index)} samples of the "
            f"ensemble, got {len(values)}. Pass labels of the same samples."
        )
    codes, names = code(who, "labels", values, minus_one_is_missing=True)
    # core clusters refined by the labeling: samples alike in it and in all members
    n_codes = len(names) + 1  # plus "not assigned"
    keys = np.asarray(core.index, dtype=np.int64) * n_codes + (codes + 1)
    keys, counts = np.unique(keys, return_counts=True)
    at, own = np.divmod(keys, n_codes)
    n_members = core.rows.shape[1]
    columns = np.empty((n_members + 1, len(keys)), dtype=LABEL_DTYPE)
    columns[:-1] = core.rows[at].T
    columns[-1] = own - 1
    sizes = np.append(np.diff(ensemble.offsets), len(names))
    pairs = (np.arange(n_members), np.full(n_members, n_members))
    return _compare(columns, counts, sizes, pairs, measure)


def _check_measure(who: str, measure: Measure) -> Measure:
    if measure not in ("nmi", "ari", "nmi_max"):
        raise ValueError(
            f"{who} expects measure to be 'nmi', 'ari' or 'nmi_max', got {measure!r}. "
            "Pass one of these."
        )
    return measure


def _compare(
    columns: Any, counts: Any, sizes: Any, pairs: tuple[Any, Any], measure: str
) -> NDArray[np.float64]:
    """Return the agreement on the samples that both labelings of a pair assign."""
    from coterie._kernels._agreement import all_pair_sums

    n_pairs, adjusted = len(pairs[0]), measure == "ari"
    sums, numbers = np.empty((n_pairs, 4)), np.empty((n_pairs, 4), dtype=np.int64)
    all_pair_sums(
        np.ascontiguousarray(columns, dtype=LABEL_DTYPE),
        np.ascontiguousarray(counts, dtype=np.int64),
        np.ascontiguousarray(sizes, dtype=np.int64),
        np.ascontiguousarray(np.stack(pairs, axis=1), dtype=np.int64),
        adjusted,
        sums,
        numbers,
    )
    in_p, in_q, both, every = sums.T
    n_p, n_q, n_cells, n = numbers.T
    with np.errstate(divide="ignore", invalid="ignore"):  # replaced below
        if adjusted:
            chance = in_p * (in_q / every)
            out = (both - chance) / (0.5 * (in_p + in_q) - chance)
        else:
            entropies = every - in_p, every - in_q
            if measure == "nmi_max":
                entropy = np.maximum(*entropies)
            else:
                entropy = np.sqrt(entropies[0] * entropies[1])
            out = np.clip((every - in_p - in_q + both) / entropy, 0.0, 1.0)
    out[(n_p == 1) | (n_q == 1)] = 0.0
    out[(n_cells == n_p) & (n_cells == n_q)] = 1.0  # exactly the same partition
    out[n == 0] = 0.0  # nothing in common, no evidence of agreement
    return out
