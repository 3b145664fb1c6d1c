"""Operations whose machine code is written here, for compiled kernels: what their authors and numba call things."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from numba.core.typing.templates import Signature
from numba.extending import intrinsic

__all__ = ["FUSE", "Arguments", "Builder", "Emitter", "NumbaType", "Value", "operation"]

NumbaType: TypeAlias = Any
"""Type of an argument as numba infers it, an array, a tuple or a number; what it is asked for differs by kind."""
Builder: TypeAlias = Any
"""LLVM's builder of instructions, whose methods are made by decorators that no static checker sees through."""
Value: TypeAlias = Any
"""A number, a vector or a pointer in LLVM's code, as the builder gives it."""
Emitter: TypeAlias = tuple[Signature, Callable[..., Value]]
"""What an operation gives numba: the types of its arguments, and what emits its code."""
Arguments: TypeAlias = Sequence[Value]
"""Arguments of an operation as LLVM values, in the order of its signature."""
FUSE = ("contract",)
"""What LLVM may do with a product that is added: round once."""


def operation(emit: Callable[..., Emitter | None]) -> Callable[..., None]:
    """Let compiled code call an operation, which it does without the typing context."""
    return intrinsic(emit)
