"""SPCE: self-paced clustering ensemble."""

from __future__ import annotations

from typing import Any, ClassVar

from coterie._docs import fill_doc
from coterie._typing import Progress
from coterie._validation import HasMethods, StrOptions, clone
from coterie.consensus import SelfPaced
from coterie.generation import RandomKMeans, SigmaGridSpectral
from coterie.systems._base import BaseSystem, Parts


@fill_doc
class SPCE(BaseSystem):
    """Self-paced clustering ensemble: easy pairs of samples are learned from first.

    The members are k-means runs from random starts, with the final number of clusters.
    From them a similarity of the samples is learned, at first from pairs on which
    nearly all members agree, then from more and more disputed ones; its average linkage
    gives the clusters [1]_. ``consensus_.details["difficulty"]`` has the difficulty of
    each sample.

    Use it if k-means works fairly well but its runs disagree. :class:`MDEC` is better
    for high-dimensional data and irregular shapes.

    Parameters
    ----------
    %(system_n_clusters)s
    theta : float, default=0.4
        Samples with a similarity below this are not joined, in [0, 1).
    pace : {"self", "fixed", "none"}, default="self"
        Whether the weights of pairs are learned in each stage, fixed after the first,
        or all one (the paper's SPCE, SPCE-fixW and SPCE-W).
    components : {"linkage", "exact", "found"}, default="linkage"
        How clusters are read off the learned similarity: by average linkage, by its
        components merged or split to ``n_clusters``, or by its components as they are,
        as the authors do, which may be many more.
    exact : bool, default=False
        Whether to work on all samples instead of the distinct label rows.
    generator : {"kmeans", "spectral"} or generator, default="kmeans"
        What makes the members: the paper's k-means runs, its spectral clusterings with
        a grid of kernel widths, or any generator with its own settings.
    n_members : int or None, default=None
        Number of clusterings to make; None is the paper's 20 for "kmeans" and 9 for
        "spectral". Your own generator sets its number itself.
    %(system_parameters)s

    Attributes
    ----------
    %(system_attributes)s

    Notes
    -----
    The data are not scaled: standardise features with different units first. See
    :class:`~coterie.consensus.SelfPaced` for how clusters are read off, and where the
    paper and the authors' program differ.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from coterie import SPCE
    >>> model = SPCE(n_clusters=3, random_state=0).fit(scale(load_wine().data))
    >>> model.consensus_.details["difficulty"].shape
    (178,)
    """

    name = "spce"
    summary = "k-means members, a similarity learned from easy pairs first"
    cost = "time M N D k + t u^2 (M + k), memory N (D + M) + u^2"
    paper = "zhou2021spce"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSystem._parameter_constraints,
        "generator": [StrOptions({"kmeans", "spectral"}), HasMethods("generate")],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        theta: float = 0.4,
        pace: str = "self",
        components: str = "linkage",
        exact: bool = False,
        generator: Any = "kmeans",
        n_members: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.pace = pace
        self.components = components
        self.exact = exact
        self.generator = generator
        self.n_members = n_members
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def parts(self, n_samples: int | None = None) -> Parts:
        consensus = SelfPaced(
            self.theta,
            pace=self.pace,
            components=self.components,
            exact=self.exact,
        )
        return Parts(self._generator(), None, consensus)

    def _generator(self) -> Any:
        n_members = self.n_members
        wanted = getattr(self, "n_clusters_", self.n_clusters)
        k = None if wanted == 1 else wanted  # one cluster carries no information
        if self.generator == "kmeans":
            n_members = 20 if n_members is None else n_members
            return RandomKMeans(n_members, n_clusters=k, init="random")
        if self.generator == "spectral":
            n_members = 9 if n_members is None else n_members
            return SigmaGridSpectral(n_members, n_clusters=k)
        if n_members is not None:
            raise ValueError(
                f"SPCE got n_members={n_members} and a generator of your own, which "
                "sets its own number of members. Pass only one of them."
            )
        return clone(self.generator)
