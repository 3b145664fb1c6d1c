"""A period with defects marched as what it has other than the line as designed: single spans, and the whole run."""

import math

import numpy as np
import pytest

from catenary.errors import InputError
from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.accuracy.estimated_run import STEP_ORDER
from dynamics.accuracy.numerical_error import estimate_error
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.results.by_span import figures_by_span
from dynamics.results.warm_start import WarmStart
from dynamics.solution import solve
from dynamics.spec.status import Status
from dynamics.steady_state.by_difference import line_as_designed, outside_differences, solve_by_difference
from dynamics.steady_state.span_map import SpanMap
from dynamics.steady_state.tiled_start import tiled_start, without_repeat
from dynamics.travelling_window.unlike.spans import unlike_spans
from dynamics.travelling_window.unlike.window import UnlikeWindow

SPANS, SPEED = 4, 300.0
BROKEN = {"span": 2, "dropper": 1, "kind": "broken"}
LONG = {"span": 3, "dropper": 4, "kind": "length", "by": 0.01}
SOFT = {"span": 2, "dropper": 6, "kind": "stiffness", "stiffness": 5e4}


@pytest.fixture(scope="module")
def defective(build_line):
    """Function from defects to a coarse line of four spans that has them."""
    line = build_line(elements_per_bay=3)
    return lambda *defects: line.with_changes(repeat={"spans": SPANS, "defects": list(defects)})


@pytest.mark.parametrize("defects", [(BROKEN,), (LONG,), (BROKEN, LONG, SOFT)])
@pytest.mark.parametrize("slack_damping", ["kept", "released"])
def test_spans_one_by_one_are_the_cell_of_all(defective, build_case, defects, slack_damping):
    """The same passage from the same start, once in cells of four spans; the prediction is of second order."""
    content = {"applied_force_N": 165.0, "slack_damping": slack_damping, "dt": 1e-3}
    case = build_case(defective(*defects), SPEED, **content, periodic={"spans_behind": 12, "spans_ahead": 12})
    together = SpanMap(case, eq := periodic_equilibrium(case.catenary))
    window = together.window
    spans = {"spans_behind": SPANS * window.behind, "spans_ahead": SPANS * (window.ahead + 1) - 1}
    alike = without_repeat(case)
    alike = alike.model_copy(update={"periodic": case.periodic.model_copy(update=spans)})
    one = SpanMap(alike, periodic_equilibrium(alike.catenary))
    assert one.window.dt == pytest.approx(window.dt)
    x = one.static_start()
    for _ in range(3):
        x, _ = one.apply(x)
    sound = one.record.force
    together.apply(together.near_start(tiled_start(together, one, WarmStart(x, one.scale, one.gain, None))))
    one.unpack(x)
    scalars = one.window.constants.scalars
    single = UnlikeWindow(one.window, unlike_spans(eq, one.window.cell, (scalars.gamma, scalars.kappa)))
    single.first = 0
    single.begin()
    found, wanted = single.march(one.state).force, together.record.force
    missed = np.sqrt(np.mean((found - wanted) ** 2))
    assert missed < 5e-3 * wanted.std()
    assert np.sqrt(np.mean((wanted - np.tile(sound, SPANS)) ** 2)) > 0.3 * wanted.std()  # which the defects change


@pytest.fixture(scope="module")
def both(defective, build_case):
    """The steady state by the whole march and by the difference."""
    line, found = defective(BROKEN), {}
    for method in ("march", "difference"):
        periodic = {"spans_behind": 20, "spans_ahead": 26, "method": method, "tolerance": 1e-4}
        found[method] = solve(build_case(line, SPEED, mean_force_N=157.3, periodic=periodic))
        assert found[method].status is Status.OK, found[method].message
        assert found[method].method == method, found[method].message
    return found["march"], found["difference"]


def test_figures_are_those_of_the_march_of_the_whole(both):
    """The window of differences has half as many spans as that of the whole."""
    marched, found = both
    for name, share in (
        ("contact_force_std_N", 2e-3), ("contact_force_max_N", 5e-3), ("max_uplift_at_supports_mm", 1e-2),
    ):  # fmt: skip
        assert getattr(found.statistics, name) == pytest.approx(getattr(marched.statistics, name), rel=share), name
    for a, b in zip(figures_by_span(found), figures_by_span(marched), strict=True):
        assert a.contact_force_std_N == pytest.approx(b.contact_force_std_N, rel=1e-2)
        assert a.uplift_begin_mm == pytest.approx(b.uplift_begin_mm, rel=2e-2)
    assert found.statistics.contact_force_mean_N == pytest.approx(157.3, abs=0.05)
    assert found.applied_force_N == pytest.approx(marched.applied_force_N, abs=0.2)


