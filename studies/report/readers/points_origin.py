"""Where a sweep's or a sensitivity study's numbers come from: held and varied inputs, cost, versions, command."""

from __future__ import annotations

from collections.abc import Iterable

from dynamics.charts.numbers import number
from dynamics.spec.case import CaseSpec
from optimise.evaluation.outcome import Outcome
from optimise.record.parameter_study_folder import ParameterStudyFolder
from optimise.record.status_file import read_sound_status
from studies.report.content.provenance import case_provenance, origin_sections
from studies.report.drawing.parts import Section
from studies.report.readers.given_input import input_origins
from studies.report.readers.stored import command_of, origin_facts, read_mapping, run_facts

__all__ = ["points_origin"]


def points_origin(
    place: ParameterStudyFolder, case: CaseSpec, varied: Iterable[str], points: Iterable[Outcome]
) -> tuple[Section, ...]:
    """Show every input of a study's case, those that it varies marked, what was run and the command.

    Parameters
    ----------
    place : PointsFolder
        Where the study is kept.
    case : CaseSpec
        Its case.
    varied : iterable of str
        Dotted paths of the inputs that it varies.
    points : iterable of Outcome
        What is on record.
    """
    record, done, names = read_mapping(place.input_yaml), list(points), tuple(varied)
    name = str((record.get(place.study) or {}).get("name", ""))
    seconds = sum(point.seconds for point in done)
    facts = [
        (place.study, name),
        ("points on record", f"{len(done)}"),
        *origin_facts(place.result_nc if place.result_nc.exists() else place.input_yaml, record),
        ("core-hours, one thread a point", number(seconds / 3600.0, 4)),
    ]
    wall = read_sound_status(place.status_json).get("wall_time_s")
    text = "Every value of the line, of the pantograph and of the run."
    if "speed_kmh" in names and case.mean_force_N is not None:
        text += (
            " The mean force is that of the case's own speed; where it is the reference one, each speed holds its own."
        )
    command = command_of(place.path, place.study, (f"{place.study}.name={name}",))
    return origin_sections(
        case_provenance(case, names, input_origins(place.path, place.study, case)),
        text,
        run_facts(facts, {} if wall is None else {"all runs of the study": float(wall)}, command),
        "Where the study's folder still stands, the same command continues it.",
    )
