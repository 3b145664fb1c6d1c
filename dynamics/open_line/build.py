"""From a line's equilibrium and a case to the arrays of the compiled march."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.elements.formulation import element_of
from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.geometry import CONTACT
from catenary.layout.mesh import Z
from catenary.layout.running_surface import surface_of
from catenary.layout.track import head_roll
from catenary.linearised.attachments import spring_supports, steady_arm_direction, steady_arm_pull
from catenary.linearised.curvature import shortening
from catenary.linearised.open_line import linearise
from dynamics.linear_algebra.sparse_rows import fixed_rows, sparse_rows
from dynamics.open_line.surroundings import gusts_on, head_middle, space_of
from dynamics.open_line.system import (
    ANCF,
    BEAM,
    Arms,
    ContactLaw,
    ContactWire,
    Droppers,
    Pantographs,
    Springs,
    System,
    Wires,
)
from dynamics.open_line.wire_ends import wire_ends
from dynamics.pantograph.articulated import Mechanism
from dynamics.pantograph.base_record import base_record
from dynamics.pantograph.control.discrete import control_of
from dynamics.pantograph.linear import HEAD_ALONE, linear_pantograph
from dynamics.spec.case import CaseSpec
from dynamics.spec.slack_damping import slack_share

__all__ = [
    "WholeLine",
    "build_pantographs",
    "build_system",
    "build_whole_line",
]


@dataclass(frozen=True)
class WholeLine:
    """A line ready to be marched.

    Attributes
    ----------
    equilibrium : Equilibrium
    mass, damping, stiffness : sparse array (kept dof, kept dof)
    number : int array (dof,)
        Kept dof of every dof of the mesh, -1 where it is held.
    along : int array
        Kept dofs along the track at the wires' ends that are not held; statics hold them softly.
    end_springs : (int array, float array)
        Kept dofs of the wires' ends and stiffness of what holds each [N/m], in height and along the track.
    """

    equilibrium: Equilibrium
    mass: csr_array
    damping: csr_array
    stiffness: csr_array
    number: NDArray[np.int64]
    along: NDArray[np.int64]
    end_springs: tuple[NDArray[np.int64], NDArray[np.float64]]

    def kept(self, dof: NDArray[np.int64]) -> NDArray[np.int64]:
        """Kept dofs of mesh dofs; -1 where held or absent."""
        return np.where(dof >= 0, self.number[dof], -1)


def build_whole_line(eq: Equilibrium, *, absorbing: bool = False) -> WholeLine:
    """Linearise an open line and give its wires' ends what holds them.

    Along the track every end has the impedance sqrt(EA rho) of its wire, or what its tension section says. In height it
    is held, or, ``absorbing``, has sqrt(T rho) and the stiffness T / L of one more span to a fixed point.
    """
    model, mesh = linearise(eq), eq.mesh
    ends = wire_ends(eq, absorbing=absorbing)
    n = model.mass.shape[0]
    keep = np.setdiff1d(np.arange(n), np.setdiff1d(model.fixed, ends.free))
    number = np.full(n, -1)
    number[keep] = np.arange(len(keep))
    parts = zip((model.mass, model.damping, model.stiffness), (ends.mass, ends.damping, ends.stiffness), strict=True)
    dof = number[ends.free]
    M, C, K = (
        csr_array(csr_array(x[keep][:, keep]) + _diagonal(dof[own != 0.0], own[own != 0.0], len(keep)))
        if own.any()
        else csr_array(x[keep][:, keep])
        for x, own in parts
    )
    along = np.intersect1d(mesh.dof[mesh.wire_ends.ravel(), 0], ends.free)
    return WholeLine(eq, M, C, K, number, number[along], (dof, ends.stiffness))


def _diagonal(at: NDArray[np.int64], values: NDArray[np.float64], n: int) -> csr_array:
    """Sparse diagonal with a few entries."""
    return csr_array(coo_array((values, (at, at)), shape=(n, n)))


def build_system(case: CaseSpec, line: WholeLine, pantographs: Pantographs) -> System:
    """Arrays of a line and its pantographs; the case says whether the line's full force or its linearisation acts."""
    law, damping = case.contact, case.catenary.damping
    own = sparse_rows(csr_array(line.damping - damping.alpha * line.mass - damping.beta * line.stiffness))
    return System(
        nonlinear=case.kinematics == "nonlinear",
        element=BEAM if case.catenary.formulation == "beam" else ANCF,
        mass=fixed_rows(line.mass),
        alpha=damping.alpha,
        beta=damping.beta,
        damping=own,
        damping_rows=np.flatnonzero(np.diff(own.ptr.astype(np.int64))),
        stiffness=sparse_rows(line.stiffness),
        wires=_wires(line),
        contact_wire=_contact_wire(line),
        droppers=_droppers(line, case),
        arms=_arms(line),
        springs=_springs(line),
        law=ContactLaw(
            law.stiffness, law.exponent, 0.75 * (1.0 - law.restitution**2), np.zeros(1), np.ones(1), space_of(case)
        ),
        pantographs=pantographs,
        gusts=gusts_on(case, line.equilibrium, line.kept),
    )


def _wires(line: WholeLine) -> Wires:
    eq, mesh = line.equilibrium, line.equilibrium.mesh
    q = element_coordinates(mesh, eq.q)
    EA, EI = (wire_property(eq.spec, mesh, name) for name in ("axial_stiffness", "bending_stiffness"))
    force, _, _ = element_of(eq.spec).forces(q, eq.elem_l0, EA, EI, np.zeros_like(EA))
    dof = line.kept(mesh.dof[mesh.elem_nodes].reshape(-1, 12))
    curved = shortening(eq)
    curved = curved if curved.any() else curved[:0]
    return Wires(dof, q.reshape(-1, 12).copy(), eq.elem_l0.copy(), EA, EI, force, curved)


