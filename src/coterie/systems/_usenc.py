"""U-SENC: ultra-scalable ensemble clustering."""

from __future__ import annotations

from typing import Any

from coterie._docs import fill_doc
from coterie._typing import Progress
from coterie.consensus import HBGF
from coterie.generation import LandmarkSpectral
from coterie.systems._base import BaseSystem, Parts


@fill_doc
class USENC(BaseSystem):
    """Ultra-scalable ensemble clustering, for up to millions of samples.

    Members are landmark-based spectral clusterings with random numbers of clusters; the
    graph of samples and members' clusters is partitioned by the normalised cut [1]_.
    Finds clusters of any shape in time and memory linear in the number of samples. A
    single :class:`~coterie.clusterers.USPEC` is about twenty times as fast and less
    stable; use :class:`MDEC` for many features and few samples.

    Parameters
    ----------
    %(system_n_clusters)s
    n_members : int, default=20
        Number of clusterings to make, m in the paper.
    member_clusters : int, (int, int) or None, default=None
        Clusters of each member; None is 20 to 60, as in the paper, and fewer below
        3,600 samples.
    %(landmark_parameters)s
    %(system_parameters)s

    Attributes
    ----------
    %(system_attributes)s

    Notes
    -----
    The consensus is :class:`~coterie.consensus.HBGF` with its spectral cut, as in the
    paper.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from coterie import USENC
    >>> from coterie.metrics import ari
    >>> X, y = make_moons(2000, noise=0.05, random_state=0)
    >>> model = USENC(n_clusters=2, n_members=5, n_landmarks=200, random_state=0)
    >>> ari(y, model.fit_predict(X))
    1.0
    """

    name = "usenc"
    summary = "spectral members through landmarks, for millions of samples"
    cost = "time M N (D + k), memory N (D + M)"
    paper = "huang2020usenc"
    group = "reason"
    take_if = "clusters of any shape, up to millions of samples"

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_members: int = 20,
        member_clusters: Any = None,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_members = n_members
        self.member_clusters = member_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def parts(self, n_samples: int | None = None) -> Parts:
        generator = LandmarkSpectral(
            self.n_members,
            n_clusters=self.member_clusters,
            n_landmarks=self.n_landmarks,
            n_neighbors=self.n_neighbors,
        )
        return Parts(generator, None, HBGF())
