"""From a line's equilibrium and a case to the arrays of the compiled march, and the static start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import splu

from catenary.elements.formulation import element_of
from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.geometry import CONTACT
from catenary.layout.mesh import Z
from catenary.linearised.attachments import steady_arm_direction
from catenary.linearised.chain import AXIAL_HOLD
from catenary.linearised.contact_wire import contact_table, static_height
from catenary.linearised.open_line import linearise
from dynamics.linear_algebra.sparse_rows import fixed_rows, sparse_rows
from dynamics.open_line.system import (
    ANCF,
    BEAM,
    Arms,
    ContactLaw,
    ContactWire,
    Droppers,
    Floats,
    Pantographs,
    Springs,
    State,
    System,
    Wires,
)
from dynamics.pantograph.lumped import pantograph_matrices, pressed_at_rest
from dynamics.spec.case import CaseSpec
from dynamics.spec.slack_damping import slack_share

__all__ = [
    "WholeLine",
    "build_pantographs",
    "build_system",
    "build_whole_line",
    "static_start",
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
        Kept dofs along the track at the wires' ends; statics hold them softly.
    """

    equilibrium: Equilibrium
    mass: csr_array
    damping: csr_array
    stiffness: csr_array
    number: NDArray[np.int64]
    along: NDArray[np.int64]

    def kept(self, dof: NDArray[np.int64]) -> NDArray[np.int64]:
        """Kept dofs of mesh dofs; -1 where held or absent."""
        return np.where(dof >= 0, self.number[dof], -1)


def build_whole_line(eq: Equilibrium, *, absorbing: bool = False) -> WholeLine:
    """Linearise an open line and give its wires' ends what lets waves run on.

    Along the track every end has the impedance sqrt(EA rho) of its wire. In height it is held, or, ``absorbing``, has
    sqrt(T rho) and the stiffness T / L of one more span to a fixed point.
    """
    model = linearise(eq)
    mesh, spec = eq.mesh, eq.spec
    ends = np.concatenate([mesh.support_contact[[0, -1]], mesh.support_messenger[[0, -1]]])
    wires = (spec.contact_wire, spec.messenger_wire)
    along, high = mesh.dof[ends, 0], mesh.dof[ends, 2]
    dashpot = np.repeat([np.sqrt(w.axial_stiffness * w.mass_per_length) for w in wires], 2)
    free = np.concatenate([along, high]) if absorbing else along
    held = np.setdiff1d(model.fixed, free)
    n = model.mass.shape[0]
    keep = np.setdiff1d(np.arange(n), held)
    number = np.full(n, -1)
    number[keep] = np.arange(len(keep))
    M, C, K = (csr_array(x[keep][:, keep]) for x in (model.mass, model.damping, model.stiffness))
    C = C + _diagonal(number[along], dashpot, len(keep))
    if absorbing:
        lateral = np.repeat([np.sqrt(w.tension * w.mass_per_length) for w in wires], 2)
        hold = _end_hold(eq)
        C = C + _diagonal(number[high], lateral, len(keep))
        K = K + _diagonal(number[high], hold, len(keep))
    return WholeLine(eq, M, csr_array(C), csr_array(K), number, number[along])


def _end_hold(eq: Equilibrium) -> NDArray[np.float64]:
    """Vertical stiffness that stands for the spans beyond both ends of each wire [N/m], contact wire first."""
    ends = np.diff(eq.mesh.layout.supports)[[0, -1]]
    return np.concatenate([w.tension / ends for w in (eq.spec.contact_wire, eq.spec.messenger_wire)])


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
        law=ContactLaw(law.stiffness, law.exponent, 0.75 * (1.0 - law.restitution**2), np.zeros(1), np.ones(1)),
        pantographs=pantographs,
    )


def _wires(line: WholeLine) -> Wires:
    eq, mesh = line.equilibrium, line.equilibrium.mesh
    q = element_coordinates(mesh, eq.q)
    EA, EI = (wire_property(eq.spec, mesh, name) for name in ("axial_stiffness", "bending_stiffness"))
    force, _, _ = element_of(eq.spec).forces(q, eq.elem_l0, EA, EI, np.zeros_like(EA))
    dof = line.kept(mesh.dof[mesh.elem_nodes].reshape(-1, 12))
    return Wires(dof, q.reshape(-1, 12).copy(), eq.elem_l0.copy(), EA, EI, force)


def _contact_wire(line: WholeLine) -> ContactWire:
    eq, mesh = line.equilibrium, line.equilibrium.mesh
    elems = np.flatnonzero(mesh.elem_wire == CONTACT)
    q = element_coordinates(mesh, eq.q)
    elems = elems[np.argsort(q[elems, 0, 0])]
    dof = line.kept(mesh.dof[mesh.elem_nodes[elems]].reshape(-1, 12))
    q = q[elems]
    return ContactWire(dof, q.reshape(-1, 12).copy(), eq.elem_l0[elems], q[:, 0, 0].copy(), float(q[-1, 1, 0]))


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
        force=np.hypot(eq.steady_arm_force, eq.steady_arm_side_force),
        stiffness=bar.axial_stiffness / bar.length,
    )


