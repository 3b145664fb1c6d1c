"""Runs of the benchmark of Arnold & Simeon, drawn as its figures 5, 6 and 7, and springs that tend to constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.arnold_simeon.discretisation import Method, discretise
from dynamics.arnold_simeon.problem import BenchmarkSpec
from dynamics.arnold_simeon.run import Record, TimeMethod
from dynamics.arnold_simeon.start import initial_state
from dynamics.charts.parts import Chart, Curve, Role
from studies.validation.gates.arnold_simeon import ArnoldSimeonGate, SpeedCase, SpringGate

__all__ = ["FORCES", "ArnoldSimeonRuns", "Combination", "arnold_simeon_charts", "benchmark_spec", "spring_rate"]

Combination = tuple[Method, TimeMethod]
FORCES = ("dropper 1", "dropper 2", "contact")
ROLES: tuple[Role, ...] = ("nominal", "other", "best")


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


def spring_rate(gate: SpringGate, runs: ArnoldSimeonRuns) -> float:
    """Power of 1/stiffness with which the largest difference falls, fitted over all stiffnesses."""
    worst = np.log(runs.spring_difference.max(axis=1))
    return -float(np.polyfit(np.log(gate.stiffnesses), worst, 1)[0])


def arnold_simeon_charts(gate: ArnoldSimeonGate, runs: ArnoldSimeonRuns) -> tuple[Chart, ...]:
    """Figures 5 (start), 6 and 7 (forces and heights at both speeds), and the convergence of the springs."""
    charts = [_start_chart(gate)]
    for number, case in zip((6, 7), gate.speeds, strict=True):
        record = runs.record[case.speed_ms, ("finite_elements", "bdf2")]
        other = runs.record[case.speed_ms, ("finite_differences", "half_explicit")]
        charts += [_force_chart(number, case.speed_ms, record, other), _height_chart(number, case.speed_ms, record)]
    return (*charts, _spring_chart(gate, runs))


def _start_chart(gate: ArnoldSimeonGate) -> Chart:
    """Both wires and the droppers at the start."""
    spec = benchmark_spec(gate.speeds[0])
    system = discretise(spec, "finite_elements", gate.intervals)
    q = initial_state(system).height
    x = np.linspace(0.0, spec.length, gate.intervals + 1)
    carrier, wire = (q[part] for part in system.wires)
    # heights stand between slopes, the ends' slopes first and last
    heights = np.concatenate([[0.0], wire[1:-1:2], [0.0]])
    above = spec.encumbrance + np.concatenate([[0.0], carrier, [0.0]])
    at = np.repeat(spec.dropper_x, 2)
    ends = np.stack([np.interp(spec.dropper_x, x, heights), np.interp(spec.dropper_x, x, above)], axis=1).ravel()
    return Chart(
        name="arnold_simeon_figure_5",
        title="Initial configuration of the catenary",
        caption=f"Arnold & Simeon, figure 5, redrawn: rest, contact force {spec.start_force:g} N at {spec.start:g} m.",
        x_label="Station",
        y_label="Height",
        curves=(
            Curve("carrier", x, above, "m", "m", "nominal"),
            Curve("contact wire", x, heights, "m", "m", "best"),
            Curve("droppers", at, ends, "m", "m", "muted", "segments"),
            Curve("pantograph head", np.array([spec.start]), q[-2:-1], "m", "m", "other", "dots"),
        ),
    )


def _force_chart(number: int, speed: float, record: Record, other: Record) -> Chart:
    """Constraint forces over time, those of other methods behind them."""
    behind = tuple(
        Curve("FD, half-explicit", other.time, other.force[:, i], "s", "N", "muted") for i in range(len(FORCES))
    )
    front = tuple(
        Curve(f"{name}, FE, BDF-2", record.time, record.force[:, i], "s", "N", role)
        for i, (name, role) in enumerate(zip(FORCES, ROLES, strict=True))
    )
    return Chart(
        name=f"arnold_simeon_figure_{number}_forces",
        title=f"Constraint forces at {speed:g} m/s",
        caption=f"Arnold & Simeon, figure {number}, redrawn. A dropper without force is slack.",
        x_label="Time",
        y_label="Constraint force",
        curves=(*behind, *front),
    )


def _height_chart(number: int, speed: float, record: Record) -> Chart:
    """Heights of pantograph and contact wire over time."""
    series: tuple[tuple[str, NDArray[np.float64], Role], ...] = (
        ("contact wire at dropper 1", record.wire_at_dropper[:, 0], "nominal"),
        ("contact wire at dropper 2", record.wire_at_dropper[:, 1], "other"),
        ("pantograph head", record.head, "best"),
        ("pantograph body", record.body, "fourth"),
    )
    return Chart(
        name=f"arnold_simeon_figure_{number}_heights",
        title=f"Heights at {speed:g} m/s",
        caption=f"Arnold & Simeon, figure {number}, redrawn (finite elements, BDF-2).",
        x_label="Time",
        y_label="Height",
        curves=tuple(Curve(name, record.time, 1e3 * y, "s", "mm", role) for name, y, role in series),
    )


def _spring_chart(gate: ArnoldSimeonGate, runs: ArnoldSimeonRuns) -> Chart:
    """Relative difference of spring forces from constraint forces over the stiffness, both as powers of ten."""
    x = np.log10(np.array(gate.springs.stiffnesses))
    y = np.log10(runs.spring_difference)
    slope = Curve("first order in 1/stiffness", x, y[0].max() - (x - x[0]), "", "", "muted")
    return Chart(
        name="arnold_simeon_springs",
        title="From stiff springs to constraints",
        caption=f"The same line in the main code with springs in the place of constraints, {gate.speeds[0].speed_ms:g} "
        f"m/s: rms difference of the forces, falling with power {spring_rate(gate.springs, runs):.2f} of 1/stiffness.",
        x_label="log10 of the stiffness [N/m]",
        y_label="log10 of the relative difference",
        curves=(
            slope,
            *(Curve(name, x, y[:, i], "", "", role) for i, (name, role) in enumerate(zip(FORCES, ROLES, strict=True))),
        ),
        pick="x",
    )
