"""List contact wires, stranded wires and dropper ropes by name: mass, stiffness and strength, and their sources.

catenary wires "CuMg AC-120"  this one alone
A line's block names one, as contact_wire: {wire: CuMg AC-120, tension: 27.0e+3}.
"""

from __future__ import annotations

from catenary.wires.makes import MAKES
from studies.input.compose import Composed
from studies.jobs.simulation import NoJob

__all__ = ["JOB", "compose", "own_words", "run"]

JOB = NoJob


def own_words() -> tuple[str, ...]:
    """Names of wires, which a shell completes."""
    return tuple(MAKES)


def compose(overrides: list[str]) -> Composed[NoJob]:
    """Take names of wires; refuse what the library does not have."""
    from studies.writing.wire_table import refuse_other_wires

    refuse_other_wires(overrides)
    return Composed(NoJob(), tuple(overrides))


def run(composed: Composed[NoJob]) -> int:
    """Print every wire, or those that are named."""
    from studies.writing.wire_table import wire_table

    print("\n".join(wire_table(composed.overrides)))
    return 0
