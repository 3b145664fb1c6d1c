"""Tensions of wires that are fixed at both ends, at another temperature than that of stringing.

Supports do not move, so that what a wire was cut to grows by its thermal strain and must again fit between them: its
unstretched length L0 (T) of the line in its new shape, found for trial tensions T, is L0 strung x (1 + strain). Newton,
its slopes from differences between trials (Broyden).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.joined import joined
from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.form_finding.rest_state import Equilibrium, EquilibriumStatus
from catenary.layout.key_points import AUXILIARY, CONTACT, MESSENGER
from catenary.spec.line import CatenarySpec
from catenary.spec.surroundings.temperature import FixedWire, TemperatureSpec

__all__ = ["at_temperature"]

Floats = NDArray[np.float64]
BLOCKS: dict[FixedWire, tuple[int, str]] = {
    "contact": (CONTACT, "contact_wire"),
    "messenger": (MESSENGER, "messenger_wire"),
    "auxiliary": (AUXILIARY, "auxiliary_wire"),
}
TRIALS = 30
CLOSE = 1.0e-4  # N: tensions are found to about this
LEAST = 0.2  # share of a tension that one trial may fall to


def at_temperature(spec: CatenarySpec, find: Callable[[CatenarySpec], Equilibrium]) -> Equilibrium:
    """Find a line whose fixed wires have their temperature; ``find`` finds one at given tensions.

    The equilibrium has the tensions and cut lengths in its spec. Tension sections share no wire, so that each has its
    own tensions, in the specs of ``parts``: the line's spec has cut lengths, tensions as strung and the temperature,
    and leads to the same line again. Where the line as strung does not come about, or one of its droppers would push,
    that is the answer; one that does not come about at its temperature has the status of the last trial.
    """
    now = spec.temperature
    assert now is not None
    strung = find(spec.model_copy(update={"temperature": None}))
    if strung.status is not EquilibriumStatus.OK or (strung.dropper_force < 0.0).any():
        return strung
    if not strung.parts:
        return _warmed(strung, now, find)
    own = spec.section.tension_sections if spec.section is not None else ()
    each = [_warmed(eq, now, find) if now.fixes(a) else eq for a, eq in zip(own, strung.parts, strict=True)]
    return joined(spec, each)


def _warmed(strung: Equilibrium, now: TemperatureSpec, find: Callable[[CatenarySpec], Equilibrium]) -> Equilibrium:
    """The same wires at their temperature; one whose tensions are not found has not converged."""
    spec = strung.spec
    wires = [BLOCKS[name] for name in now.wires(auxiliary=spec.auxiliary_wire is not None)]
    cut = prescribed_by_lengths(strung)
    wanted = _lengths(strung, wires) * (1.0 + now.strain)
    tension = np.array([getattr(spec, block).tension for _, block in wires])
    # of a wire that is all but straight: dL0 / dT = -L0 / EA
    slopes = np.diag([-w / getattr(spec, block).axial_stiffness for w, (_, block) in zip(wanted, wires, strict=True)])
    found, missing = strung, _lengths(strung, wires) - wanted
    for _ in range(TRIALS):
        step = np.linalg.solve(slopes, -missing)
        if np.abs(step).max() < CLOSE:
            return found
        moved = np.maximum(tension + step, LEAST * tension)
        found = find(_with_tensions(cut, wires, moved))
        if found.status is not EquilibriumStatus.OK:
            return found
        left = _lengths(found, wires) - wanted
        way = moved - tension
        slopes = slopes + np.outer(left - missing - slopes @ way, way) / (way @ way)
        tension, missing = moved, left
    return replace(found, status=EquilibriumStatus.NOT_CONVERGED)


def _lengths(eq: Equilibrium, wires: list[tuple[int, str]]) -> Floats:
    """Unstretched length of each wire, all that the layout has of it [m]."""
    return np.array([eq.elem_l0[eq.mesh.elem_wire == wire].sum() for wire, _ in wires])


def _with_tensions(spec: CatenarySpec, wires: list[tuple[int, str]], tension: Floats) -> CatenarySpec:
    """The same line with other tensions [N]."""
    changes = {
        block: getattr(spec, block).model_copy(update={"tension": float(value)})
        for (_, block), value in zip(wires, tension, strict=True)
    }
    return spec.model_copy(update=changes)
