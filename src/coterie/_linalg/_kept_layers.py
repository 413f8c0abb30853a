"""Layers of codes that are kept, so that a new sample is coded in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_SAMPLES = 2**16 - 1  # numbers of samples take two bytes
_COLUMNS = 112  # samples in a draw, up to which the draw is scanned


class Layer(NamedTuple):
    """An upper layer: the codes below it, and who was drawn."""

    codes: NDArray[Any]  # (n, V)
    draws: NDArray[np.int32]  # (V, k)


def kept_bytes(n: int, n_clusterings: int, sizes: Sequence[int]) -> int:
    """Return the memory that the layers of one network take, in bytes.

    Parameters
    ----------
    n, n_clusterings : int
    sizes : sequence of int
        The k of each layer, from the bottom.
    """
    lists = sum(2 * n_clusterings * (n + k + 1) for k in sizes[:-1])
    return lists + sum(4 * (n_clusterings * k + n + 1) for k in sizes[1:])


@dataclass(frozen=True, eq=False)
class KeptLayers:
    """The upper layers of several networks with a common bottom layer.

    The arrays are those of ``_kernels._kept_codes.code_sample``. There is one of each
    for all networks: in large arrays the operating system finds memory faster.
    """

    first_layer: NDArray[np.int64]
    lists_at: NDArray[np.int64]
    draws_at: NDArray[np.int64]
    sizes: NDArray[np.int64]
    drawn: NDArray[np.int64]
    starts: NDArray[np.uint16]
    members: NDArray[np.uint16]
    ends: NDArray[np.int32]
    entries: NDArray[np.uint32]

    @classmethod
    def with_room(
        cls, n: int, n_clusterings: int, sizes: Sequence[Sequence[int]]
    ) -> KeptLayers:
        """Return room for networks with layers of these sizes; :meth:`fill` fills it.

        Parameters
        ----------
        n, n_clusterings : int
        sizes : sequence of sequences of int
            The k of each layer of each network, from the bottom.
        """
        below = np.array([k for own in sizes for k in own[:-1]], dtype=np.int64)
        drawn = np.array([k for own in sizes for k in own[1:]], dtype=np.int64)
        lists, draws = n_clusterings * (below + 1), n_clusterings * drawn
        return cls(
            np.cumsum([0, *(len(own) - 1 for own in sizes)], dtype=np.int64),
            np.cumsum(lists) - lists,
            np.cumsum(draws) - draws,
            below,
            drawn,
            np.zeros(lists.sum(), dtype=np.uint16),
            np.empty((below.size, n_clusterings, n), dtype=np.uint16),
            np.zeros((below.size, n + 1), dtype=np.int32),
            np.empty(draws.sum(), dtype=np.uint32),
        )

    def fill(self, network: int, layers: Sequence[Layer]) -> None:
        """Store the upper layers of one network."""
        from coterie._kernels._kept_codes import fill_draws, fill_lists

        for at, (codes, draws) in enumerate(layers, int(self.first_layer[network])):
            columns = np.ascontiguousarray(codes.T, dtype=np.uint16)  # (V, n)
            first = self.lists_at[at]
            starts = self.starts[first : first + len(columns) * (self.sizes[at] + 1)]
            fill_lists(columns, starts.reshape(len(columns), -1), self.members[at])
            entries = self.entries[self.draws_at[at] :][: draws.size]
            if draws.shape[1] <= _COLUMNS:
                entries[:] = draws.ravel()
            else:
                fill_draws(draws, self.ends[at], entries)

    def codes(self, bottom: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the codes of a sample in the top layers, (Z, V), from the bottom's."""
        from coterie._kernels._kept_codes import code_sample

        out = np.empty((len(self.first_layer) - 1, bottom.size), dtype=np.uint16)
        code_sample(bottom, *vars(self).values(), _COLUMNS, out)
        return out
