"""What the line's operator does not cover: it is marched, and the reason is said."""

import json

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.storage.provenance import config_json
from dynamics.accuracy import numerical_error
from dynamics.accuracy.numerical_error import estimate_error
from dynamics.line_operator import contact, slack
from dynamics.line_operator.answers import bare_wire
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.checks.operator_scope import outside_the_operator
from dynamics.spec.solver import ON_RECORD
from dynamics.steady_state import by_operator

SHORT = {"method": "operator", "spans_behind": 4, "spans_ahead": 6, "tolerance": 1e-2}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"slack_damping": "released"}, "slack_damping=released"),
        ({"trailing": {"distances_m": [600.0]}}, "a train longer than 8 periods"),
    ],
)
def test_what_the_operator_does_not_cover_is_marched_and_said(build_case, changes, reason):
    case = build_case("re330", 300.0, **{"mean_force_N": 157.3, "dt": 2e-3, "periodic": SHORT, **changes})
    by_operator, marched = (
        solve(case.model_copy(update={"periodic": case.periodic.model_copy(update={"method": method})}))
        for method in ("operator", "march")
    )
    assert by_operator.method == "march"
    assert by_operator.message == "; ".join(
        filter(
            None, [marched.message, f"the program marched this run, because the operator does not cover it: {reason}"]
        )
    )
    assert np.array_equal(by_operator.contact_force, marched.contact_force)


def test_slack_that_lasts_for_periods_is_sought_farther_and_else_marched(build_case, monkeypatch):
    """A dropper that hangs loose by 0.4 mm is drawn taut by the waves of a fast train long before it is passed."""
    monkeypatch.setattr(slack, "PUSHES", 20.0)
    case = build_case("bruni_2015", 320.0, mean_force_N=169.3, dt=1e-3, periodic={"method": "operator"})
    line = prescribed_by_lengths(periodic_equilibrium(case.catenary))
    line = line.with_droppers(lengths_mm=1e3 * np.array(line.droppers.lengths) + 17.5 * (np.arange(9) == 4))
    case = case.model_copy(update={"catenary": line})
    found = solve(case)
    contour = found.operator_state.contour
    assert (contour.before, contour.behind) == slack.LATEST and contour.images == 7
    marched = solve(case.model_copy(update={"periodic": case.periodic.model_copy(update={"method": "march"})}))
    wanted = marched.statistics.contact_force_std_N
    assert found.statistics.contact_force_std_N == pytest.approx(wanted, rel=1e-2)
    seen = []

    def companion(*asked):
        seen.append(by_operator.solve_by_operator(*asked))
        return seen[-1]

    monkeypatch.setattr(numerical_error, "solve_by_operator", companion)
    estimate_error(case, found)
    contour = seen[0].operator_state.contour
    assert (contour.before, contour.behind, contour.images) == (4.0, 3.2, 9), "the error has what lasts longer"
    monkeypatch.setattr(slack, "PUSHES_FAR", 1.0)
    again = solve(case.model_copy(update={"periodic": case.periodic.model_copy(update=SHORT)}))
    assert again.method == "march"
    assert again.message.endswith("a dropper that waves slacken, or draw taut, for several periods")


def test_slack_behind_the_last_dropper_of_a_span_is_sought_as_long_and_its_end_is_in_the_error(build_line, build_case):
    """It hangs by 26 N, and waves slacken it again and again for periods after the train has passed it."""
    heights = [11.5, -5.3, 0.5, -6.9, -10.0]
    line = build_line("bruni_2015", span_length=62.65).with_droppers(
        positions_m=[3.5, 17.95, 32.09, 45.58, 59.15], heights_mm=heights
    )
    line = line.with_changes(contact_wire={"tension": 28667.0}, messenger_wire={"tension": 23294.0})
    case = build_case(line, 341.5, mean_force_N=183.1, periodic={"method": "operator"})
    found = solve(case)
    late = found.operator_state.local.time > 0.8 * found.operator_state.contour.T
    assert (found.operator_state.slack.squeeze[late, 4] > 0.0).any(), "the span ends 0.06 periods after it"
    error = estimate_error(case, found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slack, "PUSHES", 1.0)
        far = solve(case)
    assert far.operator_state.contour.behind == slack.LATEST[1]
    for name, size in {**error.others, "contact_force_std_N": error.total}.items():
        assert abs(getattr(far.statistics, name) - getattr(found.statistics, name)) <= size, name


def test_contact_that_is_lost_under_a_given_applied_force_is_marched_and_said(build_case):
    found = solve(build_case("bruni_2015", 320.0, applied_force_N=100.0, periodic=SHORT))
    assert found.method == "march" and found.statistics.contact_loss_percent > 0.0
    assert found.message.endswith("does not cover it: contact that is lost under a given applied force")


def test_a_train_too_slow_for_it_and_one_that_is_not(build_case):
    found = {v: outside_the_operator(c) for v in (60.0, 70.0)
             for c in [build_case("bruni_2015", v, mean_force_N=73.5)]}  # fmt: skip
    assert found == {60.0: "a train that takes more than 3 s a period", 70.0: ""}
    two = build_case("bruni_2015", 70.0, mean_force_N=73.5).with_changes(catenary={"repeat": {"spans": 2}})
    assert "3 s a period" in outside_the_operator(two), "of all spans of a period"


