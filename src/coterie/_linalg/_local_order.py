"""An order of samples in which neighbours lie near each other in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._linalg._kmeans import assign_to_centers, kmeans

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GROUP = 256  # samples: their vectors stay in the second-level cache
_MOST_GROUPS = 512
_LEARNED_FROM = 40  # samples for each group
_ROUNDS = 10  # of k-means: the groups need not be good


def local_order(X: Any) -> NDArray[np.intp]:
    """Order the rows of X so that near ones are mostly near in memory, too.

    Rows are grouped by k-means on a sample of them, and the groups follow the leaves of
    their tree (Ward). Loops that visit the neighbours of each row then find them in the
    cache. The order depends on X alone.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import local_order
    >>> X = np.tile([[0.0], [9.0]], (300, 1))
    >>> np.unique(local_order(X)[:300] % 2).size
    1
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    n = len(X)
    n_groups = min(max(2, n // _GROUP), _MOST_GROUPS)
    rng = np.random.default_rng(0)
    few = X[np.sort(rng.choice(n, min(n, _LEARNED_FROM * n_groups), replace=False))]
    centers = kmeans(few, n_groups, rng=rng, max_iter=_ROUNDS).centers
    place = np.argsort(leaves_list(linkage(centers, "ward")))  # of each group
    return np.argsort(place[assign_to_centers(X, centers)[0]], kind="stable")
