"""How a sweep or a sensitivity study in a folder stands, from its record, which is only read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from catenary.errors import InputError
from optimise.parameter_study.progress import ParameterStudyProgress
from optimise.parameter_study.sensitivity import SensitivityFolder
from optimise.parameter_study.sensitivity_result import SensitivityInput
from optimise.parameter_study.sweep import SweepFolder
from optimise.parameter_study.sweep_result import SweepInput
from optimise.record.driver_lock import driver_lives
from optimise.record.status_file import StudyState, read_sound_status

__all__ = ["read_parameter_study_status"]

KINDS = ((SweepFolder, SweepInput), (SensitivityFolder, SensitivityInput))


def read_parameter_study_status(folder: Path) -> ParameterStudyProgress:
    """State of the study in a folder.

    Raises
    ------
    InputError
        If the folder holds none, or its record cannot be read.
    """
    places = ((kind(Path(folder)), model) for kind, model in KINDS)
    found = next(((place, model) for place, model in places if place.input_yaml.is_file()), None)
    if found is None:
        raise InputError([f"run_dir must be the folder of a campaign, sweep or sensitivity study: {folder} is not"])
    place, model = found
    given = place.read_input(model)
    place.refuse_lost_record()
    written = read_sound_status(place.status_json)
    now = ParameterStudyProgress(
        study=place.study, name=given.name, points=given.points, command=str(written.get("command", ""))
    ).with_points(place.read(given).values())
    if driver_lives(place.lock):
        return replace(now, rate_per_s=written.get("rate_per_s"), time_left_s=written.get("time_left_s"))
    if now.done == now.points:
        return replace(now, state=StudyState.FINISHED)
    interrupted = written.get("state") == StudyState.INTERRUPTED
    return replace(now, state=StudyState.INTERRUPTED if interrupted else StudyState.STOPPED)
