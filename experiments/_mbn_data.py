"""The data of the MBN paper: which file stands for each set, and how it is prepared."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from experiments._data import data_folder, load

N_COMPONENTS = 100  # of images, Section VII-A


@dataclass(frozen=True)
class Held:
    """The file that stands for a data set of the paper."""

    file: str
    kind: str  # table, image or text
    differs: str = ""


HELD = {
    "dermatology": Held("dermatology", "table"),
    "umist": Held("umist644", "image", "644 of 1024 pixels, another resampling"),
    "yaleb": Held("yaleb32", "image", "32 x 32 pixels, no SIFT features"),
    "coil20": Held("coil20", "image", "32 x 32 of 64 x 64 pixels"),
    "coil100": Held("coil100", "image", "7178 of 7200 images, our resampling"),
    "newsgroups20": Held("newsgroups20", "text", "30301 of 26214 terms, our counts"),
    "mnist5000": Held("mnist5000", "image", "5000 of 70000 images"),
}


def prepared(name: str) -> tuple[Any, np.ndarray, str]:
    """Return samples, classes and metric, prepared as the paper says."""
    held = HELD[name]
    data = load(held.file)
    if held.kind == "text":
        return tf_idf(data.X), data.y, "cosine"
    X = data.X
    if held.kind == "image":
        with threadpool_limits(1):  # the last digits depend on the threads
            X = PCA(N_COMPONENTS, random_state=0).fit_transform(X)
    return np.ascontiguousarray(X, dtype=np.float32), data.y, "euclidean"


def tf_idf(counts: sp.csr_matrix) -> sp.csr_matrix:
    """Return (1 + log tf) idf with rows of length one."""
    X = counts.copy()
    X.data = 1 + np.log(X.data)
    document_frequency = np.bincount(X.indices, minlength=X.shape[1])
    idf = np.log(X.shape[0] / np.maximum(document_frequency, 1))
    X = X @ sp.diags(idf.astype(np.float32))
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sp.csr_matrix(sp.diags(1 / np.maximum(norms, 1e-12)) @ X)


def edges(name: str) -> np.ndarray:
    """Return the links of a graph, without those of a node to itself."""
    with np.load(data_folder() / f"{name}.npz") as parts:
        pairs = parts["edges"]
    return pairs[pairs[:, 0] != pairs[:, 1]]
