"""The estimate of sigma's numerical error: what its parts are formed from, and that it invents nothing."""

import math

import numpy as np
import pytest

from dynamics.accuracy import companions
from dynamics.accuracy.estimated_run import MESH_ORDER, STEP_ORDER, EstimatedRun
from dynamics.accuracy.numerical_error import estimate_error
from dynamics.open_line.solve import solve_open_line
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.transient import solve_transient

WINDOW = {"spans_behind": 6, "spans_ahead": 8, "tolerance": 1.0e-4}
SPEED = 300.0


def sigma(solution):
    return solution.statistics.contact_force_std_N


def parts_of(error):
    return {part.name: part.error_N for part in error.parts}


@pytest.fixture(scope="module")
def steady(build_line, build_case):
    """Case on a short window with 6 elements a bay, and its steady state."""

    def build(elements=6, **content):
        line = build_line("re330", elements_per_bay=elements)
        case = build_case(line, SPEED, mean_force_N=157.3, **{"periodic": WINDOW, **content})
        return case, solve_periodic(case)

    return build


@pytest.fixture(scope="module")
def estimated(steady):
    case, solution = steady()
    return case, solution, estimate_error(case, solution)


def test_step_and_mesh_are_differences_over_their_orders(estimated, steady):
    _, solution, error = estimated
    found, run = parts_of(error), sigma(solution)
    # 2 ms is too long to be doubled: the companion has half of it
    half = abs(sigma(steady(dt=1.0e-3)[1]) - run) / (1.0 - 0.5**STEP_ORDER)
    assert found["time_step"] == pytest.approx(half, rel=1e-6)
    mesh = abs(sigma(steady(elements=4)[1]) - run) / (1.5**MESH_ORDER - 1.0)
    assert found["mesh"] == pytest.approx(mesh, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "pantograph", "speed", "stiffness", "damping", "least"),
    [
        # twice the step moves sigma by 0.02 N, half of it by 0.26 N
        ("ln2", "bruni_2015", 309.0, 5.87e4, {"alpha": 0.0644, "beta": 7.43e-5}, 0.1),
        # twice as much is left as half the step moves sigma by: no second order
        ("re330", "bruni_2015", 299.0, 4.79e4, {"alpha": 0.279, "beta": 1.58e-4}, 0.05),
        # half the step moves sigma by 0.01 N, twice of it by 0.7 N
        ("double_wire_3kv", "dsa380", 282.0, 2.76e4, {"alpha": 0.272, "beta": 4.09e-5}, 0.1),
    ],
)
def test_what_finer_steps_leave_is_within_the_step_s_error(
    build_line, build_case, name, pantograph, speed, stiffness, damping, least
):
    """One companion may have the run's sigma by chance; a second step tells."""
    line = build_line(name, mesh={}, damping=damping)
    content = {
        "pantograph": load_pantograph(pantograph),
        "contact": {"stiffness": stiffness},
        "periodic": {"spans_behind": 10, "spans_ahead": 12, "tolerance": 1.0e-4},
        "mean_force_N": 70.0 + 9.7e-4 * speed**2,
    }
    case, finest = (build_case(line, speed, **{**content, "dt": dt}) for dt in (1.0e-3, 2.5e-4))
    solution = solve_periodic(case)
    run = EstimatedRun(case, solution.equilibrium, companions.figures_in(solution.statistics), solution.applied_force_N)
    (error, *_), _ = run.time_step_error()
    left = abs(sigma(solve_periodic(finest)) - sigma(solution))
    assert left < 1.1 * error
    assert left > least, "and it is more than nothing"


def test_the_total_is_the_root_of_the_squares_of_all_parts(estimated):
    _, solution, error = estimated
    assert [part.name for part in error.parts] == ["time_step", "mesh", "window", "iteration"]
    sizes = [part.error_N for part in error.parts]
    assert error.total == pytest.approx(math.sqrt(sum(size**2 for size in sizes)))
    assert error.percent == pytest.approx(100.0 * error.total / sigma(solution))
    # the tolerance is hundred times smaller than what is left of the mesh
    assert 0.0 < found_ratio(error) < 0.2


def found_ratio(error):
    found = parts_of(error)
    return found["iteration"] / found["mesh"]


def test_a_finer_run_lies_within_the_estimate(estimated, steady):
    _, solution, error = estimated
    fine = {"spans_behind": 10, "spans_ahead": 12, "tolerance": 1.0e-4}
    truth = sigma(steady(elements=12, dt=0.5e-3, periodic=fine)[1])
    assert 0.0 < abs(sigma(solution) - truth) < error.total < 0.05 * truth


def test_the_other_figures_have_errors_formed_as_sigma_s_is(estimated, steady):
    """Largest and smallest force, loss of contact and uplift decide, too, whether a limit is kept."""
    _, solution, error = estimated
    mesh = next(part for part in error.parts if part.name == "mesh")
    coarser = steady(elements=4)[1].statistics
    for name in companions.FIGURES[1:]:
        moved = abs(getattr(coarser, name) - getattr(solution.statistics, name))
        assert mesh.others[name] == pytest.approx(moved / (1.5**MESH_ORDER - 1.0), rel=1e-6, abs=1e-12)
        assert error.others[name] == pytest.approx(math.hypot(*(part.others[name] for part in error.parts)))
    fine = {"spans_behind": 10, "spans_ahead": 12, "tolerance": 1.0e-4}
    truth = steady(elements=12, dt=0.5e-3, periodic=fine)[1].statistics
    for name in ("contact_force_max_N", "contact_force_min_N", "max_uplift_at_supports_mm"):
        off = abs(getattr(truth, name) - getattr(solution.statistics, name))
        assert 0.0 < off < error.others[name] < 0.05 * abs(getattr(truth, name))


