"""Conditions of the off-design table: the same for every line, and every run accounted for."""

from dataclasses import replace

import numpy as np
import pytest

import optimise.afterwards.off_design as off_design
from catenary.spec.line import CatenarySpec
from optimise.afterwards.finished_runs import FinishedRuns
from optimise.afterwards.off_design import OffDesignCondition, Variation, conditions, evaluate_variation, run_conditions
from optimise.evaluation.case_inputs import scaled_damping
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.job import Job, Setting
from optimise.spec.campaign import ClusterSpec, LimitsSpec, OffDesignSpec

SMALL = {"spans": 12, "spans_evaluated": 4, "spans_behind": 5, "spans_ahead": 5}


@pytest.fixture
def case(build_case):
    return build_case("bruni_2015", 275.0, mean_force_N=143.35625, solver="transient", transient=SMALL)


def test_conditions_are_those_asked_for(case):
    found = conditions(case, OffDesignSpec(), 9)
    speeds = [c.value for c in found if c.kind == "speed"]
    assert speeds == pytest.approx(np.linspace(247.5, 302.5, 9))
    assert next(c for c in found if c.value == 302.5).case["mean_force_N"] == pytest.approx(0.00097 * 302.5**2 + 70.0)
    assert [c.value for c in found if c.kind == "contact"] == [200.0e3], "its own is run at its own speed"
    assert [(c.value, c.damping) for c in found if c.kind == "damping"] == [(0.5, 0.5), (2.0, 2.0)]
    errors = [c for c in found if c.kind == "height_error"]
    assert [c.value for c in errors] == [2.0] * 10 + [5.0] * 10
    # the same shapes of error, larger
    assert np.array(errors[10].heights) == pytest.approx(2.5 * np.array(errors[0].heights))
    assert np.std([c.heights for c in errors[:10]]) == pytest.approx(2e-3, rel=0.3)
    cut = [c for c in found if c.kind == "length_error"]
    assert [c.value for c in cut] == [3.0] * 10 and np.std([c.lengths for c in cut]) == pytest.approx(3e-3, rel=0.3)
    assert [c.dimension for c in found if c.kind == "dimension"] == ["spatial"]


def test_what_is_in_space_alone_is_not_run_in_the_plane(case):
    for changes in ({"track": {"radius": 3000.0}}, {"wind": None}):
        line = case.catenary.with_changes(dimension="spatial", **changes)
        found = conditions(case.model_copy(update={"catenary": line}), OffDesignSpec(), 9)
        planar = [c.dimension for c in found if c.kind == "dimension"]
        assert planar == ([] if "track" in changes else ["planar"])


def test_a_force_of_your_own_is_held_at_every_speed(case):
    own = case.model_copy(update={"mean_force_N": 150.0})
    assert all("mean_force_N" not in c.case for c in conditions(own, OffDesignSpec(), 9))


def test_a_condition_changes_what_it_says(case):
    setting = Setting(case, LimitsSpec())
    base = evaluate(off_design.Job(0, case.catenary), setting)
    stiff = evaluate_variation(
        Variation(1, case.catenary, OffDesignCondition("contact", case={"contact": {"stiffness": 2e5}})), setting
    )
    raised = tuple(0.002 for _ in case.catenary.droppers.positions)
    lifted = evaluate_variation(
        Variation(2, case.catenary, OffDesignCondition("height_error", heights=raised)), setting
    )
    long = tuple(0.002 * (k == 4) for k in range(9))
    cut = evaluate_variation(Variation(4, case.catenary, OffDesignCondition("length_error", lengths=long)), setting)
    space = evaluate_variation(
        Variation(3, case.catenary, OffDesignCondition("dimension", dimension="spatial")), setting
    )
    calm = evaluate_variation(Variation(4, case.catenary, OffDesignCondition("damping", damping=2.0)), setting)
    values = [e.sigma_N for e in (base, stiff, lifted, cut, space, calm)]
    assert all(v is not None for v in values), [e.message for e in (base, stiff, lifted, space, calm)]
    assert len({round(v, 6) for v in values}) == 6


def test_damping_of_components_is_scaled_too(case):
    own = case.catenary.model_dump()
    own["damping"] = {"alpha": 0.01, "beta": 1e-4, "droppers": {"alpha": 0.0, "beta": 2e-4}}
    made = scaled_damping(CatenarySpec.model_validate(own).model_dump()["damping"], 2.0)
    assert made["alpha"] == 0.02 and made["droppers"]["beta"] == 4e-4 and made["stitch"] is None


