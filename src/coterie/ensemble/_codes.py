"""Codes: an ensemble so large that its labels are kept in bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.ensemble._ensemble import Ensemble, Member

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

N_VOTERS = 400  # clusterings that votes are counted from


@dataclass(frozen=True, eq=False)
class Codes:
    """The clusters of samples in the many clusterings of some models.

    An :class:`~coterie.Ensemble` in short: no names, no centres, one to four bytes a
    label.

    Attributes
    ----------
    values : (N, P) unsigned array
        The cluster of each sample in each clustering, the models one after the other.
    sizes : (P,) int64 array
        Number of clusters of each clustering, empty ones included.
    offsets : (n_members + 1,) int64 array
        Model z has the columns ``offsets[z] : offsets[z + 1]``.
    deltas : (n_members,) float array
        The ``delta`` of each model.
    layers : tuple of tuple of int
        The k of each layer of each model, from the bottom.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import MBNEnsemble
    >>> model = MBNEnsemble(3, n_members=2, n_clusterings=5, random_state=0)
    >>> codes = model.fit(load_iris().data).codes_
    >>> codes.values.shape
    (150, 10)
    >>> codes.ensemble().n_members
    10
    """

    values: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray
    deltas: np.ndarray
    layers: tuple[tuple[int, ...], ...]

    @property
    def n_members(self) -> int:
        """Number of models."""
        return self.deltas.size

    def of_model(self, z: int) -> np.ndarray:
        """Return the codes of one model, (N, V)."""
        return self.values[:, self.offsets[z] : self.offsets[z + 1]]

    def subset(self, models: Sequence[int]) -> Codes:
        """Return the codes of some models."""
        columns = [np.arange(self.offsets[z], self.offsets[z + 1]) for z in models]
        chosen = np.concatenate(columns)
        widths = [len(part) for part in columns]
        return Codes(
            self.values[:, chosen],
            self.sizes[chosen],
            np.concatenate([[0], np.cumsum(widths)]).astype(np.int64),
            self.deltas[list(models)],
            tuple(self.layers[z] for z in models),
        )

    def rows(self, which: Any) -> Codes:
        """Return the codes of some samples."""
        return Codes(
            self.values[which], self.sizes, self.offsets, self.deltas, self.layers
        )

    def one_hot(self) -> csr_matrix:
        """Return the codes as zeros and ones, a sparse (N, sum of sizes) matrix."""
        from scipy.sparse import csr_matrix

        n, n_codes = self.values.shape
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        total = int(self.sizes.sum())
        # scikit-learn takes 32-bit indices only
        dtype = np.int32 if max(n * n_codes, total) < 2**31 else np.int64
        indices = (self.values + starts.astype(dtype)).ravel()
        indptr = np.arange(0, n * n_codes + 1, n_codes, dtype=dtype)
        ones = np.ones(n * n_codes, dtype=np.float32)
        return csr_matrix((ones, indices, indptr), shape=(n, total))

    def ensemble(self, at_most: int | None = None) -> Ensemble:
        """Return an ensemble with a member for each clustering.

        Parameters
        ----------
        at_most : int, default=None
            Most members; of more clusterings, so many are taken at even distances.
        """
        n_codes = self.values.shape[1]
        taken = np.arange(n_codes)
        if at_most is not None and n_codes > at_most:
            taken = np.arange(at_most) * n_codes // at_most
        models = np.searchsorted(self.offsets, taken, side="right") - 1
        members = tuple(
            Member(params={"model": int(z), "delta": float(self.deltas[z])})
            for z in models
        )
        return Ensemble(list(self.values[:, taken].astype(np.int32).T), members)
