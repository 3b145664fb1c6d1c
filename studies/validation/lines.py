"""Tension sections that overlap, against runs that must agree: one section, a mirror image, halves of a wire."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.layout.sections import parts_of
from catenary.library.line_content import line_content
from catenary.library.line_file import read_line_file
from catenary.library.lines import load_line
from catenary.spec.line import CatenarySpec
from catenary.spec.mesh import per_bay
from dynamics.open_line.run import prepare_line, run_whole_line
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from studies.validation.cases import failure_of
from studies.validation.gates.gates import GatesSpec
from studies.validation.gates.lines import LinesGate
from studies.validation.rows import Comparison, Reference, Row

if TYPE_CHECKING:
    from dynamics.results.solution import Solution

__all__ = ["compare", "halves", "in_sections", "irregular", "mirrored", "untouched"]

Check = Callable[[CatenarySpec, LinesGate], tuple[float | None, str]]
SPANS, SECTIONS = 10, ((0, 6), (3, 10))
IMAGE_SPANS, IMAGE = 9, ((0, 6), (3, 9))
# spans that count: up to the overlap's middle, its middle, and the middle of a short line
BEFORE = {"start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
MIDDLE = {"start": 3.0, "first_evaluated": 5, "last_evaluated": 5, "spans_after": 1}
WAY = 3.6, 1.5  # start and length of the run over it [spans]
POINTS = 500
HALVES = {
    "contact_wire": ("tension", "mass_per_length", "axial_stiffness", "bending_stiffness"),
    "messenger_wire": ("tension", "mass_per_length", "axial_stiffness", "bending_stiffness"),
    "droppers": ("stiffness", "mass_per_length", "clamp_mass_contact_wire", "clamp_mass_messenger_wire"),
    "support": ("messenger_stiffness", "messenger_damping", "steady_arm_stiffness", "steady_arm_mass"),
}


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Compare runs over overlaps with runs that must give the same."""
    gate = gates.lines
    kind = load_line(gate.catenary)
    kind = kind.model_copy(update={"mesh": per_bay(gate.elements_per_bay)})
    rows, curves, both = [], "difference of force curves", "overlap passed both ways at {:g} km/h"
    checks: tuple[tuple[str, str, str, Check, float | None], ...] = (
        ("difference of σ", "second wire not touched yet", "one section", untouched, gate.untouched_percent),
        (curves, both.format(gate.creeping_kmh), "mirror image", mirrored, gate.mirrored_percent),
        (curves, both.format(gate.moving_kmh), "mirror image", _mirrored_faster, None),
        ("difference of σ", "two lines of half a wire each", "one whole line", halves, gate.halves_percent),
    )
    for quantity, case, against, found, limit in checks:
        here, failure = found(kind, gate)
        allowed = None if limit is None else (0.0, limit)
        reference = (Reference(against, "0"),)
        rows.append(Row(quantity, case, "%", here, reference, allowed, failure=failure, digits=4))
        say(f"{case}: {rows[-1].here_text} %")
    rows.append(irregular(kind, gate))
    say(f"{rows[-1].case}: {rows[-1].here_text} % have a higher σ than the smooth one")
    return Comparison(
        key="lines",
        title="Lines by stations: what an overlap must leave as it is",
        source=gate.source,
        reading=gate.reading,
        rows=tuple(rows),
    )


def in_sections(
    kind: CatenarySpec,
    spans: int,
    sections: Sequence[tuple[int, int]],
    supports: Sequence[Mapping[str, Any]] = (),
    **ends: float | str,
) -> CatenarySpec:
    """Line of equal spans of a type in tension sections A, B, ... from support to support.

    Parameters
    ----------
    kind : CatenarySpec
        Type of line.
    spans : int
    sections : sequence of (int, int)
        First and last support of each.
    supports : sequence of mapping
        Rows of supports that have something of their own, their stations included.
    **ends
        What holds the wires of each section, as columns of its row.
    """
    at = [kind.span_length * k for k in range(spans + 1)]
    own = [row["station"] for row in supports]
    rows = [*({"station": x} for x in at if x not in own), *supports]
    content = {
        "kind": "line",
        "type": kind.name,
        "supports": sorted(rows, key=lambda row: row["station"]),
        "sections": [
            {"name": chr(ord("A") + k), "from": at[a], "to": at[b], **ends} for k, (a, b) in enumerate(sections)
        ],
    }
    return CatenarySpec.model_validate(line_content(read_line_file(content, Path("lines")), kind))


def untouched(kind: CatenarySpec, gate: LinesGate) -> tuple[float | None, str]:
    """Difference of σ [%] from that of the first section alone, up to where the second wire is touched."""
    line = in_sections(kind, SPANS, SECTIONS)
    passed = _run(line, gate, BEFORE)
    alone = _run(parts_of(line)[0].line, gate, BEFORE)
    kept = passed.histories
    if kept is None or passed.statistics is None or alone.statistics is None:
        return None, failure_of(passed)
    touched = np.flatnonzero(kept.wire_force[:, 0, 1] > 0.0)
    until = int(touched[0]) if touched.size else len(kept.time)
    here, there = (force[:until].std() for force in (passed.contact_force, alone.contact_force))
    return 100.0 * abs(float(here / there) - 1.0), ""