def test_what_cannot_be_run_says_why(case):
    setting = Setting(case, LimitsSpec())
    bare = case.catenary.model_copy(update={"support": case.catenary.support.model_copy(update={"steady_arm": None})})
    found = evaluate_variation(Variation(1, bare, OffDesignCondition("dimension", dimension="spatial")), setting)
    assert found.sigma_N is None and "support.steady_arm" in found.message


@pytest.mark.parametrize("kind", ["heights", "lengths"])
def test_a_dropper_that_an_error_leaves_loose_is_run(case, kind):
    """A tenth of a metre at one dropper, which no dropper could hold: the line hangs, and has its figures."""
    wrong = tuple((-0.1 if kind == "heights" else 0.1) * (k == 4) for k in range(9))
    condition = OffDesignCondition(f"{kind[:-1]}_error", **{kind: wrong})
    found = evaluate_variation(Variation(2, case.catenary, condition), Setting(case, LimitsSpec()))
    assert found.sigma_N > 0.0 and found.static_dropper_force_min_N == 0.0 and found.slack_at_rest
    assert not evaluate_variation(Variation(2, case.catenary, OffDesignCondition("speed")), Setting(case)).slack_at_rest


def test_every_run_is_made_once_and_in_its_place(case, monkeypatch):
    """More runs than fit in flight, in the driver: none lost, each with its own condition."""
    seen = []

    def stand_in(task, setting):
        seen.append(task.number)
        return task.failed(f"{task.condition.kind} {task.condition.value:g} {task.catenary.name}")

    monkeypatch.setattr(off_design, "evaluate_variation", stand_in)
    other = case.catenary.model_copy(update={"name": "other"})
    counts = []
    rows = run_conditions(
        case, (Job(0, case.catenary), Job(1, other)), OffDesignSpec(speeds=3, samples=2), ClusterSpec(kind="serial"),
        FinishedRuns(None, lambda done, of: counts.append((done, of))),
    )  # fmt: skip
    assert sorted(seen) == list(range(26)) and counts[-1] == (26, 26)
    for row in rows:
        where = f"{row.condition.kind} {row.condition.value:g}"
        assert tuple(o.message for o in row.outcomes) == (f"{where} bruni_2015", f"{where} other")


def test_lines_with_errors_follow_their_own_line_and_know_its_window(case, monkeypatch):
    """What the search's own speed has shown of each line comes to its fitted lines, and to them alone."""
    seen = []

    def stand_in(job, setting):
        seen.append(job)
        own = job.condition.value == case.speed_kmh
        share = {"bruni_2015": 0.001, "other": 0.002}[job.catenary.name] if own else 0.5
        return replace(job.failed("no figures"), short_window_share=share)

    monkeypatch.setattr(off_design, "evaluate_variation", stand_in)
    other = case.catenary.model_copy(update={"name": "other"})
    wanted = OffDesignSpec(speeds=3, samples=2)
    run_conditions(case, (Job(0, case.catenary), Job(1, other)), wanted, ClusterSpec(kind="serial"), FinishedRuns())
    fitted = [job.condition.installed for job in seen]
    assert fitted == sorted(fitted) and any(fitted), "its own line comes first"
    shares = {(job.catenary.name, job.short_window_share) for job in seen if job.condition.installed}
    assert shares == {("bruni_2015", 0.001), ("other", 0.002)}
    assert {job.short_window_share for job in seen if not job.condition.installed} == {None}


@pytest.mark.parametrize("assured", [True, False])
def test_runs_whose_error_is_estimated_have_the_time_that_they_take(case, monkeypatch, assured):
    """A minute without one is not a silence of their workers, and two minutes no failure."""
    asked = []

    class Open:
        def __init__(self, cluster, evaluate, setting, per_worker):
            asked.append((cluster.time_limit_s, cluster.watchdog.silence_s, setting.time_limit_s))

        def __enter__(self):
            raise KeyboardInterrupt

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(off_design, "open_executor", Open)
    cluster, wanted = ClusterSpec(time_limit_s=100.0), OffDesignSpec(speeds=1)
    with pytest.raises(KeyboardInterrupt):
        run_conditions(case, (Job(0, case.catenary),), wanted, cluster, FinishedRuns(), assured=assured)
    assert asked == [(2000.0, 1200.0, 2000.0) if assured else (100.0, 60.0, 100.0)]
