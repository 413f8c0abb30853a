"""MBN: a multilayer bootstrap network, or an ensemble of them."""

from __future__ import annotations

import math
from typing import Any, ClassVar, cast

import numpy as np
import scipy.sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from coterie._docs import fill_doc
from coterie._linalg import CodePCA as Components
from coterie._linalg import CodeProjection
from coterie._typing import Progress
from coterie._validation import StrOptions, is_sparse
from coterie.consensus import CodePCA
from coterie.ensemble import Ensemble
from coterie.generation import BootstrapNetworks
from coterie.systems._base import BaseSystem, Parts
from coterie.weighting import NetworkSelection
from coterie.weighting._networks import SELECTIONS, networks_of

_ALL_VIEWS_UP_TO = 10_000  # samples, in a single network: most of a minute


class _NetworkSystem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseSystem):
    """The base of single networks and ensembles: codes, and new samples."""

    metric: str
    n_out: int | None
    sparse_output: bool

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSystem._parameter_constraints,
        "sparse_output": ["boolean"],
    }

    @property
    def _n_out(self) -> int:
        """The smallest k of a layer."""
        k = getattr(self, "n_clusters_", 1)
        return math.ceil(1.5 * k) if self.n_out is None else self.n_out

    def _points(self, X: Any) -> np.ndarray:
        return self.embedding_

    @property
    def embedding_(self) -> np.ndarray:
        """Principal components of the codes."""
        return self.consensus_.details["embedding"]

    @property
    def deltas_(self) -> np.ndarray:
        """The delta of each network."""
        return np.array(self._of_networks("delta"))

    @property
    def layers_(self) -> tuple[tuple[int, ...], ...]:
        """The k of each layer of each network, from the bottom up."""
        return tuple(self._of_networks("layers"))

    def _of_networks(self, name: str) -> list[Any]:
        """Return one parameter of each network."""
        params = [member.params for member in self.ensemble_.members]
        return list({one["network"]: one[name] for one in params}.values())

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Grow the networks and return the codes of the data, like ``transform``.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
        y : ignored
        """
        fitted = self.fit(X, y)
        return fitted._one_hot(fitted._kept.labels)

    def transform(self, X: Any) -> Any:
        """Return the one-hot codes of samples.

        For new data the networks are grown again from the same seed, which takes as
        long as ``fit``. They are kept, if that takes at most 1 GiB (up to some 2,500
        samples by default; 2,000 take 0.8 GB, ``selection`` less), so that the next
        call takes milliseconds for a sample. Otherwise, and with ``fast=False``, every
        call grows them again. They are not stored with a pickled model.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
            With ``metric="precomputed"``, similarities to the samples of ``fit``.

        Returns
        -------
        (n_samples, n_codes) CSR matrix of float32
            With ``sparse_output=False`` an array, or the frame set by ``set_output``.
        """
        check_is_fitted(self, "ensemble_")
        return self._one_hot(self._codes_of(X))

    @property
    def _kept(self) -> Ensemble:
        """The clusterings of the selected networks."""
        weights = self.weights_
        if weights is None or weights.members is None:
            return self.ensemble_
        return self.ensemble_.subset(np.flatnonzero(weights.members))

    def _combine(self, X: Any, parts: Parts) -> None:
        super()._combine(X, parts)
        self._fit_grown: dict[str, Any] = {}  # what new samples need, on demand

    def _codes_of(self, X: Any) -> np.ndarray:
        """Return the codes of samples in these networks, (n, P)."""
        X = super()._place(X)
        if _same(X, self._fit_X):
            return self._kept.labels
        generator: Any = self._fit_generator
        grown = {"seed": self._fit_seed, "n_jobs": self.n_jobs}
        if "networks" not in self._fit_grown:
            networks = np.unique(networks_of(self._kept)).tolist()
            kept = generator.keep(self._fit_X, networks=networks, **grown)
            self._fit_grown["networks"] = kept
        if self._fit_grown["networks"] is not None:
            return self._fit_grown["networks"].codes(X)
        codes = generator.extend(self._fit_X, X, **grown)
        weights = self.weights_
        if weights is None or weights.members is None:
            return codes
        return np.ascontiguousarray(codes[:, weights.members > 0])

    def __getstate__(self) -> dict[str, Any]:
        """Return the model without the networks kept for new samples."""
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        if "_fit_grown" in state:
            state["_fit_grown"] = {}
        return state

    def _one_hot(self, codes: np.ndarray) -> Any:
        kept = self._kept
        rows = Ensemble._from_coded(codes, kept.offsets, kept.members)
        H = scipy.sparse.csr_matrix(rows.incidence(), dtype=np.float32)
        return H if self.sparse_output else H.toarray()

    @property
    def _n_features_out(self) -> int:
        """Number of columns of ``transform``, for ``get_feature_names_out``."""
        return self._kept.n_total_clusters

    def _place(self, X: Any) -> np.ndarray:
        if "projection" not in self._fit_grown:
            details, kept = self.consensus_.details, self._kept
            pca = Components(details["embedding"], details["component_squares"])
            projection = CodeProjection.of(kept.labels, pca, kept.offsets)
            self._fit_grown["projection"] = projection
        return self._fit_grown["projection"].place(self._codes_of(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.transformer_tags.preserves_dtype = []  # codes are zeros and ones
        return tags


@fill_doc
class MBN(_NetworkSystem):
    r"""Multilayer bootstrap network: deep clustering by nearest neighbours alone.

    Each layer consists of V clusterings; each draws k samples and a share of the
    features, and assigns every sample to the nearest of these. The V labels are the
    input of the next layer, with :math:`k_{m} = \delta k_{m-1}` [1]_. The codes of the
    top layer are reduced to ``n_clusters`` principal components and clustered. There
    is no gradient-based training.

    How fast k falls matters: small ``delta`` (a shallow network) suits clusters that
    are almost linearly separable, large ``delta`` (a deep one) curved ones. Prefer
    :class:`MBNEnsemble`, which avoids this choice.

    Parameters
    ----------
    %(system_n_clusters)s
    delta : float, default=0.5
        Ratio of k between one layer and the layer below.
    %(network_parameters)s
    %(system_parameters)s

    Attributes
    ----------
    %(network_attributes)s

    Notes
    -----
    In upper layers the features are the clusterings of the layer below; each clustering
    compares a share ``feature_ratio`` of them. The paper does not say whether it draws
    clusterings or single codes. Ties go to the first sample drawn. The data are not
    scaled. The paper reduces images to 100 principal components first.

    A single network compares all codes (``n_views="all"``) up to 10,000 samples;
    an ensemble can do with fewer.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import MBN
    >>> X = load_iris().data
    >>> model = MBN(n_clusters=3, n_clusterings=50, random_state=0).fit(X)
    >>> model.layers_
    ((75, 37, 18, 9),)
    >>> model.transform(X).shape
    (150, 450)
    """

    name = "mbn"
    summary = "a deep network of nearest-neighbour clusterings, no training"
    cost = "time V N k (D + V), memory N (D + V)"
    paper = "zhang2018mbn"
    fewest_features = 4

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

    def parts(self, n_samples: int | None = None) -> Parts:
        n_views = self.n_views
        if n_views is None and (n_samples or 0) <= _ALL_VIEWS_UP_TO:
            n_views = "all"
        generator = BootstrapNetworks(
            1,
            self._n_out,
            (self.delta, self.delta),
            fast=False,
            n_clusterings=self.n_clusterings,
            feature_ratio=self.feature_ratio,
            metric=self.metric,
            n_views=n_views,
            last_layer=self.last_layer,
        )
        return Parts(generator, None, CodePCA(self.partition))


@fill_doc
class MBNEnsemble(_NetworkSystem):
    r"""An ensemble of multilayer bootstrap networks: deep clustering without tuning.

    Many networks like :class:`MBN`, each with a random ``delta``; their codes are
    concatenated, reduced to ``n_clusters`` principal components and clustered [1]_.

    - The default is fMBN-E: all networks share one bottom layer, and upper layers
      compare all codes, which makes it fast.
    - ``feature_sampling=False`` is fMBN-Ev2: the bottom layer sees all features. Faster
      still, at the risk of worse clusters (especially for tables).
    - ``fast=False`` is MBN-E: independent networks. Much slower, no better.
    - ``selection="vrc"`` (or another criterion) keeps only the best networks: MBN-SO.
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
        Whether each network draws from the whole range, or each from its own of Z equal
        parts, which makes results with few networks more stable.
    fast : bool, default=True
        Whether the networks share their bottom layer and compare all codes.
    feature_sampling : bool, default=True
        Whether each clustering of the bottom layer sees a share of the features.
    selection : {"swc", "pb", "pbm", "vrc", "mmd"} or None, default=None
        Criterion for keeping networks: silhouette width, point-biserial, PBM or
        variance ratio of the clusters found by all networks, or the similarity of the
        network's embedding to that of all (maximum mean discrepancy).
    n_selected : int or None, default=None
        Networks to keep, B in the paper; None is 10 for "mmd" and 3 otherwise.
    %(network_parameters)s
    %(system_parameters)s

    Attributes
    ----------
    %(network_attributes)s
    network_scores_ : (n_members,) array or None
        The criterion of each network, larger is better; None without selection.
    selected_ : (n_selected,) int array or None
        The networks kept, the best first; None without selection.

    Notes
    -----
    *Selection.* The paper computes the criteria in the low-dimensional space; only on
    the codes themselves, as here, did they give the printed pattern. The paper gives no
    kernel for "mmd": here it is a Gaussian with the median distance as its width,
    between the embeddings of one network and of all, scaled to the same size, with
    matching column signs, on at most 2,000 samples. Both are our readings.

    *Layers.* k falls as in Algorithm 2 while it is at least ``n_out``; a network whose
    delta allows no upper layer gets one (``last_layer``).

    *Bottom layer.* Exact for up to 5,000 samples and for sparse data. Beyond that, the
    nearest centroid is searched for among the 64 samples nearest in all features.

    *Speed.* Beyond 5,000 samples an upper layer compares 64 of the codes below, whereas
    the paper compares all (``n_views="all"``). That is faster and changes results, for
    some data for the better.

    References
    ----------
    %(paper)s

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
    >>> best.selected_.shape, best.network_scores_.shape
    ((3,), (5,))
    """

    name = "mbn-e"
    summary = "an ensemble of bootstrap networks of random depth, no tuning"
    cost = "time V N (N D + Z N + Z k), memory N (D + V Z) + C k"
    paper = "zhang2021fmbne"
    group = "reason"
    take_if = "images, photos or graphs, and a transform to reuse"
    fewest_features = 4
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_NetworkSystem._parameter_constraints,
        "selection": [StrOptions(set(SELECTIONS)), None],
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

    def parts(self, n_samples: int | None = None) -> Parts:
        generator = BootstrapNetworks(
            self.n_members,
            self._n_out,
            self.delta_range,
            delta_draw=self.delta_draw,
            fast=self.fast,
            feature_sampling=self.feature_sampling,
            n_clusterings=self.n_clusterings,
            feature_ratio=self.feature_ratio,
            metric=self.metric,
            n_views=self.n_views,
            last_layer=self.last_layer,
        )
        consensus = CodePCA(self.partition)
        if self.selection is None:
            return Parts(generator, None, consensus)
        weighter = NetworkSelection(
            consensus,
            self.selection,
            n_clusters=getattr(self, "n_clusters_", 1),
            n_selected=self.n_selected,
        )
        return Parts(generator, weighter, consensus)

    @property
    def network_scores_(self) -> np.ndarray | None:
        """The criterion of each network; larger is better. None without selection."""
        return None if self.weights_ is None else self.weights_.details["scores"]

    @property
    def selected_(self) -> np.ndarray | None:
        """The networks kept, the best first; None without selection."""
        return None if self.weights_ is None else self.weights_.details["selected"]


def _same(X: Any, Y: Any) -> bool:
    if X.shape != Y.shape or is_sparse(X) != is_sparse(Y):
        return False
    return (X != Y).nnz == 0 if is_sparse(X) else np.array_equal(X, Y)
