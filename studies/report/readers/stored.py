"""Run folders read back: result files, JSON and YAML records, and what they say about their origin."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from catenary.errors import InputError
from catenary.layout.dropper_places import dropper_places, marked_places
from catenary.layout.laid_out import laid_out
from catenary.storage import files
from catenary.storage.plain_yaml import PlainYamlError, parse_plain_yaml
from catenary.storage.user_file import read_user_text
from dynamics.charts.parts import Curve, Role
from dynamics.results.dataset import StoredResult, read_result
from dynamics.spec.case import CaseSpec
from dynamics.spec.solver import ON_RECORD
from studies.input.compose import typed_command
from studies.report.content.pieces import Array, SpanResult
from studies.report.content.provenance import RunFacts
from studies.report.sections.line import line_drawing
from studies.writing.report_head import HeadRecord

__all__ = [
    "case_in",
    "command_of",
    "note_of_train",
    "origin_facts",
    "page_head",
    "read_json",
    "read_mapping",
    "read_stored",
    "run_facts",
    "slack_warning",
    "span_result",
    "stored_case",
    "varies_most",
]

MM = 1.0e3
# the largest resolved input holds a base motion of 200,000 samples
MOST_BYTES, MOST_VALUES = 50_000_000, 1_000_000
# studies that take a new folder for every run
FRESH = ("simulate", "convergence", "validate", "rig emulate")
# one passage of a span: stations [m] and the indices of its samples in the histories
Passage = tuple[Array, NDArray[np.int64]]
SHAPE = ("elem_wire", "elem_end_position", "elem_end_height", "dropper_end_position", "dropper_end_height")


def read_stored(path: Path) -> StoredResult:
    """Read a result file; one that is missing or foreign is refused in one sentence."""
    try:
        return read_result(path)
    except InputError as error:
        raise InputError([f"{path} must be a result file: {_why_not(path, error.problems[0])}"]) from None


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON record of a run folder."""
    try:
        content = files.read_json(path)
    except (OSError, ValueError) as error:
        reason = _why_not(path, str(error).splitlines()[0])
        raise InputError([f"{path} must be a JSON record: {reason}"]) from error
    if not isinstance(content, dict):
        raise InputError([f"{path} must hold names with values; restore the file"])
    return content


def _why_not(path: Path, damage: str) -> str:
    """Why a file of a run cannot be read, and what to do: a damaged one is not the fault of the folder given."""
    if not path.exists():
        return "it does not exist; give the folder of a run"
    return f"{damage}; restore it, or give the command again that made it"


def read_mapping(path: Path) -> dict[str, Any]:
    """Read a YAML record of a run folder; nothing where there is none."""
    if not path.exists():
        return {}
    try:
        content = parse_plain_yaml(read_user_text(path, "record", MOST_BYTES), MOST_VALUES)
    except PlainYamlError as error:
        raise InputError([f"{path} must be readable YAML{error}"]) from None
    return content if isinstance(content, dict) else {}


