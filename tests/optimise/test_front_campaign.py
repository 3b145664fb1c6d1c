"""Campaigns with other objectives than sigma, and with several: record, files, front, resuming."""

import numpy as np
import optuna
import pytest
import xarray as xr
import yaml
from cheap_evaluation import bowl, bowl_with_failures, bowl_with_slack_designs, campaign_of, prepare_nothing
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from catenary.errors import InputError
from catenary.spec.line import CatenarySpec
from optimise.evaluation.objectives import OBJECTIVES, raw_values, sampler_values
from optimise.search.campaign import load_result, run_campaign
from optimise.search.progress import progress_line, read_status
from optimise.search.samplers import population_size

TWO = ("sigma", "uplift")
SEVERAL = {"objectives": list(TWO), "sampler": {"kind": "nsga2", "population": 10}, "synchronous": True}


def run(folder, case, evaluate=bowl, **content):
    campaign = campaign_of(**{"design": {"kind": "heights"}, **content})
    return run_campaign(campaign, case, folder, evaluate=evaluate, prepare=prepare_nothing)


def study_of(folder):
    return optuna.load_study(study_name="test", storage=JournalStorage(JournalFileBackend(str(folder / "journal.log"))))


def files_of(folder):
    return {f.name for f in (folder / "pareto").iterdir()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory, case):
    return run(tmp_path_factory.mktemp("front"), case, bowl_with_failures, trials=101, **SEVERAL)


@pytest.mark.parametrize("kind", ["nsga2", "tpe", "qmc", "random"])
def test_each_sampler_for_several_objectives_leaves_a_front(tmp_path, case, kind):
    result = run(tmp_path, case, trials=60, objectives=list(TWO), sampler={"kind": kind})
    values = np.array([raw_values(TWO, r.outcome) for r in result.front])
    assert len(values) > 2
    assert (np.diff(values[:, 0]) > 0.0).all() and (np.diff(values[:, 1]) < 0.0).all()
    assert result.best is result.front[0]
    assert all(r.outcome.feasible for r in result.front)


def test_nsga2_comes_closer_to_the_front_than_random_search(tmp_path, case):
    def late_mean(kind):
        """Objectives of the last hundred designs over those of the nominal line."""
        result = run(tmp_path / kind, case, trials=401, **{**SEVERAL, "sampler": {"kind": kind, "population": 20}})
        nominal = np.array(raw_values(TWO, result.nominal.outcome))
        late = [raw_values(TWO, r.outcome) for r in result.records[-100:]]
        return float(np.mean(np.array(late) / nominal))

    assert late_mean("nsga2") < late_mean("random") - 0.05


def test_nsga2_takes_one_objective(tmp_path, case):
    result = run(tmp_path, case, trials=121, sampler={"kind": "nsga2"}, synchronous=True)
    assert result.best.outcome.sigma_N < result.nominal.outcome.sigma_N
    assert not (tmp_path / "pareto").exists()
    assert population_size(result.campaign.sampler, 5) == 24


@pytest.mark.parametrize("name", ["uplift", "statistical_minimum", "force_range"])
def test_one_objective_that_is_not_sigma(tmp_path, case, name):
    result = run(tmp_path, case, trials=80, objectives=[name])
    o = OBJECTIVES[name]
    cost = [o.cost(o.raw(r.outcome.statistics)) for r in result.records if r.outcome.feasible]
    assert o.cost(o.raw(result.best.outcome.statistics)) == min(cost)
    assert result.best.number > 0 or name == "uplift"  # the nominal bowl has the least uplift
    for trial, r in zip(study_of(tmp_path).trials, result.records, strict=True):
        assert trial.value == sampler_values((name,), r.outcome, result.nominal.outcome)[0]
    line = progress_line(read_status(tmp_path))
    assert f"best {name} " in line and "front" not in line
    assert not (tmp_path / "pareto").exists()


def test_three_objectives(tmp_path, case):
    result = run(
        tmp_path, case, trials=40, **{**SEVERAL, "objectives": ["uplift", "statistical_minimum", "force_range"]}
    )
    assert [d.name for d in study_of(tmp_path).directions] == ["MINIMIZE", "MAXIMIZE", "MINIMIZE"]
    assert len(files_of(tmp_path)) == len(result.front) > 2


def test_the_journal_has_every_objective_as_computed_and_as_the_sampler_gets_it_and_every_constraint(finished):
    trials = study_of(finished.folder).trials
    infeasible = 0
    for trial, r in zip(trials, finished.records, strict=True):
        if trial.state is optuna.trial.TrialState.FAIL:
            assert not {"objectives", "told"} & trial.user_attrs.keys()
            continue
        raw = raw_values(TWO, r.outcome)
        told = sampler_values(TWO, r.outcome, finished.nominal.outcome)
        assert tuple(trial.values) == raw, "NSGA-II reads constraints, so it gets what was computed"
        assert trial.user_attrs["objectives"] == dict(zip(TWO, raw, strict=True))
        assert trial.user_attrs["told"] == dict(zip(TWO, told, strict=True))
        assert trial.constraints == r.outcome.constraints
        infeasible += told != raw
    assert 0 < infeasible < len(trials)


