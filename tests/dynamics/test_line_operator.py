"""The line's operator: its network against the elements' cell, contour, poles, and the steady states that it gives."""

from dataclasses import replace

import numpy as np
import pytest
from whole_cell import loads_at, whole_cell_answers

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from dynamics.accuracy.numerical_error import estimate_error
from dynamics.line_operator import slack as slack_search
from dynamics.line_operator.answers import Contour, line_answers
from dynamics.line_operator.contact import contact_system, own_answers
from dynamics.line_operator.kernel import network_answers
from dynamics.line_operator.network import line_network
from dynamics.line_operator.poles import follow as pole_following
from dynamics.line_operator.poles import search as pole_search
from dynamics.line_operator.poles.follow import follow_poles
from dynamics.line_operator.poles.search import find_poles
from dynamics.line_operator.slack import PUSHED, solve_slack
from dynamics.solution import solve
from dynamics.spec.status import Status
from dynamics.steady_state.by_operator import solve_by_operator
from dynamics.steady_state.learned_start import learned_start
from studies.report.sections.numerical_error import error_tables

OPERATOR = {"method": "operator", "spans_behind": 20, "spans_ahead": 26, "tolerance": 1.0e-4}


@pytest.fixture(scope="module")
def cases(build_line, build_case):
    return {
        name: build_case(build_line(name, elements_per_bay=12), speed, dt=1.0e-3, mean_force_N=force, periodic=OPERATOR)
        for name, speed, force in (("bruni_2015", 275.0, 143.4), ("re330", 300.0, 157.3))
    }


@pytest.fixture(scope="module")
def solved(cases):
    """Steady state by the operator and by a march, of a simple and of a stitched line."""

    def marched(case):
        return case.model_copy(update={"periodic": case.periodic.model_copy(update={"method": "march"})})

    return {name: (solve(case), solve(marched(case))) for name, case in cases.items()}


@pytest.fixture(scope="module")
def simple(cases):
    """Network, contour, poles, answers and equations of the contact of the simple line."""
    case = cases["bruni_2015"]
    eq = periodic_equilibrium(case.catenary)
    network = line_network(eq)
    contour = Contour(network.period / case.speed, case.speed, 40)
    poles = find_poles(network, contour.T)
    return case, eq, network, contour, poles


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_the_network_is_what_the_cell_of_elements_tends_to(name, build_line, build_case):
    """Answers at three frequencies to forces on the contact wire's stations and to stretches of droppers."""
    off = []
    for largest in (0.6, 0.2):
        case = build_case(build_line(name, mesh={"largest_element_length": largest}), 300.0, applied_force_N=150.0)
        eq = periodic_equilibrium(case.catenary)
        network, cell = line_network(eq), vertical_cell(eq)
        T = network.period / case.speed
        omega = 2.0 * np.pi / T * np.array([0.3, 1.7, 5.2]) - 2.0j
        heights = np.eye(network.n)[:, network.station_dof]
        stretches = np.eye(network.n)[:, network.points.top] - np.eye(network.n)[:, network.points.bottom]
        found = network_answers(omega, *network.arguments(T), np.hstack([heights, stretches]))[0]
        loads = np.hstack([loads_at(eq, cell, network.stations), cell.dropper_operator()])
        expected = whole_cell_answers(cell, case, omega, T, loads)
        off.append(np.abs(found - expected).max(axis=(1, 2)) / np.abs(expected).max(axis=(1, 2)))
    assert off[1].max() < 6.0e-3
    assert (off[1] < 0.5 * off[0]).all()


def test_poles_are_counted_and_a_missing_one_is_detected(simple, monkeypatch):
    *_, network, contour, known = simple
    assert known is not None
    assert (known.omega.imag < 0.0).all()
    corrected = pole_search.corrected_poles

    def all_but_one(*arguments):
        every = corrected(*arguments)
        return np.delete(every, int(np.abs(every - known.omega[9] * contour.T).argmin()))

    monkeypatch.setattr(pole_search, "corrected_poles", all_but_one)
    assert find_poles(network, contour.T) is None


