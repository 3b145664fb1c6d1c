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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.elements.hermite import slopes_squared
from catenary.form_finding.equations import GRAVITY, wire_property
from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.geometry import CONTACT
from catenary.layout.mesh import DZ, X, Z
from catenary.linearised.attachments import dropper_stiffness, point_masses, steady_arm_stiffness

__all__ = ["Bays", "LineNetwork", "NetworkOrder", "Points", "Ports", "line_network", "network_order"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]
Ints = NDArray[np.int64]


class Bays(NamedTuple):
    """Bays of all wires.

    ``dof`` (bay, 4): height and slope at the left and at the right end; ``along`` (bay, 2): position of both along the
    track, -1 where the tension stays as it is; ``length`` [m], ``tension`` [N], ``bending`` stiffness [N m^2],
    ``mass`` [kg/m]; ``curvature`` [1/m] at rest, none in the contact wire, and end ``slope`` (bay, 2), ``compliance``
    l0 / EA [m/N].
    """

    dof: Ints
    along: Ints
    length: Floats
    tension: Floats
    bending: Floats
    mass: Floats
    curvature: Floats
    slope: Floats
    compliance: Floats


class Points(NamedTuple):
    """What is attached at stations.

    ``mass`` [kg] and ``stiffness`` [N/m] (dof,) to the ground, ``dashpot`` [N s/m] and ``held`` [N/m] (dof,) those of
    the messenger supports, which beta does not touch; ``bottom`` and ``top`` dofs of the droppers' heights, their
    ``dropper`` stiffness [N/m]; ``swaying`` (dropper, 2) dofs along the track of the same, -1 where there are none, and
    the stiffness ``sway`` [N/m] with which a dropper hangs straight.
    """

    mass: Floats
    stiffness: Floats
    held: Floats
    dashpot: Floats
    bottom: Ints
    top: Ints
    dropper: Floats
    sway: Floats
    swaying: Ints


class Ports(NamedTuple):
    """What acts on the stations of the contact wire, and where.

    ``stiffness`` [N/m] to the ground, ``mass`` [kg], dofs of ``height`` and position ``along`` the track (station,);
    ``dropper`` stiffness [N/m], its ``bottom`` and ``top`` dofs and the station that it hangs ``at`` (dropper,);
    ``chord`` stiffness [N/m] of the bay from each station to the next, and its ``tilt`` at both ends (bay, 2), none
    with constant tensions; stations that are a ``support`` (support,).
    """

    stiffness: Floats
    mass: Floats
    height: Ints
    along: Ints
    dropper: Floats
    bottom: Ints
    top: Ints
    at: Ints
    chord: Floats
    tilt: Floats
    support: Ints


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
    alpha, beta : float
        Rayleigh damping [1/s], [s].
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
    alpha: float
    beta: float
    period: float

    @property
    def ports(self) -> Ports:
        """What acts on the stations."""
        height, bays, points = self.station_dof, self.bays, self.points
        at = np.argmax(points.bottom[:, None] == height, axis=1)
        of_stations = points.stiffness[height], points.mass[height], height
        support = np.argmax(self.support_dof[:, None] == height, axis=1)
        onward = np.argmax(bays.dof[:, 0] == height[:, None], axis=1)
        onward = onward[bays.along[onward, 0] >= 0]
        hung = points.dropper, points.bottom, points.top, at
        along, chord = np.ascontiguousarray(bays.along[onward, 0]), 1.0 / bays.compliance[onward]
        return Ports(*of_stations, along, *hung, chord, np.ascontiguousarray(bays.slope[onward]), support)

    def damped(self, omega: Complexes) -> tuple[Complexes, Complexes]:
        """Factors tau of stiffness [-] and mu of mass [1/s^2] at angular frequencies."""
        return 1.0 + 1j * omega * self.beta, -omega * omega + 1j * omega * self.alpha

    def arguments(self, T: float) -> tuple[tuple[Bays, Points, Ints], tuple[int, float, float, float]]:
        """What the compiled answers are given, where the train passes a period in T [s]."""
        return (self.bays, self.points, self.first), (self.ni, T, self.alpha, self.beta)


@dataclass(frozen=True)
class NetworkOrder:
    """Which dofs of a mesh the network has, in which order.

    ``ends`` (bay, 2) are the end nodes of every bay, ``over`` (bay,) says whether the second is the next period's;
    ``dof_of`` (mesh dof,) numbers of the network, -1 for what lies within a bay; ``n``, ``ni`` as in `LineNetwork`.
    """

    ends: Ints
    over: NDArray[np.bool_]
    dof_of: Ints
    n: int
    ni: int


def network_order(eq: Equilibrium) -> NetworkOrder:
    """Number the dofs of the bays' ends, the interface first, then along the track.

    With constant tensions nothing that moves along the track moves anything across it, and no wire has such dofs.
    """
    mesh = eq.mesh
    first, last = mesh.group_elems.T
    ends = np.stack([mesh.elem_nodes[first, 0], mesh.elem_nodes[last, 1]], axis=1)
    over = mesh.elem_shift[last, 1] - mesh.elem_shift[first, 0] > 0.5 * mesh.layout.length
    interface = np.unique(ends[over, 1])
    nodes = np.unique(ends)
    nodes = nodes[np.lexsort((nodes, np.round(mesh.node_x[nodes], 9), ~np.isin(nodes, interface)))]
    dof_of, n, ni = np.full(mesh.n_dof, -1), 0, 0
    for node in nodes.tolist():
        still = eq.spec.tension_in_motion == "constant"
        for d in mesh.dof[node, [Z, DZ] if still else [Z, DZ, X]].tolist():
            if dof_of[d] < 0:
                dof_of[d], n = n, n + 1
        if node in interface:
            ni = n
    return NetworkOrder(ends, over, dof_of, n, ni)


