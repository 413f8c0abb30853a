"""Paragraphs that several docstrings share, and references.

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

_CLUSTERS_AND_LABELS = """
n_clusters_ : int
    The number of clusters, as given or chosen.
k_choice_ : KChoice
    Why this number, with ``n_clusters="auto"``.
labels_ : (n_samples,) int32 array
    The cluster of each sample, numbered by first appearance.
"""
_SEEN = """
n_features_in_ : int
    Number of features seen in ``fit``.
feature_names_in_ : (n_features,) array
    Their names, if all column names of X are strings.
"""
_PREDICTS = f"""
consensus_ : ConsensusResult
    The result with its by-products.
predicts_by_ : {{"means", "neighbors", "scaled neighbors"}}
    How ``predict`` places new samples.
predict_agreement_ : float
    Share of a subsample of ``fit`` that ``predict`` places as ``labels_`` does, no
    sample counting as its own neighbour.
{_SEEN.strip()}
"""
PARAGRAPHS = {
    "n_members": """
n_members : int, default=50
    Number of clusterings to make.
""",
    "n_clusters_range": """
n_clusters : int, (int, int) or None, default=None
    Clusters of each member: a number, a range to draw from (both ends included), or
    None for 2 to the square root of the number of samples, rounded up.
""",
    "clusterer": """
clusterer : scikit-learn clusterer or None, default=None
    What clusters each member's data; it is cloned, and seeded if it has a
    ``random_state``. None is k-means.
n_clusters : int, (int, int) or None, default=None
    Clusters of each member: a number, or a range to draw from. None is 2 to the square
    root of the number of samples for k-means, and the clusterer's own setting
    otherwise.
""",
    "on_error": """
on_error : {"raise", "drop"}, default="raise"
    Whether a failing member raises an error or is dropped with a warning.
""",
    "partitions": """
y : array-like of shape (n_samples,)
    The known classes.
labels : array-like of shape (n_samples,)
    The clusters; missing labels (-1, NaN and None) count as singleton clusters.
""",
    "outlines": """
people : (height, width) array, or a list or a stack of such arrays
    The regions that one or several people drew, a number for each pixel.
labels : (height, width) array
    The segment of each pixel.
""",
    "system_n_clusters": """
n_clusters : int or "auto", default=8
    Number of clusters; "auto" leaves it to :func:`~coterie.choose_k`, which may choose
    one.
""",
    "labels_attributes": _CLUSTERS_AND_LABELS,
    "seen_attributes": _SEEN,
    "random_state": """
random_state : int, RandomState, Generator, SeedSequence or None, default=None
    Makes the result reproducible.
""",
    "system_parameters": """
random_state : int, RandomState, Generator, SeedSequence or None, default=None
    Makes the result reproducible, whatever ``n_jobs`` is.
n_jobs : int or None, default=None
    Members computed in parallel; -1 = all cores.
progress : bool, function of (done, total) or None, default=None
    True shows a progress bar while members are made.
""",
    "system_attributes": f"""
{_CLUSTERS_AND_LABELS.strip()}
confidence_ : (n_samples,) array
    How strongly the ensemble supports each label, in [0, 1].
ensemble_ : Ensemble
    The members' labels.
weights_ : Weights or None
    The weights of members, clusters or samples.
{_PREDICTS.strip()}
""",
    "core_similarity": """
similarity : {"exponential", "distance", "membership"}, default="exponential"
    How close core clusters of the same cluster are: :math:`\\exp(-\\mathrm{CCS})`; CCS
    itself, as the paper prints it; or one, ignoring the data.
metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
    Distance between samples.
scale : {"mean"} or None, default="mean"
    Whether distances are divided by the mean distance of all samples in the member's
    features, or left unscaled, as the paper prints it.
""",
    "core_similarity_notes": """
*Similarity.* The paper's Eq. 15 uses the distance CCS itself as a similarity, which
would join distant core clusters first; its Eq. 10 has the exponential, which we use.
Unscaled distances make it zero for most raw data.

*Weights.* The paper uses the members' weights of
:class:`~coterie.weighting.CoreStabilityWeighter` (``levels="members"``); cluster
weights, if given, multiply them.
""",
    "imbalance": """
imbalance : float, default=0.03
    How much larger than the mean a part may be; raise it (to 0.5, say) for clusters of
    different sizes, preferably with ``backend="mtkahypar"``.
""",
    "strict_imbalance": """
imbalance : float, default=0.001
    How much larger than the mean a part may be. The default is that of METIS's
    recursive bisection, which the paper uses: parts of equal size. Raise it (to 0.5,
    say) for clusters of different sizes, preferably with ``backend="mtkahypar"``.
""",
    "partition": """
partition : {"metis", "spectral"}, default="metis"
    How the graph is cut: "metis" into parts of equal size, as in the paper; "spectral"
    by the normalised cut, for clusters of different sizes. Without METIS, "metis" is
    Mt-KaHyPar.
""",
    "backend": """
backend : {"auto", "metis", "mtkahypar"}, default="auto"
    The graph partitioner; "auto" is METIS if installed, otherwise Mt-KaHyPar (``pip
    install mtkahypar``).
""",
    "n_neighbors": """
n_neighbors : int, "auto" or None, default="auto"
    How many of its strongest neighbours each vertex keeps; None is all. "auto" keeps
    all up to 5,000 vertices, and 12,500,000 / n_vertices beyond (with Mt-KaHyPar 1,700
    vertices and 1,500,000).
