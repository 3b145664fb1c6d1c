"""A sensitivity study as it is asked for and as it stands: what decides its numbers, its points and their indices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.spec.case import CaseSpec
from optimise.evaluation.case_inputs import refuse_bad_values, value_at
from optimise.evaluation.job import Batch, Setting
from optimise.evaluation.outcome import Outcome
from optimise.parameter_study.sensitivity_indices import (
    OUTPUTS,
    GradientFigures,
    LocalFigures,
    MorrisFigures,
    SobolFigures,
    gradient,
    local,
    morris,
    sobol,
)
from optimise.parameter_study.sensitivity_points import SamplePlan, sample_batches, sample_plan
from optimise.record.parameter_study_folder import ParameterStudyInput
from optimise.spec.sensitivity import SensitivityInputsSpec

__all__ = ["SensitivityInput", "SensitivityResult"]

MOST_CHECKED = 400
# what decides how a steady state is solved
OF_THE_SOLVER = ("dt", "periodic.", "catenary.mesh.")
STEPPED = "sensitivity.inputs (differences step sensitivity.local.step of a range from the case's own value)"


class SensitivityInput(ParameterStudyInput):
    """Everything that decides the numbers of a sensitivity study."""

    sensitivity: SensitivityInputsSpec

    @property
    def name(self) -> str:
        """Name of the study."""
        return self.sensitivity.name

    @property
    def points(self) -> int:
        """Points that the methods ask for."""
        return self.sensitivity.points

    @property
    def names(self) -> tuple[str, ...]:
        """Dotted paths of the inputs."""
        return tuple(self.sensitivity.inputs)

    @cached_property
    def plan(self) -> SamplePlan:
        """Every point by its method."""
        return sample_plan(self.sensitivity, self.case)

    @cached_property
    def batches(self) -> list[Batch]:
        """Every point, near ones together; one by one where no state is continued."""
        batches = sample_batches(self.plan, self.sensitivity)
        return [one for batch in batches for one in batch.split] if self.case.on_open_line else batches

    @property
    def setting(self) -> Setting:
        """What all points share: each search starts from the nearest state before it."""
        from dynamics.steady_state.nearest_start import NearestStart

        return Setting(self.case, names=self.names, policy=NearestStart)

    def refuse_bad_points(self) -> None:
        """Refuse a study of which the ends of a range, or points spread over the plan, cannot be.

        A point that turns out not to be possible later is one without figures.
        """
        ranges = self.sensitivity.inputs.values()
        nominal = [value_at(self.case, name) for name in self.names]
        if "gradient" in self.sensitivity.methods:
            _refuse_without_derivatives(self.case, self.names)
        if {"local", "gradient"} & {*self.sensitivity.methods}:
            _refuse_logarithms(dict(zip(self.names, nominal, strict=True)), self.sensitivity)
        ends = [(*nominal[:i], end, *nominal[i + 1 :]) for i, r in enumerate(ranges) for end in (r.low, r.high)]
        refuse_bad_values(self.case, self.names, ends, "sensitivity.inputs")
        for method in self.sensitivity.methods:
            rows = [tuple(map(float, self.plan.values[n])) for n in _spread(self.plan.blocks[method], MOST_CHECKED)]
            refuse_bad_values(self.case, self.names, rows, STEPPED if method == "local" else "sensitivity.inputs")


@dataclass(frozen=True)
class SensitivityResult:
    """Evaluated points of a study and what they say; a point not evaluated yet is missing."""

    path: Path
    spec: SensitivityInputsSpec
    case: CaseSpec
    plan: SamplePlan
    points: dict[int, Outcome]

    @cached_property
    def outputs(self) -> NDArray[np.float64]:
        """Every output at every point (point, output), NaN where there are no figures."""
        found = np.full((len(self.plan.values), len(OUTPUTS)), np.nan)
        for n, point in self.points.items():
            if point.statistics:
                found[n] = [point.statistics[o.key] for o in OUTPUTS]
        return found

    @cached_property
    def sobol(self) -> SobolFigures | None:
        """Shares of the variance, where they are asked for."""
        return sobol(self.plan, self.outputs, self.spec) if "sobol" in self.spec.methods else None

    @cached_property
    def morris(self) -> MorrisFigures | None:
        """Elementary effects, where they are asked for."""
        return morris(self.plan, self.outputs, self.spec) if "morris" in self.spec.methods else None

    @cached_property
    def local(self) -> LocalFigures | None:
        """Derivatives, where they are asked for."""
        return local(self.plan, self.outputs) if "local" in self.spec.methods else None

    @cached_property
    def gradient(self) -> GradientFigures | None:
        """Exact derivatives, where they are asked for."""
        if "gradient" not in self.spec.methods:
            return None
        return gradient(self.plan, [self.points.get(n) for n in range(*self.plan.blocks["gradient"])])

    @property
    def failed(self) -> dict[int, Outcome]:
        """Points without figures."""
        return {n: p for n, p in sorted(self.points.items()) if not p.statistics}


def _refuse_logarithms(nominal: dict[str, float], spec: SensitivityInputsSpec) -> None:
    """Refuse a derivative in the logarithm of an input that has none at the case's own value."""
    problems = [
        f"sensitivity.inputs: {name} must be above 0 in this case where its spacing is log and methods name local "
        f"or gradient, which begin at the case's own value: got {value:g}; set another value, spacing linear, or leave "
        "out local and gradient"
        for name, value in nominal.items()
        if spec.inputs[name].spacing == "log" and value <= 0.0
    ]
    if problems:
        raise InputError(problems)


def _refuse_without_derivatives(case: CaseSpec, names: tuple[str, ...]) -> None:
    """Refuse exact derivatives of a case that has none, or by what decides how the steady state is solved."""
    from dynamics.adjoint.figures import refusal_of_derivatives

    solver = [name for name in names if name.startswith(OF_THE_SOLVER)]
    if solver:
        raise InputError(
            [f"sensitivity.methods must be without gradient where inputs name {', '.join(solver)}: a steady state that "
             "is held has no derivative by how it is solved; leave out gradient or these inputs"]
        )  # fmt: skip
    refusal = refusal_of_derivatives(case)
    if refusal is not None:
        raise InputError([f"{refusal}; or leave gradient out of sensitivity.methods"])


def _spread(block: tuple[int, int], most: int) -> range:
    begin, end = block
    return range(begin, end, -(-(end - begin) // most))
