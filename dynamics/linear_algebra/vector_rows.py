"""Row operations for compiled kernels whose last axis is spans, kept in vector registers.

Numba cannot prove that two rows of one array do not overlap, and so leaves such loops scalar or guards each of
them; these intrinsics state it. They run on any processor: LLVM splits the vectors to what there is.

The first argument of each says how many chunks a row has (`dynamics.linear_algebra.row_widths`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.typing.context import Context as TypingContext
from numba.core.typing.templates import Signature
from numpy.typing import NDArray

from dynamics.linear_algebra.intrinsics import FUSE, Arguments, Builder, Emitter, NumbaType, Value, operation
from dynamics.linear_algebra.row_widths import BLOCK, LANES

__all__ = ["TERMS", "Entries", "Rows", "row_advance", "row_combine", "row_rhs", "row_stretch", "row_sum"]

Rows = NDArray[np.float64] | NDArray[np.float32]
"""Rows (row, span + 1) of the window's precision, C-contiguous, whole vectors wide."""
Entries = tuple[NDArray[np.int64], Rows, int, int]
"""Terms of a row: (index, value, k0, k1), of which those from k0 to k1 count, a multiple of TERMS of them."""
_I64 = ir.IntType(64)
# terms of a row are added up in whole groups; lists of terms are filled up with zeros
TERMS, WAYS = 4, 4


class _Emit:
    """Emits loads, stores and sums over rows of C-contiguous arrays of one width and type."""

    def __init__(
        self, context: BaseContext, builder: Builder, signature: Signature, array: NumbaType, lanes: Value
    ) -> None:
        self.context, self.builder, self.signature = context, builder, signature
        self.lanes = LANES[str(array.dtype)]
        self.known = isinstance(signature.args[0], types.UniTuple)
        self.count = ir.Constant(_I64, signature.args[0].count) if self.known else lanes
        self.width, self.first = builder.mul(self.count, ir.Constant(_I64, self.lanes)), ir.Constant(_I64, 0)
        self.chunks = BLOCK
        self.number = ir.DoubleType() if array.dtype == types.float64 else ir.FloatType()
        self.vector = ir.VectorType(self.number, self.lanes)

    def blocks(self) -> Iterator[range]:
        """Emit what stands in a loop over this once for a row of known length, or into loops over blocks of chunks."""
        b = self.builder
        if self.known:
            self.chunks = self.signature.args[0].count
            yield range(self.chunks)
            return
        whole = b.and_(self.count, ir.Constant(_I64, -BLOCK))
        for begin, end, step in ((self.first, whole, BLOCK), (whole, self.count, 1)):
            with cgutils.for_range_slice(b, begin, end, ir.Constant(_I64, step), _I64) as (k, _):
                self.chunks, self.first = step, b.mul(k, ir.Constant(_I64, self.lanes))
                yield range(step)

    def splat(self, value: Value) -> Value:
        """Copy a scalar to every lane."""
        b = self.builder
        if value.type != self.number:
            value = b.fptrunc(value, self.number)
        undefined = ir.Constant(self.vector, ir.Undefined)
        one = b.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return b.shuffle_vector(one, undefined, mask)

    def data(self, position: int, args: Arguments) -> Value:
        """Pointer to the first element of the array argument at ``position``."""
        array = self.context.make_array(self.signature.args[position])
        return array(self.context, self.builder, args[position]).data

    def lane(self, pointer: Value, row: Value, chunk: int) -> Value:
        """Pointer to one chunk of a row."""
        b = self.builder
        offset = b.add(b.add(b.mul(row, self.width), self.first), ir.Constant(_I64, chunk * self.lanes))
        return b.bitcast(b.gep(pointer, [offset]), self.vector.as_pointer())

    def load(self, pointer: Value, row: Value, chunk: int) -> Value:
        """Load one chunk of a row."""
        return self.builder.load(self.lane(pointer, row, chunk), align=4)

    def store(self, value: Value, pointer: Value, row: Value, chunk: int) -> None:
        """Store one chunk of a row."""
        self.builder.store(value, self.lane(pointer, row, chunk), align=4)

    def member(self, position: int, args: Arguments, k: int) -> Value:
        """Pointer to the first element of the array that is member ``k`` of a tuple argument."""
        value = self.builder.extract_value(args[position], k)
        return self.context.make_array(self.signature.args[position].types[k])(self.context, self.builder, value).data

    def gather(self, start: list[Value], src: Value, position: int, args: Arguments, ways: int = 1) -> list[Value]:
        """Add ``value[k] * src[index[k], :]`` for k0 <= k < k1; the argument is (index, value, k0, k1).

        There is a multiple of TERMS of them, added up in ``ways`` sums side by side, so that one addition need not
        wait for the one before.
        """
        b = self.builder
        index, value = self.member(position, args, 0), self.member(position, args, 1)
        first, last = b.extract_value(args[position], 2), b.extract_value(args[position], 3)
        slots = [[cgutils.alloca_once(b, self.vector) for _ in range(self.chunks)] for _ in range(ways)]
        for way, row in enumerate(slots):
            for slot, begin in zip(row, start, strict=True):
                b.store(begin if way == 0 else ir.Constant(self.vector, None), slot)
        with cgutils.for_range_slice(b, first, last, ir.Constant(_I64, TERMS), _I64) as (k, _):
            for term in range(TERMS):
                at = b.add(k, ir.Constant(_I64, term))
                source, weight = b.load(b.gep(index, [at])), self.splat(b.load(b.gep(value, [at])))
                for c, slot in enumerate(slots[term % ways]):
                    product = b.fmul(weight, self.load(src, source, c), flags=FUSE)
                    b.store(b.fadd(b.load(slot), product, flags=FUSE), slot)
        total = [b.load(slot) for slot in slots[0]]
        for row in slots[1:]:
            total = [b.fadd(x, b.load(slot)) for x, slot in zip(total, row, strict=True)]
        return total