def slack_warning(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """Warning where the figures depend on the choice of slack damping; older folders have none."""
    found = summary.get("slack_damping") or {}
    return (f"{found['warning']} ({found['message']}).",) if found.get("warning") else ()


def stored_case(stored: StoredResult, where: Path) -> CaseSpec:
    """Take the case out of a result file, which carries the resolved input of its run."""
    try:
        content = parse_plain_yaml(stored.attributes.get("config", "{}"), MOST_VALUES)
    except PlainYamlError as error:
        raise InputError([f"{where} must carry the input of its run{error}"]) from None
    return case_in(content if isinstance(content, dict) else {}, where)


def case_in(content: Mapping[str, Any], where: Path) -> CaseSpec:
    """Take the case out of a resolved input that also says where its run lands."""
    try:
        own = {k: v for k, v in content.items() if k in CaseSpec.model_fields}
        return CaseSpec.model_validate(own, context=ON_RECORD)
    except ValidationError as error:
        raise InputError(
            [
                f"{where} must hold the input of a run: {'.'.join(map(str, e['loc']))}: {e['msg']}"
                for e in error.errors()
            ]
        ) from error


def varies_most(each: Sequence[Mapping[str, Any]]) -> int:
    """Number, from 0, of the pantograph whose contact force has the largest standard deviation; 0 without figures."""
    return max(range(len(each)), key=lambda k: each[k].get("contact_force_std_N") or 0.0, default=0)


def note_of_train(note: str, pantograph: int, count: int) -> str:
    """Caption of a curve, with the number of its pantograph where there are several."""
    if count < 2:
        return note
    shown = f"Of {count} pantographs it is number {pantograph + 1}, whose force varies most."
    return f"{note.replace('One pantograph in steady', 'Steady')} {shown}"


def _of_pantograph(values: Mapping[str, Array], pantograph: int) -> Mapping[str, Array]:
    """Results in which place, force and height of the contact are those of one pantograph of a train."""
    names = ("position", "contact_force_filtered", "contact_height")
    own = {name: values[f"pantograph_{name}"] for name in names if f"pantograph_{name}" in values}
    return {**values, **{name: array[:, pantograph] for name, array in own.items() if pantograph < array.shape[-1]}}


def span_result(
    stored: StoredResult,
    case: CaseSpec,
    label: str,
    role: Role,
    statistics: Mapping[str, float],
    pantograph: int = 0,
) -> SpanResult:
    """Take what a page shows of one design from its result file; what is not in the file is left out.

    Of a train it is the contact of the pantograph of that number.
    """
    values, line = _of_pantograph(stored.values, pantograph) if pantograph else stored.values, case.line
    drawn, elastic = ({*names} <= values.keys() for names in (SHAPE, ("station", "elasticity")))
    position = values.get("position", np.zeros(0))
    if case.on_open_line:  # what follows the evaluated spans is there for the filter and for uplift
        position = position[position <= line.station(case.open_line.last_evaluated) + 1e-9]
    passage = _last_passage(position, case)
    gap, auxiliary = values.get("dropper_gap", np.zeros(0)), laid_out(case.catenary).auxiliary_wire
    return SpanResult(
        label=label,
        drawing=line_drawing(values, line.supports, role) if drawn else None,
        force=_history(values, "contact_force_filtered", "N", passage, (label, role)),
        height=_history(values, "contact_height", "mm", passage, (label, role)),
        dropper_x=values.get("dropper_position", np.zeros(0)),
        dropper_force=values.get("dropper_static_force", np.zeros(0)),
        statistics=statistics,
        elasticity=Curve(label, values["station"], MM * values["elasticity"], "m", "mm/N", role) if elastic else None,
        dropper_cut_length=values.get("dropper_unstretched_length", np.zeros(0)),
        dropper_slack_time=1.0e3 * values.get("dropper_slack_time", np.zeros(0)),
        dropper_force_max=values.get("dropper_force_max", np.zeros(0)),
        dropper_force_max_error=values.get("dropper_force_max_error", np.zeros(0)),
        dropper_gap=1.0e3 * gap if gap.any() else np.zeros(0),
        main_droppers=0 if auxiliary is None else len(auxiliary.droppers.positions),
        dropper_places=dropper_places(case.catenary),
        marks=tuple((name, np.array(x)) for name, x in marked_places(case.catenary).items()),
    )


def _last_passage(position: Array, case: CaseSpec) -> Passage:
    """Find the last whole span, or all before the line repeats, ends included; all that count where it ends."""
    span = case.line.period
    if not position.size:
        return position, np.zeros(0, dtype=np.int64)
    if case.catenary.ends:
        index = np.flatnonzero(position >= case.catenary.station(case.open_line.first_evaluated - 1) - 1e-9)
        return position[index], index
    if case.seeks_steady_state:
        order = np.argsort(position % span)
        x = (position % span)[order]
        # the end of the span is the beginning of the next, which is the same
        return np.append(x, x[0] + span), np.append(order, order[0])
    last = np.floor(float(position.max()) / span + 1e-9)
    start = (last - 1) * span
    index = np.flatnonzero((position >= start - 1e-9) & (position <= start + span + 1e-9))
    return position[index] - start, index


def _history(
    values: Mapping[str, Array], name: str, unit: str, passage: Passage, named: tuple[str, Role]
) -> Curve | None:
    x, index = passage
    if name not in values or not x.size:
        return None
    y = values[name][index] * (MM if unit == "mm" else 1.0)
    finite = np.isfinite(y)  # a lost contact has no contact height
    return Curve(named[0], x[finite], y[finite], "m", unit, named[1]) if finite.any() else None


def origin_facts(path: Path, record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name the input's hash, date, commit and versions, as far as a record has them; ``path`` holds the results."""
    written = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
    return [
        ("SHA-256 of the resolved input", str(record.get("config_sha256", ""))),
        ("results written", written),
        ("commit", str(record.get("commit", ""))),
        ("versions", ", ".join(f"{name} {version}" for name, version in (record.get("versions") or {}).items())),
    ]


def page_head(what: str, name: str, path: Path, head: HeadRecord) -> tuple[tuple[str, str], ...]:
    """Head of a page that is signed: what it is of, when the results in ``path`` were written, who signs."""
    written = time.strftime("%Y-%m-%d", time.localtime(path.stat().st_mtime))
    return ((what, name), ("date", written), *head.fields)


def run_facts(facts: list[tuple[str, str]], times: Mapping[str, float], command: str) -> RunFacts:
    """Put facts, wall times [s] and the command together."""
    spent = [(f"wall time, {name.replace('_', ' ')}", f"{seconds:.2f} s") for name, seconds in times.items()]
    return RunFacts((*facts, *spent), command)


def command_of(folder: Path, study: str, fallback: tuple[str, ...] = ()) -> str:
    """Command line that the run came from, as recorded in .hydra/; without the folder that is now taken."""
    record = read_mapping(folder / ".hydra" / "overrides.yaml").get("overrides")
    overrides = list(fallback) if record is None else [str(o) for o in record]
    return typed_command(study, tuple(o for o in overrides if study not in FRESH or not o.startswith("run_dir=")))
