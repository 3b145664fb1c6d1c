"""A case whose period takes a whole number of steps of its own dt, as the clock of a rig wants it."""

from __future__ import annotations

from catenary.errors import InputError
from dynamics.spec.case import CaseSpec

__all__ = ["whole_step_case"]


LARGEST_SPEED_CHANGE = 0.003


def whole_step_case(case: CaseSpec) -> CaseSpec:
    """Case whose span takes a whole number of steps of its own dt: the speed gives way.

    Raises
    ------
    InputError
        If the speed would have to change by more than 0.3 %.
    """
    span, asked = case.line.period, case.speed
    steps = max(1, round(span / (asked * case.dt)))
    speed = span / (steps * case.dt)
    if abs(speed / asked - 1.0) > LARGEST_SPEED_CHANGE:
        raise InputError(
            [
                f"speed_kmh must let a span of {span:g} m take a whole number of steps of {1e3 * case.dt:g} "
                f"ms within 0.3 %: got {case.speed_kmh:g} km/h, nearest {3.6 * speed:.4f} km/h; give it "
                "or a smaller dt"
            ]
        )
    return CaseSpec.model_validate({**case.model_dump(), "speed_kmh": 3.6 * speed})
