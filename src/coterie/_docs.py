"""Parameter paragraphs that occur in more than two docstrings, and references.

``@fill_doc`` replaces ``%(name)s`` in a docstring by the paragraph of that name,
``%(paper)s`` by reference [1], the paper that the class names, and ``%(paper2:key)s``
by reference [2], the paper of that key.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

from coterie._papers import PAPERS

_CITED = re.compile(r"%\(paper(?P<number>\d*)(:(?P<key>\w+))?\)s")
T = TypeVar("T", bound="type | Callable[..., Any]")

PARAGRAPHS = {
    "n_members": """
n_members : int, default=50
    Number of clusterings to make.
""",
    "n_clusters_range": """
n_clusters : int, (int, int) or None, default=None
    Clusters of each member: a number, a range from which each member draws its own
    (both ends included), or None for the range from 2 to the square root of the
    number of samples, rounded up.
""",
    "clusterer": """
clusterer : scikit-learn clusterer or None, default=None
    What clusters each draw of the data; it is cloned, and seeded where it has a
    ``random_state``. None is k-means.
n_clusters : int, (int, int) or None, default=None
    Clusters of each member: a number, or a range from which each member draws its own.
    None is the range from 2 to the square root of the number of samples for k-means,
    and what it has been given already for any other clusterer.
""",
    "on_error": """
on_error : {"raise", "drop"}, default="raise"
    Whether a member that fails is an error or is left out with a warning.
""",
    "partitions": """
y : array-like of shape (n_samples,)
    The known classes.
labels : array-like of shape (n_samples,)
    The clusters; -1, NaN and None (not assigned) count as clusters of one.
""",
    "system_n_clusters": """
n_clusters : int or "auto", default=8
    Clusters to find; "auto" leaves the number to :func:`~coterie.choose_k`, whose
    answer may be one.
""",
    "n_clusters_attributes": """
n_clusters_ : int
    The number of clusters that was asked for, or chosen.
k_choice_ : KChoice
    Why this many, with ``n_clusters="auto"``.
""",
    "system_parameters": """
random_state : int, RandomState, Generator, SeedSequence or None, default=None
    Fixes the result, whatever ``n_jobs`` is.
n_jobs : int or None, default=None
    Members computed side by side; -1 = all cores.
progress : bool, function of (done, total) or None, default=None
    True shows a bar while members are made.
""",
    "system_attributes": """
n_clusters_ : int
    The number of clusters that was asked for, or chosen.
k_choice_ : KChoice
    Why so many, with ``n_clusters="auto"``.
labels_ : (n_samples,) int32 array
    The clustering, numbered by first appearance.
confidence_ : (n_samples,) array
    How firmly the ensemble places each sample there, in [0, 1].
ensemble_ : Ensemble
    What the members said.
weights_ : Weights or None
    How much they counted.
consensus_ : ConsensusResult
    The result with its by-products.
predicts_by_ : {"means", "neighbors"}
    How ``predict`` places new samples.
predict_agreement_ : float
    Share of some samples of ``fit`` that ``predict`` places as ``labels_`` does, each
    without itself as a neighbour.
n_features_in_ : int
    Number of features seen in ``fit``.
feature_names_in_ : (n_features,) array
    Their names, where X had names that are all strings.
""",
    "core_similarity": """
similarity : {"exponential", "distance", "membership"}, default="exponential"
    How close core clusters of the same cluster are: :math:`\\exp(-\\mathrm{CCS})`; CCS
    itself, as the paper prints it; or one, without a look at the data.
metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
    Distance between samples.
scale : {"mean"} or None, default="mean"
    Whether distances are in units of the mean distance of all samples in the member's
    features, or, as the paper prints it, as they are.
""",
    "core_similarity_notes": """
*Similarity.* The paper's Eq. 15 takes the distance CCS itself for a similarity, so that
far core clusters would be joined first; its Eq. 10 has the exponential, which is what
we take. Unscaled distances make it zero for most raw data.

*Weights.* Those of the paper are the members' of
:class:`~coterie.weighting.CoreStabilityWeighter` (``levels="members"``); weights of
clusters, if given, multiply.
""",
    "imbalance": """
imbalance : float, default=0.03
    How much larger than the mean a part may be; raise it (0.5, say) for clusters of
    different sizes, best with ``backend="mtkahypar"``.
""",
    "strict_imbalance": """
imbalance : float, default=0.001
    How much larger than the mean a part may be. The default is that of METIS's
    recursive bisection, which the paper uses: parts of equal size. Raise it (0.5, say)
    for clusters of different sizes, best with ``backend="mtkahypar"``.
""",
    "backend": """
backend : {"auto", "metis", "mtkahypar"}, default="auto"
    What partitions the graph; "auto" is METIS where it is installed, Mt-KaHyPar
    otherwise (``pip install mtkahypar``).
""",
    "n_neighbors": """
n_neighbors : int, "auto" or None, default="auto"
    How many neighbours of each vertex the graph keeps, the strongest; None is all.
    "auto" keeps all up to 5,000 vertices, and beyond 12,500,000 / n_vertices of each
    (with Mt-KaHyPar 1,700 vertices and 1,500,000).
""",
    "bandwidth": """
bandwidth : {"member", "first"} or float, default="member"
    The number t: for each member the mean squared distance of samples to its centres
    (the paper's text), that of the first member for all (the authors' program), or a
    number.
