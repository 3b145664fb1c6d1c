"""Products of blocks of six by six numbers with six rows of a vector, for compiled kernels, in vector registers.

Where rows are stored as scalars and read as vectors, or as vectors that begin elsewhere, a processor waits until the
store has reached its cache. Here all reads and writes of six rows are the same two vectors, four rows and two, and
what is multiplied by is read number by number. They run on any processor: LLVM splits vectors to what there is.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.core.typing.context import Context as TypingContext
from numba.core.typing.templates import Signature

from dynamics.linear_algebra.intrinsics import FUSE, Arguments, Builder, Emitter, NumbaType, Value, operation

__all__ = ["ROWS", "put_product", "read_ahead", "take_product"]

ROWS = 6
# first row and length of the vectors that six rows are read as
PIECES = ((0, 4), (4, 2))
# numbers in a line of the cache
LINE = 8
_I32, _I64, _DOUBLE = ir.IntType(32), ir.IntType(64), ir.DoubleType()


class _Emit:
    """Emits loads, stores and products of vectors of a few numbers."""

    def __init__(self, context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> None:
        self.context, self.builder, self.signature, self.args = context, builder, signature, args

    def number(self, position: int, at: Value) -> Value:
        """Pointer to a number of the array argument at ``position``, counted through all its axes."""
        array = self.context.make_array(self.signature.args[position])
        return self.builder.gep(array(self.context, self.builder, self.args[position]).data, [at])

    def beyond(self, pointer: Value, count: int) -> Value:
        """Pointer to a number so many further on."""
        return self.builder.gep(pointer, [ir.Constant(_I64, count)])

    def vector(self, pointer: Value, first: int, length: int) -> Value:
        """Pointer to a vector of numbers from the ``first`` one after a pointer."""
        return self.builder.bitcast(self.beyond(pointer, first), ir.VectorType(_DOUBLE, length).as_pointer())

    def product(self, A: Value, stride: Value, x: list[Value], first: int, length: int) -> tuple[Value, Value]:
        """Piece of A x in two sums side by side, so that one addition need not wait for the one before."""
        b, sums = self.builder, []
        kind, mask = ir.VectorType(_DOUBLE, length), ir.Constant(ir.VectorType(_I32, length), [0] * length)
        undefined = ir.Constant(kind, ir.Undefined)
        for k, number in enumerate(x):
            row = b.gep(A, [b.mul(stride, ir.Constant(_I64, k))])
            column = b.load(self.vector(row, first, length), align=8)
            splat = b.shuffle_vector(b.insert_element(undefined, number, ir.Constant(_I32, 0)), undefined, mask)
            term = b.fmul(column, splat, flags=FUSE)
            if k < 2:
                sums.append(term)
            else:
                sums[k % 2] = b.fadd(sums[k % 2], term, flags=FUSE)
        return sums[0], sums[1]


def _product(*, taken: bool) -> Callable[..., Emitter]:
    """Emit a block times six rows, ``taken`` off others or put in their place.

    The block is ``A.flat[at + k * stride + j]``, its rows ``x[known + k]``, what changes ``x[wanted + j]``, j and k up
    to 5; the rows known and wanted may be the same.
    """

    def emit(
        typingctx: TypingContext,
        A: NumbaType,
        at: NumbaType,
        stride: NumbaType,
        x: NumbaType,
        known: NumbaType,
        wanted: NumbaType,
    ) -> Emitter:
        def codegen(context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> Value:
            rows = _Emit(context, builder, signature, args)
            block, source, target = rows.number(0, args[1]), rows.number(3, args[4]), rows.number(3, args[5])
            numbers = [builder.load(rows.beyond(source, k)) for k in range(ROWS)]
            found = []
            for piece in PIECES:
                one, other = rows.product(block, args[2], numbers, *piece)
                if taken:
                    old = builder.load(rows.vector(target, *piece), align=8)
                    found.append(builder.fsub(builder.fsub(old, one, flags=FUSE), other, flags=FUSE))
                else:
                    found.append(builder.fadd(one, other, flags=FUSE))
            for value, piece in zip(found, PIECES, strict=True):
                builder.store(value, rows.vector(target, *piece), align=8)
            return context.get_dummy_value()

        return types.void(A, types.intp, types.intp, x, types.intp, types.intp), codegen

    return emit


def _read_ahead(typingctx: TypingContext, A: NumbaType, at: NumbaType) -> Emitter:
    """Ask for the numbers of a block from ``A.flat[at]`` on, which need not be there, before they are needed."""
    signature = types.void(A, types.intp)

    def codegen(context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> Value:
        first, byte = _Emit(context, builder, signature, args).number(0, args[1]), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _I32, _I32, _I32])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        # for reading, into all caches, of data
        hints = [ir.Constant(_I32, hint) for hint in (0, 3, 1)]
        for k in range(0, ROWS * ROWS, LINE):
            line = builder.bitcast(builder.gep(first, [ir.Constant(_I64, k)]), byte)
            builder.call(prefetch, [line, *hints])
        return context.get_dummy_value()

    return signature, codegen


take_product = operation(_product(taken=True))
put_product = operation(_product(taken=False))
read_ahead = operation(_read_ahead)
