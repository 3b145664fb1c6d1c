"""The points that a sweep's verdict rests on are refined, kept whole or not at all, and said with their errors."""

import json
from dataclasses import replace

import cheap_sweep
import numpy as np
import pytest
from cheap_sweep import sweep_of

from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed
from optimise.parameter_study import assured_points
from optimise.parameter_study import sweep as sweeping
from optimise.parameter_study.assured_points import assure_points
from optimise.parameter_study.dataset import sweep_dataset
from optimise.parameter_study.sweep import SweepFolder, load_sweep, run_sweep
from optimise.parameter_study.sweep_result import End, SweepResult
from studies.writing.sweep_ends import end_text

SPEEDS = (240.0, 250.0, 260.0, 270.0, 280.0, 290.0)
# what the sweep finds over the speed, and what refinement makes of it: the resonance is elsewhere, and higher
SWEPT = dict(zip(SPEEDS, (20.0, 30.0, 36.0, 35.0, 25.0, 22.0), strict=True))
TRUE = dict(zip(SPEEDS, (20.1, 30.5, 38.0, 41.0, 25.2, 22.1), strict=True))
ERROR = 0.5


def resonance(task, setting):
    return cheap_sweep.each(task, lambda job: cheap_sweep.point(job, SWEPT[job.values[0]]))


def refined(task, setting):
    assert setting.names == ("speed_kmh",)
    (speed,) = task.values
    return Outcome(task.number, OutcomeStatus.OK, sigma_N=TRUE[speed], sigma_error_N=ERROR)


@pytest.fixture
def filled(case, tmp_path):
    return run_sweep(sweep_of({"speed_kmh": SPEEDS}), case, tmp_path, evaluate=resonance)


def assure(filled, evaluate, recorded=None, **how):
    cluster = sweep_of({"speed_kmh": SPEEDS}).cluster
    file = SweepFolder(filled.path).assured_json
    return assure_points(
        filled, cluster, file, lambda *of: recorded.append(of) if recorded is not None else None, evaluate, **how
    )


def ends(result: SweepResult) -> tuple[End, End]:
    found = result.ends()
    assert found is not None
    return found


def at(index):
    return f"{SPEEDS[index[0]]:g} km/h"


def test_the_highest_is_that_of_refined_figures_and_has_its_error(filled):
    recorded = []
    low, high = ends(assure(filled, refined, recorded))
    assert (high.index, high.sigma_N, high.swept_N, high.error_N) == ((3,), 41.0, 35.0, ERROR)
    assert high.outside and not high.rivals and not high.even
    assert (low.index, low.sigma_N, low.outside) == ((0,), 20.1, False)
    assert recorded[0] == (0, 2) and recorded[-1] == (3, 3), "shown before the first is done"
    assert end_text(high, at) == ("41.00 ± 0.50 N at 270 km/h (the sweep's own 35.00 N is further off than that error)")
    assert end_text(low, at) == "20.10 ± 0.50 N at 240 km/h"


def test_without_refinement_no_error_is_claimed(filled):
    low, high = ends(filled)
    assert (high.index, high.sigma_N, high.error_N) == ((2,), 36.0, None)
    assert end_text(high, at) == "36.00 N (error not estimated) at 260 km/h"
    assert end_text(low, at).startswith("20.00 N (error not estimated)")


def test_points_that_may_be_higher_are_said(filled, monkeypatch):
    monkeypatch.setattr("optimise.parameter_study.assured_points.FURTHER", 0)
    _, high = ends(assure(filled, refined))
    # refinement moved the extreme of the sweep by 5.6 %: by twice as much, 35 N would be 38.9, and 30 N 33.3
    assert (high.index, high.rivals) == ((2,), ((3,),))
    assert end_text(high, at).endswith("; 1 point that was not refined may be as high")


def test_points_that_are_the_same_within_the_errors_are_said(filled):
    def uncertain(task, setting):
        return replace(refined(task, setting), sigma_error_N=2.5)

    _, high = ends(assure(filled, uncertain))
    assert (high.index, high.even, high.outside) == ((3,), ((2,),), True)
    assert "the same within the errors at 260 km/h" in end_text(high, at)


