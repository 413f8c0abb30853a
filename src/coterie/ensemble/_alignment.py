"""Numbering of partitions: by first appearance, or to match another partition."""

from __future__ import annotations

import numpy as np

from coterie._typing import LABEL_DTYPE


def relabel_by_appearance(labels: np.ndarray) -> np.ndarray:
    """Return the labels numbered 0, 1, ... in the order in which they appear.

    Parameters
    ----------
    labels : (N,) int array

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.ensemble._alignment import relabel_by_appearance
    >>> relabel_by_appearance(np.array([5, 2, 5, 7]))
    array([0, 1, 0, 2], dtype=int32)
    """
    values, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(values.size, dtype=LABEL_DTYPE)
    rank[np.argsort(first, kind="stable")] = np.arange(values.size, dtype=LABEL_DTYPE)
    return rank[inverse.ravel()]


def align_labels(table: np.ndarray) -> np.ndarray:
    """Match the clusters of one partition to those of another.

    The one-to-one matching shares most samples (Hungarian method); clusters that are
    left over go where most of their samples are.

    Parameters
    ----------
    table : (k, l) array
        How many samples each cluster shares with each cluster of the other partition.

    Returns
    -------
    (k,) int array
        The cluster of the other partition for each.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.ensemble._alignment import align_labels
    >>> align_labels(np.array([[0, 9], [8, 1], [2, 3]]))
    array([1, 0, 1])
    """
    from scipy.optimize import linear_sum_assignment

    match = np.asarray(table).argmax(axis=1)
    rows, columns = linear_sum_assignment(table, maximize=True)
    match[rows] = columns
    return match
