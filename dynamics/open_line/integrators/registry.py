"""The integrators by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from catenary.errors import InputError
from dynamics.linear_algebra.block_ldl import BlockFactor, block_ldl, block_reach, block_solve, rows_near
from dynamics.linear_algebra.node_rows import node_rows
from dynamics.open_line.integrators.implicit import implicit_step, refresh
from dynamics.open_line.integrators.runge_kutta import RungeKuttaScheme, nothing_carried, runge_kutta_step
from dynamics.open_line.integrators.scheme import ImplicitScheme, Matrices, Request
from dynamics.open_line.integrators.stability import longest_step

__all__ = ["INTEGRATORS", "Integrator", "Scheme"]

SAFETY = 0.9
# share of its largest entry to which an answer has decayed where rows end in which later corrections are solved for
FELT = 1e-13
Scheme = ImplicitScheme | RungeKuttaScheme
"""One method at one step: what its compiled functions are handed."""


@dataclass(frozen=True)
class Integrator:
    """One method, whose ``order`` is declared.

    ``init`` makes its ``scheme``: coefficients and factors. ``begin`` makes ready for steps from a state on; ``step``
    advances the state from t to t + dt. Both are compiled.
    """

    name: str
    order: int
    scheme: type[Scheme]
    init: Callable[[Matrices, Request], Scheme]
    begin: Callable[..., None]
    step: Callable[..., tuple[int, float]]


def _hht(matrices: Matrices, request: Request, alpha: float) -> ImplicitScheme:
    dt, beta, gamma = request.dt, 0.25 * (1.0 - alpha) ** 2, 0.5 - alpha
    by_m, by_c, by_k = 1.0 / (beta * dt * dt), (1.0 + alpha) * gamma / (beta * dt), 1.0 + alpha
    A = csr_array(by_m * matrices.mass + by_c * matrices.damping + by_k * matrices.stiffness)
    small = by_m * np.diag(matrices.masses) + by_c * matrices.mass_damping + by_k * matrices.mass_stiffness
    factor, inverse = block_ldl(A), np.asarray(np.linalg.inv(small), dtype=np.float64)
    reach = block_reach(factor, _loaded(factor), FELT)
    gives = by_k * _most_given(matrices, inverse, _softest_point(factor, reach, matrices))
    gives += by_k * matrices.lever**2 * inverse[-1, -1] * _contacts_of(matrices)
    return ImplicitScheme(
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
        reach=reach,
        mass=node_rows(matrices.mass, *matrices.nodes),
    )


def _most_given(matrices: Matrices, inverse: NDArray[np.float64], softest: float) -> float:
    """Most that wire and head, without its roll, give way within a step where strips press alike [m/N]."""
    strips = matrices.strips
    if strips is None or not strips.suspended:
        return softest + float(inverse[0, 0])
    heads = np.abs(inverse[strips.rides] @ strips.load.T).sum(axis=1).max()
    return len(strips.rides) * softest + float(heads)


def _contacts_of(matrices: Matrices) -> int:
    return 1 if matrices.strips is None else len(matrices.strips.rides)


def _loaded(factor: BlockFactor) -> Iterator[int]:
    """Rows of every kind of dof at two places of a line, on which loads show how far they are felt."""
    n, width = int(factor.start[-1]), factor.below.shape[2]
    for place in (n // 6, n // 2):
        yield from range(place, min(place + width, n))


def _softest_point(factor: BlockFactor, reach: int, matrices: Matrices) -> float:
    """Most that the contact wire gives way at a point within a step [m/N]."""
    most, answer = 0.0, np.zeros(factor.start[-1])
    for dof, weight in zip(matrices.contact_dof, matrices.contact_weight, strict=True):
        kept = dof >= 0
        first, last = rows_near(factor, int(dof[kept].min()), int(dof[kept].max()) + 1, reach)
        np.add.at(answer, dof[kept], weight[kept])
        block_solve(factor, answer, first, last)
        most = max(most, float(weight[kept] @ answer[dof[kept]]))
        answer[first:last] = 0.0
    return most


def _newmark(matrices: Matrices, request: Request) -> ImplicitScheme:
    return _hht(matrices, request, 0.0)


def _hilber_hughes_taylor(matrices: Matrices, request: Request) -> ImplicitScheme:
    return _hht(matrices, request, request.alpha)


def _runge_kutta(matrices: Matrices, request: Request) -> RungeKuttaScheme:
    """Steps short enough for the fastest wave of the mesh, a whole number of them in dt."""
    limit = longest_step(matrices)
    if request.substep is not None and request.substep > limit:
        sentence = (
            f"open_line.rk4_step must not exceed the stability limit of this mesh, {limit:.3g} s (fastest waves and "
            f"damping): got {request.substep:g} s; leave it out (null) and the step is chosen"
        )
        raise InputError([sentence])
    substeps = int(np.ceil(request.dt / (request.substep or SAFETY * limit) - 1e-9))
    return RungeKuttaScheme(substeps, request.dt, block_ldl(matrices.mass))


INTEGRATORS = {
    "newmark": Integrator("newmark", 2, ImplicitScheme, _newmark, refresh, implicit_step),
    "hht": Integrator("hht", 2, ImplicitScheme, _hilber_hughes_taylor, refresh, implicit_step),
    "rk4": Integrator("rk4", 4, RungeKuttaScheme, _runge_kutta, nothing_carried, runge_kutta_step),
}