def test_moments_of_loss_that_its_harmonics_do_not_resolve_are_marched_and_said(build_case, monkeypatch):
    """The force that is cut off at zero then misses the mean that is held."""
    case = build_case("bruni_2015", 265.0, mean_force_N=62.0, periodic=SHORT)
    found = solve(case)
    missed = abs(found.contact_force.mean() - 62.0)
    assert found.method == "operator" and found.operator_state.contact.lost.any() and 0.0 < missed < by_operator.MISSED
    monkeypatch.setattr(by_operator, "MISSED", 0.5 * missed)
    marched = solve(case)
    assert marched.method == "march"
    assert marched.message.endswith("contact that is lost for moments too short for its harmonics")


def test_a_stiff_contact_has_as_many_harmonics_as_its_head_bounces_fast(build_case):
    """By twice the frequency of the head's mass on the contact, where that is above 80 Hz."""
    case = build_case("bruni_2015", 230.0, mean_force_N=121.3, periodic={"method": "operator"})
    bounce = np.sqrt(1.0e6 / case.pantograph.masses[0]) / (2.0 * np.pi)
    for stiffness, highest in ((5.0e4, 80.0), (1.0e6, 2.0 * bounce)):
        state = solve(case.with_changes(contact={"stiffness": stiffness})).operator_state
        assert state.contour.harmonics == int(np.ceil(highest * state.contour.T))


DRAG = {"diameter": 0.0144}
WIND = {"speed": 10.0, "contact_wire": DRAG, "messenger_wire": DRAG, "aerodynamic_damping": False}


@pytest.mark.parametrize(
    ("line", "head", "reason"),
    [
        ({"track": {"radius": 3000.0}}, None, "a track that curves"),
        ({"wind": WIND, "repeat": {"spans": 2}}, None, "a wind"),
        ({}, {"roll_inertia": 1.5, "roll_stiffness": 1750.0}, "a head that rolls"),
    ],
)
def test_what_is_to_the_side_of_the_track_is_marched_by_name(build_case, line, head, reason):
    case = build_case("bruni_2015", 275.0, mean_force_N=150.0)
    wires = case.catenary.with_changes(dimension="spatial", **line)
    pantograph = case.pantograph.with_changes(head=head)
    case = type(case).model_validate({**case.model_dump(), "catenary": wires, "pantograph": pantograph})
    assert outside_the_operator(case) == reason


@pytest.mark.parametrize("wire", ["contact_wire", "messenger_wire", "stitch"])
def test_a_wire_without_bending_stiffness_is_marched_and_said(build_case, wire):
    case = build_case("re330", 300.0, mean_force_N=157.3, dt=2e-3, periodic=SHORT)
    found = solve(case.with_changes(catenary={wire: {"bending_stiffness": 0.0}}))
    assert found.method == "march" and np.isfinite(found.contact_force).all()
    assert found.message.endswith("the operator does not cover it: a wire without bending stiffness")


def test_a_line_whose_answers_are_not_numbers_is_marched(build_case, monkeypatch):
    case = build_case("bruni_2015", 275.0, mean_force_N=150.0, dt=2e-3, periodic=SHORT)
    monkeypatch.setattr(contact, "bare_wire", lambda *line: np.nan * bare_wire(*line))
    found = solve(case)
    assert found.method == "march" and np.isfinite(found.contact_force).all()
    assert found.message.endswith("the slack of its droppers was not found")


def test_records_from_before_there_was_a_choice_are_marches_and_have_their_hash(build_case):
    """They leave the method out; an input that leaves it out is solved by the operator."""
    case = build_case("re330", 300.0, mean_force_N=157.3, periodic=SHORT)
    marched = case.model_copy(update={"periodic": case.periodic.model_copy(update={"method": "march"})})
    old = json.loads(config_json(marched))
    assert "method" not in old["periodic"] and json.loads(config_json(case))["periodic"]["method"] == "operator"
    assert CaseSpec.model_validate(old, context=ON_RECORD) == marched
    assert CaseSpec.model_validate(old) == case
    for each in (case, marched):
        assert CaseSpec.model_validate(each.model_dump(mode="json"), context=ON_RECORD) == each
        assert CaseSpec.model_validate(each.model_dump()) == each


def test_loss_of_contact_that_coarse_samples_miss_is_within_its_error(build_line, build_case):
    """On a contact of 1 MN/m it is lost for moments, 2 ms each, which the run's own samples pass over."""
    settings = {"dt": 1.0e-3, "mean_force_N": 157.3, "contact": {"stiffness": 1.0e6}}
    line = build_line("bruni_2015", mesh={"elements_per_bay": 6, "largest_element_length": 0.4})
    case = build_case(line, 300.0, periodic={"method": "operator"}, **settings)
    found = solve(case)
    finest = solve(case.model_copy(update={"periodic": case.periodic.model_copy(update={"resolution": 3.0})}))
    loss, sure = (each.statistics.contact_loss_percent for each in (found, finest))
    assert 0.6 < sure - loss < estimate_error(case, found).others["contact_loss_percent"] < 0.8
