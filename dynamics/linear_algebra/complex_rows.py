"""Row operations for compiled kernels on complex matrices, kept in vector registers.

Real and imaginary parts are apart, each an array (row, column) whose rows are whole chunks of CHUNK numbers long
(`padded`). Numba cannot prove that two rows of one array do not overlap, and guards each loop over them; these
operations state it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.typing.context import Context as TypingContext
from numba.core.typing.templates import Signature

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.intrinsics import FUSE, Arguments, Builder, Emitter, NumbaType, Value, operation

__all__ = ["CHUNK", "padded", "row_less_rows", "rows_less_row"]

CHUNK = 8
BLOCKS = (4, 2, 1)  # chunks of a row that are kept in registers together, as many as are left
_I64 = ir.IntType(64)
_VECTOR = ir.VectorType(ir.DoubleType(), CHUNK)
Pair = list[Value]
"""Real and imaginary part of a chunk, or of a number in all of its lanes."""


@kernel(error_model="numpy", nogil=True)
def padded(columns: int) -> int:
    """Whole chunks that so many columns take, in columns."""
    return (columns + CHUNK - 1) // CHUNK * CHUNK


class _Emit:
    """Emits loads and stores of chunks of rows, and products with numbers."""

    def __init__(self, context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> None:
        self.builder = b = builder
        arrays = [context.make_array(signature.args[k])(context, builder, args[k]) for k in range(3)]
        self.parts, self.factors = [array.data for array in arrays[:2]], arrays[2].data
        self.wide = b.extract_value(arrays[0].shape, 1)
        # rows may be the first columns of longer ones
        self.apart = b.udiv(b.extract_value(arrays[0].strides, 0), ir.Constant(_I64, 8))

    def _chunk(self, part: int, row: Value, column: Value, ahead: int) -> Value:
        b = self.builder
        at = b.add(b.add(b.mul(row, self.apart), column), ir.Constant(_I64, CHUNK * ahead))
        return b.bitcast(b.gep(self.parts[part], [at]), _VECTOR.as_pointer())

    def load(self, row: Value, column: Value, ahead: int) -> Pair:
        return [self.builder.load(self._chunk(part, row, column, ahead), align=8) for part in (0, 1)]

    def blocks(self) -> Iterator[tuple[Value, int]]:
        """Emit what stands in a loop over this into loops over a row: first column, and number of chunks."""
        b, begin = self.builder, ir.Constant(_I64, 0)
        for count in BLOCKS:
            end = b.and_(self.wide, ir.Constant(_I64, -count * CHUNK))
            with cgutils.for_range_slice(b, begin, end, ir.Constant(_I64, count * CHUNK), _I64) as (column, _):
                yield column, count
            begin = end

    def terms(self, args: Arguments) -> Iterator[tuple[Value, Pair]]:
        """Emit what stands in a loop over this into a loop over the other rows: row, and factor."""
        b, (entry, _, first, last) = self.builder, args[3:]
        with cgutils.for_range_slice(b, first, last, ir.Constant(_I64, 1), _I64) as (other, _):
            yield other, self.factor(b.add(entry, b.sub(other, first)))

    def store(self, value: Pair, row: Value, column: Value, ahead: int) -> None:
        for part in (0, 1):
            self.builder.store(value[part], self._chunk(part, row, column, ahead), align=8)

    def factor(self, entry: Value) -> Pair:
        """Load a factor into all lanes."""
        b, mask = self.builder, ir.Constant(ir.VectorType(ir.IntType(32), CHUNK), [0] * CHUNK)
        pair, none = b.gep(self.factors, [entry]), ir.Constant(_VECTOR, ir.Undefined)
        found = []
        for part in (0, 1):
            number = b.load(b.gep(pair, [ir.Constant(ir.IntType(32), 0), ir.Constant(ir.IntType(32), part)]))
            one = b.insert_element(none, number, ir.Constant(ir.IntType(32), 0))
            found.append(b.shuffle_vector(one, none, mask))
        return found

    def less(self, total: Pair, x: Pair, y: Pair) -> Pair:
        """Form total - x y."""
        b = self.builder

        def product(p: Value, q: Value) -> Value:
            return b.fmul(p, q, flags=FUSE)

        re = b.fsub(total[0], product(x[0], y[0]), flags=FUSE)
        im = b.fsub(total[1], product(x[0], y[1]), flags=FUSE)
        return [b.fadd(re, product(x[1], y[1]), flags=FUSE), b.fsub(im, product(x[1], y[0]), flags=FUSE)]

    def kept(self, value: Pair) -> Pair:
        """Slots, which become registers, that hold a value."""
        slots = [cgutils.alloca_once(self.builder, _VECTOR) for _ in value]
        self.keep(value, slots)
        return slots

    def keep(self, value: Pair, slots: Pair) -> None:
        for one, slot in zip(value, slots, strict=True):
            self.builder.store(one, slot)

    def of(self, slots: Pair) -> Pair:
        return [self.builder.load(slot) for slot in slots]


def _on_rows(emit: Callable[[_Emit, Arguments, Value, int], None]) -> Callable[..., None]:
    """Make an operation on rows of B = Br + i Bi of what emits it for some chunks of theirs, from a column on.

    Compiled code gives it Br, Bi, factors (any shape, complex), the number of the first factor, row i, and the other
    rows, from ``first`` to ``last``, with a factor each.
    """

    def typed(
        typingctx: TypingContext,
        Br: NumbaType,
        Bi: NumbaType,
        factors: NumbaType,
        entry: NumbaType,
        i: NumbaType,
        first: NumbaType,
        last: NumbaType,
    ) -> Emitter:
        def codegen(context: BaseContext, builder: Builder, signature: Signature, args: Arguments) -> Value:
            rows = _Emit(context, builder, signature, args)
            for column, count in rows.blocks():
                emit(rows, args, column, count)
            return context.get_dummy_value()

        return types.void(Br, Bi, factors, types.intp, types.intp, types.intp, types.intp), codegen

    return operation(typed)


def _row_less_rows(rows: _Emit, args: Arguments, column: Value, count: int) -> None:
    """Subtract from row i the others times their factors."""
    slots = [rows.kept(rows.load(args[4], column, k)) for k in range(count)]
    for other, factor in rows.terms(args):
        for k, slot in enumerate(slots):
            rows.keep(rows.less(rows.of(slot), factor, rows.load(other, column, k)), slot)
    for k, slot in enumerate(slots):
        rows.store(rows.of(slot), args[4], column, k)


def _rows_less_row(rows: _Emit, args: Arguments, column: Value, count: int) -> None:
    """Subtract from the others row i times their factors."""
    own = [rows.load(args[4], column, k) for k in range(count)]
    for other, factor in rows.terms(args):
        for k, chunk in enumerate(own):
            rows.store(rows.less(rows.load(other, column, k), factor, chunk), other, column, k)


row_less_rows = _on_rows(_row_less_rows)
rows_less_row = _on_rows(_rows_less_row)