def test_droppers_are_those_of_the_march_of_the_whole(both):
    """Their peaks are those of droppers that tighten with a jerk, and differ more than any other figure."""
    marched, found = both
    assert found.dropper_force.shape == marched.dropper_force.shape == (len(found.time), 9 * SPANS - 1)
    np.testing.assert_allclose(found.dropper_force.max(axis=0), marched.dropper_force.max(axis=0), rtol=0.1)
    # a dropper that hangs by next to nothing is slack or not for whole steps of 2 ms
    assert found.dropper_slack_time == pytest.approx(marched.dropper_slack_time, rel=0.06, abs=0.01)
    assert found.support_uplift.max() == pytest.approx(marched.support_uplift.max(), rel=1e-2)


def test_its_error_is_that_of_differences_and_holds_the_march_of_the_whole(both):
    """Windows of both kinds are compared by differences, whose own window is half as long as that of the whole."""
    marched, found = both
    error = estimate_error(found.case, found)
    parts = {part.name: part.error_N for part in error.parts}
    assert list(parts) == ["time_step", "mesh", "window", "differences", "iteration"], error
    assert None not in parts.values() and error.total == pytest.approx(math.hypot(*parts.values())), error
    apart = abs(found.statistics.contact_force_std_N - marched.statistics.contact_force_std_N)
    assert 0.0 < apart < math.hypot(parts["window"], parts["differences"], parts["iteration"])
    assert error.total < 0.2 * found.statistics.contact_force_std_N
    # what the companions are said to be, each run here by itself
    sigma, case, eq = found.statistics.contact_force_std_N, found.case, found.equilibrium
    wide = solve_by_difference(case, eq, line_as_designed(case, (15, 18)))
    moved = abs(wide.statistics.contact_force_std_N - sigma)
    assert parts["differences"] == pytest.approx(2.0 * moved, rel=1e-6) and moved > 0.0
    halved = solve(case.model_copy(update={"dt": 0.5 * case.time_step}))
    ratio = halved.case.time_step / case.time_step
    stepped = (halved.statistics.contact_force_std_N - sigma) / (ratio**STEP_ORDER - 1.0)
    assert halved.method == "difference" and parts["time_step"] == pytest.approx(abs(stepped), rel=1e-6)


def test_derivatives_are_refused_by_name(both):
    with pytest.raises(InputError, match=r"periodic\.method must be march, got difference"):
        SteadySlopes(both[1])


def test_what_is_marched_as_a_whole_is_named(defective, build_line, build_case):
    def reason(line, **content):
        case = build_case(line, SPEED, applied_force_N=165.0, periodic={"method": "difference"}, **content)
        return outside_differences(case)

    assert reason(defective(BROKEN)) == ""
    assert "as designed" in reason(defective())
    assert "less than 3" in reason(build_line(elements_per_bay=3, repeat={"spans": 2, "defects": [BROKEN]}))
    assert "several pantographs" in reason(defective(BROKEN), trailing={"distances_m": [200.0]})
    worn = {"spans": SPANS, "defects": [BROKEN], "wear": [{"begin": 10.0, "end": 30.0, "area": 0.1}]}
    assert "worn" in reason(build_line(elements_per_bay=3, repeat=worn))


def test_a_line_that_is_marched_as_a_whole_says_so(build_line, build_case):
    line = build_line(elements_per_bay=3, repeat={"spans": 2, "defects": [BROKEN]})
    periodic = {"method": "difference", "spans_behind": 6, "spans_ahead": 8, "tolerance": 5e-3}
    found = solve(build_case(line, SPEED, applied_force_N=165.0, periodic=periodic))
    assert (
        found.method == "march"
        and "difference to the line as designed is not covered: a period of less than 3" in found.message
    )


@pytest.fixture
def coarse(build_case):
    """Function from a line and a method to a case that takes little time."""

    def build(line, method):
        periodic = {"method": method, "spans_behind": 10, "spans_ahead": 12, "tolerance": 5e-2}
        return build_case(line, 320.0, applied_force_N=165.0, dt=2e-3, periodic=periodic)

    return build


def test_a_case_has_the_steps_that_a_difference_takes(defective, coarse):
    """Every span takes whole steps, where the march of the whole takes whole ones for all four."""

    case = coarse(defective(LONG), "difference")
    found = solve(case)
    assert found.method == "difference", found.message
    assert found.case == case and len(found.time) == case.steps_per_period
    assert case.steps_per_period % SPANS == 0 != coarse(defective(LONG), "march").steps_per_period % SPANS


def test_the_time_of_a_difference_has_that_of_the_line_as_designed_in_it(defective, coarse, monkeypatch):
    case, clock = coarse(defective(LONG), "difference"), [0.0]
    designed = line_as_designed(case)

    def slowly(_):
        clock[0] += 100.0
        return designed

    monkeypatch.setattr("dynamics.steady_state.by_difference.line_as_designed", slowly)
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    assert solve(case).wall_time_s["dynamics"] == 100.0


def test_a_period_without_defects_goes_to_the_operator(build_line, coarse):
    """As a line that repeats span by span does with the same key: there is no difference to march."""
    found = solve(coarse(build_line(elements_per_bay=3, repeat={"spans": 2}), "difference"))
    assert found.method == "operator", found.message
