"""The estimate of a campaign's and a sweep's cost: arithmetic, words, and nothing left behind."""

import pytest
from cheap_evaluation import campaign_of

from optimise.cluster_spec import ClusterSpec
from optimise.cost import Cost, campaign_cost, cost_lines


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
    import optimise.campaign as of_campaigns

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
    cost = campaign_cost(campaign_of(trials=3600, cluster=slurm), case)
    assert cost.seconds == (0.5,) * 6 and cost.core_hours == pytest.approx(0.5)
    ((measured, folder),) = asked
    assert (measured.cluster.kind, measured.cluster.time_limit_s) == ("serial", 7.0), "nothing is submitted"
    assert measured.design == campaign_of().design
    assert not folder.exists() and list(tmp_path.iterdir()) == []
