"""Errors that end a command in a sentence: unusable input, a file that cannot be written, memory that ends."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["InputError", "WriteError", "lacks_memory", "sentences_of"]

# messages of the system's linker and of Python when memory ends while a library loads or a thread starts
NO_MEMORY = ("cannot allocate memory", "failed to map segment", "can't start new thread")


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


def lacks_memory(error: BaseException) -> bool:
    """Whether an error is one of memory that the system does not give, which says nothing of what was asked for."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return isinstance(error, ImportError | RuntimeError | OSError) and any(s in str(error).lower() for s in NO_MEMORY)
