"""A sensitivity study from its first point to its indices: sampling, record, interruption and resuming."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Unpack

from dynamics.spec.case import CaseSpec
from optimise.parameter_study.run import Fill, PreparedStudy, fill_record, prepare_study
from optimise.parameter_study.sensitivity_result import SensitivityInput, SensitivityResult
from optimise.parameter_study.sensitivity_table import write_indices
from optimise.record.parameter_study_folder import ParameterStudyFolder, ParameterStudyInput
from optimise.spec.sensitivity import SensitivitySpec

__all__ = [
    "SensitivityFolder",
    "fill_sensitivity",
    "load_sensitivity",
    "run_sensitivity",
]


@dataclass(frozen=True)
class SensitivityFolder(ParameterStudyFolder):
    """Stable names inside the folder of a sensitivity study."""

    study: ClassVar[str] = "sensitivity"

    @property
    def indices_csv(self) -> Path:
        """Every index, effect and derivative as one row."""
        return self.path / "indices.csv"


def run_sensitivity(spec: SensitivitySpec, case: CaseSpec, folder: Path, **how: Unpack[Fill]) -> SensitivityResult:
    """Evaluate the points of a study, or what is missing of them, as `fill_record` does, and write its results."""
    given = SensitivityInput(sensitivity=spec.sensitivity, case=case)
    return fill_sensitivity(prepare_study(SensitivityFolder(Path(folder)), given, spec.cluster), **how)


def fill_sensitivity(prepared: PreparedStudy, **how: Unpack[Fill]) -> SensitivityResult:
    """Evaluate what is missing of a sensitivity study that `prepare_study` has checked, and write its results."""
    from optimise.parameter_study.dataset import write_sensitivity

    fill_record(prepared, how)
    place = SensitivityFolder(prepared.place.path)
    result = _result(place, prepared.given)
    write_sensitivity(result, place.result_nc)
    write_indices(result, place.indices_csv)
    return result


def load_sensitivity(folder: Path) -> SensitivityResult:
    """Study of a folder as it is on record.

    Raises
    ------
    InputError
        If the folder holds no sensitivity study.
    """
    place = SensitivityFolder(Path(folder))
    return _result(place, place.read_input(SensitivityInput))


def _result(place: SensitivityFolder, given: ParameterStudyInput) -> SensitivityResult:
    assert isinstance(given, SensitivityInput)
    return SensitivityResult(place.path, given.sensitivity, given.case, given.plan, place.read(given))
