"""The benchmark of Arnold & Simeon: its table, its slackening dropper, its methods against each other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dynamics.arnold_simeon.discretisation import discretise, frequencies
from dynamics.arnold_simeon.main_code import cable_line, spring_differences
from dynamics.arnold_simeon.run import Record, longest_stable_step, run_benchmark
from dynamics.spec.status import Status
from studies.validation.arnold_simeon_charts import (
    FORCES,
    ArnoldSimeonRuns,
    Combination,
    arnold_simeon_charts,
    benchmark_spec,
    spring_rate,
)
from studies.validation.gates.arnold_simeon import ArnoldSimeonGate, FrequencyRow, SpeedCase, SpringGate
from studies.validation.gates.gates import GatesSpec
from studies.validation.rows import Comparison, Reference, Row

__all__ = ["arnold_simeon_rows", "compare", "run_arnold_simeon"]

COMBINATIONS: tuple[Combination, ...] = tuple(
    product(("finite_elements", "finite_differences"), ("bdf2", "half_explicit"))
)
# undamped in time and with the stiffest grid
RINGING: Combination = ("finite_elements", "half_explicit")
SHORT = {"finite_elements": "FE", "finite_differences": "FD", "bdf2": "BDF-2", "half_explicit": "half-explicit"}
PAPER, SECTION = "Arnold & Simeon", "their benchmark"
WIRES = ("carrier", "contact_wire")


def run_arnold_simeon(gate: ArnoldSimeonGate) -> ArnoldSimeonRuns:
    """Run every combination of methods at every speed, and the line with springs at the first speed."""
    record: dict[tuple[float, Combination], Record] = {}
    frequency: dict[str, NDArray[np.float64]] = {}
    for case, (method, time_method) in product(gate.speeds, COMBINATIONS):
        system = discretise(benchmark_spec(case), method, gate.intervals)
        if method not in frequency:
            frequency[method] = frequencies(system)
        step = gate.step_s
        if time_method == "half_explicit":
            step = min(step, gate.stable_fraction * longest_stable_step(system))
        record[case.speed_ms, (method, time_method)] = run_benchmark(system, time_method, step)
    line = cable_line(benchmark_spec(gate.speeds[0]), gate.springs.intervals)
    exact = run_benchmark(line, "bdf2", gate.springs.step_s)
    difference = spring_differences(line, exact, gate.springs.stiffnesses, gate.springs.step_s)
    return ArnoldSimeonRuns(frequency, record, difference)


def arnold_simeon_rows(gate: ArnoldSimeonGate, runs: ArnoldSimeonRuns | None = None) -> list[Row]:
    """Compare every figure of the benchmark with its reference; run it when no runs are given."""
    runs = run_arnold_simeon(gate) if runs is None else runs
    rows = [_frequency_row(row, runs) for row in gate.frequencies]
    for case in gate.speeds:
        rows += [_slack_row(gate, case, runs.record[case.speed_ms, c], c) for c in COMBINATIONS]
        rows += _peak_rows(gate, case, runs)
    return rows + _spring_rows(gate.springs, runs)


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Compare the benchmark's table, slack dropper and methods with what is computed; redraw its figures."""
    gate = gates.arnold_simeon
    runs = run_arnold_simeon(gate)
    say("both speeds run by every combination of methods, and the line with springs")
    return Comparison(
        key="arnold_simeon",
        title="Arnold & Simeon: table 1, figures 5 to 7, methods against each other, springs against constraints",
        source=gate.source,
        reading=gate.reading,
        rows=tuple(arnold_simeon_rows(gate, runs)),
        charts=arnold_simeon_charts(gate, runs),
    )


def _compared(
    name: str, reference: tuple[str, float], here: float, allowed: float, digits: int = 3, known: str | None = None
) -> Row:
    """Row of a figure and one reference number; ``name`` ends with the unit in brackets where there is one."""
    quantity, _, unit = name.partition(" [")
    source, value = reference
    return Row(
        quantity=quantity,
        case=SECTION,
        unit=unit.rstrip("]"),
        here=here,
        references=(Reference(source, f"{value:.{digits}f}"),),
        allowed=(value - allowed, value + allowed),
        known_miss=known,
        failure="the run ended before",
        digits=digits,
        ends_known=known is not None,
    )


