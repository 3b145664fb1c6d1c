"""List the pantographs of the library: masses, springs and dampers of each, the sources of its values, and its file."""

from __future__ import annotations

from catenary.errors import InputError
from studies.input.compose import Composed
from studies.jobs.simulation import NoJob

__all__ = ["JOB", "compose", "run"]

JOB = NoJob


def compose(overrides: list[str]) -> Composed[NoJob]:
    """Refuse any input."""
    if overrides:
        raise InputError([f"pantographs takes no input: got {' '.join(overrides)}"])
    return Composed(NoJob(), ())


def run(composed: Composed[NoJob]) -> int:
    """Print every pantograph."""
    from studies.writing.library_table import pantograph_table

    del composed
    print("\n".join(pantograph_table()))
    return 0
