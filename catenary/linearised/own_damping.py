"""Rayleigh factors of what a line is made of, component by component."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.geometry import CONTACT, MESSENGER, STITCH

__all__ = ["WIRES", "wire_factors"]

WIRES = {"contact_wire": CONTACT, "messenger_wire": MESSENGER, "stitch": STITCH}


def wire_factors(eq: Equilibrium) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Alpha [1/s] and beta [s] of the wire that each element of a mesh is part of, each float array (elem,)."""
    wire, damping = eq.mesh.elem_wire, eq.spec.damping
    alpha, beta = np.full(len(wire), damping.alpha), np.full(len(wire), damping.beta)
    for name, number in WIRES.items():
        own = damping.of(name)
        alpha[wire == number], beta[wire == number] = own.alpha, own.beta
    return alpha, beta
