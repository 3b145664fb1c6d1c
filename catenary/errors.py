"""The one exception for input that cannot be used: every problem at once, one sentence each."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["InputError"]


class InputError(ValueError):
    """Input that cannot be used.

    Attributes
    ----------
    problems : list of str
        One sentence per problem: what must be what, what it is, with its unit, where, and what to do.
    """

    problems: list[str]

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[list[str]]]:
        return type(self), (self.problems,)  # survives the way back from a worker process
