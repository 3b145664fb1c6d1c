"""The integrators by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from catenary.errors import InputError
from dynamics.banded_ldl import banded_ldl
from dynamics.integrators.implicit import implicit_step
from dynamics.integrators.runge_kutta import runge_kutta_step
from dynamics.integrators.scheme import Scheme
from dynamics.integrators.stability import longest_step

__all__ = ["INTEGRATORS", "Integrator", "Matrices", "Request"]

SAFETY = 0.9


@dataclass(frozen=True)
class Matrices:
    """Line (sparse) and masses of one pantograph (dense), contact stiffness [N/m] at the mean force."""

    mass: csr_array
    damping: csr_array
    stiffness: csr_array
    masses: NDArray[np.float64]
    mass_damping: NDArray[np.float64]
    mass_stiffness: NDArray[np.float64]
    contact_stiffness: float


@dataclass(frozen=True)
class Request:
    """Step [s] at which a run is written down, and what its method may be told.

    ``alpha`` of HHT, ``substep`` of Runge-Kutta [s] (None: the longest stable one), ``tolerance`` on what is left to
    correct of a step [m], ``most`` corrections.
    """

    dt: float
    alpha: float = -0.05
    substep: float | None = None
    tolerance: float = 5.0e-9
    most: int = 60


@dataclass(frozen=True)
class Integrator:
    """One method: ``init`` makes its coefficients and factors, ``step`` advances the state, ``order`` is declared."""

    name: str
    order: int
    init: Callable[[Matrices, Request], Scheme]
    step: Any


def _hht(matrices: Matrices, request: Request, alpha: float) -> Scheme:
    dt, beta, gamma = request.dt, 0.25 * (1.0 - alpha) ** 2, 0.5 - alpha
    by_m, by_c, by_k = 1.0 / (beta * dt * dt), (1.0 + alpha) * gamma / (beta * dt), 1.0 + alpha
    A = csr_array(by_m * matrices.mass + by_c * matrices.damping + by_k * matrices.stiffness)
    small = by_m * np.diag(matrices.masses) + by_c * matrices.mass_damping + by_k * matrices.mass_stiffness
    small[0, 0] += by_k * matrices.contact_stiffness
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
        factor=banded_ldl(A),
        mass_inverse=np.asarray(np.linalg.inv(small), dtype=np.float64),
        contact_stiffness=matrices.contact_stiffness,
    )


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
        contact_stiffness=matrices.contact_stiffness,
    )


INTEGRATORS = {
    "newmark": Integrator("newmark", 2, _newmark, implicit_step),
    "hht": Integrator("hht", 2, _hilber_hughes_taylor, implicit_step),
    "rk4": Integrator("rk4", 4, _runge_kutta, runge_kutta_step),
}
