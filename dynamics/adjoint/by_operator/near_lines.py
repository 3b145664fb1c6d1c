"""Lines a small step away from one that was solved, by the numbers that a figure changes with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.form_finding.neighbours import same_but_droppers
from catenary.layout.mesh import X
from catenary.linearised.contact_wire import heights_near
from dynamics.adjoint.by_operator.network_slopes import NetworkSlopes
from dynamics.line_operator.condensed.bays import bays_of
from dynamics.line_operator.condensed.order import NetworkOrder, network_order
from dynamics.line_operator.condensed.parts import Bays, Points
from dynamics.line_operator.condensed.points import points_of
from dynamics.line_operator.contact import harmonics_of
from dynamics.line_operator.network import LineNetwork, line_network, station_nodes

__all__ = ["NearLine", "NearLines", "numbers_of", "slopes_by_numbers"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

ATTACHED = (
    "mass", "drag", "stiffness", "held", "dashpot", "dropper", "upright", "sway", "axis", "mixed", "across", "skew",
)  # fmt: skip
# arrays of a line at rest of which its network is made
AT_REST = (
    "q", "elem_l0", "dropper_force", "dropper_gap", "dropper_length", "steady_arm_force", "steady_arm_side_force",
)  # fmt: skip


@dataclass(frozen=True)
class NearLine:
    """A line next to one that was solved.

    Attributes
    ----------
    equilibrium : Equilibrium
    order : NetworkOrder
        Of its mesh.
    numbers : float array (number,)
        All numbers of its network, see `numbers_of`.
    static : complex array (harmonic,)
        Of the contact wire's height at rest [m].
    like : LineNetwork or None
        A network whose bare wire and damping are the line's own, too.
    """

    equilibrium: Equilibrium
    order: NetworkOrder
    numbers: Floats
    static: Complexes
    like: LineNetwork | None

    @property
    def period(self) -> float:
        """[m]."""
        return float(self.equilibrium.mesh.layout.length)

    @cached_property
    def network(self) -> LineNetwork:
        """The line's own network."""
        return line_network(self.equilibrium, self.order)


def numbers_of(bays: Bays, points: Points, stations: Floats) -> Floats:
    """All numbers of networks: of bays, of what is attached, and the stations' places (..., number).

    Each number may be that of many lines (line, ...), or of one.
    """
    many = stations.shape[:-1]
    of_waves = bays.length, bays.tension, bays.bending, bays.mass
    of_bays = *of_waves, bays.curvature, bays.slope[..., 0], bays.slope[..., 1], bays.compliance, bays.veer
    table = np.stack([np.broadcast_to(x, (*many, x.shape[-1])) for x in of_bays], axis=-1)
    attached = []
    for name in ATTACHED:
        x = getattr(points, name)
        attached.append(x.reshape(*x.shape[: -2 if name == "axis" else -1], -1))
    flat = [table.reshape(*many, -1), *attached, stations]
    return np.concatenate([np.broadcast_to(x, (*many, x.shape[-1])) for x in flat], axis=-1)


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
    network : LineNetwork
        Its network.
    harmonics : int
        Of the height at rest.
    near : sequence of Equilibrium
        Lines that are formed in one pass, where their droppers' places, heights and lengths alone are others.
    """

    def __init__(
        self, equilibrium: Equilibrium, network: LineNetwork, harmonics: int, near: Sequence[Equilibrium] = ()
    ) -> None:
        self._own, self._network, self._harmonics = equilibrium, network, harmonics
        self._order = network_order(equilibrium)
        count, period = 16 * harmonics, equilibrium.mesh.layout.length
        self._heights = heights_near(equilibrium, np.arange(count, dtype=np.float64) * (period / count))
        self._known: dict[int, NearLine] = {}
        self._form([equilibrium, *(line for line in near if self._alike(line))])

    def of(self, equilibrium: Equilibrium) -> NearLine:
        """A line by its equilibrium, which stays, since its place in memory is its key."""
        if id(equilibrium) not in self._known:
            static = harmonics_of(self._heights(equilibrium), self._harmonics)
            network = line_network(equilibrium, self._order)
            numbers = numbers_of(network.bays, network.points, network.stations)
            self._known[id(equilibrium)] = NearLine(equilibrium, self._order, numbers, static, None)
        return self._known[id(equilibrium)]

    def _alike(self, line: Equilibrium) -> bool:
        """Whether a line differs by its droppers' places, heights and lengths alone."""
        own, mesh = self._own, line.mesh
        same = same_but_droppers(own.spec, line.spec) and mesh.elem_nodes is own.mesh.elem_nodes
        closed = (mesh.elem_shift, own.mesh.elem_shift), (mesh.elem_mirror, own.mesh.elem_mirror)
        return same and all(np.array_equal(a, b) for a, b in closed)

    def _form(self, lines: Sequence[Equilibrium]) -> None:
        """Form lines that are alike in one pass: each array has the lines in front (line, ...)."""
        each = {name: np.stack([getattr(line, name) for line in lines]) for name in AT_REST}
        all_lines = replace(self._own, **each)
        bays = bays_of(all_lines, self._order, self._network.wire)
        points = points_of(all_lines, bays, self._order)
        stations = all_lines.q[:, station_nodes(self._own, self._order), X]
        numbers = numbers_of(bays, points, stations)
        static = harmonics_of(self._heights(all_lines), self._harmonics)
        for k, line in enumerate(lines):
            self._known[id(line)] = NearLine(line, self._order, numbers[k], static[k], self._network)
