"""One design of ten raises, gives no number, hangs or kills its process: failed with the reason, and on to the end."""

import time
from collections import Counter

import pytest
from cheap_evaluation import FAULTS, bowl_with_every_fault, campaign_of, prepare_nothing
from cheap_sweep import AXES, plane_with_every_fault, sweep_of
from record_of import full, lost_and_twice

from optimise.evaluation.outcome import OutcomeStatus
from optimise.parameter_study.sweep import load_sweep, run_sweep
from optimise.search.campaign import run_campaign
from optimise.search.progress import read_status

REASONS = {
    "raise": "RuntimeError: broken on the worker",
    "NaN": "the evaluation must give finite numbers: sigma_N is nan",
    "hang": "the worker process ended 2 times while it evaluated this design (time limit 0.4 s,",
    "kill": "the worker process ended 2 times while it evaluated this design",
}
LIMIT = {"workers": 2, "time_limit_s": 0.4, "retries": 1}


@pytest.mark.parametrize("trials", [pytest.param(40, id="short"), full(1000, minutes=20)])
def test_a_tenth_of_the_designs_of_a_campaign(tmp_path, case, figures, trials):
    begin = time.monotonic()
    campaign = campaign_of(trials=trials, sampler={"kind": "random"}, cluster={"kind": "local", **LIMIT})
    result = run_campaign(campaign, case, tmp_path, evaluate=bowl_with_every_fault, prepare=prepare_nothing)
    assert lost_and_twice(tmp_path, trials) == (0, 0)
    found = Counter()
    for record in result.records:
        fault = FAULTS.get(record.number % 40)
        assert (record.outcome.status is OutcomeStatus.FAILED) == (fault is not None), record
        if fault is not None:
            assert REASONS[fault] in record.outcome.message
            found[fault] += 1
    status = read_status(tmp_path)
    assert (status.state, status.failed) == ("finished", trials // 10)
    assert (tmp_path / "trials.nc").is_file() and result.best is not None
    counts = ", ".join(f"{n} {fault}" for fault, n in found.items())
    figures(f"{trials} designs, {trials // 10} failed with their reason ({counts}) in {time.monotonic() - begin:.0f} s")


def test_batches_of_a_sweep(tmp_path, case, figures):
    axes = {**AXES, "catenary.damping.alpha": (0.0, 0.05, 0.1)}
    spec = sweep_of(axes, kind="local", **{**LIMIT, "time_limit_s": 0.2})
    result = run_sweep(spec, case, tmp_path, evaluate=plane_with_every_fault)
    assert len(result.points) == 18 and load_sweep(tmp_path).points == result.points
    reasons = Counter(point.message for point in result.points.values() if not point.statistics)
    points = {word: sum(n for reason, n in reasons.items() if word in reason) for word in ("broken", "finite", "ended")}
    assert points == {"broken": 3, "finite": 3, "ended": 6}, reasons
    assert (tmp_path / "result.nc").is_file()
    figures(f"{result.failed} of {len(result.points)} points have their reason instead of figures")
