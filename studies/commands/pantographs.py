"""List the pantographs of the library: masses, springs and dampers of each, the sources of its values, and its file.

catenary pantographs dsa380   this one alone
"""

from __future__ import annotations

from catenary.storage.configuration import group_options
from studies.input.compose import Composed
from studies.jobs.simulation import NoJob

__all__ = ["JOB", "compose", "own_words", "run"]

JOB = NoJob


def own_words() -> tuple[str, ...]:
    """Names of pantographs, which a shell completes."""
    return tuple(group_options("pantograph"))


def compose(overrides: list[str]) -> Composed[NoJob]:
    """Take names of pantographs; refuse what the library does not have."""
    from studies.writing.library_table import refuse_other_names

    refuse_other_names("pantograph", overrides)
    return Composed(NoJob(), tuple(overrides))


def run(composed: Composed[NoJob]) -> int:
    """Print every pantograph, or those that are named."""
    from studies.writing.library_table import pantograph_table

    print("\n".join(pantograph_table(composed.overrides)))
    return 0
