"""Fig. 8 of WOEC's paper: the classes of Wall, WOMC, centres that move, WOSP."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from coterie.consensus import WOMC, WOSP
from coterie.consensus._weighted_objects import sample_weights, weighted_centers
from coterie.ensemble import Ensemble
from coterie.metrics import ari
from coterie.weighting import DifficultyWeighter
from experiments._data import Data

COLORS = np.array(["#0072B2", "#E69F00"])


def draw(data: Data, ensemble: Ensemble, seed: int, path: Path) -> None:
    """Draw the four panels for one ensemble of Wall."""
    weights = DifficultyWeighter().weigh(ensemble)
    found = {
        form.name: form.combine(
            ensemble, data.n_classes, weights=weights, X=data.X, seed=seed
        ).labels
        for form in (WOMC(), WOSP())
    }
    figure, axes = plt.subplots(2, 2, figsize=(8, 7), sharex=True, sharey=True)
    _points(axes[0, 0], data.X, data.y, "(a) the two classes")
    for ax, name in ((axes[0, 1], "womc"), (axes[1, 1], "wosp")):
        labels = found[name]
        score = ari(data.y, labels)
        letter = "(b)" if name == "womc" else "(d)"
        _points(ax, data.X, labels, f"{letter} {name.upper()}, ARI {score:.2f}")
    ax = axes[1, 0]
    first = ensemble.labels[:, 0]
    _points(ax, data.X, first, "(c) centres of the first member")
    ones = np.ones(ensemble.n_samples)
    samples = sample_weights(ensemble, weights)
    before, after = (weighted_centers(ensemble, w, data.X) for w in (ones, samples))
    for old, new in zip(before[: first.max() + 1], after, strict=False):
        ax.annotate("", new, old, arrowprops={"arrowstyle": "->", "lw": 2})
        ax.plot(*old, "o", mfc="white", mec="black", ms=9)
        ax.plot(*new, "o", color="black", ms=9)
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def _points(ax: Any, X: np.ndarray, labels: np.ndarray, title: str) -> None:
    ax.scatter(*X.T, s=2, c=COLORS[labels], lw=0, rasterized=True)
    ax.set_title(title, fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