def _check(lanes: NumbaType) -> bool:
    return isinstance(lanes, (types.UniTuple, types.Integer))


def _row_combine(
    typingctx: TypingContext,
    lanes: NumbaType,
    dst: NumbaType,
    i: NumbaType,
    scale: NumbaType,
    src: NumbaType,
    entries: NumbaType,
) -> Emitter | None:
    """Replace ``dst[i, :]`` by ``scale * dst[i, :] + sum_k value[k] * src[index[k], :]``.

    ``entries`` is (index, value, k0, k1), here and in the other row operations; dst and src may be one array.
    """
    if not _check(lanes):
        return None
    signature = types.void(lanes, dst, types.intp, types.float64, src, entries)

    def codegen(context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> Value:
        rows = _Emit(context, builder, signature, dst, args[0])
        p, factor = rows.data(1, args), rows.splat(args[3])
        for chunks in rows.blocks():
            start = [builder.fmul(factor, rows.load(p, args[2], c), flags=FUSE) for c in chunks]
            sums = rows.gather(start, rows.data(4, args), 5, args)
            for c in chunks:
                rows.store(sums[c], p, args[2], c)
        return context.get_dummy_value()

    return signature, codegen


def _row_rhs(
    typingctx: TypingContext, lanes: NumbaType, dst: NumbaType, i: NumbaType, memory: NumbaType, entries: NumbaType
) -> Emitter | None:
    """Form ``dst[i, :] = a[i, :] - s[i, :] + sum_k value[k] * dst[index[k], :]``, ``memory`` being (a, s)."""
    if not _check(lanes):
        return None
    signature = types.void(lanes, dst, types.intp, memory, entries)

    def codegen(context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> Value:
        rows = _Emit(context, builder, signature, dst, args[0])
        p, a, s = rows.data(1, args), rows.member(3, args, 0), rows.member(3, args, 1)
        for chunks in rows.blocks():
            start = [builder.fsub(rows.load(a, args[2], c), rows.load(s, args[2], c)) for c in chunks]
            sums = rows.gather(start, p, 4, args)
            for c in chunks:
                rows.store(sums[c], p, args[2], c)
        return context.get_dummy_value()

    return signature, codegen


def _row_sum(
    typingctx: TypingContext, lanes: NumbaType, dst: NumbaType, i: NumbaType, entries: NumbaType
) -> Emitter | None:
    """Form ``dst[i, :] += sum_k value[k] * dst[index[k], :]``, many terms, in sums side by side."""
    if not _check(lanes):
        return None
    signature = types.void(lanes, dst, types.intp, entries)

    def codegen(context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> Value:
        rows = _Emit(context, builder, signature, dst, args[0])
        p = rows.data(1, args)
        for chunks in rows.blocks():
            sums = rows.gather([rows.load(p, args[2], c) for c in chunks], p, 3, args, WAYS)
            for c in chunks:
                rows.store(sums[c], p, args[2], c)
        return context.get_dummy_value()

    return signature, codegen


def _row_stretch(
    typingctx: TypingContext,
    lanes: NumbaType,
    dst: NumbaType,
    i: NumbaType,
    u: NumbaType,
    w: NumbaType,
    dt: NumbaType,
    entries: NumbaType,
) -> Emitter | None:
    """Form ``dst[i, :] = sum_k value[k] * (u[index[k], :] + dt * w[index[k], :])``."""
    if not _check(lanes):
        return None
    signature = types.void(lanes, dst, types.intp, u, w, types.float64, entries)

    def codegen(context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> Value:
        rows, b = _Emit(context, builder, signature, dst, args[0]), builder
        target, place, rate, step = rows.data(1, args), rows.data(3, args), rows.data(4, args), rows.splat(args[5])
        for chunks in rows.blocks():
            zero = [ir.Constant(rows.vector, None)] * len(chunks)
            first, second = rows.gather(zero, place, 6, args), rows.gather(zero, rate, 6, args)
            for c in chunks:
                rows.store(b.fadd(first[c], b.fmul(step, second[c], flags=FUSE), flags=FUSE), target, args[2], c)
        return context.get_dummy_value()

    return signature, codegen


def _row_advance(
    typingctx: TypingContext,
    lanes: NumbaType,
    i: NumbaType,
    kind: NumbaType,
    arrays: NumbaType,
    factors: NumbaType,
    entries: NumbaType,
) -> Emitter | None:
    """Advance row i of (u, a, s) by one step, given mean velocities w: m = sum_k value[k] w[index[k]].

    ``arrays`` is (u, a, s, w, sponge), ``kind`` the row of the sponge, ``factors`` (dt, gamma, dt / kappa, 4 / dt):
    s += (dt/kappa) (a - s - gamma m), a = sponge (4/dt m - a), u += dt w.
    """
    if not _check(lanes):
        return None
    signature = types.void(lanes, types.intp, types.intp, arrays, factors, entries)

    def codegen(context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> Value:
        rows, row, b = _Emit(context, builder, signature, arrays.types[0], args[0]), args[1], builder
        u, a, s, w, sponge = (rows.member(3, args, k) for k in range(5))
        dt, gamma, gain, four = (rows.splat(b.extract_value(args[4], k)) for k in range(4))
        for chunks in rows.blocks():
            mass = rows.gather([ir.Constant(rows.vector, None)] * len(chunks), w, 5, args)
            for c in chunks:
                old_a, old_s, m = rows.load(a, row, c), rows.load(s, row, c), mass[c]
                rest = b.fsub(b.fsub(old_a, old_s), b.fmul(gamma, m, flags=FUSE), flags=FUSE)
                rows.store(b.fadd(old_s, b.fmul(gain, rest, flags=FUSE), flags=FUSE), s, row, c)
                new_a = b.fsub(b.fmul(four, m, flags=FUSE), old_a, flags=FUSE)
                rows.store(b.fmul(new_a, rows.load(sponge, args[2], c)), a, row, c)
                step = b.fmul(dt, rows.load(w, row, c), flags=FUSE)
                rows.store(b.fadd(rows.load(u, row, c), step, flags=FUSE), u, row, c)
        return context.get_dummy_value()

    return signature, codegen


row_combine = operation(_row_combine)
row_rhs = operation(_row_rhs)
row_stretch = operation(_row_stretch)
row_sum = operation(_row_sum)
row_advance = operation(_row_advance)
