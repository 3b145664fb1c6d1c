"""Transient of a whole open line with all degrees of freedom, against which the travelling window is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import splu

from catenary.chain import AXIAL_HOLD
from catenary.contact_wire import static_height
from catenary.equilibrium import Equilibrium, open_line_equilibrium
from catenary.linearise import CatenaryModel, linearise
from dynamics.envelope import envelope_ldl
from dynamics.full_march_kernel import march_line
from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.spec import CaseSpec

__all__ = ["OpenLineRun", "march_open_line"]


@dataclass(frozen=True)
class OpenLineRun:
    """What one pantograph on an open line recorded at the end of every step.

    Attributes
    ----------
    position : float array (time,)
        Of the pantograph from the line's first support [m].
    contact_force, contact_height : float array (time,)
        Raw contact force [N] and contact-wire height at the contact point [m].
    support_uplift : float array (time, support)
        Displacement of the contact wire from rest at every support that is not an end of the line [m].
    applied_force_N : float
        Applied force [N].
    """

    position: NDArray[np.float64]
    contact_force: NDArray[np.float64]
    contact_height: NDArray[np.float64]
    support_uplift: NDArray[np.float64]
    applied_force_N: float


def march_open_line(
    case: CaseSpec, n_spans: int, first_span: float, spans: float, equilibrium: Equilibrium | None = None
) -> OpenLineRun:
    """March a pantograph over ``spans`` spans of an open line, from static contact.

    It starts ``first_span`` spans beyond the line's first support (0.5: in the middle of the first span). What is clean
    ends where waves come back from the line's ends; the caller chooses enough spans around it.
    The applied force must be given; the line's equilibrium may be. Slack droppers keep their damping.
    """
    if case.applied_force_N is None:
        raise ValueError("the march of an open line needs applied_force_N: it holds no mean force")
    model = linearise(open_line_equilibrium(case.catenary, n_spans) if equilibrium is None else equilibrium)
    held, along, impedance = _ends(model)
    keep = np.setdiff1d(np.arange(model.mass.shape[0]), held)
    M, C, K = (csr_array(x[keep][:, keep]) for x in (model.mass, model.damping, model.stiffness))
    number = np.full(model.mass.shape[0], -1)
    number[keep] = np.arange(len(keep))
    C = csr_array(C + _diagonal(number[along], impedance, len(keep)))
    dt, steps, span = case.time_step, case.steps_per_span, case.catenary.span_length
    x = first_span * span + np.arange(round(steps * spans) + 1, dtype=np.float64) * (span / steps)
    dof, phi = model.contact_operator(x)
    contact = number[dof], phi, static_height(model.equilibrium, x)
    A = csr_array(2.0 / dt * M + C + 0.5 * dt * K)
    dof_of_dropper, weight, columns = _dropper_columns(model, A, number)
    mass, damping, stiffness = pantograph_matrices(case.pantograph)
    panto = np.linalg.inv(np.diag(2.0 / dt * mass) + damping + 0.5 * dt * stiffness), mass, stiffness
    hold = _diagonal(number[along], np.full(len(along), AXIAL_HOLD), len(keep))
    u, z = _static(case, csr_array(K + hold), contact, stiffness)
    watched = number[model.equilibrium.mesh.dof[model.equilibrium.mesh.support_contact[1:-1], 2]]
    force, height, uplift = march_line(
        (u, np.zeros_like(u), z, np.zeros_like(z)),
        envelope_ldl(A),
        (_rows(M), _rows(K), dt, case.contact.stiffness, watched),
        contact,
        (*panto, case.applied_force_N),
        (dof_of_dropper, weight, model.dropper_force, columns, model.dropper_stiffness),
    )
    return OpenLineRun(x[1:], force, height, uplift, case.applied_force_N)


def _ends(model: CatenaryModel) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Dofs held; dofs along the track at the line's ends, and sqrt(EA rho) that lets axial waves run on."""
    eq = model.equilibrium
    mesh, spec = eq.mesh, eq.spec
    ends = np.concatenate([mesh.support_contact[[0, -1]], mesh.support_messenger[[0, -1]]])
    impedance = [np.sqrt(w.axial_stiffness * w.mass_per_length) for w in (spec.contact_wire, spec.messenger_wire)]
    along = mesh.dof[ends, 0]
    return np.setdiff1d(model.fixed, along), along, np.repeat(impedance, 2)


def _diagonal(at: NDArray[np.int64], values: NDArray[np.float64], n: int) -> csr_array:
    """Sparse diagonal with a few entries."""
    return csr_array(coo_array((values, (at, at)), shape=(n, n)))


def _rows(A: csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Compressed rows for the kernel."""
    return A.indptr.astype(np.int64), A.indices.astype(np.int64), A.data


def _dropper_columns(
    model: CatenaryModel, A: csr_array, number: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Dofs (dropper, end dof) of every dropper's ends, their weights, and the columns of A^-1 for stretching it."""
    eq = model.equilibrium
    ends = np.concatenate(
        [eq.mesh.dof[n][:, eq.mesh.axes[1:]] for n in (eq.mesh.dropper_bottom, eq.mesh.dropper_top)], 1
    )
    axis = eq.dropper_direction[:, eq.mesh.axes[1:]]
    rhs = model.dropper.toarray()[number >= 0]
    columns = np.ascontiguousarray(splu(A.tocsc()).solve(rhs).T)
    return number[ends], np.ascontiguousarray(np.concatenate([-axis, axis], axis=1)), columns


def _static(
    case: CaseSpec,
    K: csr_array,
    contact: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]],
    stiffness: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Displacements [m] of line and pantograph pressing at the first contact point."""
    dof, phi, z0 = contact
    load = np.zeros(K.shape[0])
    load[dof[0]] = phi[0]
    unit = splu(K.tocsc()).solve(load)
    flexibility, kc = np.linalg.inv(stiffness), case.contact.stiffness
    applied = float(case.applied_force_N or 0.0)
    lam = kc * (flexibility[0, -1] * applied - z0[0]) / (1.0 + kc * (flexibility[0, 0] + float(load @ unit)))
    return lam * unit, flexibility[:, -1] * applied - flexibility[:, 0] * lam
