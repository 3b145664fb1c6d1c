"""Several pantographs in the steady state and in a window: against a whole open line, the single one, and PACDIN."""

from dataclasses import asdict

import numpy as np
import pytest

from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from dynamics.accuracy.estimated_run import STEP_ORDER
from dynamics.accuracy.numerical_error import estimate_error
from dynamics.adjoint.figures import refusal_of_derivatives
from dynamics.contact_force.filters import filter_periodic
from dynamics.open_line.run import prepare_line, run_whole_line
from dynamics.results.dataset import solution_dataset
from dynamics.results.warm_start import WarmStart
from dynamics.spec.status import Status
from dynamics.steady_state.continuation import Continuation
from dynamics.steady_state.nearest_start import NearestStart
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.transient import solve_transient
from dynamics.travelling_window.window import TravellingWindow
from studies.report.sections.numerical_error import error_tables
from studies.writing.summary import error_summary

SHORT = {"spans_behind": 8, "spans_ahead": 10}
HELD = {230.0: (121.313, (127.63, 127.61)), 275.0: (143.356, (152.23, 151.29)), 320.0: (169.328, (182.12, 183.06))}


def solved(case):
    solution = solve_periodic(case)
    assert solution.status is Status.OK, solution.message
    return solution


@pytest.mark.parametrize(
    ("distances", "dt"),
    [((200.0,), 2e-3), ((8.0, 63.0), 2e-3), ((1.0,), 4e-3)],
    ids=["a car", "three", "within each other's reach in one step"],
)
def test_a_window_of_several_pantographs_marches_like_a_whole_open_line(build_case, distances, dt):
    """Five spans from rest in the middle of 20, before waves come back from the line's ends.

    Contacts are loaded where they stand on the line, each has its own rest, and they feel each other within a step:
    what were left out of that would show as a force that is not the contact spring's.
    """
    forces = tuple(182.17 - 10.0 * k for k in range(1, len(distances) + 1))
    trailing = {"distances_m": distances, "applied_forces_N": forces}
    case = build_case("bruni_2015", 320.0, applied_force_N=182.17, trailing=trailing, dt=dt)
    line = run_whole_line(case, prepare_line(case, open_line_equilibrium(case.catenary, 20)), 9, 5).histories
    window = TravellingWindow(case, vertical_cell(periodic_equilibrium(case.catenary)), 8, 12)
    state, _ = window.static_start()
    found = []
    for span in range(5):
        if span:
            window.shift(state)
        record = window.march(state)
        pressed = case.contact.stiffness * np.maximum(0.0, record.heads - record.heights)
        np.testing.assert_allclose(record.forces, pressed, rtol=0, atol=1e-3)
        found.append(record.forces)
    n = window.steps
    for expected, force in zip(line.contact_force.T, np.concatenate(found, axis=1), strict=True):
        expected, force = (filter_periodic(f, window.dt, 0.0, 20.0)[n : 4 * n] for f in (expected, force))
        assert force.std() == pytest.approx(expected.std(), rel=3e-3)
        assert np.sqrt(np.mean((force - expected) ** 2)) < 0.015 * expected.std()


def test_the_first_of_two_far_apart_is_as_it_is_alone(build_case):
    """Nothing that the second does at 990 m reaches the first, whose waves the second meets."""
    content = {"mean_force_N": 143.36, "periodic": {**SHORT, "tolerance": 1e-5}}
    alone = solved(build_case("bruni_2015", 275.0, **content))
    both = solved(build_case("bruni_2015", 275.0, **content, trailing={"distances_m": [990.0]}))
    sigma = alone.statistics.contact_force_std_N
    assert both.statistics.contact_force_std_N == pytest.approx(sigma, rel=2e-3)
    assert abs(both.pantographs[1].statistics.contact_force_std_N - sigma) > 0.01 * sigma
    for one in both.pantographs:
        assert one.statistics.contact_force_mean_N == pytest.approx(143.36, abs=0.1)


