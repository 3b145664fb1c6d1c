"""Inputs of every method, and the memory of its compiled step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dynamics.linear_algebra.block_ldl import BlockFactor
from dynamics.linear_algebra.node_rows import NO_NODES, NodeRows
from dynamics.open_line.system import CHUNK, Contacts, Floats, Marks
from dynamics.pantograph.strips import Strips

__all__ = [
    "Carried",
    "Corrections",
    "ImplicitScheme",
    "LinearLine",
    "Matrices",
    "Request",
    "Stages",
    "StepFailure",
    "Weighed",
    "Work",
    "make_work",
]


@dataclass(frozen=True)
class Matrices:
    """Line (sparse), masses of one pantograph (dense), contact stiffness [N/m] at the mean force.

    ``lever`` is the wire's largest place on a head that rolls [m], 0 on others.
    ``contact_dof``, ``contact_weight`` (point, 4): some points of the contact wire, as the contact meets it; ``strips``
    are those of a head, None: it meets them at its middle. ``nodes`` are the dofs of the line's nodes, positions and
    slopes, and the nodes of its elements: without them the mass matrix is taken row by row.
    """

    mass: csr_array
    damping: csr_array
    stiffness: csr_array
    masses: NDArray[np.float64]
    mass_damping: NDArray[np.float64]
    mass_stiffness: NDArray[np.float64]
    contact_stiffness: float
    contact_dof: NDArray[np.int64]
    contact_weight: NDArray[np.float64]
    lever: float = 0.0
    strips: Strips | None = None
    nodes: tuple[NDArray[np.int64], NDArray[np.int64]] = NO_NODES


@dataclass(frozen=True)
class Request:
    """Step [s] of a run's output, and options of its method.

    ``alpha`` of HHT, ``substep`` of Runge-Kutta [s] (None: the longest stable one), ``tolerance`` on what is left to
    correct of a step [m], ``most`` corrections.
    """

    dt: float
    alpha: float = -0.05
    substep: float | None = None
    tolerance: float = 5.0e-8
    most: int = 200


class ImplicitScheme(NamedTuple):
    """HHT-alpha (0: Newmark) at one step.

    ``factor`` is that of the effective matrix A = by_mass M + by_damping C + by_stiffness K with
    by_mass = 1 / (beta dt^2), by_damping = (1 + alpha) gamma / (beta dt), by_stiffness = 1 + alpha; ``mass_inverse``
    is the same for a pantograph. ``tolerance`` [m] on what is left to correct, ``most`` corrections.
    ``contact_share`` is the part of a missing contact force that a correction takes. ``reach`` rows from a load the
    line's answer has decayed. ``mass`` is the line's, by nodes.
    """

    dt: float
    alpha: float
    beta: float
    gamma: float
    by_mass: float
    by_damping: float
    by_stiffness: float
    tolerance: float
    most: int
    factor: BlockFactor
    mass_inverse: NDArray[np.float64]
    contact_share: float
    reach: int
    mass: NodeRows


class Carried(NamedTuple):
    """Products that are carried from step to step on a line that is not linear: K v, K a, M v, M a (dof,)."""

    Kv: Floats
    Ka: Floats
    Mv: Floats
    Ma: Floats


class LinearLine(NamedTuple):
    """Vector of a step of a linearised line (dof,): what the mass matrix multiplies."""

    s: Floats


class Weighed(NamedTuple):
    """Forces at the end of the step before, which HHT's alpha weighs: h of the line, g of the masses.

    Of a linearised line h is the local force alone.
    """

    h: Floats
    g: Floats


class Corrections(NamedTuple):
    """Vectors of an implicit step.

    Of the line (dof,): local force before and after a correction, residual, M du and C' du of a correction.
    Of the masses (pantograph, mass): residual and correction. ``marks``, ``marks_new`` of where the local forces of a
    linearised line are.
    """

    e: Floats
    e_new: Floats
    r: Floats
    Mdu: Floats
    Ddu: Floats
    rz: Floats
    dz: Floats
    marks: Marks
    marks_new: Marks


class Stages(NamedTuple):
    """Vectors of a Runge-Kutta step, of the line (dof,) and of the masses (pantograph, mass).

    Displacement and velocity it starts from, weighted sums of their rates over the stages, accelerations; M v.
    """

    u0: Floats
    v0: Floats
    sum_u: Floats
    sum_v: Floats
    a: Floats
    z0: Floats
    zv0: Floats
    sum_z: Floats
    sum_zv: Floats
    za: Floats
    Mv: Floats


class Work(NamedTuple):
    """Memory of a step: a vector to solve for, contacts and those after a correction, vectors of each method.

    ``push`` (pantograph,) are control forces at the step's end [N].
    """

    solved: Floats
    contacts: Contacts
    trial: Contacts
    carried: Carried
    linear: LinearLine
    weighed: Weighed
    corrections: Corrections
    stages: Stages
    push: Floats


def make_work(dofs: int, pantographs: int, masses: int, contacts: int = 1) -> Work:
    """Memory for steps of a line with that many dofs, and contacts of every head."""

    def line(count: int) -> Floats:
        return np.zeros((count, dofs))

    def heads(count: int) -> Floats:
        return np.zeros((count, pantographs, masses))

    now, new = np.zeros((2, 6, pantographs * contacts))
    return Work(
        solved=np.zeros(dofs),
        contacts=Contacts(*now),
        trial=Contacts(*new),
        carried=Carried(*line(4)),
        linear=LinearLine(*line(1)),
        weighed=Weighed(*line(1), *heads(1)),
        corrections=Corrections(*line(5), *heads(2), *np.zeros((2, -(-dofs // CHUNK)), dtype=np.bool_)),
        stages=Stages(*line(5), *heads(5), *line(1)),
        push=np.zeros(pantographs),
    )


@dataclass(frozen=True)
class StepFailure:
    """A step that did not converge: when [s], residual [N], iterations."""

    time: float
    residual: float
    iterations: int
