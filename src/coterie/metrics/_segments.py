"""Agreement of the segments of an image with the outlines that people drew.

People draw the same photo differently, so each score takes the outlines of one or of
several people. Label maps may have two or three dimensions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from coterie._docs import fill_doc
from coterie._kernels._matching import largest_matching
from coterie.metrics import _measures
from coterie.metrics._contingency import Contingency, tabulate

_TOLERANCE = 0.0075  # of the diagonal, as in the Berkeley benchmark


@fill_doc
def probabilistic_rand_index(people: Any, labels: Any) -> float:
    """Share of the pairs of pixels on which a segmentation agrees with people.

    The mean over people of :func:`rand_index` [1]_. It is high for any two fine
    segmentations; :func:`segment_scores` has the mean of :func:`ari` as well, which is
    not.

    Parameters
    ----------
    %(outlines)s

    Returns
    -------
    float
        Between 0 and 1, the higher the better.

    References
    ----------
    .. [1] R. Unnikrishnan, C. Pantofaru, M. Hebert, "Toward Objective Evaluation of
       Image Segmentation Algorithms", IEEE Transactions on Pattern Analysis and Machine
       Intelligence 29(6), 929-944, 2007. :doi:`10.1109/TPAMI.2007.1046`

    Examples
    --------
    >>> from coterie.metrics import probabilistic_rand_index
    >>> people = [[[0, 0, 1, 1]], [[0, 0, 0, 1]]]
    >>> probabilistic_rand_index(people, [[0, 0, 1, 1]])
    0.75
    """
    tables = _tables("probabilistic_rand_index", people, labels)
    return _mean(_measures.rand_index(table) for table in tables)


@fill_doc
def variation_of_information(people: Any, labels: Any) -> float:
    r"""Information that a segmentation loses and adds, in bits.

    .. math:: H(y \mid z) + H(z \mid y)

    for the segments y of a person and the segments z that were found, averaged over
    people [1]_. It is a metric on partitions.

    Parameters
    ----------
    %(outlines)s

    Returns
    -------
    float
        At least 0, the lower the better; 0 for the same partition.

    References
    ----------
    .. [1] M. Meila, "Comparing clusterings: an information based distance", Journal of
       Multivariate Analysis 98(5), 873-895, 2007. :doi:`10.1016/j.jmva.2006.11.013`

    Examples
    --------
    >>> from coterie.metrics import variation_of_information
    >>> variation_of_information([[0, 0, 1, 1]], [[0, 0, 0, 0]])
    1.0
    """
    tables = _tables("variation_of_information", people, labels)
    return _mean(_variation(table) for table in tables)


@fill_doc
def covering(people: Any, labels: Any) -> float:
    r"""How well each of people's regions is covered by its best segment.

    .. math:: \frac{1}{N} \sum_R |R| \max_{R'} \frac{|R \cap R'|}{|R \cup R'|}

    over the regions R of a person and the segments R' that were found, averaged over
    people [1]_.

    Parameters
    ----------
    %(outlines)s

    Returns
    -------
    float
        Between 0 and 1, the higher the better.

    References
    ----------
    .. [1] P. Arbelaez, M. Maire, C. Fowlkes, J. Malik, "Contour Detection and
       Hierarchical Image Segmentation", IEEE Transactions on Pattern Analysis and
       Machine Intelligence 33(5), 898-916, 2011. :doi:`10.1109/TPAMI.2010.161`

    Examples
    --------
    >>> from coterie.metrics import covering
    >>> covering([[0, 0, 1, 1]], [[0, 0, 0, 0]])
    0.5
    """
    return _mean(_covering(table) for table in _tables("covering", people, labels))


@fill_doc
def boundary_f(people: Any, labels: Any, *, tolerance: float = _TOLERANCE) -> float:
    """How well the outlines of segments match the lines that people drew.

    The harmonic mean of precision and recall of outline pixels [1]_. Outlines are
    matched one to one with those of each person, within the tolerance. Precision is the
    share of the pixels found that match anybody's; recall is the share of all people's
    pixels that are matched.

    Parameters
    ----------
    %(outlines)s
    tolerance : float, default=0.0075
        How far apart two matching pixels may be, as a share of the image's diagonal.

    Returns
    -------
    float
        Between 0 and 1, the higher the better; 1 where nobody sees an outline.

    Notes
    -----
    A pixel is on an outline if the next one along any axis belongs to another segment.
    The matching is the largest one. That of the Berkeley benchmark is the cheapest,
    where a pixel without a partner is so dear that the two hardly differ in size.

    References
    ----------
    .. [1] D. R. Martin, C. C. Fowlkes, J. Malik, "Learning to Detect Natural Image
       Boundaries Using Local Brightness, Color, and Texture Cues", IEEE Transactions on
       Pattern Analysis and Machine Intelligence 26(5), 530-549, 2004.
       :doi:`10.1109/TPAMI.2004.1273918`

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.metrics import boundary_f
    >>> person, shifted = np.zeros((2, 40, 40), dtype=int)
    >>> person[:, 20:] = shifted[:, 21:] = 1
    >>> boundary_f(person, shifted), boundary_f(person, shifted, tolerance=0.03)
    (0.0, 1.0)
    """
    drawn, found = _maps("boundary_f", people, labels)
    if not tolerance >= 0:
        raise ValueError(
            f"boundary_f expects a tolerance of at least zero, got {tolerance!r}."
        )
    reach = tolerance * math.hypot(*found.shape)
    ours = _outline_pixels(found)
    matched = np.zeros(len(ours), dtype=bool)
    n_matched = n_drawn = 0
    for one in drawn:
        theirs = _outline_pixels(one)
        partners = _matching(ours, theirs, reach)
        matched |= partners
        n_matched += int(partners.sum())
        n_drawn += len(theirs)
    if not len(ours) or not n_drawn:
        return float(len(ours) == n_drawn)
    precision, recall = matched.mean(), n_matched / n_drawn
    if not precision + recall:
        return 0.0
    return float(2 * precision * recall / (precision + recall))


@fill_doc
def segment_scores(
    people: Any, labels: Any, *, tolerance: float = _TOLERANCE
) -> dict[str, float]:
    """All scores of a segmentation against the outlines that people drew.

    Parameters
    ----------
    %(outlines)s
    tolerance : float, default=0.0075
        As in :func:`boundary_f`.

    Returns
    -------
    dict of str to float
        ``ari``, the mean over people of :func:`ari`; ``ri``, that of
        :func:`rand_index`; ``vi``, :func:`variation_of_information` in bits;
        ``covering``; ``boundary_f``.

    Examples
    --------
    >>> from coterie.metrics import segment_scores
    >>> measured = segment_scores([[0, 0, 1, 1]], [[0, 0, 1, 2]])
    >>> round(measured["ari"], 3), measured["covering"]
    (0.571, 0.75)
    """
    tables = _tables("segment_scores", people, labels)
    return {
        "ari": _mean(_measures.ari(table) for table in tables),
        "ri": _mean(_measures.rand_index(table) for table in tables),
        "vi": _mean(_variation(table) for table in tables),
        "covering": _mean(_covering(table) for table in tables),
        "boundary_f": boundary_f(people, labels, tolerance=tolerance),
    }


def _maps(who: str, people: Any, labels: Any) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the maps of all people, and the map of the segments."""
    found = np.asarray(labels)
    one_map = np.ndim(people) == found.ndim and len(people) > 0
    drawn = [np.asarray(one) for one in ([people] if one_map else people)]
    if found.ndim < 2 or not found.size:
        raise ValueError(
            f"{who} expects labels as a map of pixels, (height, width) or (depth, "
            f"height, width), got shape {found.shape}."
        )
    for one in drawn:
        if one.shape != found.shape:
            raise ValueError(
                f"{who} expects people's outlines as maps of the same shape as labels, "
                f"{found.shape}, got {one.shape}. Pass one map, a list or a stack."
            )
    if not drawn:
        raise ValueError(f"{who} expects the outlines of at least one person.")
    return drawn, found


def _tables(who: str, people: Any, labels: Any) -> list[Contingency]:
    drawn, found = _maps(who, people, labels)
    return [tabulate(who, one.ravel(), found.ravel()) for one in drawn]


def _mean(values: Any) -> float:
    return float(np.mean(list(values)))


def _variation(table: Contingency) -> float:
    if _measures.same_partition(table):
        return 0.0
    shared = 2 * _measures.mutual_information(table)
    return max(0.0, sum(_measures.entropies(table)) - shared) / math.log(2)


def _covering(table: Contingency) -> float:
    rows, columns, both = table.cells
    union = table.class_sizes[rows] + table.cluster_sizes[columns] - both
    best = np.zeros(len(table.class_sizes))
    np.maximum.at(best, rows, both / union)
    return float(best @ table.class_sizes) / table.n_samples


def _outline_pixels(labels: np.ndarray) -> np.ndarray:
    """Return the coordinates of the pixels on outlines, (n_pixels, n_axes)."""
    on = np.zeros(labels.shape, dtype=bool)
    for axis in range(labels.ndim):
        here = [slice(None)] * labels.ndim
        here[axis] = slice(None, -1)
        on[tuple(here)] |= np.diff(labels.astype(np.int64), axis=axis) != 0
    return np.argwhere(on)


def _matching(ours: np.ndarray, theirs: np.ndarray, reach: float) -> np.ndarray:
    """Return which of our pixels are matched in a largest one-to-one matching."""
    from scipy.spatial import cKDTree

    if not len(ours) or not len(theirs):
        return np.zeros(len(ours), dtype=bool)
    near = cKDTree(ours).sparse_distance_matrix(
        cKDTree(theirs), reach, output_type="ndarray"
    )
    near = near[np.lexsort((near["j"], near["v"], near["i"]))]
    starts = np.searchsorted(near["i"], np.arange(len(ours) + 1))
    return largest_matching(starts, near["j"].astype(np.int64), len(theirs)) >= 0
