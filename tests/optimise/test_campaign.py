"""A campaign: reproducible where it says so, resumed, refused, and the best feasible design found."""

import json
import subprocess
import sys

import pytest
import yaml
from cheap_evaluation import bowl, bowl_with_failures, campaign_of, prepare_nothing, uneven_bowl
from pydantic import ValidationError

from catenary.errors import InputError
from catenary.spec.line import CatenarySpec
from optimise.evaluation.outcome import OutcomeStatus, failed
from optimise.record.campaign_folder import CampaignFolder, campaign_sha256
from optimise.search.campaign import Interrupted, NominalFailedError, load_result, run_campaign
from optimise.search.progress import Count, progress_line, read_status
from optimise.search.samplers import population_size


def run(folder, case, evaluate=bowl, **content):
    return run_campaign(campaign_of(**content), case, folder, evaluate=evaluate, prepare=prepare_nothing)


def designs(result):
    return [(r.number, r.values, r.outcome.sigma_N, r.outcome.sampler_value_N) for r in result.records]


@pytest.mark.parametrize("kind", ["cma_es", "tpe", "qmc", "random"])
def test_each_sampler_starts_at_the_nominal_line_and_finds_better(tmp_path, case, kind):
    result = run(tmp_path, case, trials=60, sampler={"kind": kind}, design={"kind": "spacing"})
    assert len(result.records) == 60
    assert not any(result.nominal.values)
    assert result.best.outcome.feasible
    if kind in ("cma_es", "tpe"):
        assert result.best.outcome.sigma_N < result.nominal.outcome.sigma_N


def test_cma_es_converges(tmp_path, case):
    result = run(tmp_path, case, trials=400, design={"kind": "spacing"})
    assert result.best.outcome.sigma_N == pytest.approx(30.0 + 9 * 1.0, abs=0.01)


CLUSTERS = [{"kind": "local", "workers": workers} for workers in (1, 2)]
NSGA2 = {"sampler": {"kind": "nsga2", "population": 8}, "objectives": ["sigma", "uplift"]}
REPRODUCIBLE = [
    {"sampler": {"kind": "qmc"}},
    {"sampler": {"kind": "cma_es"}, "synchronous": True},
    {**NSGA2, "synchronous": True},
]


@pytest.mark.parametrize("content", REPRODUCIBLE, ids=["qmc", "cma_es synchronous", "nsga2 synchronous"])
def test_the_same_designs_on_any_number_of_workers(tmp_path, case, content):
    found = [designs(run(tmp_path / str(c["workers"]), case, uneven_bowl, cluster=c, **content)) for c in CLUSTERS]
    serial = designs(run(tmp_path / "serial", case, **content))
    assert found[0] == found[1] == serial
    assert campaign_of(**content).reproducible


def test_a_synchronous_campaign_in_two_parts_equals_one_in_one(tmp_path, case):
    content = {"synchronous": True, "design": {"kind": "heights"}}
    batch = population_size(campaign_of(**content).sampler, 5)
    whole = run(tmp_path / "whole", case, trials=1 + 4 * batch, **content)
    run(tmp_path / "parts", case, trials=1 + 2 * batch, **content)
    parts = run(tmp_path / "parts", case, trials=1 + 4 * batch, **content)
    assert designs(parts) == designs(whole)


@pytest.mark.parametrize("stop", [1, 2, 11, 13])
@pytest.mark.parametrize("synchronous", [True, False])
def test_ctrl_c_anywhere_leaves_a_campaign_that_continues(tmp_path, case, stop, synchronous):
    def interrupted(task, setting):
        if task.number == stop:
            raise KeyboardInterrupt
        return bowl(task, setting)

    with pytest.raises(Interrupted, match=r"of 30 designs; .* the same command resumes") as stopped:
        run(tmp_path / "a", case, interrupted, synchronous=synchronous)
    assert stopped.value.exit_code == 75
    assert read_status(tmp_path / "a").state == "interrupted"
    resumed = run(tmp_path / "a", case, synchronous=synchronous)
    assert designs(resumed) == designs(run(tmp_path / "b", case, synchronous=synchronous))


def test_an_interruption_between_a_record_and_its_count_counts_what_is_on_record(tmp_path, case, monkeypatch):
    ended, stopped = Count.ended, []

    def stop_before_the_third(self, record):
        if record.number == 2 and not stopped:
            stopped.append(record)
            raise KeyboardInterrupt
        ended(self, record)

    monkeypatch.setattr(Count, "ended", stop_before_the_third)
    with pytest.raises(Interrupted, match="after 3 of 10 designs"):
        run(tmp_path, case, trials=10, sampler={"kind": "qmc"})
    assert json.loads((tmp_path / "status.json").read_text(encoding="utf-8"))["done"] == 3


def test_failures_have_their_reason_and_no_number(tmp_path, case):
    result = run(tmp_path, case, bowl_with_failures)
    broken = [r for r in result.records if r.outcome.status is OutcomeStatus.FAILED]
    assert [r.number for r in broken] == [3, 8, 13, 18, 23, 28]
    assert all(r.outcome.message == "no convergence" and r.outcome.sampler_value_N is None for r in broken)
    assert read_status(tmp_path).failed == 6


def test_best_is_the_best_feasible_design(tmp_path, case):
    result = run(tmp_path, case, trials=200)
    ok = [r for r in result.records if r.outcome.feasible]
    assert 0 < len(ok) < len(result.records)
    assert result.best.outcome.sigma_N == min(r.outcome.sigma_N for r in ok)
    for record in result.records:
        if not record.outcome.feasible:
            assert record.outcome.sampler_value_N > result.nominal.outcome.sigma_N


