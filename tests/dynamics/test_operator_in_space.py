"""The line's operator in space: answers against the elements' cell, the mirror, the contour, and the march."""

from dataclasses import replace

import numpy as np
import pytest
from whole_cell import loads_at, whole_cell_answers

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.layout.mesh import Y
from catenary.linearised.cell import vertical_cell
from dynamics.line_operator.answers import Contour, line_answers
from dynamics.line_operator.contact import contact_system
from dynamics.line_operator.kernel import network_answers
from dynamics.line_operator.network import line_network
from dynamics.line_operator.poles.search import find_poles
from dynamics.line_operator.ports import port_answers
from dynamics.solution import solve
from dynamics.spec.status import Status

OPERATOR = {"method": "operator", "spans_behind": 20, "spans_ahead": 26, "tolerance": 1.0e-4}
LINES = [("bruni_2015", {}), ("re330", {}), ("bruni_2015", {"repeat": {"spans": 2}})]


def stretches(network):
    """Loads that pull the ends of droppers apart along their axes (dof, dropper)."""
    points, loads = network.points, np.zeros((network.n, len(network.points.dropper)))
    each = np.arange(loads.shape[1])
    for ends, aside, sign in ((points.top, points.aside[:, 1], 1.0), (points.bottom, points.aside[:, 0], -1.0)):
        loads[ends, each] = sign * points.axis[:, 1]
        loads[aside, each] = sign * points.axis[:, 0]
    return loads


@pytest.mark.parametrize(("name", "changes"), LINES, ids=["simple", "stitched", "two spans"])
def test_the_network_is_what_the_cell_of_elements_tends_to(name, changes, build_line, build_case):
    """Answers to loads on the contact wire's stations, in height and across the track, and to stretches of droppers."""
    off = []
    for largest in (0.6, 0.2):
        line = build_line(name, dimension="spatial", mesh={"largest_element_length": largest}, **changes)
        case = build_case(line, 300.0, applied_force_N=150.0)
        eq = periodic_equilibrium(case.catenary)
        network, cell = line_network(eq), vertical_cell(eq)
        T, each = network.period / case.speed, np.eye(network.n)
        omega = 2.0 * np.pi / T * np.array([0.3, 1.7, 5.2]) - 2.0j
        loads = np.hstack([each[:, network.station_dof], stretches(network), each[:, network.ports.side]])
        found = network_answers(omega, *network.arguments(T), loads)[0]
        at = loads_at(eq, cell, network.stations), loads_at(eq, cell, network.stations, Y)
        expected = whole_cell_answers(cell, case, omega, T, np.hstack([at[0], cell.dropper_operator(), at[1]]))
        S, D = len(network.stations), len(network.points.dropper)
        blocks = (slice(0, S), slice(S, S + D), slice(S + D, None))
        off.append([_apart(found, expected, rows, cols) for rows in blocks for cols in blocks])
    off = np.array(off)
    assert off[1].max() < 1.2e-2
    assert off[1].max() < 0.5 * off[0].max()


def _apart(found, expected, rows, cols):
    """Largest difference of a block of answers, of its largest, over all frequencies."""
    a, b = found[:, rows, cols], expected[:, rows, cols]
    return (np.abs(a - b).max(axis=(1, 2)) / np.abs(b).max(axis=(1, 2))).max()


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_squeezes_act_along_the_droppers_as_loads_on_the_network_do(name, build_line):
    """Stretches of droppers and heights of supports; at the opposite frequency all answers are conjugate."""
    network = line_network(periodic_equilibrium(build_line(name, dimension="spatial")))
    T, omega = network.period / (300.0 / 3.6), np.array([9.0 - 1.0j, 40.0 - 2.5j])
    (Q, lift), S = port_answers(omega, *network.arguments(T), network.ports), len(network.stations)
    loads = np.hstack([np.eye(network.n)[:, network.support_dof], stretches(network)])
    expected, count = network_answers(omega, *network.arguments(T), loads)[0], len(network.support_dof)
    assert Q[:, S:, S:] == pytest.approx(-expected[:, count:, count:], rel=1e-9)
    assert lift[:, :, S:] == pytest.approx(-expected[:, :count, count:], rel=1e-9)
    other = port_answers(-omega.conj(), *network.arguments(T), network.ports)[0].conj()
    assert other == pytest.approx(Q, rel=1e-9, abs=1e-12 * np.abs(Q).max())


