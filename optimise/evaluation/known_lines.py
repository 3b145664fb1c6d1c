"""Lines at rest that a worker has formed before: points of one study have few that differ in more than damping."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from catenary.form_finding.equilibrium import Equilibrium, periodic_equilibrium
from catenary.linearised.cell import VerticalCell, vertical_cell
from catenary.spec.line import CatenarySpec

__all__ = ["cell_of", "equilibrium_of"]

# lines that are kept: a batch holds fewer that differ in more than damping and contact
LINES = 64


def equilibrium_of(line: CatenarySpec) -> Equilibrium:
    """Form-finding once for all lines that differ in damping alone, which does nothing at rest."""
    return replace(_found(_Line(line)), spec=line)


def cell_of(equilibrium: Equilibrium) -> VerticalCell:
    """The line's span cell, whose masses and stiffnesses damping does not change either."""
    return replace(_formed(_Line(equilibrium.spec)), equilibrium=equilibrium)


class _Line:
    """A line that compares by what sets its state at rest."""

    def __init__(self, line: CatenarySpec) -> None:
        self.line, self.text = line, line.model_dump_json(exclude={"damping", "provenance", "description"})

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Line) and other.text == self.text


@lru_cache(maxsize=LINES)
def _found(key: _Line) -> Equilibrium:
    return periodic_equilibrium(key.line)


@lru_cache(maxsize=LINES)
def _formed(key: _Line) -> VerticalCell:
    return vertical_cell(_found(key))
