"""Curves and the contact in space, against closed forms: taut strings, a clothoid, differences, the planar law."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.layout.track import plan_points
from catenary.library.lines import load_line
from catenary.spec.surroundings.track import TrackSpec
from dynamics.charts.parts import Chart, Curve
from dynamics.open_line.contact_space import contact_jacobian, frame_of, head_point, place_on_wire, push_in_space
from dynamics.open_line.system import Space
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from studies.validation.gates.gates import GatesSpec
from studies.validation.gates.space import SpaceGate
from studies.validation.rows import Comparison, Reference, Row

__all__ = ["compare", "jacobian_error", "planar_error", "power_error", "zigzag"]

LENGTH, STEP = 2.0, 1.0e-6  # of the element that is bent, and of differences [m]
HEAD = Space(True, 0.3, 0.1, 0.0, False, 4.0, 0.3, 0.25)
CLOTHOID_END = 199.97777892, 2.22204586, 1.0 / 30.0
SETTINGS = {"spans": 6, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
MESH = {"elements_per_bay": 4, "largest_element_length": 5.0}


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Compare a line on a curve and the contact in space with what closed forms say."""
    gate = gates.space
    rows = list(_taut(gate))
    plan = ({"kind": "clothoid", "length": 200.0, "radius": 3000.0}, {"kind": "arc", "length": 50.0, "radius": 3000.0})
    end = plan_points(TrackSpec.model_validate({"plan": plan}), np.array([200.0]))[0]
    error = float(np.abs(np.round(end, 8) - np.round(CLOTHOID_END, 8)).max())
    rows.append(_error("end of a clothoid", "200 m to R 3000 m", "m", error, gate.clothoid_m))
    rows.append(_error("Jacobian of the contact point", "central differences", "-", jacobian_error(), gate.jacobian))
    rows.append(_error("force of level wire and head", "the planar law", "N", planar_error(), gate.planar_N))
    rows.append(_error("power of friction", "its closed form", "W", power_error(), gate.friction_W))
    solution, largest = zigzag(gate)
    rows.append(
        Row(
            "place of the contact on the head",
            f"{gate.speed_kmh:g} km/h, large deformation, friction",
            "mm",
            largest,
            (Reference("wire at rest", "0"),),
            (0.0, gate.zigzag_mm),
            digits=2,
        )
    )
    for row in rows:
        say(f"{row.quantity}, {row.case}: {row.here_text} {row.unit}")
    charts = () if solution.statistics is None else (_zigzag_chart(solution),)
    return Comparison("space", "Curves and the contact in space", gate.source, gate.reading, tuple(rows), charts)


def _error(quantity: str, against: str, unit: str, error: float, most: float) -> Row:
    return Row(quantity, against, unit, error, (Reference("difference", "0"),), (0.0, most), digits=12)


def _taut(gate: SpaceGate) -> Iterator[Row]:
    """Side forces and versine of a line on the curve, wires over each other, against taut strings."""
    base = load_line(gate.catenary)
    stagger = {"messenger_stagger": base.support.stagger}
    spec = base.with_changes(dimension="spatial", track={"radius": gate.radius_m}, support=stagger)
    eq, span = periodic_equilibrium(spec), spec.span_length
    share = 0.01 * gate.taut_percent
    middle = int(np.argmin(np.abs(np.array(spec.droppers.positions) - 0.5 * span)))
    bow = eq.q[eq.mesh.dropper_bottom[middle], 1] - eq.q[eq.mesh.support_contact[0], 1]
    wire = spec.contact_wire
    stiff = 0.5 * span / gate.radius_m * np.sqrt(wire.bending_stiffness / wire.tension)
    found = (
        ("side force of the contact wire", "N", -eq.steady_arm_side_force[0], wire.tension * span / gate.radius_m),
        (
            "side force of the messenger wire",
            "N",
            -eq.messenger_side_force[0],
            spec.messenger_wire.tension * span / gate.radius_m,
        ),
        ("versine", "mm", 1e3 * bow, 1e3 * (span**2 / (8.0 * gate.radius_m) - stiff)),
    )
    for quantity, unit, here, taut in found:
        allowed = (taut * (1.0 - share), taut * (1.0 + share))
        reference = (Reference("taut string", f"{taut:.2f}"),)
        yield Row(quantity, f"R {gate.radius_m:g} m", unit, float(here), reference, allowed, digits=2)


