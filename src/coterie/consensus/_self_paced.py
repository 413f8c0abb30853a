"""Consensus that learns from easy pairs of samples first."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse

from coterie._docs import fill_doc
from coterie._linalg import cut_tree, kmeans, linkage
from coterie._validation import Interval, StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._self_paced_core import Problem, Spectrum, descend
from coterie.consensus._sizes import warn_of_giant
from coterie.ensemble import Weights

_N_INIT = 10  # starts of k-means where a component is split
_BACKGROUND = 0.01  # share of the co-association in the linkage


@fill_doc
class SelfPaced(BaseConsensus):
    r"""Self-paced clustering ensemble: learn from easy pairs of samples first.

    Learns a similarity S of the samples, from which the clusters are read off. With
    :math:`S^{(i)}_{pq}` one where member i puts samples p and q together, it minimises

    .. math:: \sum_{i=1}^m \frac{1}{\alpha_i}
        \lVert (S - S^{(i)}) \odot W \rVert_F^2 - \lambda \lVert W \rVert_1
        + \gamma \lVert S \rVert_0 + \rho \, \mathrm{tr}(Y^T L Y)

    over S in [0, 1], the weights W in [0, 1] of the pairs, the shares
    :math:`\alpha` of the members (they sum to one) and Y (orthonormal), where L is the
    Laplacian of S [1]_. Pairs on which all members agree stay unchanged. In five stages
    :math:`\lambda` grows, so that pairs with less and less agreement get full weight;
    :math:`\rho` is doubled or halved until S has ``n_clusters`` components.

    Choose it if you want to know which samples are hard; its clusters are about as good
    as those of :class:`EAC` and :class:`LWEA`, which are simpler and faster. Memory is
    quadratic in the number of distinct label rows (4 bytes for each pair, and 40 more
    if some member puts the two together).

    Parameters
    ----------
    theta : float, default=0.4
        Similarity below which two samples are not linked, in [0, 1): the paper's
        :math:`\sqrt{\gamma} / m`. Larger values give more components. The paper chooses
        it by the known classes and recommends 0.2 to 0.6.
    pace : {"self", "fixed", "none"}, default="self"
        Whether the weights of pairs are learned in each stage, fixed after the first,
        or all one (the paper's SPCE, SPCE-fixW and SPCE-W).
    components : {"linkage", "exact", "found"}, default="linkage"
        How clusters are read off S. "linkage" cuts the average linkage of S at
        ``n_clusters``. "exact" takes the components of S, and merges or splits them if
        there are more or fewer (see Notes). "found" returns the components, as the
        authors' program does, which may be many more than asked for.
    exact : bool, default=False
        Whether to work on all samples instead of the distinct label rows: slower, with
        the same result if ``details["exact"]`` is true throughout.
    max_iter : int, default=5
        Maximum iterations of each stage.
    last_max_iter : int, default=20
        Maximum iterations of the last stage.

    Notes
    -----
    *Result.* ``converged`` says whether S had ``n_clusters`` components without repair.
    ``details`` holds, for each iteration, ``stage`` (the agreement r), ``rho``,
    ``n_components``, ``exact`` and ``objective``, four values at the iteration's rho:
    before it, after S, after Y, after alpha; they never increase. It also holds
    ``alpha`` (m,); ``components`` (N,), the components before any repair;
    ``mean_weight`` (5, N), the mean of W over all pairs of a sample in each stage; and
    ``difficulty`` (N,), one minus the mean weight in the first stage. Later stages say
    less about samples: once S separates a disputed sample from the others, it looks
    easy. ``weights`` holds :math:`1 / \alpha_i` for members (with mean one) and the
    mean weight in the first stage for samples.

    *Label rows.* Samples with the same label row have the same similarities, so S, W
    and alpha are computed exactly on the u distinct rows with their multiplicities. So
    is Y, as long as no eigenvalue of L that belongs to differences within a row (the
    degree of the row's samples) is below the largest one used. ``details["exact"]``
    says whether this held. If not, the problem solved is the one in which samples with
    the same row stay together.

    *theta.* In the first stage the weight of a pair on which a share s of the members
    agree is 0.09 / (s (1 - s)), and the threshold is theta divided by it: pairs with s
    below 1 - 0.09 / theta are cut at once (0.7 for theta = 0.3), and as their loss is
    then larger they rarely come back. With few members this may be all but the certain
    pairs.

    *Linkage.* The components of S are its single linkage: a few samples between two
    clusters join them, while samples at the edge become components of their own. There
    may be one giant component and many crumbs, and ``converged`` does not tell.
    Average linkage of 0.99 S + 0.01 times the co-association is not misled by such
    samples. A :class:`~coterie.exceptions.ClusterSizesWarning` is given if a cluster
    is far larger than those of the members.

    *Repair.* With ``components="exact"``, surplus components are merged by average
    linkage of the co-association. With too few, the components in which the
    eigenvectors Y lie are split, each by k-means on its rows of Y. With more clusters
    asked for than distinct label rows, each row is a cluster.

    *Where the paper is silent,* we follow the authors' program: at least two iterations
    per stage; with too many components, rho is halved and the previous Y restored; rho
    carries over to the next stage. This reproduces the program's labels and S on its
    own data. The rank of L is determined by the components of S instead of small
    eigenvalues. Eq. 14 counts each pair twice, Eq. 10 once; the recorded objective is
    that of Eq. 14, which the updates minimise.

    *Beyond the paper.* A member of weight 2 counts as two. With missing labels, a pair
    counts only for the members that assign both samples, multiplied by m over their
    number, and it is certain only if both samples have the same label row: a single
    member that saw both does not make it certain. A pair that no member sees is not
    linked. :math:`\alpha_i` is at least 2e-16.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import SelfPaced
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> result = SelfPaced(theta=0.1).combine(ensemble, 2)
    >>> result.labels
    array([0, 0, 1, 1], dtype=int32)
    >>> result.converged
    True
    """

    name = "spce"
    summary = "learns a similarity from pairs of samples, easy ones first"
    cost = "time t u^2 (M + k), memory u^2"
    paper = "zhou2021spce"
    most_rows = 5000
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "theta": [Interval(Real, 0, 1, closed="left")],
        "pace": [StrOptions({"self", "fixed", "none"})],
        "components": [StrOptions({"linkage", "exact", "found"})],
        "exact": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "last_max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        theta: float = 0.4,
        *,
        pace: str = "self",
        components: str = "linkage",
        exact: bool = False,
        max_iter: int = 5,
        last_max_iter: int = 20,
    ) -> None:
        self.theta = theta
        self.pace = pace
        self.components = components
        self.exact = exact
        self.max_iter = max_iter
        self.last_max_iter = last_max_iter

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        core = ensemble.core
        rows, counts, index = core.rows, core.counts, core.index
        if self.exact:
            n_samples = ensemble.n_samples
            rows, counts = ensemble.labels, np.ones(n_samples, dtype=np.int64)
            index = np.arange(n_samples)
        members = np.ones(ensemble.n_members)
        if task.weights.members is not None:
            members = task.weights.members
        problem = Problem.of(rows, counts, members)
        k, theta = min(task.n_clusters, len(core)), float(self.theta)
        found = descend(problem, k, theta, self.pace, self.max_iter, self.last_max_iter)
        labels = found.spectrum.component
        if self.components == "linkage":
            labels = cut_similarity(problem, found.S, k)
        elif self.components == "exact":
            labels = with_exactly(k, problem, found.spectrum, task.rng)
        warn_of_giant(self, ensemble, labels[index])
        records = {name: np.array(column) for name, column in found.records.items()}
        mean_weight = found.mean_weight[:, index]  # (stages, N)
        share = members / found.alpha
        return ConsensusResult(
            labels[index],
            weights=Weights(members=share / share.mean(), samples=mean_weight[0]),
            objective=float(records["objective"][-1, -1]),
            n_iter=len(records["rho"]),
            converged=found.spectrum.n_components == task.n_clusters,
            details={
                "alpha": found.alpha,
                "components": found.spectrum.component[index].astype(np.int32),
                "difficulty": 1.0 - mean_weight[0],
                "mean_weight": mean_weight,
                **records,
            },
        )


def cut_similarity(problem: Problem, S: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the cut of the average linkage of the rows by S, (u,).

    A little of the co-association joins what S leaves unlinked.
    """
    n_rows = len(problem.labels)
    mixed = (1 - _BACKGROUND) * S + _BACKGROUND * problem.coassociation()
    first = np.repeat(np.arange(n_rows), np.diff(problem.indptr))
    above = first < problem.indices  # each pair once
    g, h = first[above], problem.indices[above]
    distances = np.ones(n_rows * (n_rows - 1) // 2, dtype=np.float32)
    distances[g * (2 * n_rows - g - 3) // 2 + h - 1] -= mixed[above]
    tree = linkage(distances, "average", sizes=problem.counts, overwrite=True)
    return cut_tree(tree, n_clusters)


def with_exactly(
    n_clusters: int, problem: Problem, spectrum: Spectrum, rng: np.random.Generator
) -> np.ndarray:
    """Return labels of the rows, (u,): the components, merged or split."""
    if spectrum.n_components > n_clusters:
        return _merged(n_clusters, problem, spectrum.component)
    if spectrum.n_components < n_clusters:
        return _split(n_clusters, problem, spectrum, rng)
    return spectrum.component


def _merged(n_clusters: int, problem: Problem, component: np.ndarray) -> np.ndarray:
    """Merge components by average linkage on the co-association."""
    n_found, n_rows = int(component.max()) + 1, component.size
    S = problem.matrix(problem.coassociation())
    share = scipy.sparse.csr_array(
        (problem.counts, (component, np.arange(n_rows))), shape=(n_found, n_rows)
    )
    sizes = np.bincount(component, weights=problem.counts)
    mean = (share @ S @ share.T).toarray() / np.outer(sizes, sizes)
    above = np.triu_indices(n_found, 1)
    tree = linkage(1.0 - mean[above], "average", sizes=sizes)
    return cut_tree(tree, n_clusters)[component]


def _split(
    n_clusters: int, problem: Problem, spectrum: Spectrum, rng: np.random.Generator
) -> np.ndarray:
    """Split the components in which the eigenvectors lie by k-means on Y."""
    component, Y = spectrum.component, spectrum.Y
    n_found = spectrum.n_components
    # The part of the eigenvectors with positive eigenvalues in each component: L has a
    # block for each, so nearly all of a vector lies in one.
    squares = problem.counts[:, None] * Y[:, n_found:] ** 2  # (u, c - n_found)
    parts = np.array([squares[component == a].sum() for a in range(n_found)])
    room = np.bincount(component) - 1  # rows are not split
    n_more = np.zeros(n_found, dtype=np.int64)
    for _ in range(n_clusters - n_found):
        n_more[np.where(n_more < room, parts - n_more, -np.inf).argmax()] += 1
    labels = component.copy()
    next_label = n_found
    for a in np.flatnonzero(n_more):
        rows = np.flatnonzero(component == a)
        k = int(n_more[a]) + 1
        pieces = _pieces(Y[rows], problem.counts[rows], k, rng)
        labels[rows[pieces > 0]] = next_label + pieces[pieces > 0] - 1
        next_label += k - 1
    return labels


def _pieces(
    Y: np.ndarray, counts: np.ndarray, k: int, rng: np.random.Generator
) -> np.ndarray:
    """Return k-means labels of the rows of Y with no cluster empty."""
    if k == len(Y):
        return np.arange(k)
    found = kmeans(Y, k, rng=rng, n_init=_N_INIT, sample_weight=counts).labels
    missing = np.setdiff1d(np.arange(k), found)
    for label in missing:  # rows of Y that coincide: any row will do
        sizes = np.bincount(found, minlength=k)
        found[np.flatnonzero(found == sizes.argmax())[-1]] = label
    return found
