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
# span cells of several spans that are kept, which take a hundred megabytes each, and the spans from which they do
LONG_CELLS, LONG = 2, 3
# of a line, what does nothing at rest
OF_NO_EFFECT = ("damping", "provenance", "description")


def equilibrium_of(line: CatenarySpec) -> Equilibrium:
    """Form-finding once for all lines that differ in damping alone, which does nothing at rest."""
    found = _found(_Line(line))
    # of a period with defects the spec names every dropper that is left
    return replace(found, spec=found.spec.model_copy(update={name: getattr(line, name) for name in OF_NO_EFFECT}))


def cell_of(equilibrium: Equilibrium) -> VerticalCell:
    """The line's span cell, whose masses and stiffnesses damping does not change either."""
    formed = _formed_long if equilibrium.spec.spans_of_a_period >= LONG else _formed
    return replace(formed(_Line(equilibrium.spec, equilibrium)), equilibrium=equilibrium)


class _Line:
    """A line that compares by what sets its state at rest, which may be known."""

    def __init__(self, line: CatenarySpec, hung: Equilibrium | None = None) -> None:
        self.line, self._hung = line, hung
        self.text = line.model_dump_json(exclude=set(OF_NO_EFFECT))

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Line) and other.text == self.text

    def cell(self) -> VerticalCell:
        """Linearise about the state at rest."""
        return vertical_cell(periodic_equilibrium(self.line) if self._hung is None else self._hung)


@lru_cache(maxsize=LINES)
def _found(key: _Line) -> Equilibrium:
    return periodic_equilibrium(key.line)


@lru_cache(maxsize=LINES)
def _formed(key: _Line) -> VerticalCell:
    return key.cell()


@lru_cache(maxsize=LONG_CELLS)
def _formed_long(key: _Line) -> VerticalCell:
    return key.cell()