@pytest.mark.parametrize("speed", [275.0, 320.0])
def test_forces_that_hold_the_mean_of_both_are_those_of_pacdin(build_case, speed):
    """Table 1, case 3, 1.5 N; the paper marches 30 spans of an open line and counts ten."""
    mean, printed = HELD[speed]
    found = solved(build_case("bruni_2015", speed, mean_force_N=mean, dt=1e-3, trailing={"distances_m": [200.0]}))
    assert [one.applied_force_N for one in found.pantographs] == pytest.approx(printed, abs=1.5)


def test_a_distance_of_whole_periods_and_each_pantograph_s_own_force(build_case):
    """The equal train of the long march has the same figures; stations of each are in (0, period], in order."""
    trailing = {"distances_m": [110.0, 150.0], "applied_forces_N": [150.0, 130.0]}
    content = {"applied_force_N": 160.0, "trailing": trailing}
    march = {"solver": "transient", "transient": {**SHORT, "spans": 70, "spans_evaluated": 10}}
    steady = solved(build_case("bruni_2015", 275.0, **content, periodic=SHORT))
    long = solve_transient(build_case("bruni_2015", 275.0, **content, **march))
    for one, other, applied in zip(steady.pantographs, long.pantographs, (160.0, 150.0, 130.0), strict=True):
        assert one.applied_force_N == other.applied_force_N == applied
        for name in ("contact_force_mean_N", "contact_force_std_N", "contact_force_max_N"):
            assert getattr(one.statistics, name) == pytest.approx(getattr(other.statistics, name), rel=3e-3)
        assert (np.diff(one.position) > 0.0).all()
        assert one.position[0] > 0.0 and one.position[-1] <= 55.0 + 1e-9
        at = long.pantographs[0].position[-1] - other.position[-1]
        assert at == pytest.approx({160.0: 0.0, 150.0: 110.0, 130.0: 150.0}[applied])
    stored, steps = solution_dataset(steady), steady.case.steps_per_period
    for k, other in enumerate(long.pantographs):
        moment = stored.pantograph_time.values[:, k]
        np.testing.assert_allclose(np.sort(moment), stored.time, atol=1e-12)
        force = stored.pantograph_contact_force.values[np.argsort(moment), k]
        assert np.abs(force - other.contact_force[-steps:]).max() < 0.02 * force.max(), "at one time in both"


def test_the_train_s_figures_are_the_worst_of_each_and_all_are_on_record(build_case):
    found = solved(
        build_case("bruni_2015", 275.0, mean_force_N=143.36, periodic=SHORT, trailing={"distances_m": [200]})
    )
    worst, each = asdict(found.train_statistics), [asdict(one.statistics) for one in found.pantographs]
    assert each[0]["contact_force_std_N"] != each[1]["contact_force_std_N"]
    for name, value in worst.items():
        low = name in ("contact_force_min_N", "contact_force_statistical_min_N")
        assert value == (min if low else max)(one[name] for one in each)
    stored = solution_dataset(found)
    assert stored.pantograph_contact_force.dims == ("time", "pantograph")
    for k, one in enumerate(found.pantographs):
        np.testing.assert_array_equal(stored.pantograph_contact_force[:, k], one.contact_force)
        np.testing.assert_array_equal(stored.pantograph_position[:, k], one.position)


def test_exact_derivatives_are_of_one_pantograph(build_case):
    case = build_case("bruni_2015", 275.0, mean_force_N=143.36, trailing={"distances_m": [200.0]})
    assert "trailing.distances_m" in refusal_of_derivatives(case)
    assert refusal_of_derivatives(build_case("bruni_2015", 275.0, mean_force_N=143.36)) is None


