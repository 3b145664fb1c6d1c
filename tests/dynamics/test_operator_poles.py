"""Poles that rise from line to line: those of the nominal line lead to all that a design has."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.line_operator.network import line_network
from dynamics.line_operator.poles import KnownPoles, find_poles, follow_poles
from dynamics.solution import solve
from dynamics.steady_state import by_operator
from dynamics.steady_state.learned_start import learned_start

SPEED, MEAN = 320.0, 0.00097 * 320.0**2 + 70.0
# two designs at random, and what marches have on finer and finer meshes and steps [N]
# (tests/benchmarks/reference_designs.json)
MARCHED = {
    "near the axis": (
        (3.169274, 9.479868, 15.722372, 22.60472), (-8.862, -21.891, -43.304, -50.153, -48.639), 49.37,
    ),
    "below the contour": (
        (3.773034, 11.550815, 16.549551, 21.304391), (-6.361, -6.864, -39.284, -61.254, -70.881), 71.86,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def nominal(build_line, build_case):
    periodic = {"method": "operator", "spans_behind": 6, "spans_ahead": 8, "tolerance": 1.0e-2}
    return build_case("bruni_2015", SPEED, dt=2.0e-3, mean_force_N=MEAN, periodic=periodic)


def design(case, name):
    half, heights, _ = MARCHED[name]
    stations = [*half, 27.5, *(55.0 - x for x in half[::-1])]
    lifted = 1.0e-3 * np.array([*heights, *heights[-2::-1]])
    return case.with_changes(catenary={"droppers": {"positions": stations, "contact_wire_heights": lifted.tolist()}})


@pytest.mark.parametrize("name", MARCHED)
def test_poles_that_rise_are_those_that_are_found(nominal, name):
    case = design(nominal, name)
    known = learned_start(nominal)
    network = line_network(periodic_equilibrium(case.catenary))
    followed, found = follow_poles(known, network, known.T), find_poles(network, known.T)
    assert np.sort_complex(followed.felt.omega) == pytest.approx(np.sort_complex(found.felt.omega), abs=1e-6)
    shallow = KnownPoles(known.network, known.T, known.omega[known.omega.imag * known.T > -4.0])
    missed = follow_poles(shallow, network, known.T)
    assert len(missed.felt.omega) < len(found.felt.omega), "a pole has risen from below"


@pytest.mark.parametrize("name", MARCHED)
def test_a_design_of_which_a_pole_rises_has_the_force_of_the_march(nominal, name):
    """Without that pole its slack is not found, and a march of this step is 1.5 to 5 % off."""
    found = solve(design(nominal, name), learned_start(nominal))
    assert found.method == "operator", found.message
    assert found.statistics.contact_force_std_N == pytest.approx(MARCHED[name][2], rel=5e-3)


def test_poles_are_searched_for_where_those_that_were_followed_leave_slack_unfound(nominal, monkeypatch):
    case, known = design(nominal, "below the contour"), learned_start(nominal)
    shallow = KnownPoles(known.network, known.T, known.omega[known.omega.imag * known.T > -4.0])
    searched = []
    monkeypatch.setattr(by_operator, "find_poles", lambda *line: searched.append(1) or find_poles(*line))
    found = solve(case, shallow)
    assert searched and found.method == "operator"
    assert found.statistics.contact_force_std_N == pytest.approx(MARCHED["below the contour"][2], rel=5e-3)
