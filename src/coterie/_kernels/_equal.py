"""Counting equal entries of rows with vector instructions.

LLVM does not keep the sums of 64 rows in registers by itself, nor turn comparisons into
the bits of a word. So these loops are written in LLVM's language.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from coterie._kernels._jit import intrinsic

BLOCK = 64  # rows that are compared at once, transposed
ROWS = 4  # that share each load of a block
MOST_AT_ONCE = 255  # entries, beyond which a lane of uint8 would overflow
_BYTES = 32  # of a vector
_intrinsic: Any = intrinsic  # the first parameter is not passed by callers


@_intrinsic
def add_equal(_, rows, first, blocks, b, begin, end, counts, at):
    """Count the equal entries of ``ROWS`` rows and the rows of a block.

    For some entries, at most ``MOST_AT_ONCE``, ``counts[at + r, BLOCK * b + t]`` grows
    by the number of those where ``rows[first + r, v]`` is ``blocks[b, v, t]``. It
    begins at zero with the first entry.
    """
    place = types.intp
    arguments = (rows, place, blocks, place, place, place, counts, place)
    return types.void(*arguments), _emit_counting


def _emit_counting(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    first, b, begin, end, at = args[1], args[3], args[4], args[5], args[7]
    rows, blocks, counts = (
        context.make_array(signature.args[a])(context, builder, args[a])
        for a in (0, 2, 6)
    )
    lane, wide = (context.get_data_type(signature.args[a].dtype) for a in (0, 6))
    lanes = 8 * _BYTES // lane.width
    vector = ir.VectorType(lane, lanes)
    parts = range(BLOCK // lanes)
    sums = [
        [
            cgutils.alloca_once_value(builder, ir.Constant(vector, [0] * lanes))
            for _ in parts
        ]
        for _ in range(ROWS)
    ]
    width = builder.extract_value(rows.shape, 1)
    starts = [
        builder.gep(rows.data, [_row(builder, first, r, width)]) for r in range(ROWS)
    ]
    block = _vectors(
        builder, blocks.data, _times(builder, builder.mul(b, width), BLOCK), vector
    )
    with cgutils.for_range(builder, end, start=begin) as loop:
        v = loop.index
        where = _times(builder, v, len(parts))
        others = []
        for part in parts:
            t = builder.add(where, ir.Constant(where.type, part))
            others.append(builder.load(builder.gep(block, [t]), align=1))
        for start, totals in zip(starts, sums, strict=True):
            one = repeated(builder, builder.load(builder.gep(start, [v])), vector)
            for other, total in zip(others, totals, strict=True):
                same = builder.sext(builder.icmp_unsigned("==", one, other), vector)
                builder.store(builder.sub(builder.load(total), same), total)
    into = ir.VectorType(wide, lanes)
    n_columns = builder.extract_value(counts.shape, 1)
    column = _times(builder, b, BLOCK)
    is_first = builder.icmp_unsigned("==", begin, ir.Constant(begin.type, 0))
    none = ir.Constant(into, [0] * lanes)
    for r, totals in enumerate(sums):
        begins = builder.add(_row(builder, at, r, n_columns), column)
        out = _vectors(builder, counts.data, begins, into)
        for part, total in zip(parts, totals, strict=True):
            one = builder.load(total)
            if lane.width != wide.width:
                one = (builder.zext if lane.width < wide.width else builder.trunc)(
                    one, into
                )
            spot = builder.gep(out, [ir.Constant(begins.type, part)])
            before = builder.select(is_first, none, builder.load(spot, align=1))
            builder.store(builder.add(before, one), spot, align=1)
    return context.get_dummy_value()


@_intrinsic
def at_least(_, counts, i, b, floor):
    """Return a word with a bit for each ``counts[i, BLOCK * b + t] >= floor``."""
    return types.uint64(counts, types.intp, types.intp, types.intp), _emit_bits


def _emit_bits(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array, i, b, floor = args
    counts = context.make_array(signature.args[0])(context, builder, array)
    lane = context.get_data_type(signature.args[0].dtype)
    vector = ir.VectorType(lane, BLOCK)
    begins = builder.mul(i, builder.extract_value(counts.shape, 1))
    begins = builder.add(begins, _times(builder, b, BLOCK))
    row = _vectors(builder, counts.data, begins, vector)
    least = floor if lane.width == floor.type.width else builder.trunc(floor, lane)
    bits = builder.icmp_unsigned(
        ">=", builder.load(row, align=1), repeated(builder, least, vector)
    )
    return builder.bitcast(bits, ir.IntType(64))


def repeated(builder: Any, value: Any, vector: Any) -> Any:
    """Return a vector of one value."""
    none = ir.Constant(vector, ir.Undefined)
    one = builder.insert_element(none, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(one, none, zeros)


def _times(builder: Any, value: Any, factor: int) -> Any:
    return builder.mul(value, ir.Constant(value.type, factor))


def _row(builder: Any, first: Any, r: int, width: Any) -> Any:
    """Return where row ``first + r`` begins."""
    return builder.mul(builder.add(first, ir.Constant(first.type, r)), width)


def _vectors(builder: Any, data: Any, offset: Any, vector: Any) -> Any:
    return builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())
