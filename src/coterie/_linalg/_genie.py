"""Genie: single linkage that keeps cluster sizes even."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from coterie._typing import LABEL_DTYPE

if TYPE_CHECKING:
    from coterie._linalg._spanning_tree import SpanningTree
    from coterie._typing import LabelArray


def genie(tree: SpanningTree, n_clusters: int, threshold: float) -> LabelArray:
    """Merge samples along the edges of a spanning tree, with sizes kept even.

    Before each merge the Gini index of the cluster sizes is compared with the
    threshold. Up to it, the shortest edge left is used, otherwise the shortest one that
    touches a cluster of the smallest size.

    Examples
    --------
    >>> from coterie._linalg import genie, spanning_tree
    >>> tree = spanning_tree([[0.0], [1.0], [2.1], [9.0], [9.9], [30.0]])
    >>> genie(tree, 2, threshold=1.0), genie(tree, 2, threshold=0.3)
    (array([0, 0, 0, 0, 0, 1], dtype=int32), array([0, 0, 0, 1, 1, 1], dtype=int32))
    """
    from coterie._kernels import _genie as kernels

    n = tree.lengths.size + 1
    labels = np.empty(n, dtype=LABEL_DTYPE)
    sizes = np.empty((2, isqrt(2 * n) + 3), dtype=np.int64)
    kernels.genie(
        tree.ends.astype(np.int64),
        float(threshold),
        n_clusters,
        np.arange(n),
        np.ones(n, dtype=np.int64),
        np.arange(n),
        *sizes,
        labels,
    )
    return labels
