"""What is refused of a line at rest: the cause is named, and the cure that is named cures it."""

import re

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.linearised.static_checks import SLACK_FORCE, STEEPEST_ARM, FaultKind, faults_at_rest
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic

TAUT = {"contact_wire": {"tension": 40.0e3}, "messenger_wire": {"tension": 6.0e3}}
LIBRARY = ("bruni_2015", "en50318_2002", "re330", "c350")


def faults(line):
    return faults_at_rest(periodic_equilibrium(line))


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
@pytest.mark.parametrize("name", LIBRARY)
def test_lines_of_the_library_have_no_fault(build_line, name, dimension):
    assert faults(build_line(name, dimension=dimension)) == ()


def test_a_messenger_below_the_contact_wire_is_named_and_raising_it_helps(build_line):
    """Four droppers hang upside down, their forces negative: no height of the contact wire is the cause."""
    low = build_line(encumbrance=0.39)
    assert (periodic_equilibrium(low).dropper_force < -40.0).sum() == 3
    (fault,) = faults(low)
    assert (fault.kind, fault.key) == (FaultKind.SHORT, "encumbrance")
    assert "dropper 5 (at 27.5 m), nor for 6 more: the messenger wire hangs" in fault.sentence
    assert "below the contact wire" in fault.sentence
    raised = re.search(r"raise encumbrance to (\d\.\d+) m", fault.sentence)
    assert raised, fault.sentence
    assert faults(build_line(encumbrance=float(raised[1]))) == ()


def test_a_dropper_of_some_millimetres_is_too_short(build_line):
    """In tension and above the contact wire, but nothing that a fitter could make; the limit is the line's own."""
    line = build_line(encumbrance=0.46)
    eq = periodic_equilibrium(line)
    assert eq.dropper_force.min() > 40.0
    assert 0.0 < eq.dropper_length.min() < 0.02
    (fault,) = faults_at_rest(eq)
    assert fault.kind is FaultKind.SHORT
    assert "leaves 19 mm there, and a dropper needs 200 mm" in fault.sentence
    assert faults(build_line(encumbrance=0.46, droppers={"shortest": 0.015})) == ()


def test_a_cut_length_below_the_shortest_is_the_lengths_own_fault(build_line):
    lengths = periodic_equilibrium(build_line(encumbrance=0.6)).dropper_unstretched_length
    given = {"prescribed": "lengths", "lengths": lengths.tolist(), "contact_wire_heights": ()}
    fault = faults(build_line(encumbrance=0.6, droppers=given))[0]
    assert (fault.kind, fault.key) == (FaultKind.SHORT, "droppers.lengths[4]")


def test_wires_that_meet_between_droppers_are_seen(build_line):
    """One dropper near the support of a long span: the wires cross far from it."""
    droppers = {"positions": [2.0], "contact_wire_heights": [0.0]}
    (fault,) = faults(build_line(encumbrance=0.4, droppers=droppers, **TAUT))
    assert fault.kind is FaultKind.SHORT
    assert re.search(r"hang \d+ mm below the contact wire at 2\d", fault.sentence)


def test_rounding_does_not_keep_a_dropper_taut(build_line):
    """A force at rest of less than 1e-4 N is slack, whatever its sign."""
    line = build_line()
    eq = periodic_equilibrium(line)
    heights = np.array(line.droppers.contact_wire_heights)
    # a contact wire's bay is stretched like a string: its force follows from the height alone
    slope = periodic_equilibrium(build_line(droppers={"contact_wire_heights": lower(heights, 1e-3)})).dropper_force[3]
    drop = eq.dropper_force[3] / (eq.dropper_force[3] - slope) * 1e-3
    for _ in range(4):
        force = periodic_equilibrium(build_line(droppers={"contact_wire_heights": lower(heights, drop)}))
        drop += force.dropper_force[3] / (eq.dropper_force[3] - slope) * 1e-3
    found = periodic_equilibrium(build_line(droppers={"contact_wire_heights": lower(heights, drop)}))
    assert abs(found.dropper_force[3]) < SLACK_FORCE
    assert [f.kind for f in faults_at_rest(found)] == [FaultKind.SLACK]
    assert "carry nothing" in faults_at_rest(found)[0].sentence


def lower(heights, by):
    moved = heights.copy()
    moved[3] -= by
    return moved.tolist()


@pytest.mark.parametrize("name", LIBRARY)
def test_an_upright_steady_arm_is_refused_and_the_stagger_named_lays_it_down(build_line, name):
    line = build_line(name, dimension="spatial", support={"stagger": 0.0})
    (fault,) = faults(line)
    assert (fault.kind, fault.key) == (FaultKind.STEEP, "support.stagger")
    assert "stands at 90 degrees" in fault.sentence
    enough = re.search(r"make support.stagger (\d\.\d+) m", fault.sentence)
    assert enough, fault.sentence
    assert faults(build_line(name, dimension="spatial", support={"stagger": float(enough[1])})) == ()
    less = faults(build_line(name, dimension="spatial", support={"stagger": 0.6 * float(enough[1])}))
    assert [f.kind for f in less] == [FaultKind.STEEP], f"the limit is {STEEPEST_ARM} degrees"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("bruni_2015", {"encumbrance": 0.39}),
        ("bruni_2015", {"droppers": {"contact_wire_heights": [0.0] * 3 + [-0.15] + [0.0] * 5}}),
        ("bruni_2015", {"encumbrance": 0.4, "droppers": {"positions": [2.0], "contact_wire_heights": [0.0]}, **TAUT}),
        ("bruni_2015", {"dimension": "spatial", "support": {"stagger": 0.0}}),
        ("shinkansen_compound", {"encumbrance": 0.9}),
    ],
)
def test_faults_are_looked_for_where_stations_count(build_line, name, changes):
    """Elsewhere nothing is said; one dropper that counts is named though another one is worse."""
    eq = periodic_equilibrium(build_line(name, **changes))
    assert faults_at_rest(eq)
    assert faults_at_rest(eq, lambda stations: np.zeros(np.shape(stations), dtype=bool)) == ()


def test_the_worst_dropper_that_counts_is_named(build_line):
    (fault,) = faults_at_rest(periodic_equilibrium(build_line(encumbrance=0.39)), lambda x: np.less(x, 20.0))
    assert "dropper 3 (at " in fault.sentence and "nor for 1 more" in fault.sentence


def test_solvers_say_so_instead_of_giving_figures(build_line, build_case):
    cases = {
        Status.NO_ROOM: build_line(encumbrance=0.39),
        Status.STEEP_ARM: build_line(dimension="spatial", support={"stagger": 0.0}),
    }
    for status, line in cases.items():
        found = solve_periodic(build_case(line, 275.0, mean_force_N=143.4))
        assert (found.status, found.statistics) == (status, None)
        assert faults(line)[0].sentence in found.message
