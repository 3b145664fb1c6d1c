"""The operator on periods of several spans: samples are those of a span, and lines that differ do not compare."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from dynamics.line_operator.network import line_network
from dynamics.line_operator.poles.follow import follow_poles
from dynamics.line_operator.poles.known import KnownPoles
from dynamics.line_operator.poles.search import find_poles
from dynamics.solution import solve
from dynamics.spec.status import Status

OPERATOR = {"method": "operator", "spans_behind": 6, "spans_ahead": 8, "tolerance": 1.0e-2}


@pytest.fixture
def case(build_case):
    return build_case("bruni_2015", 275.0, dt=2.0e-3, mean_force_N=143.4, periodic=OPERATOR)


def repeated(case, spans, **defect):
    repeat = {"spans": spans, "defects": [defect] if defect else []}
    return case.with_changes(catenary={"repeat": repeat})


def test_a_period_of_two_equal_spans_has_the_figures_of_one(case):
    """With the samples of one span on two, sigma would be 0.9 % off."""
    one, two = solve(case), solve(repeated(case, 2))
    assert one.method == two.method == "operator", two.message
    sigma = [found.statistics.contact_force_std_N for found in (one, two)]
    assert sigma[0] == pytest.approx(sigma[1], rel=2e-4)
    half = len(two.contact_force) // 2
    assert np.ptp(one.contact_force) > 100.0
    assert two.contact_force[:half] == pytest.approx(two.contact_force[half:], abs=0.05)


def test_poles_are_not_followed_to_a_line_that_has_a_dropper_less(case):
    whole, broken = (
        line_network(periodic_equilibrium(each.catenary))
        for each in (repeated(case, 2), repeated(case, 2, span=1, dropper=3, kind="broken"))
    )
    assert whole.n == broken.n and len(whole.points.bottom) == len(broken.points.bottom) + 1
    known = KnownPoles(whole, 1.4, np.array([3.0 - 0.5j]), 190.0)
    assert follow_poles(known, broken, 1.4) is None


def test_a_longer_period_is_marched_and_said(case):
    found = solve(repeated(case, 3))
    assert found.status is Status.OK and found.method == "march"
    assert found.message.endswith("the operator does not cover it: a period of more than 2 spans")


def test_poles_of_unequal_spans_in_space_are_all_found(build_line):
    """The samples that do for one span miss one of 112; a line whose poles are not counted is marched."""
    line = build_line(dimension="spatial").model_dump()
    stations, heights = (line["droppers"][name] for name in ("positions", "contact_wire_heights"))
    behind = [line["span_length"] + 50.0 / line["span_length"] * x for x in stations]
    line["droppers"] |= {"positions": [*stations, *behind], "contact_wire_heights": [*heights, *heights]}
    network = line_network(periodic_equilibrium(CatenarySpec.model_validate({**line, "further_spans": [50.0]})))
    poles = find_poles(network, network.period / (275.0 / 3.6))
    assert poles is not None
    assert len(poles.omega) == 112