def test_the_numerical_error_of_a_train_is_that_of_its_worst_pantograph(build_case):
    """The time step's part follows from its own forces at both steps."""
    trailing = {"distances_m": (75.0,)}
    case = build_case("bruni_2015", 275.0, mean_force_N=143.4, trailing=trailing, dt=4e-3, periodic=SHORT)
    solution = solved(case)
    sigmas = [each.statistics.contact_force_std_N for each in solution.pantographs]
    worst = solution.worst_pantograph
    assert sigmas[worst] == max(sigmas) and abs(sigmas[1] - sigmas[0]) > 1.0
    error = estimate_error(case, solution)
    assert (error.pantograph, error.sigma_N) == (worst, sigmas[worst])
    halved = solved(case.model_copy(update={"dt": 2e-3})).pantographs[worst].statistics.contact_force_std_N
    (step,) = (part for part in error.parts if part.name == "time_step")
    ratio = 2.0
    assert step.error_N == pytest.approx(abs(halved - sigmas[worst]) / abs(1.0 / ratio**STEP_ORDER - 1.0), rel=0.02)
    assert error_summary(case, error)["pantograph"] == worst + 1
    (other,) = error.of_others
    assert (other.pantograph, other.sigma_N) == (1 - worst, sigmas[1 - worst])
    halved = solved(case.model_copy(update={"dt": 2e-3})).pantographs[1 - worst].statistics.contact_force_std_N
    (step,) = (part for part in other.parts if part.name == "time_step")
    assert step.error_N == pytest.approx(abs(halved - sigmas[1 - worst]) / (1.0 - ratio**-STEP_ORDER), rel=0.02)
    tables = error_tables(error_summary(case, error), "best")
    assert [t.title.rpartition(", best")[2] for t in tables] == [", pantograph 1", ", pantograph 2"]


def test_halves_of_a_march_are_those_of_each_pantograph(build_case):
    trailing = {"distances_m": (75.0,)}
    settings = {"spans": 12, "spans_evaluated": 4, **SHORT}
    case = build_case(
        "bruni_2015", 275.0, applied_force_N=152.0, trailing=trailing, dt=4e-3, solver="transient", transient=settings
    )
    march = solve_transient(case)
    for one in march.pantographs:
        half = np.split(one.contact_force_filtered[one.evaluated], 2)
        assert [h.contact_force_std_N for h in one.halves] == pytest.approx([x.std() for x in half], rel=1e-12)
    error = estimate_error(case, march)
    spread = [next(part.error_N for part in each.parts if part.name == "spread") for each in error.of_train]
    apart = [abs(a.contact_force_std_N - b.contact_force_std_N) for a, b in (one.halves for one in march.pantographs)]
    assert spread == pytest.approx([0.5 * each for each in apart]) and spread[0] != spread[1]


@pytest.mark.parametrize("policy", [Continuation, NearestStart])
def test_a_search_may_start_from_a_train_of_another_distance(build_case, policy):
    """Windows of 55 m and 80 m are alike, the places near pantographs are not: pairs are left, the state is not."""
    cases = [
        build_case("bruni_2015", 275.0, mean_force_N=143.36, periodic=SHORT, trailing={"distances_m": [distance]})
        for distance in (55.0, 80.0, 100.0)
    ]
    starts, sizes = policy(), set()
    for case, distance in zip(cases, (55.0, 80.0, 100.0), strict=True):
        found = solve_periodic(case, starts.start((distance,)))
        assert found.status is Status.OK, found.message
        starts.keep((distance,), found.warm_start)
        sizes.add((len(found.warm_start.state), len(found.warm_start.pairs[0][1])))
    assert len({size for size, _ in sizes}) == 1 and len(sizes) == 2
    assert found.statistics.contact_force_std_N == pytest.approx(solved(case).statistics.contact_force_std_N, rel=1e-3)


def test_secant_pairs_of_places_that_differ_are_not_put_together():
    """As the distances of a train change: of forty pairs a basis is formed, and it is of the last places alone."""
    starts, random = NearestStart(), np.random.default_rng(1)
    for size in (*(5,) * 4, *(7,) * 5):
        pairs = tuple((random.normal(size=12), random.normal(size=size)) for _ in range(8))
        starts.keep((float(size),), WarmStart(np.zeros(12), (1.0, 1.0), 1.0, None, pairs))
    assert starts.start((0.0,)).basis.feature.shape[1] == 7
