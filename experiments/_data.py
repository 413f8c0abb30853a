"""The benchmark data: where they lie and how they are read."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

CHECKOUT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, eq=False)
class Data:
    """Samples with their known classes, which score results and choose nothing."""

    name: str
    X: Any  # (N, D) float32 array or CSR matrix
    y: np.ndarray  # (N,)

    @property
    def n_classes(self) -> int:
        return len(np.unique(self.y))


def data_folder() -> Path:
    """Return ``$COTERIE_DATA``, or ``../shared/data`` beside the checkout."""
    named = os.environ.get("COTERIE_DATA")
    folder = Path(named) if named else CHECKOUT.parent / "shared" / "data"
    if not folder.is_dir():
        raise FileNotFoundError(
            f"The benchmark data are expected in {folder}, which does not exist. Set "
            "COTERIE_DATA to the folder that holds the .npz files; they are not part "
            "of the project."
        )
    return folder


def is_held(name: str) -> bool:
    """Whether the data set is in the data folder."""
    return (data_folder() / f"{name}.npz").is_file()


def load(name: str) -> Data:
    """Read one data set by the name of its file."""
    path = data_folder() / f"{name}.npz"
    if not path.is_file():
        raise FileNotFoundError(
            f"The data folder {path.parent} has no {path.name}. Leave this data set "
            "out with --only, or put the file there."
        )
    with np.load(path, allow_pickle=False) as parts:
        if "indptr" in parts:
            X = sp.csr_matrix(
                (parts["data"], parts["indices"], parts["indptr"]),
                shape=tuple(parts["shape"]),
                dtype=np.float32,
            )
        else:
            X = parts["X"].astype(np.float32)  # exact also for the 8-bit images
        return Data(name, X, parts["y"])
