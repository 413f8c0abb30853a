"""Prediction of new samples by the members' cluster means or by nearest samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_is_fitted

from coterie._linalg import (
    assign_to_centers,
    nearest_incomplete,
    nearest_neighbors,
    weighted_sqdist,
)
from coterie._typing import LABEL_DTYPE, NOT_ASSIGNED
from coterie._validation import has_missing, is_sparse
from coterie.ensemble import Ensemble, Member, Weights
from coterie.ensemble._votes import cluster_shares, sample_shares, voters

_NEIGHBORS = 5
_TRIED = 500  # samples of fit on which the two methods are compared


class Predicts:
    """Gives ``predict`` and ``predict_confidence`` to a system.

    A system implements ``_place(X)``, which returns new samples as points, and sets
    ``_fit_points`` to those of ``fit`` and ``_fit_trial`` to an empty dict.
    """

    labels_: np.ndarray
    confidence_: np.ndarray
    ensemble_: Ensemble
    weights_: Weights | None
    _fit_points: Any
    _fit_trial: dict[str, float]
    tries_scaled: ClassVar[bool] = False  # whether to try standardised features

    @property
    def predicts_by_(self) -> str:
        """How new samples are placed: by "means", "neighbors" or "scaled neighbors"."""
        agreement = self._agreement()
        # ties go to the first: means are faster
        return max(agreement, key=agreement.__getitem__)

    @property
    def predict_agreement_(self) -> float:
        """The share of samples of ``fit`` whose prediction equals ``labels_``."""
        return max(self._agreement().values())

    def _place(self, X: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must implement _place.")

    def predict(self, X: Any) -> np.ndarray:
        """Assign new samples to clusters.

        There are two methods. In the first, each member assigns a sample to the cluster
        with the nearest mean, in the member's own space, and that cluster votes for the
        final clusters in proportion to where its samples went. In the second, the five
        nearest samples of ``fit`` vote, weighted by their confidence. Both are tried on
        a subsample of ``fit``, where no sample is its own neighbour, and the one that
        agrees better with ``labels_`` is used: ``predicts_by_`` says which,
        ``predict_agreement_`` how well. A panel, which need not care about the scale of
        the features, also tries neighbours in standardised features. Where values are
        missing, the members that saw no such column vote; neighbours are compared by
        the values that both samples have.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame

        Returns
        -------
        (n_samples,) int32 array
        """
        return self._votes(X).argmax(axis=1).astype(LABEL_DTYPE)

    def predict_confidence(self, X: Any) -> np.ndarray:
        """Return the confidence of the predictions for new samples.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame

        Returns
        -------
        (n_samples,) array in [0, 1]
            The vote for the predicted cluster. It compares clusters; it does not detect
            outliers: a sample far from all others may get a high value.
        """
        votes = self._votes(X)
        chosen = self._chosen(X, votes)
        own = np.take_along_axis(votes, chosen[:, None], axis=1)[:, 0]
        return np.clip(own, 0.0, 1.0)

    def _chosen(self, X: Any, votes: np.ndarray) -> np.ndarray:
        """Return the predictions, given their votes."""
        return votes.argmax(axis=1)

    def _votes(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "labels_")
        points = self._place(X)
        if self.predicts_by_ != "means":
            scaled = self.predicts_by_ == "scaled neighbors"
            return self._votes_by_neighbors(points, scaled=scaled)
        votes = self._votes_by_means(points)
        lost = np.flatnonzero(votes.sum(axis=1) == 0)  # each member misses a value
        if lost.size:
            votes[lost] = self._votes_by_neighbors(points[lost])
        return votes

    def _agreement(self) -> dict[str, float]:
        """Return how well each method reproduces labels of ``fit``."""
        check_is_fitted(self, "labels_")
        if self._fit_trial:
            return self._fit_trial
        n = self._fit_points.shape[0]
        tried = np.linspace(0, n - 1, min(n, _TRIED)).astype(np.intp)
        points, labels = self._fit_points[tried], self.labels_[tried]
        if all(member.centers is not None for member in self.ensemble_.members):
            chosen = self._votes_by_means(points).argmax(axis=1)
            self._fit_trial["means"] = float(np.mean(chosen == labels))
        if n > 1 or not self._fit_trial:
            votes = self._votes_by_neighbors(points, without=tried)
            chosen = votes.argmax(axis=1)
            self._fit_trial["neighbors"] = float(np.mean(chosen == labels))
        if n > 1 and self.tries_scaled and not is_sparse(points):
            votes = self._votes_by_neighbors(points, without=tried, scaled=True)
            chosen = votes.argmax(axis=1)
            self._fit_trial["scaled neighbors"] = float(np.mean(chosen == labels))
        return self._fit_trial

    def _votes_by_means(self, points: Any) -> np.ndarray:
        ensemble, weights = voters(self.ensemble_, self.weights_ or Weights())
        nearest = [_nearest_cluster(points, member) for member in ensemble.members]
        rows = np.column_stack(nearest).astype(LABEL_DTYPE)
        shares = cluster_shares(ensemble, self.labels_)
        per_cluster = weights.per_cluster(ensemble)
        return sample_shares(rows, ensemble.offsets, shares, per_cluster)

    def _votes_by_neighbors(
        self, points: Any, without: np.ndarray | None = None, scaled: bool = False
    ) -> np.ndarray:
        known = self._fit_points
        points = _alike(points, known)
        if scaled:
            spread = np.nanstd(known, axis=0, dtype=np.float64)
            # that of a constant feature may be an error of rounding
            varies = np.nanmin(known, axis=0) < np.nanmax(known, axis=0)
            spread = np.where(varies & (spread > 0), spread, 1.0).astype(known.dtype)
            known, points = known / spread, points / spread
        if known.shape[0] == 1:
            without = None
        n_near = min(_NEIGHBORS + (without is not None), known.shape[0])
        if has_missing(known) or has_missing(points):
            _reject_empty(points, type(self).__name__)
            near = nearest_incomplete(known, n_near, points)
        else:
            near = nearest_neighbors(known, n_near, queries=points).indices
        if without is not None:
            itself = near == without[:, None]
            itself[~itself.any(axis=1), -1] = True  # duplicates of it came first
            near = near[~itself].reshape(len(near), -1)
        votes = np.zeros((points.shape[0], int(self.labels_.max()) + 1))
        at = np.arange(points.shape[0])
        for column in near.T:
            votes[at, self.labels_[column]] += self.confidence_[column]
        return votes / near.shape[1]


def _nearest_cluster(points: Any, member: Member) -> np.ndarray:
    """Return the member's cluster with the centre nearest to each point, (n,).

    A point that lacks a value there has none: -1.
    """
    view, weights = member.view(points), member.feature_weights
    if has_missing(view):
        labels = np.full(view.shape[0], NOT_ASSIGNED, dtype=LABEL_DTYPE)
        whole = np.flatnonzero(~np.isnan(view).any(axis=1))
        if whole.size:
            own = replace(member, features=None, embedding=None)
            labels[whole] = _nearest_cluster(view[whole], own)
        return labels
    if weights is None:
        return assign_to_centers(view, member.centers)[0]
    return weighted_sqdist(view, member.centers, weights).argmin(axis=1)


def _reject_empty(points: np.ndarray, who: str) -> None:
    empty = np.flatnonzero(np.isnan(points).all(axis=1))
    if empty.size:
        raise ValueError(
            f"{who}.predict: {empty.size:,} of the samples have no value at all; the "
            f"first is number {empty[0]} (from 0). Remove them."
        )


def _alike(points: Any, known: Any) -> Any:
    """Return points in the format, dense or sparse, of those of ``fit``."""
    if is_sparse(points) == is_sparse(known):
        return points
    if is_sparse(points):
        return points.toarray()
    return scipy.sparse.csr_matrix(points)
