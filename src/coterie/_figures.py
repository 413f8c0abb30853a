"""What the experiments measured, for advice and warnings.

``python -m experiments.figures`` rewrites the rows from the runs in
``experiments/results``; a test compares the two.
"""

from __future__ import annotations

from typing import NamedTuple


class Figure(NamedTuple):
    """The mean adjusted Rand index of a method, and of the default on the same data.

    Attributes
    ----------
    n_sets : int
        Data sets that both of them finished.
    ari : float
    default : float
        Of the default: ``EnsembleClustering`` for data, ``lwea`` for labels.
    """

    n_sets: int
    ari: float
    default: float


class Trial(NamedTuple):
    """An experiment on one group of data sets."""

    experiment: str
    study: str
    about: str


FEW, MANY, LABELS = "few", "many", "labels"
TRIALS = {
    FEW: Trial("panel", "shapes", "data of odd shapes, most with 2 or 3 features"),
    MANY: Trial("panel", "papers", "the papers' data, most with many features"),
    LABELS: Trial("field", "field", "ensembles of 50 runs of k-means"),
}
ROWS = {
    ("few", "ensemble"): Figure(36, 0.865, 0.865),
    ("few", "usenc"): Figure(36, 0.838, 0.865),
    ("few", "c2swce"): Figure(36, 0.765, 0.865),
    ("few", "mdec"): Figure(36, 0.305, 0.865),
    ("few", "mbn-e"): Figure(22, 0.247, 0.878),
    ("few", "spce"): Figure(36, 0.515, 0.865),
    ("few", "woec"): Figure(36, 0.448, 0.865),
    ("few", "spectral"): Figure(36, 0.773, 0.865),
    ("few", "gmm"): Figure(36, 0.601, 0.865),
    ("few", "kmeans"): Figure(36, 0.512, 0.865),
    ("few", "hdbscan"): Figure(36, 0.609, 0.865),
    ("many", "ensemble"): Figure(46, 0.481, 0.481),
    ("many", "usenc"): Figure(44, 0.387, 0.484),
    ("many", "c2swce"): Figure(43, 0.389, 0.48),
    ("many", "mdec"): Figure(44, 0.453, 0.484),
    ("many", "mbn-e"): Figure(37, 0.401, 0.474),
    ("many", "spce"): Figure(37, 0.294, 0.474),
    ("many", "woec"): Figure(37, 0.246, 0.474),
    ("many", "spectral"): Figure(45, 0.371, 0.488),
    ("many", "gmm"): Figure(46, 0.3, 0.481),
    ("many", "kmeans"): Figure(46, 0.308, 0.481),
    ("many", "hdbscan"): Figure(46, 0.105, 0.481),
    ("labels", "lwea"): Figure(31, 0.303, 0.303),
    ("labels", "ptgp"): Figure(29, 0.367, 0.298),
    ("labels", "kcc"): Figure(31, 0.337, 0.303),
    ("labels", "lwgp"): Figure(31, 0.326, 0.303),
    ("labels", "eac"): Figure(31, 0.313, 0.303),
    ("labels", "onehot-kmeans"): Figure(29, 0.321, 0.298),
    ("labels", "hgpa"): Figure(29, 0.271, 0.298),
    ("labels", "wosp"): Figure(29, 0.236, 0.298),
}


def report(trial: str) -> str:
    """Return the file of an experiment's report, relative to the repository."""
    return f"experiments/results/{TRIALS[trial].experiment}.md"
