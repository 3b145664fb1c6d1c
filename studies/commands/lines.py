"""List the lines of the library: what each is, its data, the sources of its values, and its file."""

from __future__ import annotations

from catenary.errors import InputError
from studies.input.compose import Composed
from studies.jobs.simulation import NoJob

__all__ = ["JOB", "compose", "run"]

JOB = NoJob


def compose(overrides: list[str]) -> Composed[NoJob]:
    """Refuse any input."""
    if overrides:
        raise InputError([f"lines takes no input: got {' '.join(overrides)}"])
    return Composed(NoJob(), ())


def run(composed: Composed[NoJob]) -> int:
    """Print every line."""
    from studies.writing.library_table import line_table

    del composed
    print("\n".join(line_table()))
    return 0