def test_a_nominal_line_that_fails_ends_the_campaign_and_is_not_recorded(tmp_path, case):
    with pytest.raises(NominalFailedError, match=r"'re330' must be solvable at 300 km/h .*: no steady state"):
        run(tmp_path, case, lambda task, setting: failed(task.number, "no steady state"))
    assert len(run(tmp_path, case).records) == 30


def test_another_configuration_is_refused_by_name_and_nothing_changes(tmp_path, case):
    run(tmp_path, case)
    before = {f.name: f.read_bytes() for f in tmp_path.iterdir()}
    with pytest.raises(InputError, match=r"campaign\.seed was 3, now 4"):
        run(tmp_path, case, seed=4)
    other = case.model_validate({**case.model_dump(), "speed_kmh": 280.0})
    with pytest.raises(InputError, match=r"case\.speed_kmh was 300\.0, now 280\.0"):
        run(tmp_path, other)
    assert {f.name: f.read_bytes() for f in tmp_path.iterdir()} == before


def test_trials_and_workers_may_change(tmp_path, case):
    first = run(tmp_path, case, trials=5)
    again = run(tmp_path, case, trials=8, cluster={"kind": "local", "workers": 1})
    assert again.records[:5] == first.records
    assert read_status(tmp_path).trials == 8
    assert campaign_sha256(campaign_of(trials=5), case) == campaign_sha256(campaign_of(trials=8), case)


def test_a_finished_campaign_evaluates_nothing_more(tmp_path, case):
    first = run(tmp_path, case)
    assert run(tmp_path, case, lambda task, setting: 1 / 0).records == first.records


def test_a_folder_has_one_driver(tmp_path, case):
    def second(task, setting):
        if task.number == 2:
            with pytest.raises(InputError, match="another process is running"):
                run(tmp_path, case)
        return bowl(task, setting)

    assert len(run(tmp_path, case, second).records) == 30


def test_the_best_design_is_a_complete_line(tmp_path, case):
    result = run(tmp_path, case, trials=40)
    line = CatenarySpec.model_validate(yaml.safe_load((tmp_path / "best_design.yaml").read_text()))
    assert line.droppers == result.space.spec_of(result.best.values).droppers
    assert line.name == "test" and "trial" in line.description


def test_the_folder_has_the_stable_names_and_schema_versions(tmp_path, case):
    result = run(tmp_path, case)
    names = {"campaign.yaml", "trials.jsonl", "journal.log", "status.json", "trials.nc", "best_design.yaml"}
    names |= {"processors.json", "importances.json", ".driver.lock"}
    assert {f.name for f in tmp_path.iterdir()} == names
    status = json.loads((tmp_path / "status.json").read_text())
    assert (status["schema_version"], status["state"], status["done"]) == (1, "finished", 30)
    kept = yaml.safe_load((tmp_path / "campaign.yaml").read_text())
    assert kept["schema_version"] == 2 and kept["config_sha256"] == campaign_sha256(result.campaign, case)
    assert kept["reproducible"] is False
    assert load_result(tmp_path).records == result.records


def test_status_is_read_from_the_record_and_shown_on_one_line(tmp_path, case):
    lines = []
    run_campaign(
        campaign_of(trials=20), case, tmp_path, evaluate=bowl, prepare=prepare_nothing,
        progress=lambda p: lines.append(progress_line(p)),
    )  # fmt: skip
    assert lines[-1].startswith("20/20 designs | ") and lines[-1].endswith("0 failed | time left 0:00")
    assert "\n" not in lines[-1]
    before = {f.name: f.stat().st_mtime_ns for f in tmp_path.iterdir()}
    assert read_status(tmp_path).done == 20
    assert {f.name: f.stat().st_mtime_ns for f in tmp_path.iterdir()} == before


def test_a_foreign_or_broken_folder_is_refused_in_one_sentence(tmp_path, case):
    with pytest.raises(InputError, match="must be a readable campaign"):
        read_status(tmp_path / "nowhere")
    (tmp_path / "trials.jsonl").write_text("something else")
    with pytest.raises(InputError, match=r"trials\.jsonl has no campaign\.yaml"):
        run(tmp_path, case)
    assert CampaignFolder(tmp_path).foreign_files() == [tmp_path / "trials.jsonl"]


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "a b", "x" * 65])
def test_a_name_is_not_a_path(name):
    with pytest.raises(ValidationError, match="name"):
        campaign_of(name=name)


def test_specs_and_evaluation_load_neither_optuna_nor_dask():
    code = "import sys, optimise.spec.campaign, optimise.design.space, optimise.evaluation.evaluate; "
    code += "print({'optuna', 'dask', 'distributed', 'xarray'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_damaged_configuration_says_that_the_record_is_untouched(tmp_path, case):
    run(tmp_path, case)
    folder = CampaignFolder(tmp_path)
    record = folder.record.read_bytes()
    folder.input_yaml.write_bytes(b"\0" * folder.input_yaml.stat().st_size)
    with pytest.raises(InputError, match=r"restore it from a copy.*trials\.jsonl next to it is untouched") as refusal:
        run(tmp_path, case)
    assert "unicode string" not in str(refusal.value) and folder.record.read_bytes() == record


@pytest.mark.parametrize("wanted", [True, False])
def test_near_lines_are_learned_from_if_asked(tmp_path, case, monkeypatch, wanted):
    asked = []
    monkeypatch.setattr("optimise.search.campaign.prepare_start", lambda case, directions: asked.append(directions))
    campaign = campaign_of(learned_directions=wanted, trials=2)
    run_campaign(campaign, case, tmp_path, evaluate=bowl)
    assert asked == [wanted]