@pytest.mark.parametrize(("moved", "lifted"), [(0.3, 8.0e-3), (1.2, 40.0e-3)])
def test_poles_of_another_line_are_those_that_are_followed(simple, monkeypatch, moved, lifted):
    case, _, _, contour, known = simple
    drops, walked = case.catenary.droppers, []
    stations = np.array(drops.positions) + moved * np.cos(np.arange(len(drops.positions)))
    heights = np.array(drops.contact_wire_heights) + lifted * np.sin(np.arange(len(stations)))
    other = case.catenary.with_changes(droppers={"positions": tuple(stations), "contact_wire_heights": tuple(heights)})
    network = line_network(periodic_equilibrium(other))
    kernel = pole_following.followed_poles

    def watched(*arguments):
        poles, on_foot = kernel(*arguments)
        walked.append(np.count_nonzero(on_foot))
        return poles, on_foot

    monkeypatch.setattr(pole_following, "followed_poles", watched)
    followed, found = follow_poles(known, network, contour.T), find_poles(network, contour.T)
    shallow = [np.sort_complex(p.omega[p.omega.imag * contour.T > -3.0]) for p in (followed, found)]
    assert shallow[0] == pytest.approx(shallow[1], abs=1e-6)
    assert np.abs(followed.omega - known.omega).max() > 0.05
    assert max(walked) < 0.5 * len(known.omega)
    assert max(walked) > 0 or lifted < 0.01, "some lose their way and are followed in steps"


def test_another_contour_gives_the_same_line_and_no_pole_can_be_left_out(simple):
    case, eq, network, contour, known = simple

    def line(contour, poles):
        answers = line_answers(network, contour, poles)
        return contact_system(case, eq, (network, contour), answers).line

    H = line(contour, known.omega)
    size = np.abs(H).max()
    assert np.abs(line(replace(contour, images=7, decay=8.4), known.omega) - H).max() < 2.0e-3 * size
    outrunning = int(np.where(known.omega.imag < -0.1, np.abs(known.omega.real - 46.0), np.inf).argmin())
    assert np.abs(line(contour, np.delete(known.omega, outrunning)) - H).max() > 2.0e-2 * size


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_the_steady_state_is_the_one_that_is_marched_to(solved, name):
    found, marched = solved[name]
    assert (found.status, found.method, marched.method) == (Status.OK, "operator", "march")
    here, there = found.statistics, marched.statistics
    assert here.contact_force_std_N == pytest.approx(there.contact_force_std_N, rel=1.0e-2)
    assert here.contact_force_max_N == pytest.approx(there.contact_force_max_N, rel=1.5e-2)
    assert here.contact_force_mean_N == pytest.approx(found.case.mean_force_N, abs=1e-6)
    assert found.applied_force_N == pytest.approx(marched.applied_force_N, abs=0.2)
    assert found.support_rise == pytest.approx(marched.support_rise, rel=2.0e-2)
    assert here.contact_point_range_mm == pytest.approx(there.contact_point_range_mm, rel=2.0e-2)
    assert found.dropper_slack_time.sum() == pytest.approx(marched.dropper_slack_time.sum(), rel=0.1)
    assert found.dropper_slack_time.sum() > 0.2
    apart = found.contact_force_filtered - marched.contact_force_filtered
    assert apart.std() < 0.12 * here.contact_force_std_N


def test_dropper_forces_and_the_rise_of_a_support_are_those_of_the_march(solved):
    found, marched = solved["re330"]
    assert found.dropper_force.shape == marched.dropper_force.shape
    apart = (found.dropper_force - marched.dropper_force).std(axis=0)
    assert (apart < 0.2 * marched.dropper_force.std(axis=0) + 1.0).all()
    near = np.abs(found.support_uplift_time) < 0.3
    there = np.interp(found.support_uplift_time[near], marched.support_uplift_time, marched.support_uplift)
    assert found.support_uplift[near] == pytest.approx(there, abs=1.5e-3)


def test_no_dropper_pushes_and_only_slack_ones_are_squeezed(simple):
    case, eq, network, contour, known = simple
    answers = line_answers(network, contour, known.omega)
    contact = contact_system(case, eq, (network, contour), answers)
    found = solve_slack((network, contour), answers, contact, eq.dropper_spring_force, 240)
    assert found.problem == ""
    assert found.tension.min() > -PUSHED
    assert (found.squeeze >= 0.0).all() and found.squeeze.max() > 50.0
    assert np.abs(found.tension[found.squeeze > 0.0]).max() < PUSHED