def jacobian_error() -> float:
    """Largest difference of the contact point's Jacobian from central differences of its equations [-]."""
    t = np.array([1.0, 0.3, 0.1])
    q = np.array([[10.0, 0.1, 0.0, *t], [*(np.array([10.0, 0.1, 0.0]) + LENGTH * t), *(t + np.array([0, 4e-3, 6e-3]))]])
    wire, p, across, J, C = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty((2, 2)), np.empty(2)

    def equations(s1: float, s2: float) -> NDArray[np.float64]:
        place_on_wire(q, s1 / LENGTH, LENGTH, wire)
        head_point(HEAD, np.array([10.8, 0.05, 0.02]), 0.1, s2, p, across)
        contact_jacobian(wire, wire[0] - p, across, J, C)
        return C.copy()

    worst = 0.0
    for s1, s2 in ((0.4, -0.5), (0.83, 0.37), (1.6, 0.05)):
        slopes = [
            (equations(s1 + a, s2 + b) - equations(s1 - a, s2 - b)) / (2.0 * STEP)
            for a, b in ((STEP, 0.0), (0.0, STEP))
        ]
        equations(s1, s2)
        worst = max(worst, float(np.abs(J - np.stack(slopes, axis=1)).max()))
    return worst


def planar_error() -> float:
    """Difference of the push of 150 N of a level wire from an upright one [N]."""
    t, n1, n2, push = np.array([1.0, 0.0, 0.0]), *np.empty((3, 3))
    frame_of(t, n1, n2)
    push_in_space(HEAD._replace(friction=0.0), 150.0, (t, n1, n2), np.array([76.0, 0.0, 0.3]), push)
    return float(np.abs(push - [0.0, 0.0, 150.0]).max())


def power_error() -> float:
    """Largest difference of friction's power from -mu F v^2 / sqrt(v^2 + v0^2), at speeds of all sizes [W]."""
    t, n1, n2, push, bare = np.array([1.0, 0.1, 0.02]), *np.empty((4, 3))
    frame_of(t, n1, n2)
    n, worst = n2 / np.linalg.norm(n2), 0.0
    for scale in (1e-3, 0.1, 1.0, 80.0):
        sliding = scale * np.array([0.9, -0.4, 0.1])
        push_in_space(HEAD, 150.0, (t, n1, n2), sliding, push)
        push_in_space(HEAD._replace(friction=0.0), 150.0, (t, n1, n2), sliding, bare)
        v = np.linalg.norm(sliding - (sliding @ n) * n)
        worst = max(worst, abs((push - bare) @ sliding - HEAD.friction * 150.0 * v * v / np.hypot(v, HEAD.regular)))
    return float(worst)


def zigzag(gate: SpaceGate) -> tuple[Solution, float | None]:
    """Run with the contact sought on wire and head; returns it and the contact's farthest place from rest [mm]."""
    line = load_line(gate.catenary).with_changes(dimension="spatial", mesh=MESH)
    runs = []
    for space in ({"friction": 0.2}, None):
        contact = {} if space is None else {"contact": {"space": space}}
        changes = {"speed_kmh": gate.speed_kmh, "applied_force_N": gate.applied_force_N, "dt": 2e-3, **contact}
        case = job_input(
            CaseSpec,
            line,
            gate.pantograph,
            {**changes, "solver": "open_line", "open_line": SETTINGS, "kinematics": "nonlinear"},
        )
        runs.append(solve(case))
    sought, rest = (run.leading for run in runs)
    if runs[0].statistics is None or runs[1].statistics is None:
        return runs[0], None
    counted = sought.evaluated
    return runs[0], 1e3 * float(np.abs(sought.place[counted] - rest.place[counted]).max())


def _zigzag_chart(solution: Solution) -> Chart:
    """Draw the place of the contact on the head over the track."""
    one = solution.leading
    x, y = one.position[one.evaluated], 1e3 * one.place[one.evaluated]
    return Chart(
        name="space_zigzag",
        title="Place of the contact on the head",
        caption="Two spans; to the left of the head's middle.",
        x_label="Position along the track",
        y_label="Place on the head",
        curves=(Curve("contact sought on wire and head", x, y, "m", "mm"),),
    )
