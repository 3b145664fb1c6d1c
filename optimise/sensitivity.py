"""A sensitivity study from its first point to its indices: sampling, record, interruption and resuming."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
import yaml
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.spec import Spec
from dynamics.spec import CaseSpec
from optimise.case_inputs import refuse_bad_values, value_at
from optimise.sensitivity_design import SamplePlan, sample_plan, sample_strands
from optimise.sensitivity_indices import OUTPUTS, LocalFigures, MorrisFigures, SobolFigures, local, morris, sobol
from optimise.sensitivity_spec import SensitivityInputsSpec, SensitivitySpec
from optimise.strand_points import PointResult, StrandResult, evaluate_samples
from optimise.strand_record import StrandFolder
from optimise.strand_run import PointsProgress, StrandWork, fill_record

__all__ = [
    "SensitivityFolder",
    "SensitivityInput",
    "SensitivityResult",
    "load_sensitivity",
    "refuse_bad_samples",
    "run_sensitivity",
]


MOST_CHECKED = 400
STEPPED = "sensitivity.inputs (differences step sensitivity.local.step of a range from the case's own value)"


class SensitivityInput(Spec):
    """Everything that decides the numbers of a sensitivity study."""

    sensitivity: SensitivityInputsSpec
    case: CaseSpec


@dataclass(frozen=True)
class SensitivityFolder(StrandFolder):
    """Stable names inside the folder of a sensitivity study."""

    study: ClassVar[str] = "sensitivity"

    @property
    def indices_csv(self) -> Path:
        """Every index, effect and derivative as one row."""
        return self.path / "indices.csv"


@dataclass(frozen=True)
class SensitivityResult:
    """Evaluated points of a study and what they say; a point not evaluated yet is missing."""

    path: Path
    spec: SensitivityInputsSpec
    case: CaseSpec
    plan: SamplePlan
    points: dict[int, PointResult]

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

    @property
    def failed(self) -> dict[int, PointResult]:
        """Points without figures."""
        return {n: p for n, p in sorted(self.points.items()) if not p.statistics}


def run_sensitivity(
    spec: SensitivitySpec,
    case: CaseSpec,
    folder: Path,
    *,
    progress: Callable[[PointsProgress], None] | None = None,
    evaluate: Callable[..., StrandResult] = evaluate_samples,
) -> SensitivityResult:
    """Evaluate the points of a study, or what is missing of them, and write its results.

    Parameters
    ----------
    spec : SensitivitySpec
        Inputs and methods, and where the points are evaluated.
    case : CaseSpec
        What all points share.
    folder : Path
        The study's folder; made if it is missing, gone on with if it holds this study.
    progress : callable, optional
        Called in the driver after each strand and about twice a second.
    evaluate : callable
        Picklable function of a strand and (case, names of the inputs).

    Raises
    ------
    InputError
        If a point is no possible case, the folder holds another study, or a driver works on it.
    Interrupted
        After Ctrl-C or a request to end; every finished strand is on record.
    """
    given = SensitivityInput(sensitivity=spec.sensitivity, case=case)
    plan = refuse_bad_samples(case, spec.sensitivity)
    place = SensitivityFolder(Path(folder))
    work = StrandWork(sample_strands(plan, spec.sensitivity), evaluate, (case, plan.names), spec.cluster, progress)
    fill_record(place, given, spec.sensitivity.name, work)
    result = _result(place, given, plan)
    _write(result, place)
    return result


def refuse_bad_samples(case: CaseSpec, spec: SensitivityInputsSpec) -> SamplePlan:
    """All points of a study, checked before anything is written.

    Checked are the ends of every range, what differences step on, and points spread over the plan; one that turns out
    not to be possible later is a point without figures.

    Raises
    ------
    InputError
        With one sentence per value that is not allowed, and for points whose values do not go together.
    """
    nominal = [value_at(case, name) for name in spec.inputs]
    ends = [
        (*nominal[:i], end, *nominal[i + 1 :]) for i, r in enumerate(spec.inputs.values()) for end in (r.low, r.high)
    ]
    refuse_bad_values(case, tuple(spec.inputs), ends, "sensitivity.inputs")
    plan = sample_plan(spec, case)
    for method in spec.methods:
        rows = [tuple(map(float, plan.values[n])) for n in _spread(plan.blocks[method], MOST_CHECKED)]
        refuse_bad_values(case, plan.names, rows, STEPPED if method == "local" else "sensitivity.inputs")
    return plan


def _spread(block: tuple[int, int], most: int) -> range:
    begin, end = block
    return range(begin, end, -(-(end - begin) // most))


def load_sensitivity(folder: Path) -> SensitivityResult:
    """Study of a folder as it is on record.

    Raises
    ------
    InputError
        If the folder holds no sensitivity study.
    """
    place = SensitivityFolder(Path(folder))
    try:
        content = yaml.safe_load(place.input_yaml.read_text(encoding="utf-8"))
        given = SensitivityInput.model_validate({name: content[name] for name in ("sensitivity", "case")})
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        reason = str(error).splitlines()[0]
        raise InputError([f"{place.input_yaml} must be a readable sensitivity study: {reason}"]) from error
    return _result(place, given, sample_plan(given.sensitivity, given.case))


def _result(place: SensitivityFolder, given: SensitivityInput, plan: SamplePlan) -> SensitivityResult:
    done, points = place.read(), {}
    for task in sample_strands(plan, given.sensitivity):
        if task.number in done:
            numbers = (index[0] for index in task.indices)
            points.update(zip(numbers, done[task.number].points, strict=True))
    return SensitivityResult(place.path, given.sensitivity, given.case, plan, points)


def _write(result: SensitivityResult, place: SensitivityFolder) -> None:
    from optimise.dataset import write_sensitivity
    from optimise.sensitivity_table import write_indices

    write_sensitivity(result, place.result_nc)
    write_indices(result, place.indices_csv)