def _springs(line: WholeLine) -> Springs:
    """Messenger supports, arms of the planar model, and whatever holds the ends."""
    eq, mesh = line.equilibrium, line.equilibrium.mesh
    support = eq.spec.support
    n = line.mass.shape[0]
    stiffness = np.zeros(n)
    messenger = line.kept(mesh.dof[mesh.support_messenger, Z])
    np.add.at(stiffness, messenger[messenger >= 0], support.messenger_stiffness)
    if not mesh.spatial:
        arms = line.kept(mesh.dof[mesh.support_contact, Z])
        np.add.at(stiffness, arms[arms >= 0], support.steady_arm_stiffness)
    ends = np.concatenate([mesh.support_contact[[0, -1]], mesh.support_messenger[[0, -1]]])
    high = line.kept(mesh.dof[ends, Z])
    hold = _end_hold(eq)
    np.add.at(stiffness, high[high >= 0], hold[high >= 0])
    dof = np.flatnonzero(stiffness)
    return Springs(dof, stiffness[dof])


def static_start(case: CaseSpec, line: WholeLine, pantographs: Pantographs) -> State:
    """Static equilibrium of line and of the pantographs that stand under it; the others rest on their base.

    Droppers hold both ways here and the line is the linearised one; what that leaves is small and part of the run.
    """
    n, eq = line.mass.shape[0], line.equilibrium
    count, masses = len(pantographs.start), len(pantographs.mass)
    u, z, force = np.zeros(n), np.zeros((count, masses)), np.zeros(count)
    standing = np.flatnonzero(~pantographs.entering)
    z -= pantographs.entry_drop * pantographs.entering[:, None]
    if len(standing):
        x = pantographs.start[standing]
        _, dof, weight = contact_table(eq, x)
        dof = line.kept(dof)
        load = np.zeros((n, len(standing)))
        for k in range(len(standing)):
            np.add.at(load[:, k], dof[k][dof[k] >= 0], weight[k][dof[k] >= 0])
        hold = _diagonal(line.along, np.full(len(line.along), AXIAL_HOLD), n)
        unit = splu(csr_array(line.stiffness + hold).tocsc()).solve(load)
        applied, own = pantographs.applied[standing], np.asarray(pantographs.stiffness)
        soft = load.T @ unit + np.eye(len(standing)) / _secant(case, pantographs)
        z[standing], lam = _pressed(own, soft, static_height(eq, x), applied)
        u = unit @ lam
        force[standing] = lam
    zero = np.zeros_like(z)
    return State(u, np.zeros(n), np.zeros(n), z, zero, zero.copy(), force, np.zeros(count))


def _pressed(own: Floats, soft: Floats, height: Floats, applied: Floats) -> tuple[Floats, Floats]:
    """Heights of the masses at rest [m] and contact forces [N]; a head that the wire would have to pull stands free.

    Without a spring to the base the contact has the applied force, and such a head does not come about.
    """
    z, lam = np.empty((len(applied), len(own))), np.zeros(len(applied))
    touching = np.ones(len(applied), np.bool_)
    while touching.any():
        among = np.ix_(touching, touching)
        z[touching], lam[touching] = pressed_at_rest(own, soft[among], height[touching], applied[touching])
        pulled = touching & (lam <= 0.0)
        if not pulled.any():
            break
        touching &= ~pulled
    free = ~touching
    lam[free] = 0.0
    if free.any():
        z[free] = np.linalg.solve(own, np.outer(np.eye(len(own))[-1], applied[free])).T
    return z, lam


def _secant(case: CaseSpec, pantographs: Pantographs) -> float:
    """Contact force over penetration at the applied force [N/m]."""
    law, force = case.contact, float(pantographs.applied.max())
    if law.exponent == 1.0:
        return law.stiffness
    return force / (force / law.stiffness) ** (1.0 / law.exponent)


def build_pantographs(case: CaseSpec, start: float) -> Pantographs:
    """The train's pantographs, the first one ``start`` [m] beyond the line's first support.

    One that begins before the line's first support has no force and a lowered base there; both rise over the entry
    length from that support on (PACDIN, section 2.2).
    """
    mass, damping, stiffness = pantograph_matrices(case.pantograph)
    trailing = case.trailing
    applied = float(case.applied_force_N or 0.0)
    forces = [applied, *(trailing.applied_forces_N or (applied,) * len(trailing.distances_m))]
    at = start - np.array([0.0, *trailing.distances_m])
    base = case.base_motion
    return Pantographs(
        mass=mass,
        damping=damping,
        stiffness=stiffness,
        applied=np.array(forces),
        start=at,
        entering=at < 0.0,
        entry_length=trailing.entry_length_m,
        entry_drop=trailing.entry_drop_m,
        speed=case.speed,
        base_time=np.array(base.time_s if base else ()),
        base_height=np.array(base.height_m if base else ()),
        base_stiffness=case.pantograph.stiffnesses[-1],
        base_damping=case.pantograph.dampings[-1],
    )