def test_another_contour_gives_the_same_line(build_line, build_case):
    """A bare wire with the published tension, 5e-5 more than that along the track, would be off by 1.5e-2."""
    case = build_case(build_line("re330", dimension="spatial"), 300.0, mean_force_N=157.3, periodic=OPERATOR)
    eq = periodic_equilibrium(case.catenary)
    network = line_network(eq)
    contour = Contour(network.period / case.speed, case.speed, 40)
    poles = find_poles(network, contour.T)
    assert poles is not None

    def line(contour):
        answers = line_answers(network, contour, poles.omega)
        return contact_system(case, eq, (network, contour), answers).line

    H = line(contour)
    assert np.abs(line(replace(contour, images=8, decay=9.6)) - H).max() < 4.0e-3 * np.abs(H).max()


@pytest.mark.parametrize(("name", "speed", "force"), [("bruni_2015", 320.0, 169.3), ("re330", 300.0, 157.3)])
def test_the_steady_state_is_the_one_that_is_marched_to(name, speed, force, build_line, build_case):
    line = build_line(name, elements_per_bay=12, dimension="spatial")
    case = build_case(line, speed, dt=1.0e-3, mean_force_N=force, periodic=OPERATOR)
    found, marched, plane = (
        solve(case.with_changes(periodic={"method": method}, catenary={"dimension": dimension}))
        for method, dimension in (("operator", "spatial"), ("march", "spatial"), ("operator", "planar"))
    )
    assert (found.status, found.method, marched.method) == (Status.OK, "operator", "march")
    here, there = found.statistics, marched.statistics
    assert here.contact_force_std_N == pytest.approx(there.contact_force_std_N, rel=1.0e-2)
    assert here.contact_force_max_N == pytest.approx(there.contact_force_max_N, rel=1.5e-2)
    assert found.applied_force_N == pytest.approx(marched.applied_force_N, abs=0.2)
    assert found.support_rise == pytest.approx(marched.support_rise, rel=2.0e-2)
    assert found.dropper_slack_time.sum() == pytest.approx(marched.dropper_slack_time.sum(), rel=0.1)
    apart = found.contact_force_filtered - marched.contact_force_filtered
    assert apart.std() < 0.12 * here.contact_force_std_N
    (head,), (there_head,) = found.on_head, marched.on_head
    assert (head.place_min_m, head.place_max_m) == pytest.approx((there_head.place_min_m, there_head.place_max_m))
    assert head.place_max_m == pytest.approx(case.catenary.support.stagger, rel=1.0e-2)
    assert plane.on_head == ()
    if name == "bruni_2015":
        assert here.contact_force_std_N < 0.93 * plane.statistics.contact_force_std_N


def test_a_period_of_two_spans_that_needs_no_mirror_has_the_figures_of_one(build_line, build_case):
    """Without the mirror's sign sigma would be another."""
    one, two = (
        solve(build_case(build_line("re330", dimension="spatial", repeat=repeat), 300.0, mean_force_N=157.3,
                         periodic=OPERATOR))
        for repeat in (None, {"spans": 2})
    )  # fmt: skip
    assert one.method == two.method == "operator", two.message
    sigma = [found.statistics.contact_force_std_N for found in (one, two)]
    assert sigma[0] == pytest.approx(sigma[1], rel=1.5e-3)
    half = len(two.contact_force) // 2
    assert two.contact_force[:half] == pytest.approx(two.contact_force[half:], abs=0.05)
