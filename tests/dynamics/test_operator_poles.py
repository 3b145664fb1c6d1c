"""Poles that rise from line to line: those of the nominal line lead to all that a design has."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.line_operator.answers import Contour, line_answers
from dynamics.line_operator.contact import contact_system
from dynamics.line_operator.network import line_network
from dynamics.line_operator.poles.follow import follow_poles
from dynamics.line_operator.poles.search import find_poles
from dynamics.solution import solve
from dynamics.steady_state import by_operator
from dynamics.steady_state.learned_start import learned_start

SPEED, MEAN = 320.0, 0.00097 * 320.0**2 + 70.0
# random designs that were marched on finer meshes, steps and windows; on these two a pole rises
KEPT = Path(__file__).parents[1] / "benchmarks" / "reference_designs.json"
NEAR_THE_AXIS, BELOW_THE_CONTOUR = 29, 38
BOTH = (NEAR_THE_AXIS, BELOW_THE_CONTOUR)


def reference(number):
    return json.loads(KEPT.read_text(encoding="utf-8"))["cases"]["bruni_2015, 320 km/h"][number]


@pytest.fixture(scope="module")
def nominal(build_line, build_case):
    periodic = {"method": "operator", "spans_behind": 6, "spans_ahead": 8, "tolerance": 1.0e-2}
    return build_case("bruni_2015", SPEED, dt=2.0e-3, mean_force_N=MEAN, periodic=periodic)


def design(case, number):
    known = reference(number)
    heights = [1e-3 * z for z in known["heights_mm"]]
    return case.with_changes(
        catenary={"droppers": {"positions": known["positions_m"], "contact_wire_heights": heights}}
    )


@pytest.mark.parametrize("number", BOTH)
def test_poles_that_rise_are_those_that_are_found(nominal, number):
    case = design(nominal, number)
    known = learned_start(nominal)
    network = line_network(periodic_equilibrium(case.catenary))
    followed, found = follow_poles(known, network, known.T), find_poles(network, known.T)
    assert np.sort_complex(followed.felt.omega) == pytest.approx(np.sort_complex(found.felt.omega), abs=1e-6)
    shallow = replace(known, omega=known.omega[known.omega.imag * known.T > -4.0])
    missed = follow_poles(shallow, network, known.T)
    risen = [int(np.count_nonzero(poles.omega.imag * poles.T > -3.0)) for poles in (missed, found)]
    assert risen[0] < risen[1], "a pole has risen from below"


@pytest.mark.parametrize("number", BOTH)
def test_a_design_of_which_a_pole_rises_has_the_force_of_the_march(nominal, number):
    """Without that pole its slack is not found, and a march of this step is some per cent off."""
    found = solve(design(nominal, number), learned_start(nominal))
    assert found.method == "operator", found.message
    assert found.statistics.contact_force_std_N == pytest.approx(reference(number)["sigma_N"], rel=1e-2)


@pytest.mark.parametrize(
    ("x", "z"),
    [
        ([2.02, 10.52, 17.71, 20.63], [5.6, -22.3, -49.6, -53.1, -50.7]),
        ([1.71, 11.73, 16.94, 24.35], [7.0, -22.6, -38.3, -52.7, -53.2]),
        ([2.63, 11.51, 14.03, 20.28], [8.6, -1.7, -8.4, -14.4, -12.9]),
    ],
)
def test_a_pole_that_passes_others_on_its_way_is_followed(nominal, x, z):
    """One of waves in height passes below two of waves along the track; steps by pace alone end at one of these."""
    stations, heights = [*x, 27.5, *(55.0 - v for v in x[::-1])], [*z, *z[-2::-1]]
    known = learned_start(nominal)
    line = nominal.catenary.with_droppers(positions_m=stations, heights_mm=heights)
    network = line_network(periodic_equilibrium(line))
    followed, found = follow_poles(known, network, known.T), find_poles(network, known.T)
    assert np.sort_complex(followed.felt.omega) == pytest.approx(np.sort_complex(found.felt.omega), abs=1e-6)


def test_poles_are_searched_for_where_those_that_were_followed_leave_slack_unfound(nominal, monkeypatch):
    case, known = design(nominal, BELOW_THE_CONTOUR), learned_start(nominal)
    shallow = replace(known, omega=known.omega[known.omega.imag * known.T > -4.0])
    searched = []
    monkeypatch.setattr(by_operator, "find_poles", lambda *line: searched.append(1) or find_poles(*line))
    found = solve(case, shallow)
    assert searched and found.method == "operator"
    assert found.statistics.contact_force_std_N == pytest.approx(reference(BELOW_THE_CONTOUR)["sigma_N"], rel=5e-3)


@pytest.fixture(scope="module")
def slow_train(build_line, build_case):
    """Line of little damping under a slow train: waves of 35 Hz outlast its period."""
    mesh = {"elements_per_bay": 6, "largest_element_length": 0.4}  # which the march needs
    line = build_line("bruni_2015", damping={"alpha": 0.0202, "beta": 6.53e-5}, mesh=mesh)
    contact = {"stiffness": 50.5e3}
    return build_case(line, 183.0, dt=1.0e-3, mean_force_N=105.7, contact=contact, periodic={"method": "operator"})


def contact_heights(case, images, decay, known):
    """Height by force of harmonics 0 to 27, along a contour of its own, with the poles that are known."""
    eq = periodic_equilibrium(case.catenary)
    network = line_network(eq)
    contour = Contour(network.period / case.speed, case.speed, 40, images=images, decay=decay)
    answers = line_answers(network, contour, known.felt.omega)
    found = contact_system(case, eq, (network, contour), answers).line
    return found[40:68, 40:68].diagonal()


def test_poles_reach_as_high_as_waves_outlast_a_period(slow_train):
    """A contour close to the axis passes over no wave in height; one pole that is missing below another shows."""
    network = line_network(periodic_equilibrium(slow_train.catenary))
    known = find_poles(network, network.period / slow_train.speed)
    there = contact_heights(slow_train, 60, 18.0, known)
    assert np.abs(contact_heights(slow_train, 4, 6.4, known) / there - 1.0).max() < 1.5e-2
    below_30_hz = replace(known, omega=known.omega[known.omega.real < 190.0])
    assert np.abs(contact_heights(slow_train, 4, 6.4, below_30_hz) / there - 1.0).max() > 0.4


def test_poles_are_searched_for_where_too_few_are_known(slow_train, monkeypatch):
    found, searched = solve(slow_train), []
    known = found.operator_start
    monkeypatch.setattr(by_operator, "find_poles", lambda *line: searched.append(1) or find_poles(*line))
    few = replace(known, omega=known.omega[known.omega.real < 190.0], highest=190.0)
    again = solve(slow_train, few)
    assert searched == [1]
    assert again.statistics.contact_force_std_N == pytest.approx(found.statistics.contact_force_std_N, rel=1e-6)
    solve(slow_train, replace(known, highest=0.95 * known.highest))
    assert searched == [1], "poles that lead to a design are not searched for again where it needs a few more"


def test_a_slow_train_on_a_line_of_little_damping_has_the_force_of_the_march(slow_train):
    """With poles up to 30 Hz alone sigma is one per cent higher."""
    found = solve(slow_train).statistics.contact_force_std_N
    periodic = {"method": "march", "tolerance": 2.0e-5, "max_spans": 200}
    marched = solve(slow_train.model_copy(update={"periodic": slow_train.periodic.model_copy(update=periodic)}))
    assert found == pytest.approx(marched.statistics.contact_force_std_N, rel=3e-3)


def test_two_poles_next_to_each_other_and_to_the_axis_are_found(build_line):
    """Waves of two wires at 44 Hz, 0.06 in omega T apart: closer windows find what samples 0.25 apart did not."""
    line = build_line("double_wire_3kv", mesh={}, damping={"alpha": 0.181, "beta": 2.13e-4})
    network = line_network(periodic_equilibrium(line))
    T = network.period / (187.0 / 3.6)
    known = find_poles(network, T)
    assert known is not None, "all are counted"
    pair = known.omega[np.abs(known.omega * T - (172.16 - 0.045j)) < 0.05]
    assert len(pair) == 2 and 0.04 < np.abs(np.diff(pair)[0]) * T < 0.08
