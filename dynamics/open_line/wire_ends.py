"""What holds the wires' ends of an open line: spring and damper, weight or anchor, section by section."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.form_finding.first_guess import GRAVITY
from catenary.layout.mesh import X, Z
from catenary.spec.components import WireSpec
from catenary.spec.parts.auxiliary import AuxiliarySpec
from catenary.spec.tension_section import EndsSpec

__all__ = ["WireEnds", "wire_ends"]

PULLEY_RATIO = 3.0  # of a balance weight whose ratio nobody gives


class WireEnds(NamedTuple):
    """Dofs of the mesh at the wires' ends that move (end,), and mass [kg], damping [N s/m], stiffness [N/m] there."""

    free: NDArray[np.int64]
    mass: NDArray[np.float64]
    damping: NDArray[np.float64]
    stiffness: NDArray[np.float64]


def wire_ends(eq: Equilibrium, *, absorbing: bool) -> WireEnds:
    """Find what holds the ends of contact, messenger and auxiliary wire of every tension section.

    A weight over a pulley of ratio r hangs with T / r and moves r times as far as the wire: T r / g moves with the end
    (the wheel's own inertia is left out).

    Parameters
    ----------
    eq : Equilibrium
    absorbing : bool
        Whether ends move in height: sqrt(T rho), and T / L of one more span to a fixed point.
    """
    spec, mesh, layout = eq.spec, eq.mesh, eq.mesh.layout
    given = () if spec.section is None else spec.section.tension_sections
    devices = [each.ends for each in given] or [EndsSpec()]
    rows: list[tuple[int, tuple[float, float, float]]] = []
    heights: list[tuple[int, tuple[float, float, float]]] = []
    sections = zip(mesh.wire_ends, devices, layout.sections_or_one, eq.section_specs, strict=True)
    for nodes, device, (first, last), pulled in sections:
        own = [pulled.contact_wire.together, pulled.messenger_wire.together]
        wires = [wire for wire in (*own, pulled.auxiliary_wire) if wire is not None for _ in range(2)]
        at = layout.supports
        spans = (at[first + 1] - at[first], at[last] - at[last - 1])
        for node, wire, span in zip(nodes, wires, len(wires) // 2 * spans, strict=True):
            if device.kind != "fixed":
                rows.append((int(mesh.dof[node, X]), _along(device, wire)))
            if absorbing:
                lateral = float(np.sqrt(wire.tension * wire.mass_per_length))
                heights.append((int(mesh.dof[node, Z]), (0.0, lateral, wire.tension / span)))
    dof, values = [d for d, _ in rows + heights], [v for _, v in rows + heights]
    table = np.array(values).reshape(-1, 3)
    return WireEnds(np.array(dof, dtype=np.int64), *np.ascontiguousarray(table.T))


def _along(device: EndsSpec, wire: WireSpec | AuxiliarySpec) -> tuple[float, float, float]:
    """Mass, damping and stiffness of a device along the track."""
    if device.kind == "weight":
        return wire.tension * (device.ratio or PULLEY_RATIO) / GRAVITY, 0.0, 0.0
    matched = float(np.sqrt(wire.axial_stiffness * wire.mass_per_length))
    return 0.0, matched if device.damping is None else device.damping, device.stiffness or 0.0