def test_few_samples_of_slack_are_enough(build_line, build_case):
    case = build_case(build_line("bruni_2015"), 320.0, mean_force_N=169.3, periodic=OPERATOR)
    eq = periodic_equilibrium(case.catenary)
    network = line_network(eq)
    contour = Contour(network.period / case.speed, case.speed, 50)
    answers = line_answers(network, contour, find_poles(network, contour.T).omega)
    contact = contact_system(case, eq, (network, contour), answers)
    some, more = (
        np.linalg.norm(solve_slack((network, contour), answers, contact, eq.dropper_spring_force, samples).force[51:])
        for samples in (300, 600)
    )
    assert some == pytest.approx(more, rel=1.5e-3)


def test_contact_that_is_lost_does_not_pull(build_line, build_case):
    line = build_line("bruni_2015")
    found, marched = (
        solve(build_case(line, 320.0, dt=1.0e-3, mean_force_N=100.0, periodic={"method": method}))
        for method in ("operator", "march")
    )
    assert (found.method, marched.method) == ("operator", "march")
    state = found.operator_state
    lost, slack, count = state.contact.lost, state.slack, len(state.contact.lost)
    harmonics = np.arange(count) - count // 2
    force = (np.exp(2j * np.pi * np.outer(np.arange(count) / count, harmonics)) @ slack.force).real
    assert 1 <= lost.sum() < 0.1 * count
    assert np.abs(force[lost]).max() < 1e-6 and force[~lost].min() > 0.0
    assert slack.gap[lost].min() > 0.0 and not slack.gap[~lost].any()
    # the gap is what is missing in the contact's law: head, wire and spring close everywhere else
    contact, own = state.contact, own_answers(found.case, state.contour)
    apart = own * slack.force + contact.line @ slack.force + contact.static + slack.lifted
    apart = apart - np.fft.fftshift(np.fft.fft(slack.gap)) / count
    assert np.abs(apart[contact.varying]).max() < 1e-9
    assert found.contact_force.min() == 0.0
    here, there = found.statistics, marched.statistics
    assert here.contact_force_std_N == pytest.approx(there.contact_force_std_N, rel=1.0e-2)
    assert here.contact_loss_percent == pytest.approx(there.contact_loss_percent, abs=1.5)
    assert found.applied_force_N == pytest.approx(marched.applied_force_N, abs=0.2)


def test_sweeps_that_overshoot_settle_on_the_march(build_line, build_case):
    # droppers so light that they are slack for most of a span: plain sweeps grow on this line without end
    line = build_line("bruni_2015")
    half, depth = [4.43, 9.9, 15.36, 21.92], [-0.009, -0.006, -0.032, -0.043]
    stations = (*half, 27.5, *(55.0 - x for x in half[::-1]))
    line = line.with_changes(droppers={"positions": stations, "contact_wire_heights": (*depth, -0.0515, *depth[::-1])})
    found, marched = (
        solve(build_case(line, 320.0, dt=1.0e-3, mean_force_N=169.3, periodic={"method": method}))
        for method in ("operator", "march")
    )
    assert (found.method, marched.method) == ("operator", "march")
    assert found.statistics.contact_force_std_N == pytest.approx(marched.statistics.contact_force_std_N, rel=1.5e-2)


def test_a_start_changes_nothing_but_the_time(cases, solved):
    case, found = cases["re330"], solved["re330"][0]
    again = solve(case, found.operator_start)
    assert again.method == "operator"
    assert again.contact_force == pytest.approx(found.contact_force, abs=2.0e-2)
    near = learned_start(case)
    assert near.omega == pytest.approx(found.operator_start.omega, rel=1e-6)


