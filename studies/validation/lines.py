"""Tension sections that overlap, against runs that must agree: one section, a mirror image, halves of a wire."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from catenary.layout.sections import parts_of
from catenary.library.lines import load_line
from catenary.spec.line import CatenarySpec
from catenary.spec.mesh import per_bay
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from studies.validation.cases import failure_of
from studies.validation.gates.gates import GatesSpec
from studies.validation.gates.lines import LinesGate
from studies.validation.overlaps.built import case_of, in_sections
from studies.validation.overlaps.mirror import either_way, mirrored, mirrored_at_speed
from studies.validation.rows import Comparison, Reference, Row

if TYPE_CHECKING:
    from dynamics.results.solution import Solution

__all__ = ["compare", "halves", "irregular", "untouched"]

Check = Callable[[CatenarySpec, LinesGate], tuple[float | None, str]]
SPANS, SECTIONS = 10, ((0, 6), (3, 10))
# spans that count: up to the overlap's middle
BEFORE = {"start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
HALVES = {
    "contact_wire": ("tension", "mass_per_length", "axial_stiffness", "bending_stiffness"),
    "messenger_wire": ("tension", "mass_per_length", "axial_stiffness", "bending_stiffness"),
    "stitch": ("tension", "mass_per_length", "axial_stiffness", "bending_stiffness", "clamp_mass"),
    "auxiliary_wire": ("tension", "mass_per_length", "axial_stiffness", "bending_stiffness"),
    "auxiliary_wire.droppers": (
        "stiffness",
        "mass_per_length",
        "clamp_mass_auxiliary_wire",
        "clamp_mass_messenger_wire",
    ),
    "droppers": ("stiffness", "mass_per_length", "clamp_mass_contact_wire", "clamp_mass_messenger_wire"),
    "support": ("messenger_stiffness", "messenger_damping", "steady_arm_stiffness", "steady_arm_mass"),
    "support.steady_arm": ("axial_stiffness",),
}


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Compare runs over overlaps with runs that must give the same."""
    gate = gates.lines
    kind = load_line(gate.catenary)
    kind = kind.model_copy(update={"mesh": per_bay(gate.elements_per_bay)})
    rows, curves = [], "difference of force curves"
    image, either = "mirror image passed the other way at {:g} km/h", "overlap passed from either side at {:g} km/h"
    checks: tuple[tuple[str, str, str, Check, float | None], ...] = (
        ("difference of σ", "second wire not touched yet", "one section", untouched, gate.untouched_percent),
        (curves, image.format(gate.creeping_kmh), "the overlap", mirrored, gate.mirrored_percent),
        (curves, image.format(gate.speed_kmh), "the overlap", mirrored_at_speed, gate.mirrored_percent),
        (curves, either.format(gate.creeping_kmh), "the other side", either_way, gate.either_way_percent),
        (curves, either.format(gate.moving_kmh), "the other side", _either_way_faster, None),
        ("difference of σ", "two lines of half a wire each", "one whole line", halves, gate.halves_percent),
    )
    for quantity, case, against, found, limit in checks:
        here, failure = found(kind, gate)
        allowed = None if limit is None else (0.0, limit)
        reference = (Reference(against, "0"),)
        rows.append(Row(quantity, case, "%", here, reference, allowed, failure=failure, digits=7))
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


def _either_way_faster(kind: CatenarySpec, gate: LinesGate) -> tuple[float | None, str]:
    """One overlap from either side at a speed where what turns with the way, waves of wires met and left, shows."""
    return either_way(kind, gate, gate.moving_kmh)


def halves(kind: CatenarySpec, gate: LinesGate) -> tuple[float | None, str]:
    """Difference of σ [%] of a line from two lines side by side that have half of everything, contact stiffness too."""
    one, two = (in_sections(each, SPANS, ((0, SPANS),)) for each in (kind, _half(kind)))
    whole = _run(one, gate, BEFORE)
    stiffness = 0.5 * CaseSpec.model_fields["contact"].get_default(call_default_factory=True).stiffness
    case = case_of(one, gate, BEFORE, contact={"stiffness": stiffness})
    split = solve(case.model_copy(update={"catenary": _twice(two)}))
    if whole.statistics is None or split.statistics is None:
        return None, failure_of(split)
    here, there = (each.statistics.contact_force_std_N for each in (split, whole) if each.statistics is not None)
    return 100.0 * abs(here / there - 1.0), ""


def _half(kind: CatenarySpec) -> CatenarySpec:
    """Half of every wire, dropper and support of a type of line."""
    halved = kind
    for name, keys in HALVES.items():
        block, _, inner = name.partition(".")
        own = getattr(kind, block)
        own = getattr(own, inner) if inner and own is not None else own
        if own is not None:
            values = {k: 0.5 * getattr(own, k) for k in keys}
            halved = halved.with_changes(**{block: {inner: values} if inner else values})
    return halved


def _twice(line: CatenarySpec) -> CatenarySpec:
    """The only section of a line two times in one place, as no line file may have it."""
    own, drops, wire = line.section, line.droppers, line.auxiliary_wire
    assert own is not None
    droppers = {
        "positions": drops.positions * 2,
        "contact_wire_heights": drops.contact_wire_heights * 2,
        "by_section": drops.by_section * 2,
    }
    if wire is not None:
        keys = ("positions", "auxiliary_wire_heights", "by_section")
        main = wire.droppers.model_copy(update={key: getattr(wire.droppers, key) * 2 for key in keys})
        line = line.model_copy(update={"auxiliary_wire": wire.model_copy(update={"droppers": main})})
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
        found = solve(case_of(rough, gate, BEFORE, dt=drawn.dt)).statistics
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


def _run(line: CatenarySpec, gate: LinesGate, open_line: Mapping[str, float]) -> Solution:
    return solve(case_of(line, gate, open_line))
