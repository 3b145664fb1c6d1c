"""Contact force on the infinite line itself, where no window is long enough.

Near a resonance waves along the track reach farther than a window does. Influence matrices know no ends: they are
those of the same cell, at the same step, with the Bloch phase of its neighbours (Gil et al., section 2), and the steady
state under the same pantograph follows from them at once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynamics.accuracy.companions import NoCompanionError, window_of
from dynamics.accuracy.numerical_error import ErrorPart, NumericalError
from dynamics.contact_force.statistics import contact_statistics, filter_force
from dynamics.influence.matrices import InfluenceMatrices, influence_matrices
from dynamics.pantograph.aerodynamic import lift_of, pressed_case
from dynamics.results.solution import Solution
from dynamics.rig.loop.device import lumped_device
from dynamics.rig.loop.model import model_of
from dynamics.rig.loop.spec import LoopSettings
from dynamics.rig.loop.steady import LoopSteadyState, solve_steady
from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status
from dynamics.steady_state.transient import MEAN_FORCE_TOLERANCE

__all__ = ["on_infinite_line"]

SEARCHES = 12
# of the matrices, as those of a rig have it
QUADRATURE = 1.0e-3


def on_infinite_line(case: CaseSpec, solution: Solution, error: NumericalError) -> tuple[Solution, NumericalError]:
    """Solution of a window with the contact force of the infinite line in its place, and the error that is left.

    Parameters
    ----------
    case : CaseSpec
    solution : Solution
        Its steady state on a window.
    error : NumericalError
        Of that.

    Raises
    ------
    NoCompanionError
        Where matrices do not cover the case, or no steady state is found on them.
    """
    if solution.status is not Status.OK:
        raise NoCompanionError(f"no steady state to compare with that of the infinite line: {solution.status.value}")
    matrices = _matrices(case)
    state, applied = _pressed(case, matrices, solution.applied_force_N)
    # steps of a window end where those of the matrices begin
    force, height = np.roll(state.contact_force, -1), np.roll(state.height, -1)
    bands = filter_force(force, case.time_step, case.signal, periodic=True)
    window = solution.statistics
    assert window is not None
    statistics = contact_statistics(force, bands, height, 1.0e-3 * window.max_uplift_at_supports_mm)
    spans = " + ".join(map(str, window_of(case).values()))
    found = replace(
        solution.leading,
        applied_force_N=applied,
        contact_force=force,
        contact_force_filtered=bands.whole,
        contact_height=height,
        statistics=statistics,
    )
    message = (
        f"no window is long enough near this resonance: the contact force is that of the infinite line, by its "
        f"influence matrices; uplift and dropper forces are those of a window of {spans} spans"
    )
    sigma = statistics.contact_force_std_N
    part = ErrorPart(
        "window",
        matrices.truncation_error * sigma,
        f"{sigma:.3f} N on the infinite line, {error.sigma_N:.3f} N with {spans} spans; left is what the matrices' "
        "quadrature may move",
    )
    parts = tuple(part if p.name == "window" else p for p in error.parts)
    return (
        replace(solution, pantographs=(found,), message=message),
        NumericalError(sigma, parts, error.wall_time_s + matrices.wall_time_s),
    )


def _matrices(case: CaseSpec) -> InfluenceMatrices:
    """Influence matrices of a case, where they cover what its window does."""
    if case.slack_damping != "kept":
        raise NoCompanionError(f"influence matrices keep the damping of slack droppers: got {case.slack_damping}")
    if case.pantograph.kind != "lumped":
        raise NoCompanionError(
            f"influence matrices are pressed by lumped masses: pantograph.kind is {case.pantograph.kind}"
        )
    if case.trailing.distances_m:
        raise NoCompanionError("influence matrices are pressed by one pantograph: trailing.distances_m names others")
    try:
        return influence_matrices(case, QUADRATURE)
    except ValueError as reason:  # such as a dropper that is slack at rest
        raise NoCompanionError(str(reason)) from reason


def _pressed(case: CaseSpec, matrices: InfluenceMatrices, applied: float) -> tuple[LoopSteadyState, float]:
    """Steady state under the case's applied force, or under that which gives its mean force, and that force [N]."""
    model, loop, target = model_of(matrices), LoopSettings(), case.mean_force_N
    lift = lift_of(case)
    pressed = pressed_case(case, lift).pantograph
    for _ in range(SEARCHES):
        device = lumped_device(pressed, applied + lift.applied, case.contact.stiffness, case.time_step)
        state = solve_steady(model, device, loop)
        if state.status != "ok":
            raise NoCompanionError(f"no steady state on the infinite line: {state.status}")
        if (state.correction_force[:, [0, -1]] > 0.0).any():
            raise NoCompanionError("droppers are slack for longer than the matrices reach")
        missing = 0.0 if target is None else target - float(state.contact_force.mean())
        if abs(missing) < 0.5 * MEAN_FORCE_TOLERANCE:
            return state, applied
        applied += missing
    raise NoCompanionError(f"no applied force was found that gives a mean of {target} N on the infinite line")
