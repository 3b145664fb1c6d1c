"""The benchmark of Arnold & Simeon (paper 002): its table, its slackening dropper, its methods against each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from catenary.spec import Spec
from dynamics.arnold_simeon.discretisation import Method, discretise, frequencies
from dynamics.arnold_simeon.main_code import cable_line, spring_differences
from dynamics.arnold_simeon.problem import BenchmarkSpec
from dynamics.arnold_simeon.run import Record, TimeMethod, longest_stable_step, run_benchmark
from dynamics.status import Status
from studies.validation.row import ValidationRow

__all__ = ["ArnoldSimeonGate", "ArnoldSimeonRuns", "arnold_simeon_rows", "run_arnold_simeon"]

Positive = Annotated[float, Field(gt=0.0)]
Combination = tuple[Method, TimeMethod]
COMBINATIONS: tuple[Combination, ...] = tuple(
    product(("finite_elements", "finite_differences"), ("bdf2", "half_explicit"))
)
# undamped in time and with the stiffest grid
RINGING: Combination = ("finite_elements", "half_explicit")
SHORT = {"finite_elements": "FE", "finite_differences": "FD", "bdf2": "BDF-2", "half_explicit": "half-explicit"}
FORCES = ("dropper 1", "dropper 2", "contact")
WIRES = ("carrier", "contact_wire")


class FrequencyRow(Spec):
    """One entry of the table of frequencies."""

    method: Method = Field(description="discretisation in space")
    wire: Literal["carrier", "contact_wire"] = Field(description="carrier or contact wire")
    end: Literal["lowest", "highest"] = Field(description="end of the spectrum")
    printed_Hz: Positive = Field(description="printed frequency [Hz]")
    last_digit_Hz: Positive = Field(description="worth of its last printed digit [Hz]")
    known_miss: str | None = Field(default=None, description="why the last digit is known to differ")


class SpeedCase(Spec):
    """One speed of the benchmark."""

    speed_ms: Positive = Field(description="speed of the pantograph [m/s]")
    head_above_body_m: float = Field(description="height of the head over the body at the start [m]")
    slack_s: float | None = Field(default=None, description="when dropper 2 is slack [s]; none: nothing slackens")
    known_ringing: str | None = Field(
        default=None, description="why whole-run peaks of finite elements with the half-explicit method are missed"
    )


class SpringGate(Spec):
    """The same line in the main code with stiff springs, against the constraint forces."""

    intervals: Annotated[int, Field(ge=100, le=1000)] = Field(description="intervals of the grid")
    step_s: Positive = Field(description="time step [s]")
    stiffnesses: tuple[Positive, ...] = Field(min_length=2, description="of droppers and contact, rising [N/m]")
    allowed_percent: Positive = Field(description="largest rms difference at the stiffest, of the rms force [%]")
    least_rate: Positive = Field(description="smallest power of 1/stiffness with which the difference falls")


class ArnoldSimeonGate(Spec):
    """What the benchmark is held against."""

    source: str
    reading: str = Field(description="what the paper leaves open and how it is read")
    intervals: Annotated[int, Field(ge=100, le=2000)] = Field(description="intervals of both wires")
    step_s: Positive = Field(description="time step of BDF-2, and the longest of the half-explicit method [s]")
    stable_fraction: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        description="longest step of the half-explicit method over 2 / largest angular frequency"
    )
    slack_tolerance_s: Positive = Field(description="largest distance of the slack from its printed moment [s]")
    peak_tolerance_percent: Positive = Field(description="largest difference of peak forces between methods [%]")
    frequencies: tuple[FrequencyRow, ...]
    speeds: tuple[SpeedCase, ...]
    springs: SpringGate


@dataclass(frozen=True)
class ArnoldSimeonRuns:
    """Everything that the rows and charts are made from.

    Attributes
    ----------
    frequency : dict
        Lowest and highest frequency by method, float array (wire, 2) [Hz].
    record : dict
        Runs by speed [m/s] and combination of methods.
    spring_difference : float array (stiffness, constraint)
        Relative difference of spring forces from constraint forces [-].
    """

    frequency: dict[str, NDArray[np.float64]]
    record: dict[tuple[float, Combination], Record]
    spring_difference: NDArray[np.float64]


def benchmark_spec(case: SpeedCase) -> BenchmarkSpec:
    """Data of the benchmark at one speed."""
    return BenchmarkSpec(speed=case.speed_ms, head_above_body=case.head_above_body_m)


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


def arnold_simeon_rows(gate: ArnoldSimeonGate, runs: ArnoldSimeonRuns | None = None) -> list[ValidationRow]:
    """Every figure of the benchmark beside its reference; runs it when no runs are given."""
    runs = run_arnold_simeon(gate) if runs is None else runs
    rows = [_frequency_row(row, runs) for row in gate.frequencies]
    for case in gate.speeds:
        rows += [_slack_row(gate, case, runs.record[case.speed_ms, c], c) for c in COMBINATIONS]
        rows += _peak_rows(gate, case, runs)
    return rows + _spring_rows(gate.springs, runs)


def _frequency_row(row: FrequencyRow, runs: ArnoldSimeonRuns) -> ValidationRow:
    here = float(runs.frequency[row.method][WIRES.index(row.wire), 0 if row.end == "lowest" else 1])
    name = f"{row.end} frequency, {row.wire.replace('_', ' ')}, {SHORT[row.method]} [Hz]"
    digits = max(0, round(-np.log10(row.last_digit_Hz))) + 2
    return ValidationRow(name, row.printed_Hz, here, 0.5 * row.last_digit_Hz, digits, row.known_miss)


def _slack_row(gate: ArnoldSimeonGate, case: SpeedCase, record: Record, methods: Combination) -> ValidationRow:
    """Slack of dropper 2 at its printed moment, or that nothing at all slackens or parts."""
    label = " ".join(SHORT[m] for m in methods)
    if case.slack_s is None:
        apart = float((record.force <= 0.0).any(axis=1).mean() * record.time[-1])
        return ValidationRow(f"slack or loss at {case.speed_ms:g} m/s, {label} [s]", 0.0, apart, 0.0, 4)
    slack = record.time[record.force[:, 1] <= 0.0]
    nearest = float(slack[np.argmin(np.abs(slack - case.slack_s))]) if slack.size else float("nan")
    name = f"dropper 2 slack at {case.speed_ms:g} m/s, moment nearest to the printed one, {label} [s]"
    return ValidationRow(name, case.slack_s, nearest, gate.slack_tolerance_s, 4)


def _peak_rows(gate: ArnoldSimeonGate, case: SpeedCase, runs: ArnoldSimeonRuns) -> list[ValidationRow]:
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
        labels = [" ".join(SHORT[m] for m in c) for c in (one, two)]
        name = f"peak force, {force}, {case.speed_ms:g} m/s{when}: {labels[1]} against {labels[0]} [N]"
        known = case.known_ringing if np.isinf(end) and RINGING in (one, two) else None
        rows.append(ValidationRow(name, a, b, 0.01 * gate.peak_tolerance_percent * a, 1, known))
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


def spring_rate(gate: SpringGate, runs: ArnoldSimeonRuns) -> float:
    """Power of 1/stiffness with which the largest difference falls, fitted over all stiffnesses."""
    worst = np.log(runs.spring_difference.max(axis=1))
    return -float(np.polyfit(np.log(gate.stiffnesses), worst, 1)[0])


def _spring_rows(gate: SpringGate, runs: ArnoldSimeonRuns) -> list[ValidationRow]:
    """Main code with springs against constraints: what is left at the stiffest, and how fast it falls."""
    rows = [
        ValidationRow(
            f"main code, springs of {gate.stiffnesses[-1]:.0e} N/m, {force}: rms difference from the constraint [%]",
            0.0,
            100.0 * float(left),
            gate.allowed_percent,
        )
        for force, left in zip(FORCES, runs.spring_difference[-1], strict=True)
    ]
    rate = spring_rate(gate, runs)
    # faster is no fault
    name = "main code with springs: power of 1/stiffness with which the difference falls, at most 1 counted"
    return [*rows, ValidationRow(name, 1.0, min(rate, 1.0), 1.0 - gate.least_rate, 2)]