def test_samplers_without_constraints_get_penalised_values(tmp_path, case):
    result = run(tmp_path, case, trials=40, objectives=list(TWO), sampler={"kind": "qmc"})
    nominal = result.nominal.outcome
    broken = [r for r in result.records if not r.outcome.feasible]
    assert broken
    for r in broken:
        factor = 1.0 + r.outcome.constraints["g_uplift"]
        told = study_of(tmp_path).trials[r.number].values
        assert told == pytest.approx([factor * value for value in raw_values(TWO, nominal)])


@pytest.mark.parametrize("kind", ["nsga2", "tpe"])
def test_designs_slack_at_rest_have_sampler_values_alone_and_are_not_on_the_front(tmp_path, case, kind):
    content = {**SEVERAL, "sampler": {"kind": kind, "population": 10}}
    result = run(tmp_path, case, bowl_with_slack_designs, trials=41, **content)
    nominal = raw_values(TWO, result.nominal.outcome)
    for r in result.records[2::3]:
        trial = study_of(tmp_path).trials[r.number]
        factor = 1.0 + r.outcome.constraints["g_static_dropper_force"]
        assert trial.values == pytest.approx([factor * value for value in nominal])
        assert trial.user_attrs["objectives"] is None
        assert r not in result.front
    with xr.open_dataset(tmp_path / "trials.nc") as data:
        assert np.isnan(data["max_uplift_at_supports_mm"][2]) and float(data["sampler_value_uplift_mm"][2]) > nominal[1]


def test_every_design_of_the_front_is_a_file_with_a_complete_line(finished):
    assert files_of(finished.folder) == {f"{r.number:03d}.yaml" for r in finished.front}
    for r in finished.front:
        text = (finished.folder / "pareto" / f"{r.number:03d}.yaml").read_text()
        line = CatenarySpec.model_validate(yaml.safe_load(text))
        assert line.droppers == finished.space.spec_of(r.values).droppers
        assert f"trial {r.number} " in line.description
    best = (finished.folder / "best_design.yaml").read_text()
    assert best == (finished.folder / "pareto" / f"{finished.best.number:03d}.yaml").read_text()


def test_files_of_designs_that_left_the_front_go_and_other_files_stay(tmp_path, case):
    first = run(tmp_path, case, trials=21, **SEVERAL)
    early = {r.number for r in first.front}
    pareto = tmp_path / "pareto"
    (pareto / "notes.txt").write_text("mine")
    (pareto / ".007.4711.yaml").write_text("half a line")  # as a killed driver leaves it
    (pareto / "100000.yaml").write_text("stale")
    later = run(tmp_path, case, trials=141, **SEVERAL)
    assert early - {r.number for r in later.front}, "the test needs a design that leaves the front"
    assert files_of(tmp_path) == {f"{r.number:03d}.yaml" for r in later.front} | {"notes.txt"}


def test_a_front_in_two_parts_equals_one_in_one(tmp_path, case):
    whole = run(tmp_path / "whole", case, trials=61, **SEVERAL)
    run(tmp_path / "parts", case, trials=31, **SEVERAL)
    parts = run(tmp_path / "parts", case, trials=61, **SEVERAL)
    assert parts.records == whole.records
    assert files_of(tmp_path / "parts") == files_of(tmp_path / "whole")
    assert load_result(tmp_path / "parts").front == whole.front


def test_status_counts_the_front_and_names_what_is_best_in_the_first_objective(finished):
    state = read_status(finished.folder)
    assert state.objectives == TWO and state.front == len(finished.front)
    assert state.best == dict(zip(TWO, raw_values(TWO, finished.best.outcome), strict=True))
    assert state.nominal["uplift"] == finished.nominal.outcome.statistics["max_uplift_at_supports_mm"]
    assert f"| {state.front} on the front of sigma, uplift | best sigma " in progress_line(state)


def test_the_data_set_flags_the_front_and_has_every_objective(finished):
    with xr.open_dataset(finished.folder / "trials.nc") as data:
        front = data["trial"][data["non_dominated"] == 1]
        assert sorted(front.values) == sorted(r.number for r in finished.front)
        uplift = [(raw_values(("uplift",), r.outcome) or (np.nan,))[0] for r in finished.records]
        np.testing.assert_array_equal(data["max_uplift_at_supports_mm"], uplift)
        own, sampler = data["max_uplift_at_supports_mm"], data["sampler_value_uplift_mm"]
        infeasible = (data["feasible"] == 0) & np.isfinite(own)
        assert infeasible.any()
        np.testing.assert_allclose(sampler[infeasible], float(own[0]) * (1.0 + data["g_uplift"][infeasible]))
        assert sampler.attrs["units"] == own.attrs["units"] == "mm" and "uplift" not in data
        assert data.attrs["objectives"] == "sigma uplift" and data.attrs["best_trial"] == finished.best.number


def test_a_campaign_from_before_there_was_a_choice_continues(tmp_path, case):
    first = run(tmp_path, case, trials=5)
    kept = tmp_path / "campaign.yaml"
    content = yaml.safe_load(kept.read_text())
    del content["campaign"]["objectives"]
    kept.write_text(yaml.safe_dump(content))
    with pytest.raises(InputError) as refused:
        run(tmp_path, case, seed=4)
    assert "objectives" not in str(refused.value)
    assert run(tmp_path, case, trials=8).records[:5] == first.records


def test_other_objectives_are_another_campaign(tmp_path, case):
    run(tmp_path, case, trials=3)
    with pytest.raises(InputError, match=r"campaign\.objectives was \['sigma'\], now \['uplift'\]"):
        run(tmp_path, case, trials=3, objectives=["uplift"])