""",
    "network_parameters": """
n_clusterings : int, default=400
    Clusterings of a layer, V in the paper.
feature_ratio : float, default=0.5
    Share of the features that a clustering sees.
metric : {"euclidean", "cosine", "precomputed"}, default="euclidean"
    How near samples are; "cosine" suits text. "precomputed": X is a square (sparse)
    matrix of similarities, as of a graph, none negative.
partition : str, default="auto"
    How the embedding is clustered: "average" (linkage), "average_squared" (of squared
    distances), "ward" or "kmeans". "auto" is "average" for up to 15,000 samples and
    "ward", whose memory is linear, beyond.
n_out : int or None, default=None
    Least k of a layer; None is 1.5 times the number of clusters, rounded up.
n_views : int, "all" or None, default=None
    How many of the codes below an upper layer compares; None is all for up to 5,000
    samples, 64 beyond.
last_layer : {"force", "stop", "append"}, default="force"
    Where k would fall below ``n_out``, add a layer of ``n_out`` if there is no other
    upper layer; add none; or always add one.
sparse_output : bool, default=True
    Whether ``transform`` gives a sparse matrix. ``set_output(transform="pandas")``
    needs False; the frame has a column for each code, thousands by default.
""",
    "network_attributes": """
n_clusters_ : int
    The number of clusters that was asked for, or chosen.
k_choice_ : KChoice
    Why so many, with ``n_clusters="auto"``.
labels_ : (n_samples,) int32 array
    The clustering, numbered by first appearance.
confidence_ : (n_samples,) array
    How firmly the codes place each sample there, in [0, 1], counted from at most 400 of
    the clusterings.
embedding_ : (n_samples, n_clusters) array
    Principal components of the codes.
deltas_ : array
    The delta of each network.
layers_ : tuple of tuple of int
    The k of each layer of each network, from the bottom.
ensemble_ : Ensemble
    All clusterings of the top layers, for any consensus function; ``params`` of a
    member says which network it belongs to.
weights_ : Weights or None
    Which networks were selected.
consensus_ : ConsensusResult
    The result with its by-products.
predicts_by_ : {"means", "neighbors"}
    How ``predict`` places new samples.
predict_agreement_ : float
    Share of some samples of ``fit`` that ``predict`` places as ``labels_`` does, each
    without itself as a neighbour.
n_features_in_ : int
    Number of features seen in ``fit``.
feature_names_in_ : (n_features,) array
    Their names, where X had names that are all strings.
""",
    "plot_source": """
source : fitted system or Explanation
    What to draw.
""",
    "plot_choice": """
choice : KChoice
    What ``coterie.choose_k`` returned.
""",
    "model_to_draw": """
>>> from sklearn.datasets import load_iris
>>> from coterie import EnsembleClustering, plot
>>> X = load_iris().data
>>> model = EnsembleClustering(3, random_state=0).fit(X)
""",
    "choice_to_draw": """
>>> from sklearn.datasets import make_blobs
>>> from coterie import choose_k, plot
>>> X, _ = make_blobs(60, centers=3, random_state=3)
>>> choice = choose_k(X, range(2, 5), n_null=9, random_state=0)
""",
    "plot_ax": """
ax : matplotlib axes, default=None
    Where to draw; None makes a figure.

Returns
-------
matplotlib axes
""",
    "linkage": """
linkage : {"average", "single", "complete"}, default="average"
    How the similarity of clusters is made from that of samples: its mean, its largest
    or its smallest value.
""",
    "trajectory_parameters": """
n_elite : int or None, default=None
    Neighbours that a core cluster keeps, K in the paper (more where they are tied);
    None is half the square root of the number of core clusters, at most 20.
n_steps : int or None, default=None
    Steps of the random walks, T in the paper; None is the same number.
""",
    "trajectory_notes": """
Core clusters are the paper's microclusters. A walk goes to a neighbour in proportion to
their co-association and to the number of samples there. Time is that of n_steps
products of the sparse graph with a dense matrix, memory quadratic in the number of core
clusters. As in the authors' program, each core cluster counts once when they are
clustered, however many samples it has. Walks never stay, so that two core clusters
which are joined to each other alone are not alike: they change places. A core cluster
without neighbours is like itself only; the program makes it a little like all, which
leaves such points without a place.
""",
    "decay": """
decay : float, default=0.8
    How much similarity of different clusters counts beside membership in the same.
""",
    "landmark_parameters": """
n_landmarks : int, default=1000
    Landmarks (the paper's representatives), p in the paper; no more than a third of the
    samples.
n_neighbors : int, default=5
    Landmarks that each sample is joined to, K in the paper.
""",
    "n_init": """
n_init : int, default=3
    Starts of the final k-means; the best is kept.
""",
}


def fill_doc(thing: T) -> T:
    """Fill paragraphs and references into the docstring of a class or function."""

    def cited(found: re.Match[str]) -> str:
        paper = PAPERS[found["key"] or thing.paper]
        return paper.cited(int(found["number"] or 1))

    doc = inspect.cleandoc(thing.__doc__ or "")
    for name, text in PARAGRAPHS.items():
        doc = doc.replace(f"%({name})s", text.strip())
    thing.__doc__ = _CITED.sub(cited, doc)
    return thing
