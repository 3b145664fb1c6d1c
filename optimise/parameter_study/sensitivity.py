"""A sensitivity study from its first point to its indices: sampling, record, interruption and resuming."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Unpack

from dynamics.spec.case import CaseSpec
from optimise.parameter_study.run import Fill, fill_record
from optimise.parameter_study.sensitivity_result import SensitivityInput, SensitivityResult
from optimise.parameter_study.sensitivity_table import write_indices
from optimise.record.points_folder import PointsFolder
from optimise.spec.sensitivity import SensitivitySpec

__all__ = [
    "SensitivityFolder",
    "load_sensitivity",
    "run_sensitivity",
]


@dataclass(frozen=True)
class SensitivityFolder(PointsFolder):
    """Stable names inside the folder of a sensitivity study."""

    study: ClassVar[str] = "sensitivity"

    @property
    def indices_csv(self) -> Path:
        """Every index, effect and derivative as one row."""
        return self.path / "indices.csv"


def run_sensitivity(spec: SensitivitySpec, case: CaseSpec, folder: Path, **how: Unpack[Fill]) -> SensitivityResult:
    """Evaluate the points of a study, or what is missing of them, as `fill_record` does, and write its results."""
    from optimise.parameter_study.points_dataset import write_sensitivity

    place, given = SensitivityFolder(Path(folder)), SensitivityInput(sensitivity=spec.sensitivity, case=case)
    fill_record(place, given, spec.cluster, how)
    result = _result(place, given)
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


def _result(place: SensitivityFolder, given: SensitivityInput) -> SensitivityResult:
    return SensitivityResult(place.path, given.sensitivity, given.case, given.plan, place.read(given))
