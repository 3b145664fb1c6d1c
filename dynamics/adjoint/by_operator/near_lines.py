"""Lines a small step away from one that was solved, by the numbers that a figure changes with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.contact_wire import heights_near
from dynamics.adjoint.by_operator.network_slopes import NetworkSlopes
from dynamics.line_operator.condensed.order import network_order
from dynamics.line_operator.contact import harmonics_of
from dynamics.line_operator.network import LineNetwork, line_network

__all__ = ["NearLine", "NearLines", "slopes_by_numbers"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

ATTACHED = (
    "mass", "drag", "stiffness", "held", "dashpot", "dropper", "upright", "sway", "axis", "mixed", "across", "skew",
)  # fmt: skip


@dataclass(frozen=True)
class NearLine:
    """A line next to one that was solved.

    Attributes
    ----------
    equilibrium : Equilibrium
    network : LineNetwork
    static : complex array (harmonic,)
        Of the contact wire's height at rest [m].
    """

    equilibrium: Equilibrium
    network: LineNetwork
    static: Complexes

    @cached_property
    def numbers(self) -> Floats:
        """All numbers of the network: of bays, of what is attached, and the stations' places (number,)."""
        bays, points = self.network.bays, self.network.points
        of_waves = bays.length, bays.tension, bays.bending, bays.mass
        of_bays = *of_waves, bays.curvature, *bays.slope.T, bays.compliance, bays.veer
        attached = [getattr(points, name).ravel() for name in ATTACHED]
        return np.concatenate([np.column_stack(of_bays).ravel(), *attached, self.network.stations])


def slopes_by_numbers(slopes: NetworkSlopes, figure: int, along: Floats) -> Floats:
    """Derivatives of a figure in the order of a line's numbers (number,); ``along`` are those by stations' places."""
    attached = [getattr(slopes, name)[figure].ravel() for name in ATTACHED]
    return np.concatenate([slopes.bay[figure].ravel(), *attached, along])


class NearLines:
    """Lines on the mesh of the one that was solved, each formed once for all figures.

    Parameters
    ----------
    equilibrium : Equilibrium
        The line that was solved.
    harmonics : int
        Of the height at rest.
    """

    def __init__(self, equilibrium: Equilibrium, harmonics: int) -> None:
        self._harmonics, self._order = harmonics, network_order(equilibrium)
        count, period = 16 * harmonics, equilibrium.mesh.layout.length
        self._heights = heights_near(equilibrium, np.arange(count, dtype=np.float64) * (period / count))
        self._known: dict[int, NearLine] = {}

    def of(self, equilibrium: Equilibrium) -> NearLine:
        """A line by its equilibrium, which stays, since its place in memory is its key."""
        if id(equilibrium) not in self._known:
            static = harmonics_of(self._heights(equilibrium), self._harmonics)
            self._known[id(equilibrium)] = NearLine(equilibrium, line_network(equilibrium, self._order), static)
        return self._known[id(equilibrium)]
