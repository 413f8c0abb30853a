"""Counting equal entries of two rows with vector instructions.

LLVM does not vectorise this well: it sums the bits of each comparison at once, where
one sum at the end of the row suffices. So the loop is written in LLVM's language.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from coterie._kernels._jit import intrinsic

_BYTES = 32  # of a vector
ROWS = 4  # that share each load of the other row
MOST_BYTES = 255 * _BYTES  # of a row of uint8, beyond which a lane would overflow


def _counter(n_rows: int) -> Any:
    """Return a function that compares this many rows with another one.

    It fills ``counts[at + r, t]`` with the equal entries of ``rows[first + r]`` and
    ``others[j]``.
    """

    @intrinsic
    def count_equal(_, rows, first, others, j, counts, at, t):
        place = types.intp
        return types.void(rows, place, others, place, counts, place, place), emit

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first, j, at, t = args[1], args[3], args[5], args[6]
        rows, others, counts = (
            context.make_array(signature.args[a])(context, builder, args[a])
            for a in (0, 2, 4)
        )
        lane = context.get_data_type(signature.args[0].dtype)
        lanes = 8 * _BYTES // lane.width
        vector = ir.VectorType(lane, lanes)
        sums = [
            cgutils.alloca_once_value(builder, ir.Constant(vector, [0] * lanes))
            for _ in range(n_rows)
        ]
        width = builder.extract_value(rows.shape, 1)
        starts = [
            _vectors(builder, rows.data, _times(builder, first, r, width), vector)
            for r in range(n_rows)
        ]
        end = builder.udiv(width, ir.Constant(width.type, lanes))
        against = _vectors(builder, others.data, builder.mul(j, width), vector)
        with cgutils.for_range(builder, end) as loop:
            b = builder.load(builder.gep(against, [loop.index]), align=1)
            for start, total in zip(starts, sums, strict=True):
                a = builder.load(builder.gep(start, [loop.index]), align=1)
                same = builder.sext(builder.icmp_unsigned("==", a, b), vector)
                builder.store(builder.sub(builder.load(total), same), total)
        n_columns = builder.extract_value(counts.shape, 1)
        for r, total in enumerate(sums):
            place = builder.add(_times(builder, at, r, n_columns), t)
            count = _added_up(builder, builder.load(total))
            builder.store(count, builder.gep(counts.data, [place]))
        return context.get_dummy_value()

    return count_equal


def _times(builder: Any, first: Any, r: int, width: Any) -> Any:
    """Return where row ``first + r`` begins."""
    return builder.mul(builder.add(first, ir.Constant(first.type, r)), width)


def _vectors(builder: Any, data: Any, offset: Any, vector: Any) -> Any:
    return builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())


def _added_up(builder: Any, vector: Any) -> Any:
    """Return the sum of a vector's lanes as int32."""
    wide = ir.VectorType(ir.IntType(32), vector.type.count)
    if vector.type.element.width < 32:
        vector = builder.zext(vector, wide)
    add = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(ir.IntType(32), [wide]),
        f"llvm.vector.reduce.add.v{wide.count}i32",
    )
    return builder.call(add, [vector])


count_equal = _counter(1)
count_equal_rows = _counter(ROWS)
