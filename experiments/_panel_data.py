"""Data of the comparison with everything people use: two groups, scored apart.

"papers" are the labelled sets of the data folder with at most 20,000 samples; "shapes"
are those of its folder of that name, where a set may have several reference labelings
with a number of clusters each, and samples that are noise in one of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD

from coterie.metrics import score
from experiments._data import data_folder, load

GROUPS = ("shapes", "papers")
SCALINGS = ("raw", "zscore")
MOST_SAMPLES = 20_000
FEW_SAMPLES = 2_500  # up to here five seeds, beyond two
N_COMPONENTS = 100  # of sparse data, for methods that need dense ones


@dataclass(frozen=True, eq=False)
class Case:
    """Samples with their reference labelings, which score and choose nothing."""

    name: str
    X: Any  # (N, D) array or CSR matrix
    references: tuple[np.ndarray, ...]  # each (N,); 0 is noise, classes from 1

    @property
    def n_clusters(self) -> list[int]:
        """The numbers of clusters that are asked for, each once."""
        return sorted({n_classes(reference) for reference in self.references})


def n_classes(reference: np.ndarray) -> int:
    """Return the number of classes of a reference labeling, noise not counted."""
    return len(np.unique(reference[reference > 0]))


def names(group: str) -> dict[str, int]:
    """Return the data sets of a group with their numbers of samples, small first."""
    found = {}
    folder = data_folder() / "shapes" if group == "shapes" else data_folder()
    for path in sorted(folder.glob("*.npz")):
        with np.load(path, allow_pickle=False) as parts:
            if group == "shapes":
                found[path.stem] = parts["labels"].shape[1]
            elif "y" in parts and ("X" in parts or "indptr" in parts):
                found[path.stem] = len(parts["y"])
    small = {name: n for name, n in found.items() if n <= MOST_SAMPLES}
    return dict(sorted(small.items(), key=lambda pair: pair[1]))


def n_seeds(n_samples: int) -> int:
    """Return how many seeds are run, by a rule that was fixed beforehand."""
    return 5 if n_samples <= FEW_SAMPLES else 2


@lru_cache(maxsize=2)
def read(group: str, name: str) -> Case:
    """Read one data set as it is."""
    if group == "papers":
        data = load(name)
        return Case(name, data.X, (np.unique(data.y, return_inverse=True)[1] + 1,))
    with np.load(data_folder() / "shapes" / f"{name}.npz", allow_pickle=False) as parts:
        return Case(name, parts["X"], tuple(parts["labels"]))


@lru_cache(maxsize=2)
def prepared(group: str, name: str, scaling: str, sparse: bool) -> Any:
    """Return the samples scaled, and sparse ones dense unless they may stay sparse."""
    X = read(group, name).X
    if sp.issparse(X):
        if scaling != "raw":
            raise ValueError(f"{name} is sparse and used raw only, not {scaling}.")
        svd = TruncatedSVD(N_COMPONENTS, random_state=0)
        return X if sparse else svd.fit_transform(X).astype(np.float32)
    return zscore(X) if scaling == "zscore" else X


def is_sparse(group: str, name: str) -> bool:
    """Whether a data set is sparse, without reading its samples."""
    if group == "shapes":
        return False
    with np.load(data_folder() / f"{name}.npz", allow_pickle=False) as parts:
        return "indptr" in parts


def zscore(X: np.ndarray) -> np.ndarray:
    """Return each feature with mean 0 and variance 1; a constant one becomes 0."""
    wide = X.astype(np.float64)
    center, spread = wide.mean(axis=0), wide.std(axis=0)
    constant = spread <= 1e-12 * np.maximum(1.0, np.abs(center))
    scaled = (wide - center) / np.where(constant, 1.0, spread)
    return np.where(constant, 0.0, scaled).astype(X.dtype)


def scores(case: Case, answers: Mapping[int, np.ndarray]) -> dict[str, float]:
    """Score against the reference that the answer of its own k agrees best with.

    ``answers`` maps each number of clusters to the labels for it. A reference's noise
    is dropped. A sample that a method left out (-1) is in a cluster of all such samples
    for NMI and ARI, and wrong for the accuracy.
    """
    found = []
    for reference in case.references:
        kept = reference > 0
        labels = answers[n_classes(reference)][kept]
        whole = np.where(labels < 0, labels.max() + 1, labels)
        agreement = score(reference[kept], whole)
        found.append(
            {
                "nmi": agreement["nmi_geometric"],
                "ari": agreement["ari"],
                "acc": score(reference[kept], labels)["acc"],
                "n_found": len(np.unique(labels[labels >= 0])),
            }
        )
    return max(found, key=lambda one: one["ari"])