def line_network(eq: Equilibrium, order: NetworkOrder | None = None) -> LineNetwork:
    """Condense a period at rest, in the plane, to its network; ``order`` is that of a mesh with the same dofs."""
    spec, mesh, order = eq.spec, eq.mesh, order or network_order(eq)
    bays = _bays(eq, order)
    points = _points(eq, bays, order)
    nodes, wire = np.unique(order.ends[mesh.group_wire == CONTACT]), spec.contact_wire.together
    nodes = nodes[np.argsort(mesh.node_x[nodes])]
    return LineNetwork(
        bays,
        points,
        order.n,
        order.ni,
        _first(bays, points, order.n, order.ni),
        np.ascontiguousarray(eq.q[nodes, X]),
        np.ascontiguousarray(order.dof_of[mesh.dof[nodes, Z]]),
        order.dof_of[mesh.dof[mesh.support_contact, Z]],
        (wire.tension, wire.bending_stiffness, wire.mass_per_length / (1.0 + wire.tension / wire.axial_stiffness)),
        spec.damping.alpha,
        spec.damping.beta,
        float(mesh.layout.length),
    )


def _bays(eq: Equilibrium, order: NetworkOrder) -> Bays:
    """Lay out the bays."""
    spec, mesh, ends = eq.spec, eq.mesh, order.ends
    first = mesh.group_elems[:, 0]
    EA, EI, rho = (
        wire_property(spec, mesh, name)[first] for name in ("axial_stiffness", "bending_stiffness", "mass_per_length")
    )
    beyond = np.where(order.over, order.n, 0)
    dof = order.dof_of[mesh.dof[ends][:, :, [Z, DZ]]].reshape(-1, 4)
    along = order.dof_of[mesh.dof[ends, X]]
    dof[:, 2:] += beyond[:, None]
    along[:, 1] += beyond
    if spec.tension_in_motion == "constant":
        along[:] = -1
    place = eq.q[mesh.elem_nodes][:, :, [X, Z]]
    place[:, :, 0] += mesh.elem_shift
    length, rise = np.ascontiguousarray(np.add.reduceat(place[:, 1] - place[:, 0], first).T)
    l0 = np.add.reduceat(eq.elem_l0, first)
    # Green's strain of the elements; slopes, bending at clamps included, lengthen a wire
    longer = np.add.reduceat(0.5 * slopes_squared(eq.q[mesh.elem_nodes][:, :, [Z, DZ]], eq.elem_l0), first)
    stretch = length / l0
    tension = EA * (0.5 * (stretch**2 - 1.0) + longer / l0) * stretch
    mass = rho / stretch
    # tension changes of the contact wire act on stations alone: its bays are straight
    curvature = np.where(mesh.group_wire == CONTACT, 0.0, GRAVITY * mass / tension)
    tilt, half = rise / length, 0.5 * curvature * length
    slope = np.stack([tilt - half, tilt + half], axis=1)
    return Bays(np.ascontiguousarray(dof), along, length, tension, EI, mass, curvature, slope, l0 / EA)


def _points(eq: Equilibrium, bays: Bays, order: NetworkOrder) -> Points:
    """Collect clamps, half droppers, arms and supports, and the bays' inertia along the track."""
    spec, mesh, dof_of, n = eq.spec, eq.mesh, order.dof_of, order.n
    mass, stiffness, held, dashpot = np.zeros((4, n))
    for nodes, values in point_masses(eq):
        for c in (Z, X):
            dof = dof_of[mesh.dof[nodes, c]]
            np.add.at(mass, dof[dof >= 0], values[dof >= 0])
    moving = bays.along[:, 0] >= 0
    half = np.repeat(0.5 * bays.mass * bays.length, 2)[np.repeat(moving, 2)]
    np.add.at(mass, bays.along[moving].ravel() % n, half)
    np.add.at(stiffness, dof_of[mesh.dof[mesh.support_contact, Z]], steady_arm_stiffness(eq)[:, 2, 2])
    hung = dropper_stiffness(eq)
    sway = np.stack([dof_of[mesh.dof[ends, X]] for ends in (mesh.dropper_bottom, mesh.dropper_top)], axis=1)
    support = dof_of[mesh.dof[mesh.support_messenger, Z]]
    held[support], dashpot[support] = spec.support.messenger_stiffness, spec.support.messenger_damping
    bottom, top = (np.ascontiguousarray(dof_of[mesh.dof[k, Z]]) for k in (mesh.dropper_bottom, mesh.dropper_top))
    hung = [np.ascontiguousarray(hung[:, c, c]) for c in (Z, X)]
    return Points(mass, stiffness, held, dashpot, bottom, top, hung[0], hung[1], sway)


def _first(bays: Bays, points: Points, n: int, ni: int) -> Ints:
    """First dof right of the interface that each row reaches, itself at most."""
    first = np.arange(n)
    reach = np.concatenate([bays.dof, bays.along], axis=1)
    inner = np.where((reach >= ni) & (reach < n), reach, n)
    lowest = inner.min(axis=1)
    for k in range(6):
        at = inner[:, k] < n
        np.minimum.at(first, inner[at, k], lowest[at])
    for ends in (np.stack([points.bottom, points.top], axis=1), points.swaying):
        low, high = ends.min(axis=1), ends.max(axis=1)
        inside = low >= ni
        np.minimum.at(first, high[inside], low[inside])
    return first