def test_refined_points_are_kept_and_only_for_the_figures_that_they_belong_to(filled):
    done = assure(filled, refined)
    assert load_sweep(filled.path) == done

    def never(task, setting):
        raise AssertionError("the refined points are on record")

    assert assure(filled, never) == done
    file = SweepFolder(filled.path).assured_json
    file.write_text(json.dumps({**json.loads(file.read_text()), "sweep_sha256": "of other figures"}))
    assert load_sweep(filled.path).assured == ()
    assert assure(filled, refined) == done
    file.write_text("{")
    assert load_sweep(filled.path).assured == ()


def test_a_point_that_cannot_be_refined_says_so_and_has_no_number(filled):
    done = assure(filled, lambda task, setting: failed(task.number, "the window is too long"))
    assert all(p.sigma_N is None and p.error_N is None and "too long" in p.message for p in done.assured)
    assert [end.error_N for end in ends(done)] == [None, None]


def test_the_result_file_holds_refined_figures_where_there_are_any(filled):
    data = sweep_dataset(assure(filled, refined))
    assert float(data["assured_sigma_N"][3]) == 41.0 and float(data["assured_error_N"][3]) == ERROR
    assert np.isnan(data["assured_sigma_N"].values).sum() == len(SPEEDS) - len(load_sweep(filled.path).assured)
    assert np.isfinite(data["contact_force_std_N"].values).all()


def test_an_interruption_keeps_the_sweep_and_the_same_command_refines(case, tmp_path, monkeypatch):
    spec = sweep_of({"speed_kmh": SPEEDS})

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(assured_points, "assure_points", interrupted)
    with pytest.raises(
        sweeping.Interrupted, match="the numerical errors that error_estimate asks for are not complete"
    ):
        run_sweep(spec, case, tmp_path, evaluate=resonance, error_estimate=True)
    assert not SweepFolder(tmp_path).assured_json.exists()
    monkeypatch.setattr(
        assured_points, "assure_points", lambda *given, **how: assure_points(*given, evaluate=refined, **how)
    )
    recorded = []
    done = run_sweep(
        spec, case, tmp_path, evaluate=cheap_sweep.never, error_estimate=True, progress=lambda p: recorded.append(p)
    )
    assert ends(done)[1].sigma_N == 41.0 and recorded[-1].refined == recorded[-1].to_refine > 0


def test_every_point_is_refined_where_that_is_asked_for(filled):
    recorded = []
    done = assure(filled, refined, recorded, everywhere=True)
    assert {p.index[0]: p.sigma_N for p in done.assured} == dict(enumerate(TRUE.values()))
    assert recorded[-1] == (len(SPEEDS), len(SPEEDS))
    low, high = ends(done)
    assert (low.sigma_N, high.sigma_N) == (20.1, 41.0) and not low.rivals and not high.rivals


def test_points_refined_before_an_interruption_are_kept(filled, monkeypatch):
    monkeypatch.setattr("optimise.parameter_study.assured_points.KEPT", 2)

    def interrupted(task, setting):
        if task.values[0] == SPEEDS[3]:
            raise KeyboardInterrupt
        return refined(task, setting)

    with pytest.raises(KeyboardInterrupt):
        assure(filled, interrupted, everywhere=True)
    assert [p.index[0] for p in load_sweep(filled.path).assured] == [0, 1]

    def rest(task, setting):
        assert task.values[0] not in SPEEDS[:2], "two points are on record"
        return refined(task, setting)

    done = assure(filled, rest, everywhere=True)
    assert len(done.assured) == len(SPEEDS) and load_sweep(filled.path) == done


def test_lowest_and_highest_are_refined_before_every_point_is_asked_for(filled):
    few = assure(filled, refined)
    done = assure(filled, refined, everywhere=True)
    assert done.assured[: len(few.assured)] == few.assured and len(done.assured) == len(SPEEDS)
