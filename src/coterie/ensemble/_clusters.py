"""Numbers of members and clusters."""

from __future__ import annotations

import numpy as np


class HasClusters:
    """Numbers of members and clusters, from the members' ``offsets`` (M + 1,)."""

    offsets: np.ndarray

    @property
    def n_members(self) -> int:
        """Number of members, M."""
        return self.offsets.size - 1

    @property
    def n_clusters_per_member(self) -> np.ndarray:
        """Number of clusters of each member, (M,)."""
        return np.diff(self.offsets)

    @property
    def n_total_clusters(self) -> int:
        """Total number of clusters of all members, C."""
        return int(self.offsets[-1])
