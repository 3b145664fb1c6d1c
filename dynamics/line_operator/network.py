r"""One period of the infinite line as a network: exact bays between stations, and what is attached there.

A bay of a wire runs from one dropper, support, clamp or mass to the next. Between them a wire under tension with
bending stiffness is solved in closed form (`kernel`), so that no mesh enters. A bay's tension changes, uniformly over
the bay, as its ends move along the track and its heights change; the bay's inertia along the track sits at its ends, as
in `catenary.linearised.cell`. In the contact wire only the heights of a bay's ends count, along the chord between them,
so that its tension, too, acts at stations (docs/theory/line-operator.md).

Legend: dofs are heights, slopes and positions along the track of stations, the support's first (the interface), then
along the track; the next period's interface is numbered behind the own dofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.geometry import CONTACT
from catenary.layout.mesh import X, Y, Z
from dynamics.line_operator.condensed.bays import bays_of
from dynamics.line_operator.condensed.order import NetworkOrder, envelope, network_order
from dynamics.line_operator.condensed.parts import Bays, Damping, Points, Ports
from dynamics.line_operator.condensed.points import points_of

__all__ = ["BareWire", "LineNetwork", "line_network", "station_nodes"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]
Ints = NDArray[np.int64]

BareWire: TypeAlias = tuple[tuple[float, float, float], float, float]
"""Tension, bending stiffness and mass per length of the contact wire; alpha, beta."""


@dataclass(frozen=True)
class LineNetwork:
    """One period of the line.

    Attributes
    ----------
    bays, points : Bays, Points
    n, ni : int
        Number of dofs, and of those of the interface.
    first : int array (dof,)
        First dof to the right of the interface that a row of the matrix reaches.
    stations, station_dof : array (station,)
        Places along the contact wire that carry anything [m] and their height dofs, the support's first.
    support_dof : int array (support,)
        Height dofs of the contact wire at supports.
    wire : tuple of float
        Tension [N], bending stiffness [N m^2] and mass per length [kg/m] of the contact wire.
    damping : Damping
    period : float
        [m].
    """

    bays: Bays
    points: Points
    n: int
    ni: int
    first: Ints
    stations: Floats
    station_dof: Ints
    support_dof: Ints
    wire: tuple[float, float, float]
    damping: Damping
    period: float

    @property
    def ports(self) -> Ports:
        """What acts on the stations."""
        height, bays, points = self.station_dof, self.bays, self.points
        support = np.argmax(self.support_dof[:, None] == height, axis=1)
        onward = np.argmax(bays.dof[:, 0] == height[:, None], axis=1)
        side, skew = np.zeros(0, np.int64), np.zeros(len(height))
        if len(bays.side):
            side = np.ascontiguousarray(bays.side[onward, 0])
            skew[np.argmax(points.arm[:, :1] == height, axis=1)] = points.skew
        onward = onward[bays.along[onward, 0] >= 0]
        return Ports(
            points.stiffness[height],
            points.mass[height],
            points.drag[height],
            height,
            np.ascontiguousarray(bays.along[onward, 0]),
            points.upright,
            points.bottom,
            points.top,
            self.station_of,
            1.0 / bays.compliance[onward],
            np.ascontiguousarray(bays.slope[onward]),
            support,
            side,
            skew,
            points.loose,
            points.axis,
            points.aside,
            points.mixed,
            bays.veer[onward],
            bays.turn[onward],
        )

    @property
    def station_of(self) -> Ints:
        """Numbers of the stations from which droppers rise (dropper,)."""
        return np.argmax(self.points.bottom[:, None] == self.station_dof, axis=1)

    @property
    def passed(self) -> Floats:
        """Places along the track at which a pantograph passes the droppers (dropper,) [m]."""
        return self.stations[self.station_of]

    @property
    def way(self) -> Floats:
        """1 of a dropper in tension at rest, whose spring slackens; -1 of one that hangs loose and draws taut."""
        return 1.0 - 2.0 * self.points.loose

    @property
    def bare(self) -> BareWire:
        """The contact wire and its damping, without all that carries it."""
        return self.wire, self.damping.alpha, self.damping.beta

    def arguments(self, T: float) -> tuple[tuple[Bays, Points, Ints], tuple[int, float, Damping]]:
        """What the compiled answers are given, where the train passes a period in T [s]."""
        return (self.bays, self.points, self.first), (self.ni, T, self.damping)


def line_network(eq: Equilibrium, order: NetworkOrder | None = None) -> LineNetwork:
    """Condense a period at rest to its network; ``order`` is that of a mesh with the same dofs."""
    spec, mesh, order = eq.spec, eq.mesh, order or network_order(eq)
    bare = _bare_wire(eq)
    bays = bays_of(eq, order, bare)
    points = points_of(eq, bays, order)
    nodes, wire = station_nodes(eq, order), spec.damping.of("contact_wire")
    return LineNetwork(
        bays,
        points,
        order.n,
        order.ni,
        envelope(bays, points, order.n, order.ni),
        np.ascontiguousarray(eq.q[nodes, X]),
        np.ascontiguousarray(order.dof_of[mesh.dof[nodes, Z]]),
        order.dof_of[mesh.dof[mesh.support_contact, Z]],
        bare,
        Damping(wire.alpha, wire.beta, spec.damping.of("droppers").beta, spec.damping.of("steady_arms").beta),
        float(mesh.layout.length),
    )


def station_nodes(eq: Equilibrium, order: NetworkOrder) -> Ints:
    """Nodes of the stations, along the contact wire (station,)."""
    nodes = np.unique(order.ends[eq.mesh.group_wire == CONTACT])
    return np.asarray(nodes[np.argsort(eq.mesh.node_x[nodes])])


def _bare_wire(eq: Equilibrium) -> tuple[float, float, float]:
    """Tension, bending stiffness and mass per length along the track of the contact wire without its droppers.

    It goes straight from support to support, and aside by its stagger: a tension of other than the bays' own by 5e-5
    leaves waves of the bare wire in the line's answers, some 1 % of them.
    """
    wire, mesh = eq.spec.contact_wire.together, eq.mesh
    turned = mesh.elem_mirror[mesh.elem_wire == CONTACT].min()
    aside = eq.q[mesh.support_contact, Y]
    ways = np.asarray(np.diff(np.append(aside, turned * aside[0])), dtype=np.float64)
    spans = np.diff(mesh.layout.supports)
    longer = float(np.sqrt(1.0 + (ways**2 / spans).sum() / spans.sum()))
    mass = wire.mass_per_length / (1.0 + wire.tension / wire.axial_stiffness)
    return wire.tension / longer, wire.bending_stiffness, mass * longer