""",
    "bandwidth": """
bandwidth : {"member", "first"} or float, default="member"
    The bandwidth t: for each member the mean squared distance of samples to its centres
    (the paper's text), that of the first member for all (the authors' program), or a
    number.
""",
    "network_parameters": """
n_clusterings : int, default=400
    Clusterings per layer, V in the paper.
feature_ratio : float, default=0.5
    Share of the features that a clustering sees.
metric : {"euclidean", "cosine", "precomputed"}, default="euclidean"
    How samples are compared; "cosine" suits text. "precomputed": X is a square (sparse)
    matrix of non-negative similarities, such as a graph.
partition : str, default="auto"
    How the embedding is clustered: "average" (linkage), "average_squared" (of squared
    distances), "ward" or "kmeans". "auto" is "average" for up to 15,000 samples and
    "ward", whose memory is linear, beyond.
n_out : int or None, default=None
    Smallest k of a layer; None is 1.5 times the number of clusters, rounded up.
n_views : int, "all" or None, default=None
    Number of codes of the layer below that an upper layer compares; None is all for up
    to 5,000 samples (10,000 for a single network), and 64 beyond.
last_layer : {"force", "stop", "append"}, default="force"
    When to add a layer of ``n_out`` clusters once k would fall below ``n_out``: if
    there is no other upper layer, never, or always.
sparse_output : bool, default=True
    Whether ``transform`` returns a sparse matrix. ``set_output(transform="pandas")``
    needs False; the frame has a column per code, thousands by default.
""",
    "network_attributes": f"""
{_CLUSTERS_AND_LABELS.strip()}
confidence_ : (n_samples,) array
    How strongly the codes support each label, in [0, 1], computed from at most 400 of
    the clusterings.
embedding_ : (n_samples, n_clusters) array
    Principal components of the codes.
deltas_ : array
    The delta of each network.
layers_ : tuple of tuple of int
    The k of each layer of each network, from the bottom up.
ensemble_ : Ensemble
    All clusterings of the top layers, for any consensus function; ``params`` of a
    member names its network.
weights_ : Weights or None
    Which networks were selected.
{_PREDICTS.strip()}
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
    "panel_to_draw": """
>>> import numpy as np
>>> from matplotlib.figure import Figure
>>> from coterie import Ensemble, explain, plot
>>> from coterie.consensus import ConsensusResult
>>> from coterie.ensemble import Member
>>> members = [Member(params={"kind": kind}) for kind in ("genie", "gmm")]
>>> ensemble = Ensemble([[0, 0, 1, 1], [0, 0, 0, 1]], members)
>>> details = {
...     "kind_labels": ensemble.labels,
...     "kind_weights": np.array([0.7, 0.3]),
...     "kind_steadiness": np.array([1.0, 0.8]),
... }
>>> labels = np.array([0, 0, 1, 1])
>>> found = explain(ensemble, ConsensusResult(labels, details=details))
""",
    "choice_to_draw": """
>>> from sklearn.datasets import make_blobs
>>> from coterie import choose_k, plot
>>> X, _ = make_blobs(60, centers=3, random_state=3)
>>> choice = choose_k(X, range(2, 5), n_null=9, random_state=0)
""",
    "plot_ax": """
ax : matplotlib axes, default=None
    Where to draw; None makes a new figure.

Returns
-------
matplotlib axes
""",
    "linkage": """
linkage : {"average", "single", "complete"}, default="average"
    The similarity of two clusters: the mean, largest or smallest similarity of their
    samples.
""",
    "trajectory_parameters": """
n_elite : int or None, default=None
    Neighbours that a core cluster keeps, K in the paper (more if tied); None is half
    the square root of the number of core clusters, at most 20.
n_steps : int or None, default=None
    Steps of the random walks, T in the paper; None is the same number.
""",
    "trajectory_notes": """
Core clusters are the paper's microclusters. The probability of a step to a neighbour is
proportional to their co-association and to the neighbour's number of samples. Time is
that of n_steps products of the sparse graph with a dense matrix, memory is quadratic in
the number of core clusters. As in the authors' program, each core cluster counts once
in the final clustering, however many samples it has. Walks always move, so two core
clusters joined only to each other are not similar: they swap places. A core cluster
without neighbours is similar only to itself; the program makes it slightly similar to
all, which leaves such points without a clear cluster.
""",
    "decay": """
decay : float, default=0.8
    How much the similarity of different clusters counts compared with membership in
    the same cluster.
""",
    "landmark_parameters": """
n_landmarks : int, default=1000
    Number of landmarks (the paper's representatives), p in the paper; at most a third
    of the samples.
n_neighbors : int, default=5
    Landmarks that each sample is linked to, K in the paper.
""",
    "n_init": """
n_init : int, default=3
    Starts of the final k-means; the best is kept.
""",
}


def fill_doc(thing: T) -> T:
    """Insert paragraphs and references into the docstring of a class or function."""

    def cited(found: re.Match[str]) -> str:
        paper = PAPERS[found["key"] or thing.paper]
        return paper.cited(int(found["number"] or 1))

    doc = inspect.cleandoc(thing.__doc__ or "")
    for name, text in PARAGRAPHS.items():
        doc = doc.replace(f"%({name})s", text.strip())
    thing.__doc__ = _CITED.sub(cited, doc)
    return thing
