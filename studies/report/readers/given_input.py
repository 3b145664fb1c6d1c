"""Which values of a run its user gave, and which are defaults of conf or a Spec; the sections that show a study's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from catenary.errors import InputError
from catenary.spec.changes import key_parts, plain, typed_keys
from catenary.spec.keys import KeyTree
from catenary.storage.configuration import conf_content
from dynamics.charts.numbers import number
from dynamics.spec.case import CaseSpec
from dynamics.spec.held_force import is_reference_force
from optimise.evaluation.outcome import Outcome
from optimise.record.parameter_study_folder import ParameterStudyFolder
from optimise.record.status_file import read_sound_status
from optimise.spec.jobs import OptimiseJob, SensitivityJob, SweepJob
from studies.input.compose import full_key
from studies.input.typed_text import typed_value
from studies.input.usage import default_value, written_keys
from studies.jobs.simulation import SimulateJob
from studies.report.content.provenance import case_provenance, origin_sections
from studies.report.drawing.parts import Section
from studies.report.readers.stored import command_of, origin_facts, read_mapping, run_facts

__all__ = ["input_origins", "points_origin"]

JOBS: dict[str, type[BaseModel]] = {
    "simulate": SimulateJob, "optimise": OptimiseJob, "sweep": SweepJob, "sensitivity": SensitivityJob
}  # fmt: skip
GIVEN, DEFAULT = "set for this run", "default of the program"
# of a run without a record of what was typed
EQUAL = "equal to the default of the program"
REFERENCE = "target for this supply and speed"


def input_origins(folder: Path, study: str, case: CaseSpec) -> dict[str, str]:
    """Where each value of a run's own keys comes from, in words, by its dotted path.

    What was typed is on record. Where nothing is, as of a run from Python, values that differ from the defaults were
    given, and nobody knows of the others.
    """
    kept = read_mapping(folder / ".hydra" / "overrides.yaml").get("overrides")
    record = kept or []
    tree, written = KeyTree(JOBS[study]), written_keys(study, None)
    typed = {path for text in record for path in _typed_paths(tree, str(text))}
    chosen = [str(text).partition("=")[2] for text in record if str(text).startswith("experiment=")]
    experiment = _leaves(conf_content(f"experiment/{chosen[-1]}")) if chosen else {}
    content = case.model_dump(exclude={"catenary", "pantograph"})
    found = {}
    for path, value in _leaves(content).items():
        default = default_value(tree, written, path.split("."))
        if path in typed:
            found[path] = GIVEN
        elif path in experiment:
            found[path] = f"set by experiment={chosen[-1]}"
        elif path == "mean_force_N" and is_reference_force(content):
            found[path] = REFERENCE
        else:
            found[path] = (EQUAL if kept is None else DEFAULT) if plain(value) == plain(default) else GIVEN
    return found


def _typed_paths(tree: KeyTree, text: str) -> list[str]:
    """Dotted paths of everything that one override sets."""
    key, _, raw = text.partition("=")
    key = full_key(key)
    try:
        value = typed_value(key, raw)
    except InputError:
        return [key]
    if isinstance(value, dict) and tree.children(key_parts(key)):
        return [path for path, _ in typed_keys(tree, value, f"{key}.")]
    return [key]


def _leaves(content: Mapping[str, Any], inside: str = "") -> dict[str, Any]:
    """Values by their dotted paths."""
    found: dict[str, Any] = {}
    for key, value in content.items():
        found |= _leaves(value, f"{inside}{key}.") if isinstance(value, dict) else {f"{inside}{key}": value}
    return found


def points_origin(
    place: ParameterStudyFolder, case: CaseSpec, varied: Iterable[str], points: Iterable[Outcome]
) -> tuple[Section, ...]:
    """Show every input of a study's case, those that it varies marked, what was run and the command.

    Parameters
    ----------
    place : ParameterStudyFolder
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
        text += " The mean force is that of the case's own speed; a reference force is each speed's own."
    command = command_of(place.path, place.study, (f"{place.study}.name={name}",))
    return origin_sections(
        case_provenance(case, names, input_origins(place.path, place.study, case)),
        text,
        run_facts(facts, {} if wall is None else {"all runs of the study": float(wall)}, command),
        "Where the study's folder still stands, the same command continues it.",
    )
