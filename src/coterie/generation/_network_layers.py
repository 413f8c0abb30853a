"""What bootstrap networks are made of: sizes of layers, codes, and their ensemble."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from coterie._linalg._code_layers import code_dtype
from coterie._validation import is_sparse
from coterie.ensemble import Ensemble, Member


@dataclass(frozen=True, eq=False)
class Task:
    """The data, and the neighbours of many dense samples, found once."""

    X: Any
    n_fit: int
    k: int  # of the bottom layer
    candidates: np.ndarray | None  # (N, L); None: all samples
    n_views: int | None  # codes that an upper layer compares; None: all
    shared: Any = None  # (N, n_fit) similarities by sampled columns, or None


class Network(NamedTuple):
    codes: np.ndarray  # (N, V)
    delta: float
    layers: tuple[int, ...]


def packed(arrays: Iterable[Any]) -> bytes:
    file = io.BytesIO()
    np.savez(file, *arrays)
    return file.getvalue()


def unpacked(content: bytes) -> list[np.ndarray]:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return list(file.values())


def as_networks(content: bytes) -> list[Network]:
    parts = iter(unpacked(content))
    return [
        Network(codes, float(delta), tuple(layers.tolist()))
        for codes, delta, layers in zip(parts, parts, parts, strict=True)
    ]


def layer_sizes(k: int, delta: float, n_out: int, last_layer: str) -> list[int]:
    """Return the k of each layer, from the bottom.

    Parameters
    ----------
    k : int
        Size of the bottom layer.
    delta : float
    n_out : int
        Smallest k of a layer.
    last_layer : {"force", "stop", "append"}
    """
    sizes = [k]
    while (k := math.floor(delta * k)) >= n_out:  # Eq. 1
        sizes.append(k)
    forced = last_layer == "append" or (last_layer == "force" and len(sizes) == 1)
    if forced and sizes[-1] > n_out:
        sizes.append(n_out)
    return sizes


def stacked(columns: list[np.ndarray], k: int) -> np.ndarray:
    return np.stack(columns, axis=1, dtype=code_dtype(k), casting="unsafe")


def some_views(codes: Any, n_views: int, rng: np.random.Generator) -> Any:
    n_codes = codes.shape[1]
    if n_codes <= n_views:
        return codes
    chosen = rng.choice(n_codes, size=n_views, replace=False)
    return np.ascontiguousarray(codes[:, np.sort(chosen)])


def joined(networks: list[Network], bottom_error: float) -> Ensemble:
    """Put the codes of the networks side by side, as the labels of an ensemble."""
    codes, deltas, layers = zip(*networks, strict=True)
    tops = np.array([sizes[-1] for sizes in layers], dtype=np.int64)
    labels = np.concatenate(
        codes, axis=1, dtype=code_dtype(int(tops.max())), casting="unsafe"
    )
    widths = [each.shape[1] for each in codes]
    members: list[Member] = []
    for z, width in enumerate(widths):
        about = {
            "network": z,
            "delta": deltas[z],
            "layers": layers[z],
            "bottom_error": bottom_error,
        }
        members += [Member(params=about)] * width
    offsets = np.concatenate([[0], np.cumsum(np.repeat(tops, widths))])
    return Ensemble._from_coded(labels, offsets, tuple(members))


def stacked_rows(X: Any, Y: Any) -> Any:
    if is_sparse(X) or is_sparse(Y):
        parts = [scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(Y)]
        return scipy.sparse.vstack(parts, format="csr")
    return np.vstack([X, Y.astype(X.dtype, copy=False)])
