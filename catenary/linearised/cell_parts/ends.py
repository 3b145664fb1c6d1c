"""Wires of a cell that run on into the next, and the impedances that absorb their waves at a window's end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.mesh import X, Y, Z
from catenary.spec.components import WireSpec
from catenary.spec.parts.auxiliary import AuxiliarySpec

__all__ = ["wire_ends"]


def wire_ends(eq: Equilibrium, dof_of: NDArray[np.int64]) -> tuple[tuple[int, float], ...]:
    """Interface dofs of wires that run on, heights and along the track first, each with its impedance [N s/m]."""
    mesh, spec = eq.mesh, eq.spec
    wires: list[tuple[NDArray[np.int64], WireSpec | AuxiliarySpec]] = [
        (mesh.support_contact, spec.contact_wire.together),
        (mesh.support_messenger, spec.messenger_wire.together),
    ]
    if spec.auxiliary_wire is not None:
        wires.append((mesh.support_auxiliary, spec.auxiliary_wire))
    ends = []
    for nodes, wire in wires:
        z, x = dof_of[mesh.dof[nodes[0], [Z, X]]]
        ends.append((int(z), float(np.sqrt(wire.tension * wire.mass_per_length))))
        ends.append((int(x), float(np.sqrt(wire.axial_stiffness * wire.mass_per_length))))
    if mesh.spatial:
        wire = spec.contact_wire.together
        side = int(dof_of[mesh.dof[mesh.support_contact[0], Y]])
        ends.append((side, float(np.sqrt(wire.tension * wire.mass_per_length))))
    return tuple(ends)
