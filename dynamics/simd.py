"""Row operations for compiled kernels whose last axis is a fixed number of spans, kept in vector registers.

Numba cannot prove that two rows of one array do not overlap, and so leaves such loops scalar or guards each of
them; these intrinsics state it. They run on any processor: LLVM splits the vectors to what there is.

The first argument of each is a tuple of as many integers as a row has chunks of LANES numbers: its length is the
compile-time row length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["LANES", "row_advance", "row_combine", "row_rhs"]

LANES = 8
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_I64 = ir.IntType(64)
_FUSE = ("contract",)
_Lane = Callable[[Any, int], Any]


def _splat(builder: Any, value: Any) -> Any:
    """Copy a scalar to every lane."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, undefined, mask)


class _Rows:
    """Emits loads, stores and sums over rows of C-contiguous arrays of one literal width."""

    def __init__(self, context: Any, builder: Any, signature: Any) -> None:
        self.context, self.builder, self.signature = context, builder, signature
        self.chunks = signature.args[0].count

    def data(self, position: int, args: Any) -> Any:
        """Pointer to the first element of the array argument at ``position``."""
        array = self.context.make_array(self.signature.args[position])
        return array(self.context, self.builder, args[position]).data

    def lane(self, pointer: Any, row: Any, chunk: int) -> Any:
        """Pointer to one chunk of a row."""
        b = self.builder
        stride = ir.Constant(_I64, self.chunks * LANES)
        offset = b.add(b.mul(row, stride), ir.Constant(_I64, chunk * LANES))
        return b.bitcast(b.gep(pointer, [offset]), _VECTOR.as_pointer())

    def load(self, pointer: Any, row: Any, chunk: int) -> Any:
        """Load one chunk of a row."""
        return self.builder.load(self.lane(pointer, row, chunk), align=8)

    def store(self, value: Any, pointer: Any, row: Any, chunk: int) -> None:
        """Store one chunk of a row."""
        self.builder.store(value, self.lane(pointer, row, chunk), align=8)

    def member(self, position: int, args: Any, k: int) -> Any:
        """Pointer to the first element of the array that is member ``k`` of a tuple argument."""
        value = self.builder.extract_value(args[position], k)
        return self.context.make_array(self.signature.args[position].types[k])(self.context, self.builder, value).data

    def gather(self, start: list[Any], src: Any, position: int, args: Any) -> list[Any]:
        """Add ``value[k] * src[index[k], :]`` for k0 <= k < k1; the argument is (index, value, k0, k1)."""
        b = self.builder
        index, value = self.member(position, args, 0), self.member(position, args, 1)
        first, last = b.extract_value(args[position], 2), b.extract_value(args[position], 3)
        sums = [cgutils.alloca_once(b, _VECTOR) for _ in range(self.chunks)]
        for slot, begin in zip(sums, start, strict=True):
            b.store(begin, slot)
        with cgutils.for_range_slice(b, first, last, ir.Constant(_I64, 1), _I64) as (k, _):
            source = b.load(b.gep(index, [k]))
            weight = _splat(b, b.load(b.gep(value, [k])))
            for c, slot in enumerate(sums):
                term = b.fmul(weight, self.load(src, source, c), flags=_FUSE)
                b.store(b.fadd(b.load(slot), term, flags=_FUSE), slot)
        return [b.load(slot) for slot in sums]


def _check(lanes: Any) -> bool:
    return isinstance(lanes, types.UniTuple)


def _row_combine(typingctx: Any, lanes: Any, dst: Any, i: Any, scale: Any, entries: Any) -> Any:
    """Replace ``dst[i, :]`` by ``scale * dst[i, :] + sum_k value[k] * dst[index[k], :]``.

    ``entries`` is (index, value, k0, k1), here and in the other row operations.
    """
    if not _check(lanes):
        return None
    signature = types.void(lanes, dst, types.intp, types.float64, entries)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature)
        p, factor = rows.data(1, args), _splat(builder, args[3])
        chunks = range(rows.chunks)
        start = [builder.fmul(factor, rows.load(p, args[2], c), flags=_FUSE) for c in chunks]
        sums = rows.gather(start, p, 4, args)
        for c in chunks:
            rows.store(sums[c], p, args[2], c)
        return context.get_dummy_value()

    return signature, codegen


def _row_rhs(typingctx: Any, lanes: Any, dst: Any, i: Any, memory: Any, entries: Any) -> Any:
    """Form ``dst[i, :] = a[i, :] - s[i, :] + sum_k value[k] * dst[index[k], :]``, ``memory`` being (a, s)."""
    if not _check(lanes):
        return None
    signature = types.void(lanes, dst, types.intp, memory, entries)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature)
        p, a, s = rows.data(1, args), rows.member(3, args, 0), rows.member(3, args, 1)
        chunks = range(rows.chunks)
        start = [builder.fsub(rows.load(a, args[2], c), rows.load(s, args[2], c)) for c in chunks]
        sums = rows.gather(start, p, 4, args)
        for c in chunks:
            rows.store(sums[c], p, args[2], c)
        return context.get_dummy_value()

    return signature, codegen


def _row_advance(typingctx: Any, lanes: Any, i: Any, arrays: Any, factors: Any, entries: Any) -> Any:
    """Advance row i of (u, a, s) by one step, given mean velocities w: m = extra_i + sum_k value[k] w[index[k]].

    ``arrays`` is (u, a, s, w, extra, sponge), ``factors`` (dt, gamma, dt / kappa, 4 / dt):
    s += (dt/kappa) (a - s - gamma m), a = sponge (4/dt m - a), u += dt w.
    """
    if not _check(lanes):
        return None
    signature = types.void(lanes, types.intp, arrays, factors, entries)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows, row, b = _Rows(context, builder, signature), args[1], builder
        u, a, s, w, extra, sponge = (rows.member(2, args, k) for k in range(6))
        dt, gamma, gain, four = (_splat(b, b.extract_value(args[3], k)) for k in range(4))
        chunks = range(rows.chunks)
        mass = rows.gather([rows.load(extra, row, c) for c in chunks], w, 4, args)
        for c in chunks:
            old_a, old_s, m = rows.load(a, row, c), rows.load(s, row, c), mass[c]
            rest = b.fsub(b.fsub(old_a, old_s), b.fmul(gamma, m, flags=_FUSE), flags=_FUSE)
            rows.store(b.fadd(old_s, b.fmul(gain, rest, flags=_FUSE), flags=_FUSE), s, row, c)
            new_a = b.fsub(b.fmul(four, m, flags=_FUSE), old_a, flags=_FUSE)
            rows.store(b.fmul(new_a, rows.load(sponge, row, c)), a, row, c)
            step = b.fmul(dt, rows.load(w, row, c), flags=_FUSE)
            rows.store(b.fadd(rows.load(u, row, c), step, flags=_FUSE), u, row, c)
        return context.get_dummy_value()

    return signature, codegen


# compiled code calls these without the typing context, which static checkers cannot know
row_combine: Any = intrinsic(_row_combine)
row_rhs: Any = intrinsic(_row_rhs)
row_advance: Any = intrinsic(_row_advance)
