"""Runs, designs of campaigns and foreign force records, read into what is laid side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from catenary.errors import InputError
from catenary.storage.provenance import config_sha256
from dynamics.charts.numbers import number
from dynamics.charts.parts import Curve, Role
from dynamics.contact_force.measured_force import best_offset, fold_record, record_problems
from dynamics.spec.case import CaseSpec, SignalSpec
from studies.input.tables.force_file import read_force_file
from studies.jobs.simulation import RecordSpec
from studies.report.content.pieces import SpanResult
from studies.report.content.provenance import Provenance, case_provenance
from studies.report.readers.simulation_folder import filter_note
from studies.report.readers.stored import read_json, read_stored, span_result, stored_case
from studies.report.sections.tables import plus_minus
from studies.writing.figure_errors import figure_errors

__all__ = ["NAMES", "ROLES", "SIGMA", "ComparisonContent", "Entry", "read_comparison"]

ROLES: tuple[Role, ...] = ("best", "nominal", "other", "fourth", "fifth", "sixth")
NAMES = "ABCDEF"
SIGMA = "contact_force_std_N"


@dataclass(frozen=True)
class Entry:
    """One trace: where it comes from, what it gives, and its input where that is known.

    ``span`` is the span length [m], ``signal`` the filter that the force went through, ``envelope`` the lowest and
    highest force of a record's spans, ``note`` a sentence on what was done to it, ``traits`` what may tell it from an
    entry of the same line and speed, ``errors`` the estimated numerical errors of statistics by name.
    """

    source: str
    line: str
    result: SpanResult
    span: float
    signal: SignalSpec
    provenance: tuple[Provenance, ...] = ()
    envelope: tuple[Curve, ...] = ()
    note: str = ""
    traits: tuple[str, ...] = ()
    same: str = ""
    errors: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class ComparisonContent:
    """Everything the page of a comparison says; the first entry is what the others differ from."""

    entries: tuple[Entry, ...]
    filter_note: str
    warnings: tuple[str, ...] = ()


def read_comparison(paths: Sequence[str], record: RecordSpec) -> ComparisonContent:
    """Read run folders, campaign folders (nominal and best design) and files with a force record, in that order.

    Raises
    ------
    InputError
        With every problem of every path; nothing has been written.
    """
    problems: list[str] = []
    found: dict[str, list[Entry]] = {}
    for path in sorted(dict.fromkeys(paths), key=lambda path: not Path(path).is_dir()):
        runs = [entry for entries in found.values() for entry in entries]  # the first one's span folds a record
        try:
            found[path] = _folder(Path(path)) if Path(path).is_dir() else [_record(Path(path), record, runs)]
        except InputError as error:
            problems += error.problems
    entries, once = _each_line_once([entry for path in paths for entry in found.get(path, [])])
    if not problems and not 2 <= len(entries) <= len(ROLES):
        problems.append(
            f"a comparison must have 2 to {len(ROLES)} forces (a campaign counts for its nominal and its best design): "
            f"got {len(entries)}"
        )
    if problems:
        raise InputError(problems)
    content = _named(entries)
    return replace(content, warnings=(*content.warnings, *once))


def _each_line_once(entries: list[Entry]) -> tuple[list[Entry], tuple[str, ...]]:
    """Leave out what a campaign has of a line and case that stands there already, and say so."""
    kept: list[Entry] = []
    said: list[str] = []
    for entry in entries:
        other = next((e for e in kept if entry.same and e.same == entry.same), None)
        if other is None:
            kept.append(entry)
            continue
        own, first = (plus_minus(e.result.statistics[SIGMA], e.errors.get(SIGMA), 2) for e in (entry, other))
        said.append(
            f"{entry.source} is the line of {other.source} and is shown once: its σ is {own} N there and "
            f"{first} N here."
        )
    return kept, tuple(said)


def _folder(folder: Path) -> list[Entry]:
    if (folder / "campaign.yaml").is_file():
        return _campaign(folder)
    if (folder / "summary.json").is_file():
        return [_simulation(folder)]
    if (folder / "sweep.yaml").is_file():
        raise InputError([f"{folder} is a sweep: it is laid over other sweeps alone"])
    raise InputError([f"{folder} must be a run or campaign folder: it has neither summary.json nor campaign.yaml"])


def _simulation(folder: Path) -> Entry:
    summary = read_json(folder / "summary.json")
    if summary.get("study") == "convergence":
        raise InputError([f"{folder} must be a run or campaign folder: it holds a study of convergence"])
    stored = read_stored(folder / "result.nc")
    case = stored_case(stored, folder / "result.nc")
    figures = summary.get("pantographs") or [{}]
    statistics = {k: float(v) for k, v in figures[0].items() if isinstance(v, int | float)}
    result = span_result(stored, case, folder.name, "best", statistics)
    entry = _computed(str(folder), f"{case.catenary.name}, {case.speed_kmh:g} km/h", result, case)
    return replace(entry, errors=figure_errors(summary.get("numerical_error")))


def _campaign(folder: Path) -> list[Entry]:
    from optimise.search.result import load_result
    from studies.report.readers.campaign_folder import read_campaign

    content, campaign = read_campaign(folder), load_result(folder)
    place = f"{campaign.case.catenary.name}, {campaign.case.speed_kmh:g} km/h"
    designs = [("nominal line", content.nominal, campaign.nominal)]
    if content.best is not None:
        best = next(r for r in campaign.records if r.number == content.best_trial)
        designs.append((f"{campaign.campaign.name}, best design", content.best, best))
    found, then = [], f"; run `catenary optimise resume={folder}`, which solves nominal line and best design once more"
    for name, result, trial in designs:
        case = campaign.case_of(trial)
        line = config_sha256(case, exclude={"catenary": {"mesh": True}})  # campaigns may mesh the same line otherwise
        entry = _computed(f"{folder} ({name})", f"{name} of {place}", result, case, then)
        found.append(replace(entry, same=line, errors=content.figure_errors.get(result.label, {})))
    return found


def _computed(source: str, line: str, result: SpanResult, case: CaseSpec, then: str = "") -> Entry:
    if result.force is None or SIGMA not in result.statistics:
        problem = f"{source} must hold a solved contact force: its solver did not finish, or has not run"
        raise InputError([problem + then])
    entry = Entry(source, line, result, case.line.period, case.signal, case_provenance(case))
    return replace(entry, traits=_traits(case))


def _traits(case: CaseSpec) -> tuple[str, ...]:
    """What runs of one line and speed may differ in, each as it stands in a legend."""
    held = f"mean {case.mean_force_N:g} N" if case.mean_force_N is not None else f"applied {case.applied_force_N:g} N"
    return (
        "in space" if case.catenary.dimension == "spatial" else "in the plane",
        case.pantograph.name,
        case.solver.replace("_", " "),
        f"contact {1e-3 * case.contact.stiffness:g} kN/m",
        held,
        f"{1e3 * case.dt:g} ms",
        f"{case.catenary.mesh.elements_per_bay} elements a bay",
        f"slack damping {case.slack_damping}",
    )


def _record(path: Path, wanted: RecordSpec, runs: list[Entry]) -> Entry:
    """Read a force record and fold it over the span of the first run, or over the one that is given."""
    if not path.exists():
        raise InputError(
            [f"{path} does not exist: give a run folder, a campaign folder, or a CSV, netCDF or TDMS file"]
        )
    record = read_force_file(path, wanted.speed_kmh)
    reference = runs[0].result.force if runs else None
    span = wanted.span_length or (runs[0].span if runs else None)
    if span is None:
        raise InputError(
            [f"record.span_length is missing: no run is compared with {path} that says how long a span is"]
        )
    signal = runs[0].signal if runs else SignalSpec()
    problems = record_problems(record, span, signal)
    if problems:
        raise InputError(problems)
    folded = fold_record(record, span, signal, wanted.offset_m or 0.0)
    placed = f"a support lies at {folded.offset:g} m of the record"
    if wanted.align:
        if reference is None:
            raise InputError([f"record.align=true needs a run to align {path} with: give a run folder too"])
        offset = best_offset(folded, reference.x * span / runs[0].span, reference.y)
        folded = fold_record(record, span, signal, offset)
        placed = (
            f"moved so that it agrees best with the first run, which puts a support at {offset:.2f} m of the record"
        )
    curve = Curve(path.name, folded.x, folded.mean, "m", "N")
    edges = (folded.low, folded.high) if folded.spans > 1 else ()
    return Entry(
        source=str(path),
        line=f"{path.stem}, {3.6 * record.speed:.0f} km/h",
        result=SpanResult(path.name, None, curve, record.time[:0], record.time[:0], asdict(folded.statistics)),
        span=span,
        signal=signal,
        envelope=tuple(Curve("", folded.x, y, "m", "N", "muted") for y in edges),
        note=f"{folded.spans} whole spans of {span:g} m, sampled every {1e3 * record.step:.3g} ms; {placed}.",
    )


def _named(entries: list[Entry]) -> ComparisonContent:
    """Give every entry its letter, colour and legend."""
    named = []
    for letter, role, entry in zip(NAMES, ROLES, entries, strict=False):
        sigma = entry.result.statistics[SIGMA]
        label = f"{letter}: {_distinct_names(entry, entries)}, σ {number(sigma, 1)} N"
        result = replace(
            entry.result,
            label=label,
            force=_coloured(entry.result.force, role),
            height=_coloured(entry.result.height, role),
        )
        named.append(replace(entry, result=result))
    first = named[0].signal
    spans = [e.span for e in named]
    warnings = []
    if any(e.signal != first for e in named):
        warnings.append("The forces went through different filters, so their statistics cannot be compared.")
    if max(spans) - min(spans) > 1e-6 * max(spans):
        warnings.append("The spans are not equally long; each trace starts at a support of its own line.")
    means = [e.result.statistics["contact_force_mean_N"] for e in named]
    if max(means) - min(means) > 0.01 * abs(means[0]):
        warnings.append("The mean forces differ by more than 1 %, which moves the other statistics as well.")
    note = filter_note(f"{first.kind} {first.cutoff_hz:g} Hz, zero phase")
    return ComparisonContent(tuple(named), note, tuple(warnings))


def _distinct_names(entry: Entry, entries: list[Entry]) -> str:
    """Line and speed of an entry, with what differs among those of the same, or with its folder where nothing does."""
    same = [e for e in entries if e.line == entry.line]
    if len(same) == 1:
        return entry.line
    columns = zip(*(e.traits for e in same), strict=False)
    differences = [own for own, column in zip(entry.traits, columns, strict=False) if len(set(column)) > 1]
    return ", ".join([entry.line, *(differences or [Path(entry.source).name])])


def _coloured(curve: Curve | None, role: Role) -> Curve | None:
    return None if curve is None else replace(curve, role=role)
