"""A line with ice on its wires, whose droppers were cut without it."""

from __future__ import annotations

from collections.abc import Callable

from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.form_finding.rest_state import Equilibrium, EquilibriumStatus
from catenary.spec.line import CatenarySpec

__all__ = ["iced"]


def iced(spec: CatenarySpec, find: Callable[[CatenarySpec], Equilibrium]) -> Equilibrium:
    """Find a line under its ice; ``find`` finds one without.

    The equilibrium has the heavier wires and the lengths of the droppers in its spec. Where the line without ice does
    not come about, or one of its droppers is slack, that is the answer.
    """
    assert spec.ice is not None
    bare = find(spec.model_copy(update={"ice": None}))
    if bare.status is not EquilibriumStatus.OK or (bare.dropper_force < 0.0).any():
        return bare
    cut = prescribed_by_lengths(bare)
    wires = {name: getattr(cut, name) for name in spec.ice.loads}
    heavier = {
        name: wire.model_copy(update={"mass_per_length": wire.mass_per_length + spec.ice.loads[name]})
        for name, wire in wires.items()
    }
    return find(cut.model_copy(update=heavier))
