"""Kernels for products of sparse matrices with blocks of vectors.

LLVM checks before each inner loop whether its rows overlap, and keeps no sums in
registers. So the loop over a row's entries is written in LLVM's language.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from coterie._kernels._equal import repeated
from coterie._kernels._jit import intrinsic, parallel_kernel, sum_kernel

COLUMNS = 8  # that threads take together
_BYTES = 64  # of a vector; processors with shorter ones take several
_intrinsic: Any = intrinsic  # the first parameter is not passed by callers


@parallel_kernel("out")
def csr_matmat(begin, end, indptr, indices, data, V, out):
    """Write A @ V into out, for A (n, m) in CSR form.

    V (m, b) and out (n, b) are C-ordered. Four entries of a row are processed at once,
    so the row of out is loaded and stored a quarter as often. Each row belongs to one
    thread.
    """
    n_vectors = out.shape[1]
    for i in range(begin, end):
        row = out[i]
        for c in range(n_vectors):
            row[c] = 0
        start, stop = indptr[i], indptr[i + 1]
        whole = start + (stop - start) // 4 * 4
        for p in range(start, whole, 4):
            a0, a1, a2, a3 = data[p], data[p + 1], data[p + 2], data[p + 3]
            v0, v1 = V[indices[p]], V[indices[p + 1]]
            v2, v3 = V[indices[p + 2]], V[indices[p + 3]]
            for c in range(n_vectors):
                row[c] += (a0 * v0[c] + a1 * v1[c]) + (a2 * v2[c] + a3 * v3[c])
        for p in range(whole, stop):
            a, v = data[p], V[indices[p]]
            for c in range(n_vectors):
                row[c] += a * v[c]


@_intrinsic
def _step_row(
    _, indices, data, start, stop, V, V_before, i, begin, end, factor, shift, weight
):
    """Set ``V_before[i] = factor * sum + shift * V[i] - weight * V_before[i]``.

    That is for the columns from ``begin`` to ``end``; the sum is over the entries p of
    a row of the matrix, from ``start`` to ``stop``, of ``data[p] * V[indices[p]]``.
    """
    place, lane = types.intp, data.dtype
    arguments = (
        *(indices, data, place, place, V, V_before),
        *(place, place, place, lane, lane, lane),
    )
    return types.void(*arguments), _emit_step


def _emit_step(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    indices, data, V, V_before = (
        context.make_array(signature.args[a])(context, builder, args[a])
        for a in (0, 1, 4, 5)
    )
    start, stop, i, begin, end = (args[a] for a in (2, 3, 6, 7, 8))
    lane = context.get_data_type(signature.args[1].dtype)
    lanes = _BYTES // context.get_abi_sizeof(lane)
    place = start.type
    n_columns = builder.extract_value(V.shape, 1)
    own = builder.mul(i, n_columns)
    # odd and even entries have sums of their own, so that neither waits for the other
    pairs = builder.and_(builder.sub(stop, start), ir.Constant(place, -2))
    whole = builder.add(start, pairs)
    column = cgutils.alloca_once_value(builder, begin)

    def take(lanes: int, n_parts: int) -> None:
        """Go through the columns while there are enough, some vectors at a time."""
        vector = ir.VectorType(lane, lanes)
        size = ir.Constant(place, lanes * n_parts)
        name = f"llvm.fmuladd.v{lanes}f{8 * context.get_abi_sizeof(lane)}"
        multiply_add = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), name
        )
        none = ir.Constant(vector, [0.0] * lanes)
        blocks = [builder.append_basic_block() for _ in range(3)]
        builder.branch(blocks[0])
        builder.position_at_end(blocks[0])
        here = builder.load(column)
        after = builder.add(here, size)
        builder.cbranch(builder.icmp_signed("<=", after, end), *blocks[1:])
        builder.position_at_end(blocks[1])
        parts = range(n_parts)
        sums = [
            [cgutils.alloca_once_value(builder, none) for _ in parts] for _ in range(2)
        ]
        for total in (*sums[0], *sums[1]):
            builder.store(none, total)

        def spot(array: Any, offset: Any, part: int) -> Any:
            at = builder.add(offset, ir.Constant(place, lanes * part))
            return builder.bitcast(builder.gep(array.data, [at]), vector.as_pointer())

        def load(address: Any) -> Any:
            return builder.load(address, align=context.get_abi_sizeof(lane))

        def add(p: Any, totals: Any) -> None:
            row = builder.load(builder.gep(indices.data, [p]))
            row = row if row.type == place else builder.zext(row, place)
            entry = builder.load(builder.gep(data.data, [p]))
            entry = repeated(builder, entry, vector)
            offset = builder.add(builder.mul(row, n_columns), here)
            for part, total in zip(parts, totals, strict=True):
                other = load(spot(V, offset, part))
                more = builder.call(multiply_add, [entry, other, builder.load(total)])
                builder.store(more, total)

        two = ir.Constant(place, 2)
        with cgutils.for_range_slice(builder, start, whole, two, place) as (p, _):
            add(p, sums[0])
            add(builder.add(p, ir.Constant(place, 1)), sums[1])
        with builder.if_then(builder.icmp_signed("<", whole, stop)):
            add(whole, sums[0])
        factor, shift, weight = (repeated(builder, arg, vector) for arg in args[9:])
        offset = builder.add(own, here)
        for part, totals in zip(parts, zip(*sums, strict=True), strict=True):
            total = builder.fadd(*(builder.load(each) for each in totals))
            out = spot(V_before, offset, part)
            rest = builder.fsub(
                builder.fmul(shift, load(spot(V, offset, part))),
                builder.fmul(weight, load(out)),
            )
            value = builder.call(multiply_add, [factor, total, rest])
            builder.store(value, out, align=context.get_abi_sizeof(lane))
        builder.store(after, column)
        builder.branch(blocks[0])
        builder.position_at_end(blocks[2])

    take(lanes, 2)
    take(lanes, 1)
    take(lanes // 2, 1)
    take(1, 1)
    return context.get_dummy_value()


@parallel_kernel(lambda indptr, indices, data, V, *_: -(-V.shape[1] // COLUMNS), 1)
def csr_chebyshev_steps(
    begin, end, indptr, indices, data, V_before, V, center, scales, weights
):
    """Overwrite V_before by scale * (A V - center V) - weight * V_before; swap; repeat.

    For A in CSR form, without storing A V. V_before and V are (n, b) and C-ordered.
    Vectors do not meet, so each thread takes some of them through all steps.
    """
    first, last = COLUMNS * begin, COLUMNS * end
    last = last if last < V.shape[1] else V.shape[1]
    for step in range(scales.shape[0]):
        factor, weight = scales[step], weights[step]
        for i in range(V.shape[0]):
            _step_row(
                indices, data, indptr[i], indptr[i + 1], V, V_before, i, first, last,
                factor, -factor * center, weight,
            )  # fmt: skip
        V_before, V = V, V_before


@sum_kernel
def dot(x, y):
    """Return the product of two vectors; for one thread and any BLAS the same."""
    total = x.dtype.type(0)
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total