def mirrored(kind: CatenarySpec, gate: LinesGate) -> tuple[float | None, str]:
    """Largest difference [% of the applied force] of forces over an overlap, and over its image run the other way."""
    return _both_ways(kind, gate, gate.creeping_kmh)


def _mirrored_faster(kind: CatenarySpec, gate: LinesGate) -> tuple[float | None, str]:
    """The same at a speed where what does not turn with the way, waves of wires met and left, shows."""
    return _both_ways(kind, gate, gate.moving_kmh)


def _both_ways(kind: CatenarySpec, gate: LinesGate, speed_kmh: float) -> tuple[float | None, str]:
    length, curves = kind.span_length * IMAGE_SPANS, []
    x = kind.span_length * np.linspace(4.02, 4.98, POINTS)
    for support, name in ((4, "A"), (5, "B")):
        station = kind.span_length * support
        raised = {"station": station, "section": name, "contact_height_mm": gate.raised_mm}
        other = {"station": station, "section": "B" if name == "A" else "A"}
        line = in_sections(kind, IMAGE_SPANS, IMAGE, [raised, other])
        case = _case(line, gate, MIDDLE, dt=gate.creeping_dt).model_copy(update={"speed_kmh": speed_kmh})
        run = run_whole_line(case, prepare_line(case, open_line_equilibrium(line, IMAGE_SPANS)), *WAY)
        kept = run.histories
        if run.failure is not None:
            return None, f"a step did not converge at {run.failure.time:g} s"
        curves.append(np.interp(x if name == "A" else length - x, kept.position[:, 0], kept.contact_force[:, 0]))
    return 100.0 * float(np.abs(curves[1] - curves[0]).max()) / gate.applied_force_N, ""


def halves(kind: CatenarySpec, gate: LinesGate) -> tuple[float | None, str]:
    """Difference of σ [%] of a line from two lines side by side that have half of everything, contact stiffness too."""
    half = kind.with_changes(**{n: {k: 0.5 * getattr(getattr(kind, n), k) for k in keys} for n, keys in HALVES.items()})
    one, two = (in_sections(each, SPANS, ((0, SPANS),)) for each in (kind, half))
    whole = _run(one, gate, BEFORE)
    stiffness = 0.5 * CaseSpec.model_fields["contact"].get_default(call_default_factory=True).stiffness
    case = _case(one, gate, BEFORE, contact={"stiffness": stiffness})
    split = solve(case.model_copy(update={"catenary": _twice(two)}))
    if whole.statistics is None or split.statistics is None:
        return None, failure_of(split)
    here, there = (each.statistics.contact_force_std_N for each in (split, whole) if each.statistics is not None)
    return 100.0 * abs(here / there - 1.0), ""


def _twice(line: CatenarySpec) -> CatenarySpec:
    """The only section of a line two times in one place, as no line file may have it."""
    own, drops = line.section, line.droppers
    assert own is not None
    droppers = {
        "positions": drops.positions * 2,
        "contact_wire_heights": drops.contact_wire_heights * 2,
        "by_section": drops.by_section * 2,
    }
    section = {"tension_sections": own.tension_sections * 2, "contact_heights": own.contact_heights * 2}
    update = {"droppers": drops.model_copy(update=droppers), "section": own.model_copy(update=section)}
    return line.model_copy(update=update)


def irregular(kind: CatenarySpec, gate: LinesGate) -> Row:
    """Share of lines with drawn running surfaces whose σ is above that of the line with a smooth wire [%]."""
    line, drawn = in_sections(kind, SPANS, ((0, SPANS),)), gate.irregular
    own, spectrum = line.section, drawn.spectrum
    assert own is not None

    def sigma(seed: int | None) -> float:
        surface = None if seed is None else spectrum.model_copy(update={"seed": seed})
        rough = line.model_copy(update={"section": own.model_copy(update={"irregularity": surface})})
        found = solve(_case(rough, gate, BEFORE, dt=drawn.dt)).statistics
        return math.nan if found is None else found.contact_force_std_N

    ideal, rough = sigma(None), [sigma(seed) for seed in range(1, drawn.lines + 1)]
    failed = any(math.isnan(each) for each in (ideal, *rough))
    share = None if failed else 100.0 * sum(each > ideal for each in rough) / len(rough)
    words = (
        f"{drawn.lines} irregular contact wires, rms {1e3 * spectrum.rms:g} mm, waves of {spectrum.shortest:g} to "
        f"{spectrum.longest:g} m, density n^-{spectrum.exponent:g} ({spectrum.source})"
    )
    reference = (Reference("published", drawn.published),)
    failure = "a run failed" if failed else ""
    return Row("share of lines with a higher σ", words, "%", share, reference, None, failure=failure, digits=0)


def _case(line: CatenarySpec, gate: LinesGate, open_line: Mapping[str, float], **given: object) -> CaseSpec:
    typed = {"speed_kmh": gate.speed_kmh, "dt": gate.dt, "applied_force_N": gate.applied_force_N, **given}
    return job_input(CaseSpec, line, gate.pantograph, {**typed, "open_line": open_line})


def _run(line: CatenarySpec, gate: LinesGate, open_line: Mapping[str, float]) -> Solution:
    return solve(_case(line, gate, open_line))
