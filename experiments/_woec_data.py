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
        Samples that each run draws from each class, None = all.
    classes : int or None
        How many of the largest classes are kept, None = all.
    """

    file: str
    per_class: int | None = None
    classes: int | None = None


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
NOT_HELD = ("Breast", "Sony", "Vowel")
STUDIED = ("Australian", "Leukemia", "Spambase")  # Figs. 10 and 11


def is_here(name: str) -> bool:
    return name in TOYS or is_held(HELD[name].file)


def prepared(name: str, seed: int) -> Data:
    """Return the standardized data of one run; subsets are drawn anew for each seed."""
    if name in TOYS:
        X, y = TOYS[name](seed=seed)
    else:
        held = HELD[name]
        data = load(held.file)
        X, y = data.X, data.y
        if held.classes is not None:
            largest = np.argsort(-np.bincount(y), kind="stable")[: held.classes]
            X, y = X[np.isin(y, largest)], y[np.isin(y, largest)]
        if held.per_class is not None:
            rng = np.random.default_rng(seed)
            drawn = [
                rng.choice(np.flatnonzero(y == c), held.per_class, replace=False)
                for c in np.unique(y)
            ]
            X, y = X[np.concatenate(drawn)], y[np.concatenate(drawn)]
    X = StandardScaler().fit_transform(X.astype(np.float64))
    return Data(name, X, np.unique(y, return_inverse=True)[1])
