"""Agreement of a clustering with known classes.

All measures are read off one contingency table of 64-bit integers; pairs are multiplied
as Python integers, so nothing overflows or loses digits at ten million samples.

Unassigned samples (-1, NaN or None in ``labels``) are never left out. A method that
does not place a sample says nothing about its pairs, so for pair and information
measures the sample is a cluster of its own; and it has not named the sample's class, so
for ``accuracy`` and ``purity`` the sample is wrong. Declining to answer therefore
lowers the score. The exception is ``nmi(average="min")``, which does not penalise
clusters that are too small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from coterie._docs import fill_doc
from coterie.metrics import _measures
from coterie.metrics._contingency import tabulate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Average = Literal["max", "geometric", "arithmetic", "min"]


@fill_doc
def nmi(y: ArrayLike, labels: ArrayLike, average: Average = "geometric") -> float:
    r"""Normalised mutual information of classes and clusters.

    .. math:: \frac{I(y; z)}{\mathrm{average}(H(y), H(z))}

    Papers on ensemble clustering differ in the average and rarely say which one they
    use: the maximum gives the lowest value, the minimum the highest. All of them grow
    with the number of clusters; :func:`ami` corrects for this.

    Parameters
    ----------
    %(partitions)s
    average : {"max", "geometric", "arithmetic", "min"}, default="geometric"
        The average of the two entropies. "geometric" is the square root of their
        product (Strehl and Ghosh); scikit-learn's default is "arithmetic".

    Returns
    -------
    float
        Between 0 (no information) and 1 (the same partition, exactly).

    Examples
    --------
    >>> from coterie.metrics import nmi
    >>> nmi([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    >>> round(nmi([0, 0, 1, 1], [0, 0, 1, 2], average="max"), 3)
    0.667
    """
    if average not in _measures.AVERAGES:
        raise ValueError(
            f"nmi expects average to be one of {', '.join(_measures.AVERAGES)}, got "
            f"{average!r}. Pass one of these."
        )
    return _measures.nmi(tabulate("nmi", y, labels), average)


@fill_doc
def ami(y: ArrayLike, labels: ArrayLike) -> float:
    r"""Mutual information adjusted for chance.

    .. math:: \frac{I(y; z) - E[I]}{\frac{1}{2}(H(y) + H(z)) - E[I]}

    where E is the mean over all pairs of partitions with the same cluster sizes. Use it
    to compare clusterings with different numbers of clusters; papers report
    :func:`nmi`.

    Parameters
    ----------
    %(partitions)s

    Returns
    -------
    float
        1 for the same partition, about 0 for unrelated ones; may be negative.

    Notes
    -----
    Computed by :func:`sklearn.metrics.adjusted_mutual_info_score`, whose time grows
    with the number of classes times the number of clusters. If that would take more
    than about half a second, the same expectation is summed over the *distinct* sizes
    of classes and clusters, within 12 standard deviations of the mean of each
    hypergeometric distribution; the two agree to about nine digits.

    Examples
    --------
    >>> from coterie.metrics import ami
    >>> ami([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> ami([0, 0, 1, 1], [0, 0, 0, 0])
    0.0
    """
    return _measures.ami(tabulate("ami", y, labels))


@fill_doc
def ari(y: ArrayLike, labels: ArrayLike) -> float:
    """Rand index adjusted for chance.

    The share of pairs of samples on which the two partitions agree, rescaled so that
    random partitions with the same sizes score 0 on average (Hubert and Arabie).

    Parameters
    ----------
    %(partitions)s

    Returns
    -------
    float
        1 for the same partition, about 0 for unrelated ones; may be negative.

    Examples
    --------
    >>> from coterie.metrics import ari
    >>> round(ari([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.571
    """
    return _measures.ari(tabulate("ari", y, labels))


@fill_doc
def rand_index(y: ArrayLike, labels: ArrayLike) -> float:
    """Share of the pairs of samples on which two partitions agree.

    A pair agrees if it is together in both or apart in both. With many clusters, nearly
    all pairs are apart and the index is close to 1 for any two partitions; :func:`ari`
    is not.

    Parameters
    ----------
    %(partitions)s

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from coterie.metrics import rand_index
    >>> round(rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.833
    """
    return _measures.rand_index(tabulate("rand_index", y, labels))


@fill_doc
def pairwise_f(y: ArrayLike, labels: ArrayLike) -> float:
    """F1 of finding the pairs of samples that belong together.

    The harmonic mean of precision (the share of pairs in one cluster that are of one
    class) and recall (the share of pairs of one class that are in one cluster). Unlike
    :func:`rand_index` it gives no credit for pairs that are apart in both.

    Parameters
    ----------
    %(partitions)s

    Returns
    -------
    float
        Between 0 and 1; 1 if neither partition has a pair.

    Examples
    --------
    >>> from coterie.metrics import pairwise_f
    >>> round(pairwise_f([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.667
    """
    return _measures.pairwise_f(tabulate("pairwise_f", y, labels))


def accuracy(y: ArrayLike, labels: ArrayLike) -> float:
    """Share of correct samples under the best matching of clusters to classes.

    Each class gets at most one cluster and each cluster at most one class, such that
    the number of correct samples is largest (Hungarian method). If the numbers differ,
    the unmatched clusters or classes count as wrong.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The known classes.
    labels : array-like of shape (n_samples,)
        The clusters; -1, NaN and None (not assigned) count as wrong.

    Returns
    -------
    float
        Between 0 and 1.

    Notes
    -----
    A table of more than four million cells is matched by an exact sparse solver; a
    million samples in 100,000 clusters take about half a minute.

    Examples
    --------
    >>> from coterie.metrics import accuracy
    >>> accuracy([0, 0, 1, 1], [5, 5, 7, 9])
    0.75
    """
    return _measures.accuracy(tabulate("accuracy", y, labels))


def purity(y: ArrayLike, labels: ArrayLike) -> float:
    """Share of samples in the most frequent class of their cluster.

    Not symmetric, and 1 if each sample is a cluster of its own: compare only
    clusterings with the same number of clusters, or use :func:`accuracy`.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The known classes.
    labels : array-like of shape (n_samples,)
        The clusters; -1, NaN and None (not assigned) count as wrong.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from coterie.metrics import purity
    >>> purity([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return _measures.purity(tabulate("purity", y, labels))


def score(y: ArrayLike, labels: ArrayLike) -> dict[str, float]:
    """All measures of agreement with known classes, from one table.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The known classes.
    labels : array-like of shape (n_samples,)
        The clusters; -1, NaN and None mean "not assigned" and lower the score as
        described for each measure.

    Returns
    -------
    dict of str to float
        ``nmi_max``, ``nmi_geometric``, ``nmi_arithmetic``, ``nmi_min``, ``ari``,
        ``ri``, ``ami``, ``acc``, ``purity``, ``f_pairwise``.

    Examples
    --------
    >>> from coterie.metrics import score
    >>> measured = score([0, 0, 1, 1], [0, 0, 1, 2])
    >>> round(measured["ari"], 3), measured["acc"]
    (0.571, 0.75)
    """
    counts = tabulate("score", y, labels)
    averages = _measures.AVERAGES
    measured = {f"nmi_{name}": _measures.nmi(counts, name) for name in averages}
    return measured | {
        "ari": _measures.ari(counts),
        "ri": _measures.rand_index(counts),
        "ami": _measures.ami(counts),
        "acc": _measures.accuracy(counts),
        "purity": _measures.purity(counts),
        "f_pairwise": _measures.pairwise_f(counts),
    }