@pytest.mark.parametrize("line", ["bruni_2015", "re330"])
def test_more_harmonics_and_samples_say_how_far_the_figures_are_off(line, cases, solved):
    found, case = solved[line][0], cases[line]
    error = estimate_error(case, found)
    finest = case.model_copy(update={"periodic": case.periodic.model_copy(update={"resolution": 3.0})})
    sigma = solve(finest).statistics.contact_force_std_N
    assert abs(sigma - found.statistics.contact_force_std_N) < error.total
    assert [part.name for part in error.parts] == ["resolution"]
    described = {
        "total_N": error.total,
        "parts": {p.name: {"error_N": p.error_N, "message": p.message} for p in error.parts},
    }
    assert error_tables(described)[0].rows[0][0] == "harmonics and samples"
    assert 0.0 < error.total < 0.03 * found.statistics.contact_force_std_N


@pytest.mark.parametrize(("marched", "share"), [((2.0,), 1.0 - 1.4**-2), ((2.0, 1.4), None)])
def test_an_error_comes_from_fewer_where_many_harmonics_are_marched(marched, share, cases, solved, monkeypatch):
    found, solved_for = solved["bruni_2015"][0], []

    def solve_or_not(*given):
        solved_for.append("no" if given[3] in marched else solve_by_operator(*given))
        return solved_for[-1]

    monkeypatch.setattr("dynamics.accuracy.numerical_error.solve_by_operator", solve_or_not)
    error = estimate_error(cases["bruni_2015"], found)
    assert len(solved_for) == 2
    if share is None:
        assert error.total is None and error.parts[0].message == "with more harmonics the line had to be marched: no"
    else:
        other = solved_for[-1]
        moved = abs(other.statistics.contact_force_std_N - error.sigma_N)
        apart = np.std(other.contact_force_filtered - found.contact_force_filtered)
        assert error.total == pytest.approx(max(1.25 * moved / share, 0.2 * apart, 5.0e-4 * error.sigma_N))


def test_a_companion_that_agrees_by_chance_leaves_the_least_error(cases, solved, monkeypatch):
    found = solved["bruni_2015"][0]
    monkeypatch.setattr("dynamics.accuracy.numerical_error.solve_by_operator", lambda *_: found)
    assert estimate_error(cases["bruni_2015"], found).total == 5.0e-4 * found.statistics.contact_force_std_N


def test_sweeps_that_end_early_find_what_whole_ones_find(build_line, build_case, monkeypatch):
    """A line whose droppers are slack for long; squeezes kept from sweeps that end at 3 N miss by 1.6e-5."""
    half = [4.43, 9.9, 15.36, 21.92], [-9.3, -6.3, -31.6, -42.7]
    x, z = [*half[0], 27.5, *(55.0 - v for v in reversed(half[0]))], [*half[1], -51.5, *reversed(half[1])]
    line = build_line("bruni_2015").with_droppers(positions_m=x, heights_mm=z)
    case = build_case(line, 275.0, dt=2.0e-3, mean_force_N=143.4, periodic=OPERATOR)
    early = solve(case)
    monkeypatch.setattr(slack_search, "FIRST", slack_search.ENOUGH)
    whole = solve(case)
    assert early.method == whole.method == "operator", early.message
    sigma = [s.statistics.contact_force_std_N for s in (early, whole)]
    assert sigma[0] == pytest.approx(sigma[1], rel=8.0e-6) and sigma[0] != sigma[1]


def test_slack_on_which_coarse_sweeps_run_away_is_found_on_finer_ones(cases, monkeypatch):
    half = [2.26, 9.76, 21.04, 23.41], [0.9, 18.2, 25.2, 27.8]
    x, z = [*half[0], 32.5, *(65.0 - v for v in reversed(half[0]))], [*half[1], 17.9, *reversed(half[1])]
    line = cases["re330"].catenary.with_droppers(positions_m=x, heights_mm=z)
    case = cases["re330"].model_copy(update={"catenary": line})
    found = solve(case)
    assert found.method == "operator", found.message
    monkeypatch.setattr(slack_search, "COARSE", slack_search.COARSE[:1])
    marched = solve(case)
    assert marched.method == "march" and "slack of its droppers was not found" in marched.message
    sigma = [s.statistics.contact_force_std_N for s in (found, marched)]
    assert sigma[0] == pytest.approx(sigma[1], rel=0.005)
