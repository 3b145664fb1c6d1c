"""The estimate of a campaign's and a sweep's cost: arithmetic, words, and nothing left behind."""

import os
import signal

import pytest
from cheap_evaluation import campaign_of

from catenary.errors import InputError
from optimise.afterwards.cost import Cost, campaign_cost, cost_lines, not_counted, points_cost
from optimise.evaluation.job import Batch, Job, Setting
from optimise.record.driver_lock import Interrupted
from optimise.spec.campaign import OffDesignSpec
from optimise.spec.cluster import ClusterSpec


def test_the_estimate_is_the_mean_with_its_standard_error():
    cost = Cost("designs", 7200, (1.0, 2.0, 3.0, 2.0))
    assert cost.core_hours == pytest.approx(4.0)
    # standard deviation 0.8165 s, of the mean of four 0.4082 s
    assert cost.error_core_hours == pytest.approx(2.0 * 0.40825, rel=1e-4)
    batch = {"kind": "slurm", "batch": {"jobs": 4, "cores": 10}}
    lines = " ".join(cost_lines(cost, ClusterSpec.model_validate(batch)))
    assert "7200 designs are estimated at 4 core-hours, standard error 0.82" in lines
    assert "On 40 workers that is 6 minutes" in lines
    assert "Nothing was submitted" in lines
    elsewhere = cost_lines(cost, ClusterSpec(kind="address", address="tls://a:1"))
    assert not any(line.startswith("On ") for line in elsewhere), "others decide how many workers there are"


def test_a_campaign_is_measured_by_designs_of_its_own_space(case, tmp_path, monkeypatch):
    import optimise.search.campaign as of_campaigns

    monkeypatch.chdir(tmp_path)
    asked = []

    def run_campaign(campaign, nominal, folder):
        asked.append((campaign, folder))
        return real(campaign, nominal, folder, evaluate=timed, prepare=lambda case: None)

    def timed(task, setting):
        from dataclasses import replace

        import cheap_evaluation

        return replace(cheap_evaluation.bowl(task, setting), wall_time_s={"total": 0.5})

    real = of_campaigns.run_campaign
    monkeypatch.setattr(of_campaigns, "run_campaign", run_campaign)
    slurm = {"kind": "slurm", "batch": {}, "time_limit_s": 7.0}
    cost = campaign_cost(campaign_of(trials=3600, cluster=slurm, polish={"best": 3}), case)
    assert cost.seconds == (0.5,) * 6 and cost.core_hours == pytest.approx(0.5)
    ((measured, folder),) = asked
    assert (measured.cluster.kind, measured.cluster.time_limit_s) == ("serial", 7.0), "nothing is submitted"
    assert measured.design == campaign_of().design and measured.polish.best == 0
    assert not folder.exists() and list(tmp_path.iterdir()) == []


def test_what_follows_the_search_is_named_with_its_number(case):
    campaign = campaign_of(design={"kind": "heights"}, polish={"best": 3, "iterations": 15})
    off_design = OffDesignSpec(speeds=3, contact_stiffness=(70e3,), height_errors_mm=(2.0,), samples=4)
    text = not_counted(campaign, case, off_design)
    free = len(case.catenary.droppers.positions) // 2 + len(case.catenary.droppers.positions) % 2
    assert f"up to {3 * 16 * 2 * free} evaluations for its gradients (3 designs, 15 steps, {free} variables)" in text
    # 3 speeds, 1 stiffness, 2 factors of damping, 4 lines for each error, the other dimension; both confirmed
    assert "the confirmation, 4 long transients; the off-design table, 30 steady states with their errors" in text
    assert "polish" not in not_counted(campaign_of(), case, off_design)
    lines = cost_lines(Cost("designs", 9, (1.0, 2.0)), ClusterSpec(), [text])
    assert lines[-2:] == [text, "Nothing was submitted and nothing was written."]


def test_a_warm_start_that_cannot_be_is_refused_before_anything_is_measured(case, tmp_path, monkeypatch):
    monkeypatch.setattr("optimise.search.campaign.run_campaign", lambda *_, **__: pytest.fail("nothing is measured"))
    with pytest.raises(InputError):
        campaign_cost(campaign_of(warm_start=str(tmp_path / "none")), case)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_estimate_that_is_interrupted_says_so_and_names_no_folder_of_its_own(case, monkeypatch, sent):
    def stopped(*_):
        os.kill(os.getpid(), sent)

    monkeypatch.setattr("optimise.search.campaign.evaluate_design", stopped)
    monkeypatch.setattr("optimise.search.campaign.prepare_start", lambda case, directions: None)
    batch = Batch(0, (Job(0, values=(1.0,)),))
    for estimate in (lambda: campaign_cost(campaign_of(), case), lambda: points_cost([batch], Setting(case), stopped)):
        with pytest.raises(Interrupted, match="the estimate was interrupted, nothing was submitted") as stop:
            estimate()
        assert "tmp" not in str(stop.value)
