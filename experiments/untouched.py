"""Six well-known tables as they are, from Python and from the command line.

``python -m experiments.untouched`` clusters iris, wine, breast cancer and digits of
scikit-learn, and the tables titanic and mpg of the data folder, with the default and
seeds 0 to 4 (the command line: seed 0), beside k-means on standardised columns, where
categories are columns of zeros and ones and gaps the column's median. It writes
``results/untouched.md``. Known classes give the number of clusters and the scores.
"""

import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.preprocessing import scale

import coterie
from coterie.metrics import ari
from experiments._data import data_folder
from experiments._tables import markdown

RESULTS = Path(__file__).parent / "results"
SEEDS = range(5)
BUNDLED = ("iris", "wine", "breast_cancer", "digits")
# Classes, and columns that tell them; a car's name is no measurement.
TABLES = {"titanic": ("survived", ["alive"]), "mpg": ("origin", ["name"])}


def tables() -> Iterator[tuple[str, pd.DataFrame, str, list[str]]]:
    """Yield (name, frame, column of classes, columns to drop)."""
    for name in BUNDLED:
        frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
        yield name, frame, "target", []
    for name, (classes, dropped) in TABLES.items():
        frame = pd.read_csv(data_folder() / "tables" / f"{name}.csv")
        yield name, frame, classes, dropped


def by_kmeans(X: pd.DataFrame, k: int, seed: int) -> np.ndarray:
    numbers = pd.get_dummies(X).astype(float)
    numbers = numbers.fillna(numbers.median())
    return KMeans(k, n_init=10, random_state=seed).fit_predict(scale(numbers))


def by_default(X: pd.DataFrame, k: int, seed: int) -> np.ndarray:
    return coterie.EnsembleClustering(k, random_state=seed).fit_predict(X)


def by_command(frame: pd.DataFrame, classes: str, dropped: list[str]) -> float:
    """Return the ARI that ``coterie cluster`` prints."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        frame.to_csv(file, index=False)
        words = [sys.executable, "-m", "coterie", "cluster", str(file), "--json"]
        words += ["-k", str(frame[classes].nunique()), "--truth", classes]
        words += [word for name in dropped for word in ("--drop", name)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["scores"]["ari"]


def scored(method: Callable, X: pd.DataFrame, y: np.ndarray, k: int) -> str:
    """Return the mean ARI over the seeds, and its range."""
    found = [ari(y, method(X, k, seed)) for seed in SEEDS]
    return f"{np.mean(found):.3f} ({min(found):.3f} to {max(found):.3f})"


def main() -> None:
    warnings.simplefilter("ignore")
    rows = []
    for name, frame, classes, dropped in tables():
        X, y = frame.drop(columns=[classes, *dropped]), frame[classes].to_numpy()
        k = len(np.unique(y))
        row = [name, f"{X.shape[0]:,} x {X.shape[1]}", str(k)]
        row += [scored(method, X, y, k) for method in (by_default, by_kmeans)]
        rows.append([*row, f"{by_command(frame, classes, dropped):.3f}"])
        print(rows[-1], flush=True)
    head = ["table", "size", "k", "default", "k-means, standardised", "command line"]
    lines = [
        "# Tables as they are",
        "",
        "Made by `python -m experiments.untouched`: ARI with the known classes, mean "
        f"of {len(SEEDS)} seeds and range; the command line has its default seed. The "
        "default has the table as it is. k-means has standardised columns, ten starts, "
        "categories as columns of zeros and ones, medians for gaps. Left out: "
        + ", ".join(f"{c} of {n}" for n, (_, cs) in TABLES.items() for c in cs)
        + ".",
        "",
        markdown(head, rows),
    ]
    (RESULTS / "untouched.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
