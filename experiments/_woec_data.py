"""Which of the WOEC paper's data sets we hold, and how the text prepares them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import StandardScaler

from coterie.datasets import make_toy1, make_toy2, make_toy3
from experiments._data import Data, is_held, load

TOYS: dict[str, Callable] = {"Toy1": make_toy1, "Toy2": make_toy2, "Toy3": make_toy3}


@dataclass(frozen=True)
class Held:
    """One data set of the paper.

    Attributes
    ----------
    file : str
        Name of the file in the data folder.
    per_class : int or None
        Samples of each class, the first in the file; None = all.
    classes : int or None
        How many of the largest classes are kept, None = all.
    at_random : bool
        Whether each run draws the samples of a class instead.
    by_class : bool
        Whether one class follows the other, the smallest first.
    """

    file: str
    per_class: int | None = None
    classes: int | None = None
    at_random: bool = False
    by_class: bool = False


HELD = {
    "Australian": Held("australian_credit"),
    "Balance": Held("balance_scale"),
    "Beef": Held("beef"),
    "Glass": Held("glass"),
    "HayesRoth": Held("hayes_roth"),
    "Iris": Held("iris"),
    "Leukemia": Held("leukemia3571"),
    "Satimage": Held("satimage", per_class=70),
    "Semeion": Held("semeion"),
    "Spambase": Held("spambase", per_class=250),
    "Wall": Held("wall2", classes=2),
    "Yeast": Held("yeast", classes=3),
}
# What the text says of two sets, and another order of the rows: to explain figures.
VARIANTS = {
    "Satimage (random)": Held("satimage", per_class=70, at_random=True),
    "Spambase (random)": Held("spambase", per_class=250, at_random=True),
    "Wall (by class)": Held("wall2", classes=2, by_class=True),
}
NOT_HELD = ("Breast", "Sony", "Vowel")
STUDIED = ("Australian", "Leukemia", "Spambase")  # Figs. 10 and 11


def is_here(name: str) -> bool:
    return name in TOYS or is_held(_held(name).file)


def _held(name: str) -> Held:
    return HELD[name] if name in HELD else VARIANTS[name]


def prepared(name: str, seed: int) -> Data:
    """Return the standardized data of one run."""
    if name in TOYS:
        X, y = TOYS[name](random_state=seed)
    else:
        held = _held(name)
        data = load(held.file)
        rows = _rows(held, data.y, np.random.default_rng(seed))
        X, y = data.X[rows], data.y[rows]
    X = StandardScaler().fit_transform(X.astype(np.float64))
    return Data(name, X, np.unique(y, return_inverse=True)[1])


def _rows(held: Held, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    sizes = np.bincount(y)
    largest = np.argsort(-sizes, kind="stable")[: held.classes]
    of_class = [np.flatnonzero(y == c) for c in np.sort(largest)]
    if held.at_random:
        return np.concatenate(
            [rng.choice(rows, held.per_class, replace=False) for rows in of_class]
        )
    rows = np.concatenate([rows[: held.per_class] for rows in of_class])
    if held.by_class:
        return rows[np.argsort(sizes[y[rows]], kind="stable")]
    return np.sort(rows)