def _frequency_row(row: FrequencyRow, runs: ArnoldSimeonRuns) -> Row:
    here = float(runs.frequency[row.method][WIRES.index(row.wire), 0 if row.end == "lowest" else 1])
    name = f"{row.end} frequency, {row.wire.replace('_', ' ')}, {SHORT[row.method]} [Hz]"
    digits = max(0, round(-np.log10(row.last_digit_Hz))) + 2
    return _compared(name, (PAPER, row.printed_Hz), here, 0.5 * row.last_digit_Hz, digits, row.known_miss)


def _slack_row(gate: ArnoldSimeonGate, case: SpeedCase, record: Record, methods: Combination) -> Row:
    """Slack of dropper 2 at its printed moment, or that nothing at all slackens or parts."""
    label = " ".join(SHORT[m] for m in methods)
    if case.slack_s is None:
        apart = float((record.force <= 0.0).any(axis=1).mean() * record.time[-1])
        return _compared(f"slack or loss at {case.speed_ms:g} m/s, {label} [s]", (PAPER, 0.0), apart, 0.0, 4)
    slack = record.time[record.force[:, 1] <= 0.0]
    nearest = float(slack[np.argmin(np.abs(slack - case.slack_s))]) if slack.size else float("nan")
    name = f"dropper 2 slack at {case.speed_ms:g} m/s, moment nearest to the printed one, {label} [s]"
    return _compared(name, (PAPER, case.slack_s), nearest, gate.slack_tolerance_s, 4)


def _peak_rows(gate: ArnoldSimeonGate, case: SpeedCase, runs: ArnoldSimeonRuns) -> list[Row]:
    """Peak forces of the two discretisations in space, and of the two in time, against each other."""
    rows = []
    spans = (
        [("", float("inf"))]
        if case.slack_s is None
        else [(" before the impact", case.slack_s - gate.slack_tolerance_s), ("", float("inf"))]
    )
    for (when, end), (i, force), (one, two) in product(spans, enumerate(FORCES), _pairs()):
        pair = [runs.record[case.speed_ms, c] for c in (one, two)]
        a, b = (_peak(r, i, end) for r in pair)
        if np.isnan(a):  # a run that ended is measured against the one that did not
            a, b, one, two = b, a, two, one
        labels = [" ".join(SHORT[m] for m in c) for c in (one, two)]
        name = f"peak force, {force}, {case.speed_ms:g} m/s{when}: {labels[1]} against {labels[0]} [N]"
        known = case.known_ringing if np.isinf(end) and RINGING in (one, two) else None
        rows.append(_compared(name, (labels[0], a), b, 0.01 * gate.peak_tolerance_percent * a, 1, known))
    return rows


def _peak(record: Record, force: int, end: float) -> float:
    """Largest force [N] up to ``end`` [s]; no number where the run had ended before."""
    if record.status is not Status.OK and record.time[-1] < end:
        return float("nan")
    return float(record.force[record.time < end, force].max())


def _pairs() -> list[tuple[Combination, Combination]]:
    """Combinations that differ in one method, the paper's own first."""
    return [
        (a, b) for k, a in enumerate(COMBINATIONS) for b in COMBINATIONS[k + 1 :] if (a[0] == b[0]) != (a[1] == b[1])
    ]


def _spring_rows(gate: SpringGate, runs: ArnoldSimeonRuns) -> list[Row]:
    """Main code with springs against constraints: what is left at the stiffest, and how fast it falls."""
    rows = [
        _compared(
            f"main code, springs of {gate.stiffnesses[-1]:.0e} N/m, {force}: rms difference from the constraint [%]",
            ("constraint", 0.0),
            100.0 * float(left),
            gate.allowed_percent,
        )
        for force, left in zip(FORCES, runs.spring_difference[-1], strict=True)
    ]
    rate = spring_rate(gate, runs)
    # faster is not a fault
    name = "main code with springs: power of 1/stiffness with which the difference falls, at most 1 counted"
    return [*rows, _compared(name, ("first order", 1.0), min(rate, 1.0), 1.0 - gate.least_rate, 2)]
