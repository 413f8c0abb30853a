"""Placing new samples: by the votes for the training samples that are nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_is_fitted

from coterie._typing import LABEL_DTYPE
from coterie.ensemble import Ensemble, Weights, cluster_shares, sample_shares
from coterie.linalg import nearest_neighbors

_NEIGHBORS = 5
_CHUNK = 4096  # new samples at once
N_VOTERS = 400  # clusterings of networks that votes are counted from


def voters(model: Any) -> Ensemble:
    """Return the members that vote: all, or some of the thousands of networks."""
    check_is_fitted(model, "labels_")
    codes = getattr(model, "codes_", None)
    return model.ensemble_ if codes is None else codes.ensemble(at_most=N_VOTERS)


class PredictsByNeighbors:
    """Gives ``predict`` and its votes to a fitted system.

    A system implements ``_place(X)``, which returns the points of the training samples
    and those of new samples in the same space.
    """

    labels_: np.ndarray

    def _place(self, X: Any) -> tuple[Any, Any]:
        raise NotImplementedError(f"{type(self).__name__} must implement _place.")

    def predict(self, X: Any) -> np.ndarray:
        """Place new samples by the votes of the nearest samples of ``fit``.

        A sample goes to the cluster for which the members vote most, on average over
        its five nearest neighbours among the samples of ``fit``. It need not return
        ``labels_`` exactly on these samples themselves.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame

        Returns
        -------
        (n_samples,) int32 array
        """
        return self.predict_votes(X).argmax(axis=1).astype(LABEL_DTYPE)

    def predict_confidence(self, X: Any) -> np.ndarray:
        """Return how firmly the members place new samples where ``predict`` does.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame

        Returns
        -------
        (n_samples,) array in [0, 1]
            The vote for the predicted cluster. A new sample far from all others may
            get a high value: it says which cluster, not whether any.
        """
        chosen = self.predict(X)
        votes = self.predict_votes(X)
        return np.take_along_axis(votes, chosen[:, None], axis=1)[:, 0]

    def predict_votes(self, X: Any) -> np.ndarray:
        """Return the share of the votes for each cluster, for new samples.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame

        Returns
        -------
        (n_samples, n_clusters) array
            Rows sum to one.
        """
        check_is_fitted(self, "labels_")
        known, new = self._place(X)
        if scipy.sparse.issparse(known) != scipy.sparse.issparse(new):
            dense = scipy.sparse.issparse(new)
            new = new.toarray() if dense else scipy.sparse.csr_matrix(new)
        ensemble = voters(self)
        weights = getattr(self, "weights_", None) or Weights()
        shares = cluster_shares(ensemble, self.labels_)
        per_cluster = weights.per_cluster(ensemble)
        n_neighbors = min(_NEIGHBORS, known.shape[0])
        votes = np.empty((new.shape[0], shares.shape[1]))
        for start in range(0, new.shape[0], _CHUNK):
            part = new[start : start + _CHUNK]
            near = nearest_neighbors(known, n_neighbors, queries=part).indices
            rows = ensemble.labels[near.ravel()]
            found = sample_shares(rows, ensemble.offsets, shares, per_cluster)
            found = found.reshape(*near.shape, -1)  # (n, neighbours, k)
            votes[start : start + _CHUNK] = found.mean(axis=1)
        return votes
