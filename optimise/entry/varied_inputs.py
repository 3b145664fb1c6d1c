"""Check jobs of many points: they vary numbers of the case, over ranges that hold its own values."""

from __future__ import annotations

from catenary.errors import InputError
from dynamics.spec.case import case_of
from optimise.entry.input_paths import fitting_inputs, missing_inputs, path_problems, ranges_around
from optimise.evaluation.case_inputs import value_at
from optimise.spec.jobs import SensitivityJob, SweepJob

__all__ = ["refuse_bad_axes", "refuse_bad_inputs"]


def refuse_bad_axes(job: SweepJob) -> None:
    """Refuse axes that are not numeric inputs, and values out of range, by name.

    Raises
    ------
    InputError
        With a sentence each.
    """
    problems = [p for name, values in job.sweep.values.items() for p in path_problems("sweep.axes", name, values)]
    if problems:
        raise InputError(problems)


def refuse_bad_inputs(job: SensitivityJob) -> None:
    """Refuse inputs that are not numbers of the case, by name, and ranges that do not hold the case's own values.

    Raises
    ------
    InputError
        With a sentence each.
    """
    inputs = job.sensitivity.inputs.items()
    problems = [p for name, r in inputs for p in path_problems("sensitivity.inputs", name, (r.low, r.high), True)]
    if problems:
        raise InputError(problems)
    _refuse_missing(job)
    _refuse_elsewhere(job)


def _refuse_elsewhere(job: SensitivityJob) -> None:
    """Refuse ranges that do not hold the case's own values: they describe another line."""
    case, ranges = case_of(job), job.sensitivity.inputs
    values = {name: value_at(case, name) for name in ranges}
    outside = {name: v for name, v in values.items() if not ranges[name].low <= v <= ranges[name].high}
    # no logarithmic range holds zero: what is said of that is said elsewhere
    away = {name: v for name, v in outside.items() if v > 0.0 or ranges[name].spacing != "log"}
    if away:
        around = ranges_around(case, {name: r.model_dump() for name, r in ranges.items()})
        raise InputError(
            [
                f"sensitivity.inputs.{name} must hold the value of this case, {value:g}: got {ranges[name].low:g} to "
                f"{ranges[name].high:g}; ranges of the same shares around it: {around}"
                for name, value in away.items()
            ]
        )


def _refuse_missing(job: SensitivityJob) -> None:
    """Refuse inputs that the line or pantograph is without, and name the choice that has no such."""
    case = case_of(job)
    missing = missing_inputs(case, job.sensitivity.inputs)
    if not missing:
        return
    fitting = [f"inputs={choice}" for choice in fitting_inputs(case)]
    advice = f"use {' or '.join(fitting)}, or name others" if fitting else "name others"
    raise InputError(
        [
            f"sensitivity.inputs must name numbers that this case has: {', '.join(missing)} is not one of them "
            f"({job.catenary.name} with {job.pantograph.name}); {advice} by sensitivity.inputs"
        ]
    )
