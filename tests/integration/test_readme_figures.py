"""Figures quoted by the README's validation: references are those of the gates, and what was measured meets them."""

import re
from pathlib import Path

import pytest

from studies.validation.gates.gates import load_gates

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
BLOCK = README.partition("\n## Validation\n")[2].partition("\n## ")[0]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in BLOCK.splitlines() if line.startswith("|")]


def row_of(start):
    """What is compared, its reference and what was measured, each as text."""
    (row,) = [row for row in ROWS if row[0].startswith(start)]
    return row[0], row[1], row[3]


def numbers(text):
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


@pytest.mark.parametrize(
    ("start", "speed"),
    [("`bruni_2015`, mean force", 230), ("the same at 275 km/h, app", 275), ("the same at 320 km/h, app", 320)],
)
def test_measured_mean_forces_meet_their_gate(start, speed):
    gate = load_gates().mean_force
    (expected,) = {row.expected_N for row in gate.rows if row.speed_kmh == speed}
    assert numbers(row_of(start)[2]) == pytest.approx([expected] * 2, abs=gate.tolerance_N)


def test_measured_mean_forces_in_space_meet_their_gate():
    gate = load_gates().mean_force
    expected = list(dict.fromkeys(row.expected_N for row in gate.rows))
    assert numbers(row_of("the same in space, at 230")[2]) == pytest.approx(expected, abs=gate.tolerance_N)


@pytest.mark.parametrize(
    ("start", "number"), [("the same, one pantograph, at 10", 0), ("applied force for", 1), ("the same with two", 2)]
)
def test_measured_applied_forces_meet_their_gate(start, number):
    gate = load_gates().applied_force
    printed = [forces for row in gate.runs[number].rows for forces in row.printed_N]
    measured = numbers(row_of(start)[2])
    assert len(measured) % len(printed) == 0  # once for each model of the line
    for k, force in enumerate(measured):
        assert all(abs(force - p) <= gate.tolerance_N for p in printed[k % len(printed)])


def test_the_standard_s_ranges_are_counted_and_its_figures_inside():
    gate = load_gates().acceptance
    what, _, here = row_of("EN 50318:2002")
    rows = [(row, speed) for speed in gate.speeds for row in speed.rows]
    assert f"{len(rows)} ranges" in what and here.startswith(f"{len(rows)} of {len(rows)} ")
    quoted = re.search(r"σ ([\d.]+) and ([\d.]+) N, uplift ([\d.]+) and ([\d.]+) mm", here).groups()
    order = ("contact_force_std_N", "max_uplift_at_supports_mm")
    ranges = [row for name in order for row, _ in rows if row.quantity == name]
    assert all(r.low <= float(q) <= r.high for q, r in zip(quoted, ranges, strict=True))
    (known,) = [row for row, _ in rows if "spatial" in row.known_miss]
    assert f"{len(rows) - 1} of {len(rows)}; the largest force at 250 km/h is 166 N" in BLOCK
    assert known.quantity == "contact_force_max_N" and known.known_miss["spatial"].startswith("166.")
    assert f"({known.low:.0f} to {known.high:.0f} N)" in BLOCK


def test_the_elasticity_of_slow_runs_meets_its_gate():
    gate = load_gates().pantocat
    _, reference, here = row_of("elasticity at 10 km/h")
    assert f"≤ {gate.creep_tolerance_percent[0]:g} % taken" in reference
    assert numbers(here)[0] <= gate.creep_tolerance_percent[0]


def test_the_benchmark_s_figures_meet_its_gate():
    gate = load_gates().arnold_simeon
    (slack,) = [case.slack_s for case in gate.speeds if case.slack_s is not None]
    _, reference, here = row_of("Arnold & Simeon: table 1")
    assert f"{slack:g} s ± {1e3 * gate.slack_tolerance_s:g} ms" in reference
    first, last = map(float, re.search(r"([\d.]+) to ([\d.]+) s \(FE\)", here).groups())
    assert min(abs(first - slack), abs(last - slack)) <= gate.slack_tolerance_s
    _, reference, here = row_of("the same: peak forces of FE")
    assert reference == f"≤ {gate.peak_tolerance_percent:g} %"
    assert max(float(p) for p in re.findall(r"≤ ([\d.]+) %", here)) <= gate.peak_tolerance_percent
    _, _, here = row_of("the same line in the main code")
    *shares, _, rate = [abs(n) for n in numbers(here)]
    assert max(shares) <= gate.springs.allowed_percent and gate.springs.least_rate <= rate


def test_figures_of_the_emulated_loop_meet_its_gate():
    gate = load_gates().pfem
    for start, limits in (
        ("hardware loop, emulated", (gate.sigma_percent, gate.curve_N)),
        ("its periodic state with every", (gate.transient_sigma_percent, gate.transient_curve_N)),
    ):
        _, reference, here = row_of(start)
        assert numbers(reference)[:2] == list(limits)
        assert all(n <= limit for n, limit in zip(numbers(here), limits, strict=True)), start
    _, reference, here = row_of("mass of section 5.1")
    assert numbers(reference) == [gate.correction_percent] and numbers(here)[0] <= gate.correction_percent
    for start, design in zip(("optimised designs of `re330`", "the same, spacing"), gate.designs, strict=True):
        change, *forces = numbers(row_of(start)[1])
        assert change == design.printed_sigma_change_percent
        largest, least = gate.printed_nominal_N
        expected = [largest, design.printed_max_N, least, design.printed_min_N]
        assert forces == pytest.approx(expected, abs=0.5)
