"""Exceptions that end a command in a sentence: input that cannot be used, and a file that cannot be written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["InputError", "WriteError", "sentences_of"]


def sentences_of(error: ValidationError) -> list[str]:
    """Sentences of input that a Spec refused, one per problem, without the place of the key."""
    return [str(e.get("ctx", {}).get("error", e["msg"])) for e in error.errors(include_url=False)]


class InputError(ValueError):
    """Input that cannot be used.

    Attributes
    ----------
    problems : list of str
        One sentence per problem: what must be what, what it is, with its unit, where, and what to do.
    outcome : str
        What became of the files.
    """

    problems: list[str]
    outcome = "nothing was written"

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[list[str]]]:
        return type(self), (self.problems,)  # survives the way back from a worker process


class WriteError(OSError):
    """A file that could not be written: the disk is full, or the folder may not be written to.

    Carries the reason of the system and the path of the file that was wanted, not that of a temporary one.
    """
