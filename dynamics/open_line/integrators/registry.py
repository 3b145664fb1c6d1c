"""The integrators by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from catenary.errors import InputError
from dynamics.linear_algebra.banded_ldl import PADDING, BandedFactor, banded_ldl, banded_solve
from dynamics.open_line.integrators.implicit import implicit_step
from dynamics.open_line.integrators.runge_kutta import runge_kutta_step
from dynamics.open_line.integrators.scheme import Matrices, Request, Scheme, Work
from dynamics.open_line.integrators.stability import longest_step
from dynamics.open_line.system import State, System

__all__ = ["INTEGRATORS", "Integrator"]

SAFETY = 0.9


@dataclass(frozen=True)
class Integrator:
    """One method: ``init`` makes its coefficients and factors, ``step`` advances the state, ``order`` is declared."""

    name: str
    order: int
    init: Callable[[Matrices, Request], Scheme]
    step: Callable[[System, State, Scheme, Work, float], tuple[int, float]]


def _hht(matrices: Matrices, request: Request, alpha: float) -> Scheme:
    dt, beta, gamma = request.dt, 0.25 * (1.0 - alpha) ** 2, 0.5 - alpha
    by_m, by_c, by_k = 1.0 / (beta * dt * dt), (1.0 + alpha) * gamma / (beta * dt), 1.0 + alpha
    A = csr_array(by_m * matrices.mass + by_c * matrices.damping + by_k * matrices.stiffness)
    small = by_m * np.diag(matrices.masses) + by_c * matrices.mass_damping + by_k * matrices.mass_stiffness
    factor, inverse = banded_ldl(A), np.asarray(np.linalg.inv(small), dtype=np.float64)
    gives = by_k * (_softest_point(factor, matrices) + inverse[0, 0])
    return Scheme(
        substeps=0,
        dt=dt,
        alpha=alpha,
        beta=beta,
        gamma=gamma,
        by_mass=by_m,
        by_damping=by_c,
        by_stiffness=by_k,
        tolerance=request.tolerance,
        most=request.most,
        factor=factor,
        mass_inverse=inverse,
        contact_share=1.0 / (1.0 + matrices.contact_stiffness * gives),
    )


def _softest_point(factor: BandedFactor, matrices: Matrices) -> float:
    """Most that the contact wire gives way at a point within a step [m/N]."""
    most, n = 0.0, factor.inverse.size
    for dof, weight in zip(matrices.contact_dof, matrices.contact_weight, strict=True):
        load = np.zeros(n + PADDING)
        np.add.at(load, dof[dof >= 0], weight[dof >= 0])
        answer = load.copy()
        banded_solve(factor, answer)
        most = max(most, float(load[:n] @ answer[:n]))
    return most


def _newmark(matrices: Matrices, request: Request) -> Scheme:
    return _hht(matrices, request, 0.0)


def _hilber_hughes_taylor(matrices: Matrices, request: Request) -> Scheme:
    return _hht(matrices, request, request.alpha)


def _runge_kutta(matrices: Matrices, request: Request) -> Scheme:
    """Steps short enough for the fastest wave of the mesh, a whole number of them in dt."""
    limit = longest_step(matrices)
    if request.substep is not None and request.substep > limit:
        sentence = (
            f"open_line.rk4_step must not exceed the stability limit of this mesh, {limit:.3g} s (fastest waves and "
            f"damping): got {request.substep:g} s; leave it out (null) and the step is chosen"
        )
        raise InputError([sentence])
    substeps = int(np.ceil(request.dt / (request.substep or SAFETY * limit) - 1e-9))
    return Scheme(
        substeps=substeps,
        dt=request.dt,
        alpha=0.0,
        beta=0.0,
        gamma=0.0,
        by_mass=1.0,
        by_damping=0.0,
        by_stiffness=0.0,
        tolerance=0.0,
        most=0,
        factor=banded_ldl(matrices.mass),
        mass_inverse=np.diag(np.asarray(1.0 / matrices.masses, dtype=np.float64)),
        contact_share=1.0,
    )


INTEGRATORS = {
    "newmark": Integrator("newmark", 2, _newmark, implicit_step),
    "hht": Integrator("hht", 2, _hilber_hughes_taylor, implicit_step),
    "rk4": Integrator("rk4", 4, _runge_kutta, runge_kutta_step),
}