def test_figures_that_a_part_says_nothing_of_have_no_error(estimated):
    _, solution, error = estimated
    known = estimate_error(solution.case, solution, known_window_share=0.002)
    assert known.total is not None and error.others and known.others == {}


def test_a_companion_that_fails_says_so(estimated, monkeypatch):
    case, solution, _ = estimated
    lost = np.zeros(1), 1.0, 150, Status.NOT_PERIODIC
    monkeypatch.setattr(companions, "iterate", lambda *_: lost)
    error = estimate_error(case, solution)
    assert all(size is None for size in parts_of(error).values())
    assert (error.total, error.percent) == (None, None)
    assert all("no state that repeats" in part.message for part in error.parts)


def test_what_cannot_be_coarser_is_held_against_what_is_finer(steady):
    case, solution = steady(elements=2, periodic={"spans_behind": 2, "spans_ahead": 3, "tolerance": 1.0e-3})
    error = estimate_error(case, solution)
    found = {part.name: part for part in error.parts}
    assert found["time_step"].error_N is not None
    # two elements a bay of 7 m are too few for fewer still to tell anything: the companion has short ones
    fine, run = sigma(steady(elements=20, periodic=dict(case.periodic))[1]), sigma(solution)
    assert abs(fine - run) == pytest.approx(found["mesh"].error_N, rel=0.1)
    assert "45 + 49" in found["window"].message
    assert error.total > found["mesh"].error_N


def test_a_step_that_is_refused_leaves_the_estimate_to_the_other(build_line, build_case):
    """Spans of 25 m forbid twice 1 ms; all of the estimate was lost with that companion."""
    droppers = {"positions": [6.25, 12.5, 18.75], "contact_wire_heights": [0.0, 0.0, 0.0]}
    line = build_line(span_length=25.0, droppers=droppers)
    case = build_case(line, SPEED, mean_force_N=150.0, dt=1.0e-3, periodic={**WINDOW, "spans_behind": 8})
    solution = solve_periodic(case)
    half = sigma(solve_periodic(case.model_copy(update={"dt": 0.5 * case.time_step})))
    found = parts_of(estimate_error(case, solution))
    assert found["time_step"] == pytest.approx(abs(half - sigma(solution)) / (1.0 - 0.5**STEP_ORDER), rel=1e-6)


def test_a_march_has_its_spread_and_an_open_line_has_no_window(build_case):
    march = {"spans": 12, "spans_evaluated": 4, "spans_behind": 6, "spans_ahead": 8}
    case = build_case("bruni_2015", 275.0, applied_force_N=152.0, solver="transient", transient=march)
    solution = solve_transient(case)
    found = parts_of(estimate_error(case, solution))
    halves = solution.halves
    first, second = (h.contact_force_std_N for h in halves)
    assert list(found) == ["time_step", "mesh", "window", "spread"]
    assert found["spread"] == pytest.approx(0.5 * abs(first - second))

    short = {"spans": 5, "start": 0.5, "first_evaluated": 3, "last_evaluated": 3, "spans_after": 1}
    case = build_case("en50318_2002", 250.0, applied_force_N=120.0, solver="open_line", open_line=short)
    solution = solve_open_line(case)
    error = estimate_error(case, solution)
    assert list(parts_of(error)) == ["time_step", "mesh"]
    half = case.model_copy(update={"dt": 0.5 * case.time_step})
    expected = abs(sigma(solve_open_line(half)) - sigma(solution)) / (1.0 - 0.5**STEP_ORDER)
    assert parts_of(error)["time_step"] == pytest.approx(expected, rel=1e-6)


def test_a_state_that_does_not_repeat_is_estimated_by_marches(build_case):
    march = {"spans": 12, "spans_evaluated": 4}
    settings = {**WINDOW, "max_spans": 5}
    case = build_case("bruni_2015", 275.0, applied_force_N=152.0, periodic=settings, transient=march)
    solution = solve_periodic(case)
    assert solution.status is Status.NOT_PERIODIC
    found = parts_of(estimate_error(case, solution))
    assert list(found) == ["time_step", "mesh", "window", "spread"]
    first, second = (half.contact_force_std_N for half in solution.halves)
    assert found["spread"] == pytest.approx(0.5 * abs(first - second))
    assert all(size > 0.0 for size in found.values())


def test_what_a_long_window_holds_for_tens_of_spans_is_in_the_part_of_the_iteration(build_line, build_case):
    """On the short window of the other mesh it fades at once, and that alone said a tenth of it."""
    line = build_line("shinkansen_compound", elements_per_bay=3)
    case = build_case(line, 270.27, mean_force_N=140.85, periodic={"spans_behind": 45, "spans_ahead": 49})
    solution = solve_periodic(case)
    left = abs(
        sigma(solve_periodic(case.with_changes(periodic={"tolerance": 1.0e-6, "max_spans": 400}))) - sigma(solution)
    )
    given = case, solution.equilibrium, companions.figures_in(solution.statistics), solution.applied_force_N
    short, _ = EstimatedRun(*given).iteration_error()
    found, said = EstimatedRun(*given, start=solution.warm_start).iteration_error()
    assert 3.0 * short[0] < left < 1.3 * found[0] and "in the run's own window" in said
