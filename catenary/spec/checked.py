"""Input that may be used: validated as a whole, or refused with a sentence for every problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic import BaseModel

from catenary.errors import InputError
from catenary.spec.problems import Path, find_problems

__all__ = ["checked"]

SpecT = TypeVar("SpecT", bound=BaseModel)


def checked(
    spec: type[SpecT],
    data: dict[str, Any],
    reference: dict[str, Any],
    where: Callable[[Path], str] = lambda path: "",
    problems: Iterable[str] = (),
) -> SpecT:
    """Validated input, whichever way it came in.

    Parameters
    ----------
    spec, data, reference, where
        As in `find_problems`.
    problems : iterable of str
        What is known to be wrong already.

    Raises
    ------
    InputError
        With a sentence for every problem.
    """
    # a default stands in for a block that contradicts itself, as a value of conf does
    usual = {name: f.get_default(call_default_factory=True) for name, f in spec.model_fields.items()}
    blocks = {name: block.model_dump() for name, block in usual.items() if isinstance(block, BaseModel)}
    found = [*problems, *find_problems(spec, data, {**blocks, **reference}, where)]
    if found:
        raise InputError(found)
    return spec.model_validate(data)
