"""Bootstrap networks that are kept, so that a new sample is coded in milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._linalg._kept_layers import KeptLayers
from coterie._validation import is_sparse

_NEAR = 4.0  # errors of rounding, within which two distances are compared again


@dataclass(frozen=True, eq=False)
class KeptBottom:
    """The bottom layer of the networks.

    Attributes
    ----------
    X : (n, D) array or CSR matrix
    draws : (V, k) int32 array
        The samples that are centroids; with similarities, all in random order.
    features : (V, D) or (1, D) float32 array
        One for what each clustering sees, zero for the rest.
    metric : str
    alone : function of (v, new), returning (m,) codes
        One clustering of new samples, as the networks were grown.
    """

    X: Any
    draws: np.ndarray
    features: np.ndarray
    metric: str
    alone: Callable[[int, Any], np.ndarray]

    def codes(self, new: Any) -> np.ndarray:
        """Return the codes of new samples in the bottom layer, (m, V) uint16."""
        clusterings = range(len(self.draws))
        if self.metric == "precomputed" or is_sparse(self.X):
            columns = [self.alone(v, new) for v in clusterings]
            return np.stack(columns, axis=1).astype(np.uint16)
        return np.stack([self._one(x[None]) for x in new])

    def _one(self, x: np.ndarray) -> np.ndarray:
        """Return the codes of one dense sample: all distances in a single product.

        Where the nearest centroid is not certain, the clustering is done again in full.
        """
        from coterie._kernels._kept_codes import nearest_in_draws

        distances = self._distances(x)  # (V, n)
        rounding = _NEAR * np.finfo(np.float32).eps * np.sqrt(self.X.shape[1])
        codes = np.empty(len(self.draws), dtype=np.uint16)
        is_certain = np.empty(codes.shape, dtype=bool)
        near = float(rounding * distances.max())
        nearest_in_draws(distances, self.draws, near, codes, is_certain)
        for v in np.flatnonzero(~is_certain):
            codes[v] = self.alone(int(v), x)[0]
        return codes

    def _distances(self, x: np.ndarray) -> np.ndarray:
        """Return squared distances to all samples in what each clustering sees."""
        seen = self.features  # (V, D) or (1, D)
        if self.metric != "cosine":
            return seen @ ((self.X - x).astype(np.float32) ** 2).T
        dots = seen @ (self.X * x).T.astype(np.float32)
        lengths = np.sqrt(seen @ (self.X.astype(np.float32) ** 2).T)
        own = np.sqrt(seen @ (x.astype(np.float32) ** 2).T)  # (V, 1)
        scale = lengths * own
        cosine = np.divide(dots, scale, out=np.zeros_like(dots), where=scale > 0)
        # rows have length one, but a row of zeros stays one
        return (own > 0) + (lengths > 0) - np.float32(2) * cosine


@dataclass(frozen=True, eq=False)
class KeptNetworks:
    """Networks with everything that is needed to code new samples."""

    bottom: KeptBottom
    layers: KeptLayers

    def codes(self, new: Any) -> np.ndarray:
        """Return the codes of new samples in the top layers, (m, Z V)."""
        rows = self.bottom.codes(new)
        return np.stack([self.layers.codes(row).ravel() for row in rows])