def _contact_wire(line: WholeLine) -> ContactWire:
    """Elements of all contact wires, one wire after another."""
    eq, mesh = line.equilibrium, line.equilibrium.mesh
    q = element_coordinates(mesh, eq.q)
    runs = [np.flatnonzero((mesh.elem_wire == CONTACT) & (mesh.elem_run == run)) for run in mesh.contact_runs]
    ordered = [elems[np.argsort(q[elems, 0, 0])] for elems in runs]
    elems = np.concatenate(ordered)
    dof = line.kept(mesh.dof[mesh.elem_nodes[elems]].reshape(-1, 12))
    first = np.cumsum([0, *(len(each) for each in ordered)])
    q = q[elems]
    begin, end = q[:, 0, 0].copy(), q[first[1:] - 1, 1, 0].copy()
    surfaces = [
        surface_of(eq.spec.section, eq.spec.contact_wire, w, (float(begin[first[w]]), float(end[w])))
        for w in range(len(ordered))
    ]
    surface_first = np.cumsum([0, *(len(each) for each in surfaces)])
    return ContactWire(
        dof, q.reshape(-1, 12).copy(), eq.elem_l0[elems], begin, end, first, np.concatenate(surfaces), surface_first
    )


def _droppers(line: WholeLine, case: CaseSpec) -> Droppers:
    eq, mesh = line.equilibrium, line.equilibrium.mesh
    ends = np.stack([mesh.dropper_bottom, mesh.dropper_top], axis=1)
    axis = eq.dropper_direction
    given_up, beta = slack_share(case)
    dashpot = given_up * beta * eq.dropper_stiffness
    return Droppers(
        dof=line.kept(mesh.dof[ends][:, :, :3].reshape(-1, 6)),
        rest=axis * eq.dropper_length[:, None],
        weight=np.concatenate([-axis, axis], axis=1),
        force=eq.dropper_spring_force,
        cut=eq.dropper_unstretched_length,
        stiffness=eq.dropper_stiffness,
        given_up=given_up,
        dashpot=dashpot,
        slack=np.zeros(len(axis), dtype=np.bool_),
    )


def _arms(line: WholeLine) -> Arms:
    """Bars of the spatial model; in the plane arms are springs."""
    eq, mesh, bar = line.equilibrium, line.equilibrium.mesh, line.equilibrium.spec.support.steady_arm
    if not mesh.spatial or bar is None:
        return Arms(np.zeros((0, 3), dtype=np.int64), np.zeros((0, 3)), np.zeros(0), 0.0)
    return Arms(
        dof=line.kept(mesh.dof[mesh.support_contact, :3]),
        rest=steady_arm_direction(eq) * bar.length,
        force=steady_arm_pull(eq),
        stiffness=bar.axial_stiffness / bar.length,
    )


def _springs(line: WholeLine) -> Springs:
    """Messenger supports, arms of the planar model, spring supports, and whatever holds the ends."""
    eq, mesh = line.equilibrium, line.equilibrium.mesh
    support = eq.spec.support
    n = line.mass.shape[0]
    stiffness = np.zeros(n)
    messenger = line.kept(mesh.dof[mesh.support_messenger, Z])
    np.add.at(stiffness, messenger[messenger >= 0], support.messenger_stiffness)
    if not mesh.spatial:
        arms = line.kept(mesh.dof[mesh.support_contact, Z])
        np.add.at(stiffness, arms[arms >= 0], support.steady_arm_stiffness)
    held, hold = line.end_springs
    np.add.at(stiffness, held, hold)
    elements, hold = spring_supports(eq)
    np.add.at(stiffness, line.kept(elements), hold)
    dof = np.flatnonzero(stiffness)
    return Springs(dof, stiffness[dof])


def _row(mechanism: Mechanism | None) -> NDArray[np.float64]:
    """Where the rows of a mechanism's table begin [m], their distance [m], speed of full friction [m/s]."""
    if mechanism is None:
        return np.ones(3)
    return np.array([mechanism.begin, mechanism.step, mechanism.friction_speed])


def build_pantographs(case: CaseSpec, start: float) -> Pantographs:
    """The train's pantographs, the first one ``start`` [m] beyond the line's first support.

    One that begins before the line's first support has no force and a lowered base there; both rise over the entry
    length from that support on (PACDIN, section 2.2).
    """
    driven = case.pantograph.stepped is not None
    own = HEAD_ALONE if driven else linear_pantograph(case.pantograph, case.pressed_N)
    base, track = base_record(case), case.catenary.track
    stations, middle = head_middle(case, base)
    at = start - np.array(case.distances)
    return Pantographs(
        mass=own.mass,
        damping=own.damping,
        stiffness=own.stiffness,
        applied=np.array(case.trailing.pressed(float(case.applied_force_N or 0.0))),
        acted=own.applied,
        lift=own.lift,
        shown=own.shown,
        start=at,
        entering=at < 0.0,
        entry_length=case.trailing.entry_length_m,
        entry_drop=case.trailing.entry_drop_m,
        speed=case.speed,
        base_time=base.time,
        base_height=base.height,
        base_stiffness=own.base_stiffness,
        base_damping=own.base_damping,
        held=np.zeros(len(at) if driven else 0),
        mechanism=np.zeros((0, 6)) if own.mechanism is None else np.ascontiguousarray(own.mechanism.table),
        row=_row(own.mechanism),
        rolls=own.rolls,
        head_x=stations,
        head_y=middle,
        head_turned=-head_roll(track, stations),  # to the left is down on the left side
        strips=own.strips,
        control=control_of(case.pantograph.control, own, case.time_step, case.pressed_N),
    )
