"""MBN: multilayer bootstrap networks, one or an ensemble of them."""

from __future__ import annotations

import math
from contextlib import nullcontext
from copy import copy
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie._docs import fill_doc
from coterie._linalg import code_pca, project_codes
from coterie._seeds import seed_sequence
from coterie._typing import Progress
from coterie._validation import (
    Interval,
    StrOptions,
    check_n_clusters,
    check_parameters,
    index_of,
    reject_text,
)
from coterie.choice._auto import AUTO, N_CLUSTERS, set_n_clusters
from coterie.consensus._codes import PARTITIONS, combine_codes
from coterie.ensemble import Codes, Ensemble
from coterie.generation._bootstrap_networks import BootstrapNetworks
from coterie.systems._predict import Predicts
from coterie.weighting._networks import SELECTIONS, network_weights

_N_SELECTED = {"mmd": 10}  # the paper's B of MBN-SD
_N_SELECTED_OTHERWISE = 3  # of MBN-SO
_ALL_VIEWS_UP_TO, _VIEWS = 5_000, 64  # samples, and codes that are compared beyond


class _BootstrapSystem(
    Predicts,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    BaseEstimator,
):
    """What a network and an ensemble of networks share.

    A subclass implements ``_networks()`` and may implement ``_select``.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": N_CLUSTERS,
        "n_clusterings": [Interval(Integral, 1, None, closed="left")],
        "feature_ratio": [Interval(Real, 0, 1, closed="right")],
        "metric": [StrOptions({"euclidean", "cosine", "precomputed"})],
        "partition": [StrOptions(set(PARTITIONS))],
        "n_out": [Interval(Integral, 1, None, closed="left"), None],
        "n_views": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"all"}),
            None,
        ],
        "last_layer": [StrOptions({"force", "stop", "append"})],
        "sparse_output": ["boolean"],
        "random_state": ["random_state", np.random.SeedSequence, np.random.Generator],
        "n_jobs": [int, None],
        "progress": [callable, bool, None],
    }

    def _networks(self) -> BootstrapNetworks:
        raise NotImplementedError(f"{type(self).__name__} must implement _networks.")

    def _shared_settings(self) -> dict[str, Any]:
        """Return what a network takes from parameters that both systems have."""
        n_out = math.ceil(1.5 * self.n_clusters_) if self.n_out is None else self.n_out
        few = self._fit_X.shape[0] <= _ALL_VIEWS_UP_TO
        n_views = (None if few else _VIEWS) if self.n_views is None else self.n_views
        return {
            "n_out": n_out,
            "n_clusterings": self.n_clusterings,
            "feature_ratio": self.feature_ratio,
            "metric": self.metric,
            "n_views": None if n_views == "all" else n_views,
            "last_layer": self.last_layer,
        }

    def fit(self, X: Any, y: Any = None) -> _BootstrapSystem:
        """Grow the networks and cluster the data.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
            With ``metric="precomputed"``, (n_samples, n_samples) similarities.
        y : ignored
        """
        check_parameters(self)
        X = self._checked(X, reset=True)
        if self.n_clusters != AUTO:
            check_n_clusters(self.n_clusters, X.shape[0], type(self).__name__)
        seed = seed_sequence(self.random_state)
        set_n_clusters(self, X, seed)
        self._seed, for_rest = seed.spawn(2)
        self._fit_X = X
        self._rest = for_rest
        self._grown = self._networks()
        with nullcontext():
            self.codes_ = self._grown.grow(
                X, seed=self._seed, n_jobs=self.n_jobs, progress=self.progress
            )
            self.deltas_ = self.codes_.deltas
            self._combine(self.n_clusters_)
            self._select()
        return self

    def _combine(self, n_clusters: int) -> None:
        """Embed and cluster the codes."""
        vars(self).pop("ensemble_", None)
        rng = np.random.default_rng(self._rest)
        self._pca = code_pca(self.codes_.values, n_clusters, rng=rng)
        self.embedding_ = self._pca.scores
        self.consensus_ = combine_codes(
            self.codes_, self.embedding_, n_clusters, self.partition, rng
        )
        self.labels_ = self.consensus_.labels
        self.confidence_ = self.consensus_.confidence
        self._keep_points(self.embedding_)

    def _select(self) -> None:
        """Keep the best networks only, where that is asked for."""

    def recut(self, n_clusters: int) -> _BootstrapSystem:
        """Return a fitted system with another number of clusters and the same codes.

        Parameters
        ----------
        n_clusters : int
        """
        check_is_fitted(self, "codes_")
        n_samples = self._fit_X.shape[0]
        check_n_clusters(n_clusters, n_samples, f"{type(self).__name__}.recut")
        other = copy(self).set_params(n_clusters=n_clusters)
        other.n_clusters_ = int(n_clusters)
        other._combine(n_clusters)
        return other

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Grow the networks and return the codes of the data, as ``transform``.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
        y : ignored
        """
        return self.fit(X, y)._one_hot(self.codes_)

    def transform(self, X: Any) -> Any:
        """Return the codes of samples as zeros and ones.

        For other data than those of ``fit`` the networks are grown once more from the
        same seed, with the new samples carried along, so it takes as long as ``fit``.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
            With ``metric="precomputed"``, similarities to the samples of ``fit``.

        Returns
        -------
        (n_samples, n_codes) CSR matrix of float32
            An array with ``sparse_output=False``, or the frame that ``set_output`` asks
            for.
        """
        check_is_fitted(self, "codes_")
        return self._one_hot(self._codes_of(X))

    def _one_hot(self, codes: Codes) -> Any:
        H = codes.one_hot()
        return H if self.sparse_output else H.toarray()

    @property
    def _n_features_out(self) -> int:
        """Number of columns of ``transform``, for ``get_feature_names_out``."""
        return int(self.codes_.sizes.sum())

    def _place(self, X: Any) -> np.ndarray:
        new = self._codes_of(X)
        return project_codes(self.codes_.values, new.values, self._pca)

    def _has_means(self) -> bool:
        return False  # what the networks' clusterings have are drawn samples

    def _codes_of(self, X: Any) -> Codes:
        X = self._checked(X, reset=False)
        if _same(X, self._fit_X):
            return self.codes_
        n_fit = self._fit_X.shape[0]
        grown = self._grown.grow(
            _stacked(self._fit_X, X), seed=self._seed, n_jobs=self.n_jobs, n_fit=n_fit
        )
        return self._kept(grown.rows(slice(n_fit, None)))

    def _kept(self, codes: Codes) -> Codes:
        """Return the codes of the networks that were selected."""
        return codes

    @cached_property
    def ensemble_(self) -> Ensemble:
        """All clusterings of the top layers as an ensemble, made when asked for."""
        check_is_fitted(self, "codes_")
        return self.codes_.ensemble()

    def _checked(self, X: Any, *, reset: bool) -> Any:
        reject_text(X, type(self).__name__)
        if reset:
            self._fit_index = index_of(X)
        return validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            reset=reset,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.transformer_tags.preserves_dtype = []  # codes are zeros and ones
        return tags


