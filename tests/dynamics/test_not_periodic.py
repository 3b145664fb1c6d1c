"""Where no state is found that repeats from span to span: another start first, then the figures of a long march."""

import numpy as np
import pytest

from dynamics.results.warm_start import WarmStart
from dynamics.spec.status import Status
from dynamics.steady_state import periodic, transient
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.span_map import SpanMap
from dynamics.steady_state.transient import solve_transient

WINDOW = {"spans_behind": 7, "spans_ahead": 7}
TRANSIENT = {"spans": 30, "spans_evaluated": 10, **WINDOW}


@pytest.fixture
def case(build_case):
    """A case whose steady state nobody could reach in five spans."""
    settings = {**WINDOW, "tolerance": 1e-12, "max_spans": 5}
    return build_case("bruni_2015", 320.0, mean_force_N=169.3, periodic=settings, transient=TRANSIENT)


def test_figures_are_those_of_the_long_march(case):
    found = solve_periodic(case)
    given = {"mean_force_N": None, "applied_force_N": found.applied_force_N}
    long = solve_transient(case.model_copy(update=given))
    assert found.status is Status.NOT_PERIODIC and found.statistics is not None
    assert found.statistics == long.statistics
    assert found.statistics.contact_force_mean_N == pytest.approx(169.3, abs=0.1)
    first, second = long.halves
    assert first is not None and second is not None and found.spread_percent is not None
    ratio = first.contact_force_std_N / second.contact_force_std_N
    assert found.spread_percent == pytest.approx(100.0 * (ratio - 1.0))
    assert "last 10 of 30 spans" in found.message and f"{found.spread_percent:+.2f} %" in found.message
    assert len(found.contact_force) == case.steps_per_period


def test_an_iteration_that_runs_away_is_answered_from_rest(case, monkeypatch):
    """Neither the state that it left nor its applied force, no number any more, spoils the long march."""

    def run_away(self, x):
        self.record = self.window.march(self.state)
        self.state.applied_forces[:] = np.nan
        return x, np.full(3, np.nan)

    plain = solve_periodic(case)
    monkeypatch.setattr(SpanMap, "apply", run_away)
    found = solve_periodic(case)
    assert found.status is Status.NOT_PERIODIC and found.statistics is not None and plain.statistics is not None
    assert found.statistics.contact_force_std_N == pytest.approx(plain.statistics.contact_force_std_N, rel=1e-3)


@pytest.mark.parametrize(("factor", "ends_after", "status"), [(1.0, 61, "not_periodic"), (0.985, 153, "ok")])
def test_a_search_that_comes_no_closer_is_not_continued(case, monkeypatch, factor, ends_after, status):
    """Also one that comes closer slowly, by 1.5 % a span, may use all spans that are allowed."""
    calls = []

    def change(self, x):
        calls.append(x)
        self.record = self.window.march(self.state) if len(calls) == 1 else self.record
        return x, np.full(1, 1e-2 * factor ** len(calls))

    settings = case.periodic.model_copy(update={"tolerance": 1e-3, "max_spans": 200})
    case = case.model_copy(update={"periodic": settings, "mean_force_N": None, "applied_force_N": 165.0})
    monkeypatch.setattr(SpanMap, "apply", change)
    monkeypatch.setattr("dynamics.steady_state.anderson.Acceleration.propose", lambda self, mapped, feature: mapped)
    found = solve_periodic(case)
    assert found.status.value == status and len(calls) == ends_after
    assert ("came no closer" in found.message) == (factor == 1.0)


def test_a_neighbours_start_that_does_not_suit_is_followed_by_one_from_rest(case, monkeypatch):
    case = case.model_copy(update={"periodic": case.periodic.model_copy(update={"tolerance": 1e-3, "max_spans": 60})})
    rest = solve_periodic(case)
    assert rest.status is Status.OK and rest.statistics is not None
    monkeypatch.setattr(SpanMap, "near_start", lambda self, start: np.full(len(self.pack()), 1e9))
    found = solve_periodic(case, WarmStart(np.zeros(0), (1.0, 1.0), 1.0, None))
    assert found.status is Status.OK and found.statistics is not None
    assert found.spans_marched > rest.spans_marched
    assert found.statistics == rest.statistics


@pytest.mark.parametrize("solve", [solve_periodic, solve_transient])
def test_a_line_that_is_unstable_at_rest_ends_with_a_status(build_line, build_case, solve, monkeypatch):
    """A slack messenger wire below the contact wire: forces grow 1e10 times a span, and stay finite for thirty.

    Such a line is refused at rest; here the march is shown what would come of one that is not.
    """
    for module in (periodic, transient):
        monkeypatch.setattr(module, "static_status", lambda *_: Status.OK)
    droppers = {
        "prescribed": "lengths", "positions": [7.87, 23.62, 39.36, 55.11, 70.85, 86.6], "contact_wire_heights": None,
        "lengths": [0.149, 0.05, 0.05, 0.05, 0.05, 0.149],
    }  # fmt: skip
    line = build_line(
        "re330", 2, dimension="spatial", span_length=94.473, encumbrance=1.86, messenger_wire={"tension": 5.0e3},
        droppers=droppers,
    )  # fmt: skip
    window = {"spans_behind": 3, "spans_ahead": 3}
    march = {"spans": 12, "spans_evaluated": 4, **window}
    settings = {"periodic": {**window, "max_spans": 6}, "transient": march}
    found = solve(build_case(line, 200.0, applied_force_N=109.0, dt=4.0e-3, **settings))
    assert (found.status, found.statistics) == (Status.DIVERGED, None)
