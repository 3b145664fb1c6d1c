"""List the lines of the library: what each is, its data, the sources of its values, and its file.

catenary lines re330          this one alone
"""

from __future__ import annotations

from catenary.storage.configuration import group_options
from studies.input.compose import Composed
from studies.jobs.simulation import NoJob

__all__ = ["JOB", "compose", "own_words", "run"]

JOB = NoJob


def own_words() -> tuple[str, ...]:
    """Names of lines, which a shell completes."""
    return tuple(group_options("catenary"))


def compose(overrides: list[str]) -> Composed[NoJob]:
    """Take names of lines; refuse what the library does not have."""
    from studies.writing.library_table import refuse_other_names

    refuse_other_names("catenary", overrides)
    return Composed(NoJob(), tuple(overrides))


def run(composed: Composed[NoJob]) -> int:
    """Print every line, or those that are named."""
    from studies.writing.library_table import line_table

    print("\n".join(line_table(composed.overrides)))
    return 0
