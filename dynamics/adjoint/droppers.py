"""What each dropper's height, or length, and station do to contact force, uplift and static forces, to first order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from dynamics.adjoint.steady_slopes import FigureSlopes, SteadySlopes
from dynamics.results.solution import Solution
from dynamics.solution import solve

__all__ = ["CheckedStep", "DropperSlope", "DropperSlopes", "dropper_slopes"]

# steps of form-finding, small enough for first order and large enough for its residual [m]
HEIGHT_STEP, STATION_STEP = 1.0e-6, 1.0e-5
# largest change of a height by which the slopes are checked: sigma bends within tenths of a millimetre [m]
CHECKED = 1.0e-4


@dataclass(frozen=True)
class DropperSlope:
    """Derivatives by one dropper's height, or by its length where lengths are prescribed, and by its station.

    Attributes
    ----------
    position : float
        Station [m].
    by_height, by_station : FigureSlopes
        Of every figure, per metre.
    height_error, station_error : FigureSlopes, optional
        How far these may be off (`dynamics.adjoint.slope_errors`); None where it is not known.
    """

    position: float
    by_height: FigureSlopes
    by_station: FigureSlopes
    height_error: FigureSlopes | None = None
    station_error: FigureSlopes | None = None


@dataclass(frozen=True)
class CheckedStep:
    """A step down the slopes: all heights or lengths in proportion to them, the largest change being ``largest`` [m].

    Change of the standard deviation as the slopes have it and as it was computed [N], and time steps by which the
    droppers are slack for longer or shorter after it, all together: at each of them the slopes have a kink.
    """

    largest: float
    expected: float
    computed: float
    slack_steps: int


@dataclass(frozen=True)
class DropperSlopes:
    """Derivatives by all droppers, what is prescribed of them ("heights" or "lengths"), and their check."""

    prescribed: str
    droppers: tuple[DropperSlope, ...]
    check: CheckedStep


def dropper_slopes(slopes: SteadySlopes, *, checked: bool = True) -> DropperSlopes:
    """Derivatives of a steady state by every dropper, each alone and in every span.

    They are ``checked`` by a computed step down them, unless that is not wanted; its figures are then NaN.
    """
    solution = slopes.solution
    spec = solution.case.catenary
    key = "lengths" if spec.droppers.prescribed == "lengths" else "contact_wire_heights"

    def by(key: str, k: int, step: float) -> FigureSlopes:
        near = _moved(spec, key, [step if j == k else 0.0 for j in range(len(spec.droppers.positions))])
        return slopes.towards(solution.case.model_copy(update={"catenary": near}), step)

    rows = []
    for k, position in enumerate(spec.droppers.positions):
        rows.append(DropperSlope(position, by(key, k, HEIGHT_STEP), by("positions", k, STATION_STEP)))
    check = _checked(solution, key, rows) if checked else CheckedStep(CHECKED, math.nan, math.nan, 0)
    return DropperSlopes(key.rpartition("_")[2], tuple(rows), check)


def _moved(spec: CatenarySpec, key: str, by: list[float]) -> CatenarySpec:
    values = [value + change for value, change in zip(getattr(spec.droppers, key), by, strict=True)]
    return spec.with_changes(droppers={key: values})


def _checked(solution: Solution, key: str, rows: list[DropperSlope]) -> CheckedStep:
    """Take a step down the slopes by heights, or lengths, and compute what it gives."""
    case, slopes = solution.case, [row.by_height.sigma for row in rows]
    steepest = max(abs(s) for s in slopes)
    if not 0.0 < steepest < math.inf or not all(map(math.isfinite, slopes)):  # flat, or not known: no way down
        return CheckedStep(CHECKED, math.nan, math.nan, 0)
    by = [-CHECKED * s / steepest for s in slopes]
    spec = _moved(case.catenary, key, by)
    line = periodic_equilibrium(spec, like=solution.equilibrium.mesh)
    found = solve(case.model_copy(update={"catenary": spec}), solution.near_start, line)
    there, here = found.train_statistics, solution.train_statistics
    expected = sum(s * b for s, b in zip(slopes, by, strict=True))
    if there is None or here is None:
        return CheckedStep(CHECKED, expected, math.nan, 0)
    turned = round(float(np.nansum(np.abs(found.dropper_slack_time - solution.dropper_slack_time))) / case.time_step)
    return CheckedStep(CHECKED, expected, there.contact_force_std_N - here.contact_force_std_N, turned)
