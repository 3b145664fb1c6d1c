"""Dropper lengths of one tension section from measured heights: least squares through form-finding.

The errors d of the lengths make the sum of ((z(d) - measured) / accuracy)^2 over all points and (d / spread)^2 over all
droppers least, z being the heights in which the line hangs with those lengths. One measured height says little about
one length: between its neighbours a contact wire is stiffer than the messenger wire below its droppers, so that a
length may be wrong by some millimetres for every millimetre of height. The second sum is what is known beforehand, how
well droppers are cut; it decides where heights leave a length open.

Gauss-Newton; dz/dd is that of the form-finding equations, one factor of their Newton matrix for all droppers. The
inverse of the normal matrix holds the variances of the errors that are found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.form_finding.defects import as_built, as_designed, places_of
from catenary.form_finding.equations import FormFindingProblem, residual_and_jacobian
from catenary.form_finding.equilibrium import (
    Equilibrium,
    EquilibriumStatus,
    mesh_of,
    newton,
    open_line_equilibrium,
    result_of,
)
from catenary.form_finding.newton import banded_solver
from catenary.layout.geometry import line_layout
from catenary.layout.sections import Part
from catenary.linearised.contact_wire import contact_table, static_height
from catenary.spec.section import LONGEST_ERROR
from catenary.survey.measured_heights import MeasuredHeights

__all__ = ["FittedLengths", "section_fit"]

Floats = NDArray[np.float64]
# a measured height farther from the design's is of another datum, or no height [m]
FARTHEST = 0.5
# of a dropper that the fit left hanging loose, or at the edge of it [N]
LOOSE_BELOW = 0.5
# an error is certain where it exceeds its standard deviation so many times
TIMES = 2.0
MOST_STEPS, HALVINGS = 30, 6
LONGEST_STEP, SHORTEST_STEP = 0.03, 1.0e-6  # m


@dataclass(frozen=True, eq=False)
class FittedLengths:
    """Lengths found, and how well they explain what was measured.

    Attributes
    ----------
    dropper : int array (dropper,)
        Numbers of the droppers that are there, among all that the line names, the first one being 0.
    design : float array (dropper,)
        Lengths that the design cuts them to [m].
    error : float array (dropper,)
        What the length found is longer than that [m].
    uncertainty : float array (dropper,)
        Standard deviation of that error [m]: near the spread that was assumed, heights say nothing of this dropper.
    loose : bool array (dropper,)
        Droppers that carry nothing in the line that was found: such a one is too long by at least its error.
    may_be_loose : bool array (dropper,)
        Those, and droppers whose force lies within two standard deviations of zero: heights do not tell whether such a
        dropper hangs loose, nor by how much it is then longer than found.
    designed, found : float array (point,)
        Heights at rest of the design and with the lengths found [m].
    steps : int
        Gauss-Newton steps.
    """

    dropper: NDArray[np.int64]
    design: Floats
    error: Floats
    uncertainty: Floats
    loose: NDArray[np.bool_]
    may_be_loose: NDArray[np.bool_]
    designed: Floats
    found: Floats
    steps: int

    def beyond(self, tolerance: float) -> NDArray[np.bool_]:
        """Droppers whose error is found larger than a tolerance [m], certain or not (dropper,)."""
        return np.asarray(np.abs(self.error) > tolerance)

    def wrong(self, tolerance: float) -> NDArray[np.bool_]:
        """Those of them whose error exceeds its own uncertainty twice, or that hang loose (dropper,).

        One that may hang loose is never too short: it is as long as found, or longer by any amount.
        """
        certain = self.loose | (np.abs(self.error) > TIMES * self.uncertainty)
        return np.asarray(self.beyond(tolerance) & certain & ~(self.may_be_loose & (self.error < 0.0)))


@dataclass(frozen=True, eq=False)
class _Fit:
    """The least-squares problem: a line of prescribed lengths, what was measured, and what is known of either [m]."""

    problem: FormFindingProblem
    cut: Floats
    measured: MeasuredHeights
    accuracy: float
    spread: float

    def hung(self, error: Floats, start: Floats) -> tuple[Equilibrium, Floats]:
        """The line with errors of its lengths, found from unknowns nearby, and the unknowns."""
        self.problem.cut[:] = self.cut + error
        u, r, used = newton(self.problem, start)
        return result_of(self.problem, u, r, used), u

    def misfit(self, eq: Equilibrium) -> Floats:
        """Height over the measured one (point,) [m]."""
        return static_height(eq, self.measured.station) - self.measured.height

    def cost(self, eq: Equilibrium, error: Floats) -> float:
        """Sum of squares, infinite where the line is not found."""
        if eq.status is not EquilibriumStatus.OK:
            return float("inf")
        left = self.misfit(eq) / self.accuracy
        return float(left @ left + (error / self.spread) @ (error / self.spread))

    def normal(self, slopes: Floats) -> Floats:
        """Normal matrix (dropper, dropper) [1/m^2]."""
        return slopes.T @ slopes / self.accuracy**2 + np.eye(slopes.shape[1]) / self.spread**2


def section_fit(part: Part, measured: MeasuredHeights, accuracy: float, spread: float) -> FittedLengths:
    """Find the lengths of a tension section's droppers, which are numbered as its own, from heights of its wire.

    Parameters
    ----------
    part : Part
        As it is designed; broken droppers and those of another stiffness are known.
    measured : MeasuredHeights
        Stations are those of the whole line. Where there are none lengths stay those of the design.
    accuracy : float
        Standard deviation of a measured height [m].
    spread : float
        Standard deviation of the errors of cut lengths that is expected [m].

    Raises
    ------
    InputError
        If the design cannot be, or heights are those of another datum.
    """
    spec, whole = part.line, measured
    measured = replace(whole, station=whole.station - part.begin)
    design = open_line_equilibrium(as_designed(spec), len(spec.spans))
    if design.status is not EquilibriumStatus.OK or (design.dropper_force < 0.0).any():
        raise InputError(["the design must hang with all droppers taut: it does not"])
    designed = static_height(design, measured.station)
    _refuse_other_datum(whole, designed)
    heights = design.q[design.mesh.dropper_bottom, 2]
    built, start = as_built(spec, design.dropper_unstretched_length, heights)
    layout = line_layout(built, len(spec.spans))
    mesh = mesh_of(built, replace(layout, dropper_height=tuple(start[list(layout.dropper_kind)].tolist())))
    cut = np.array(built.droppers.lengths)[list(layout.dropper_kind)]
    fit = _Fit(FormFindingProblem(built, mesh, cut.copy()), cut, measured, accuracy, spread)
    eq, error, (slopes, of_forces), steps = _gauss_newton(fit)
    if np.abs(error).max() > LONGEST_ERROR:
        worst = int(np.abs(error).argmax())
        raise InputError(
            [
                f"lengths must be within {1e3 * LONGEST_ERROR:g} mm of the design's: the heights need "
                f"{1e3 * error[worst]:+.0f} mm at the dropper {part.begin + layout.dropper_x[worst]:g} m from the "
                "first support; look at the heights next to it"
            ]
        )
    covariance = np.linalg.inv(fit.normal(slopes))
    unsure = np.sqrt(np.einsum("dk,kl,dl->d", of_forces, covariance, of_forces))
    loose = eq.dropper_force < LOOSE_BELOW
    return FittedLengths(
        dropper=np.setdiff1d(np.arange(len(spec.droppers.positions)), places_of(spec, "broken")),
        design=cut,
        error=error,
        uncertainty=np.sqrt(np.diag(covariance)),
        loose=loose,
        may_be_loose=loose | (eq.dropper_force < TIMES * unsure),
        designed=designed,
        found=static_height(eq, measured.station),
        steps=steps,
    )


def _gauss_newton(fit: _Fit) -> tuple[Equilibrium, Floats, tuple[Floats, Floats], int]:
    """Line, errors of its lengths (dropper,) [m], slopes by lengths (`_slopes`), and steps."""
    error = np.zeros(len(fit.cut))
    eq, u = fit.hung(error, fit.problem.start())
    cost = fit.cost(eq, error)
    if not np.isfinite(cost):
        raise InputError([f"the line must hang with the lengths of its design: {eq.status.value}"])
    for step in range(1, MOST_STEPS + 1):
        both = slopes, _ = _slopes(fit, eq, u)
        down = slopes.T @ fit.misfit(eq) / fit.accuracy**2 + error / fit.spread**2
        way = -np.linalg.solve(fit.normal(slopes), down)
        way *= min(1.0, LONGEST_STEP / max(float(np.abs(way).max()), 1e-12))
        for _ in range(HALVINGS):
            near, moved = fit.hung(error + way, u)
            if (lower := fit.cost(near, error + way)) <= cost:
                eq, u, cost, error = near, moved, lower, error + way
                break
            way = 0.5 * way
        else:
            return (*_again(fit, error, u), both, step)
        if np.abs(way).max() < SHORTEST_STEP:
            return eq, error, both, step
    return eq, error, _slopes(fit, eq, u), MOST_STEPS


def _again(fit: _Fit, error: Floats, u: Floats) -> tuple[Equilibrium, Floats]:
    """The last line that was better, after steps that were not."""
    return fit.hung(error, u)[0], error


def _slopes(fit: _Fit, eq: Equilibrium, u: Floats) -> tuple[Floats, Floats]:
    """Change of heights (point, dropper) [-] and of the droppers' forces (dropper, dropper) [N/m] by every length.

    Nothing changes by the length of a dropper that hangs loose, nor does its force.
    """
    problem = fit.problem
    _, values = residual_and_jacobian(problem, u)
    taut = eq.dropper_gap <= 0.0
    sides = np.zeros((len(problem.rows), len(fit.cut)))
    at = np.searchsorted(problem.rows, problem.size_rows)
    sides[at, np.arange(len(fit.cut))] = np.where(taut, problem.stiffness, 0.0)
    solved = banded_solver(problem).solve_all(values, sides)
    if solved is None:
        raise InputError(["lengths must decide the heights: the equations of form-finding are singular"])
    moved = np.zeros((problem.n_total, len(fit.cut)))
    moved[problem.unknown] = solved
    _, dof, weight = contact_table(eq, fit.measured.station)
    low, high = (eq.q[nodes, 1:3] for nodes in (eq.mesh.dropper_bottom, eq.mesh.dropper_top))
    axis = (high - low) / np.linalg.norm(high - low, axis=1)[:, None]
    apart = moved[eq.mesh.dof[eq.mesh.dropper_top, 1:3]] - moved[eq.mesh.dof[eq.mesh.dropper_bottom, 1:3]]
    stretch = np.einsum("dc,dck->dk", axis, apart) - np.eye(len(fit.cut))
    of_forces = np.where(taut, problem.stiffness, 0.0)[:, None] * stretch
    return np.asarray(np.einsum("pk,pkd->pd", weight, moved[dof])), np.asarray(of_forces)


def _refuse_other_datum(measured: MeasuredHeights, designed: Floats) -> None:
    off = measured.height - designed
    worst = int(np.abs(off).argmax()) if len(off) else None
    if worst is not None and abs(off[worst]) > FARTHEST:
        raise InputError(
            [
                f"measured heights must be within {1e3 * FARTHEST:g} mm of the design's: got {off[worst]:+.3f} m at "
                f"{measured.station[worst]:g} m from the first support (nominal_height_m says at what height the "
                "line's contact wire is in the table)"
            ]
        )