@fill_doc
class MBN(_BootstrapSystem):
    r"""Multilayer bootstrap network: deep clustering by nearest neighbours alone.

    Each layer is V clusterings; each of these draws k samples and a share of the
    features and gives every sample the nearest of the drawn ones. Which one it was, in
    all V clusterings, is what the next layer sees, with :math:`k_{m} = \delta k_{m-1}`
    [1]_. The top layer's codes are reduced to ``n_clusters`` principal components and
    clustered. Nothing is optimised by gradients.

    How fast k falls matters: small ``delta`` (a shallow network) suits clusters that
    are nearly linear to separate, large ``delta`` (a deep one) curved ones. Prefer
    :class:`MBNEnsemble`, which needs no such choice.

    Parameters
    ----------
    %(system_n_clusters)s
    delta : float, default=0.5
        Share of k that is left from one layer to the next.
    %(network_parameters)s
    %(system_parameters)s

    Attributes
    ----------
    %(network_attributes)s

    Notes
    -----
    In upper layers the features are the clusterings below, of which each clustering
    compares the codes of a share ``feature_ratio``; the paper does not say whether
    clusterings or single codes are drawn. Ties go to the first sample drawn. Data are
    used as they are. The paper reduces images to 100 principal components first.

    References
    ----------
    .. [1] X.-L. Zhang, "Multilayer bootstrap networks", Neural Networks 103, 29-43,
       2018. :doi:`10.1016/j.neunet.2018.03.003`

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import MBN
    >>> X = load_iris().data
    >>> model = MBN(n_clusters=3, n_clusterings=50, random_state=0).fit(X)
    >>> model.codes_.layers
    ((75, 37, 18, 9),)
    >>> model.transform(X).shape
    (150, 450)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_BootstrapSystem._parameter_constraints,
        "delta": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        delta: float = 0.5,
        n_clusterings: int = 400,
        feature_ratio: float = 0.5,
        metric: str = "euclidean",
        partition: str = "auto",
        n_out: int | None = None,
        n_views: int | str | None = None,
        last_layer: str = "force",
        sparse_output: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.delta = delta
        self.n_clusterings = n_clusterings
        self.feature_ratio = feature_ratio
        self.metric = metric
        self.partition = partition
        self.n_out = n_out
        self.n_views = n_views
        self.last_layer = last_layer
        self.sparse_output = sparse_output
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _networks(self) -> BootstrapNetworks:
        return BootstrapNetworks(
            n_members=1,
            delta_range=(self.delta, self.delta),
            shared=False,
            **self._shared_settings(),
        )


@fill_doc
class MBNEnsemble(_BootstrapSystem):
    r"""An ensemble of multilayer bootstrap networks: deep clustering without tuning.

    Many networks as :class:`MBN`, each with a random ``delta``; their codes are put
    side by side, reduced to ``n_clusters`` principal components and clustered [1]_.

    - The default is fMBN-E: all networks stand on one bottom layer, and upper layers
      compare all codes, which is what makes it quick.
    - ``feature_sampling=False`` is fMBN-Ev2: the bottom layer sees all features. Faster
      still, at the risk of worse clusters (most of all for tables).
    - ``fast=False`` is MBN-E: independent networks. Much slower, no better.
    - ``selection="vrc"`` (or another criterion) keeps the best networks only: MBN-SO.
      Worth trying for images, not for small tables.
    - ``selection="mmd"`` is MBN-SD.

    Parameters
    ----------
    %(system_n_clusters)s
    n_members : int, default=40
        Number of networks, Z in the paper.
    delta_range : (float, float), default=(0.05, 0.95)
        Range from which each network draws its delta.
    delta_draw : {"uniform", "stratified"}, default="uniform"
        Whether each draws from the whole range, or the first from the lowest of Z equal
        parts and so on, which steadies the result for few networks.
    fast : bool, default=True
        Whether the networks share their bottom layer and compare all codes.
    feature_sampling : bool, default=True
        Whether each clustering of the bottom layer sees a share of the features.
    selection : {"swc", "pb", "pbm", "vrc", "mmd"} or None, default=None
        Criterion by which networks are kept: silhouette width, point-biserial, PBM or
        variance ratio of the clusters found by all networks, or the likeness of the
        network's embedding to that of all (maximum mean discrepancy).
    n_selected : int or None, default=None
        Networks to keep, B in the paper; None is 10 for "mmd" and 3 otherwise.
    %(network_parameters)s
    %(system_parameters)s

    Attributes
    ----------
    %(network_attributes)s
    model_weights_ : (n_members,) array or None
        What the criterion says of each network, larger is better; None without
        selection.
    selected_ : (n_selected,) int array or None
        The networks kept, the best first.
    all_codes_ : Codes or None
        The codes of all networks, where some were selected.

    Notes
    -----
    *Selection.* The paper says that criteria are taken in the low-dimensional space;
    only on the codes themselves, as here, did they give the printed pattern. Of "mmd"
    the paper gives no kernel: here it is a Gaussian of the median distance, between the
    embeddings of one and of all networks, scaled to the same size, with columns turned
    to the same sign, on at most 2,000 samples. Both are our readings.

    *Layers.* k falls as in Algorithm 2 while it is at least ``n_out``; a network whose
    delta leaves no upper layer at all gets one (``last_layer``).

    *Bottom layer.* Exact for up to 5,000 samples and for sparse data. For more, the
    nearest centroid is looked for among the 64 samples that are nearest in all
    features.

    *Speed.* Beyond 5,000 samples an upper layer compares 64 of the codes below, where
    the paper compares all (``n_views="all"``). That is faster and changes results, for
    some data to the better.

    References
    ----------
    .. [1] X.-L. Zhang, "fMBN-E: efficient unsupervised network structure ensemble and
       selection for clustering", 2021. arXiv:2107.02071

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import MBNEnsemble
    >>> X = load_iris().data
    >>> model = MBNEnsemble(3, n_members=5, n_clusterings=50, random_state=0).fit(X)
    >>> model.embedding_.shape
    (150, 3)
    >>> best = MBNEnsemble(
    ...     3, n_members=5, n_clusterings=50, selection="vrc", random_state=0
    ... ).fit(X)
    >>> best.selected_.shape, best.model_weights_.shape
    ((3,), (5,))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_BootstrapSystem._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "delta_range": [tuple, list],
        "delta_draw": [StrOptions({"uniform", "stratified"})],
        "fast": ["boolean"],
        "feature_sampling": ["boolean"],
        "selection": [StrOptions(set(SELECTIONS)), None],
        "n_selected": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_members: int = 40,
        delta_range: tuple[float, float] = (0.05, 0.95),
        delta_draw: str = "uniform",
        fast: bool = True,
        feature_sampling: bool = True,
        selection: str | None = None,
        n_selected: int | None = None,
        n_clusterings: int = 400,
        feature_ratio: float = 0.5,
        metric: str = "euclidean",
        partition: str = "auto",
        n_out: int | None = None,
        n_views: int | str | None = None,
        last_layer: str = "force",
        sparse_output: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_members = n_members
        self.delta_range = delta_range
        self.delta_draw = delta_draw
        self.fast = fast
        self.feature_sampling = feature_sampling
        self.selection = selection
        self.n_selected = n_selected
        self.n_clusterings = n_clusterings
        self.feature_ratio = feature_ratio
        self.metric = metric
        self.partition = partition
        self.n_out = n_out
        self.n_views = n_views
        self.last_layer = last_layer
        self.sparse_output = sparse_output
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _networks(self) -> BootstrapNetworks:
        return BootstrapNetworks(
            n_members=self.n_members,
            delta_range=_checked_range(self.delta_range),
            delta_draw=self.delta_draw,
            shared=self.fast,
            feature_sampling=self.feature_sampling,
            **self._shared_settings(),
        )

    def _select(self) -> None:
        self.model_weights_ = self.selected_ = self.all_codes_ = None
        if self.selection is None:
            return
        rng = np.random.default_rng(self._rest)
        self.all_codes_ = self.codes_
        self.model_weights_ = network_weights(
            self.codes_, self.labels_, self.embedding_, self.selection, rng=rng
        )
        n_kept = self.n_selected or _N_SELECTED.get(
            self.selection, _N_SELECTED_OTHERWISE
        )
        order = np.argsort(-self.model_weights_, kind="stable")
        self.selected_ = order[:n_kept]
        self.codes_ = self.all_codes_.subset(self.selected_)
        self._combine(self.n_clusters_)

    def _kept(self, codes: Codes) -> Codes:
        return codes if self.selected_ is None else codes.subset(self.selected_)


def _checked_range(pair: Any) -> tuple[float, float]:
    fits = len(pair) == 2 and all(isinstance(end, Real) for end in pair)
    if not fits or not 0 < pair[0] <= pair[1] < 1:
        raise ValueError(
            "MBNEnsemble expects delta_range as two numbers (low, high) with "
            f"0 < low <= high < 1, got {pair!r}."
        )
    return float(pair[0]), float(pair[1])


def _same(X: Any, Y: Any) -> bool:
    if X.shape != Y.shape or scipy.sparse.issparse(X) != scipy.sparse.issparse(Y):
        return False
    if scipy.sparse.issparse(X):
        return (X != Y).nnz == 0
    return np.array_equal(X, Y)


def _stacked(X: Any, Y: Any) -> Any:
    if scipy.sparse.issparse(X) or scipy.sparse.issparse(Y):
        return scipy.sparse.vstack(
            [scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(Y)], format="csr"
        )
    return np.vstack([X, Y.astype(X.dtype, copy=False)])
