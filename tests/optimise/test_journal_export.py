"""`journal.log` is an Optuna journal of the trials on record, made by Optuna's own storage and read by it."""

import json

import optuna
import pytest
from cheap_evaluation import bowl, bowl_with_failures, campaign_of, prepare_nothing
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from optimise.design.space import DesignSpace
from optimise.evaluation.job import Job, Setting
from optimise.record import journal_export
from optimise.record.campaign_folder import CampaignFolder
from optimise.record.driver_lock import Interrupted
from optimise.search.campaign import run_campaign
from optimise.search.driver import StudyDriver

TRIALS = 12


def study_of(folder):
    return optuna.load_study(study_name="test", storage=JournalStorage(JournalFileBackend(str(folder / "journal.log"))))


def same(trials, records):
    """Whether Optuna reads what is on record."""
    for trial, record in zip(trials, records, strict=True):
        assert trial.number == record.number and tuple(trial.params.values()) == record.values
        if record.outcome is None:
            assert trial.state.name == "RUNNING"
            continue
        failed = record.outcome.status.value == "failed"
        assert trial.state.name == ("FAIL" if failed else "COMPLETE")
        assert trial.value == (None if failed else record.outcome.sampler_value_N)
        assert trial.constraints == record.outcome.constraints
        assert trial.user_attrs["evaluation"] == json.loads(json.dumps(record.outcome.to_dict()))
        assert trial.datetime_start <= trial.datetime_complete


def test_optuna_itself_reads_the_journal(tmp_path, case):
    result = run_campaign(campaign_of(trials=TRIALS), case, tmp_path, evaluate=bowl_with_failures,
                          prepare=prepare_nothing)  # fmt: skip
    assert len(result.records) == TRIALS
    same(study_of(tmp_path).trials, result.records)


def test_a_journal_grows_while_designs_are_searched(tmp_path, case, monkeypatch):
    """A page that reads it meanwhile sees every line once; what another hand did to the file is written over."""
    monkeypatch.setattr(journal_export, "SECONDS_BETWEEN_WRITES", 0.0)
    seen: list[bytes] = []
    reader: list[JournalStorage] = []

    def look(progress):
        if not reader:
            reader.append(JournalStorage(JournalFileBackend(str(tmp_path / "journal.log"))))
        content = (tmp_path / "journal.log").read_bytes()
        assert content.startswith(b"".join(seen[-1:]))
        seen.append(content)
        assert len(reader[0].get_all_trials(0)) == progress.done
        if progress.done == 8:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        campaign = campaign_of(trials=TRIALS)
        run_campaign(campaign, case, tmp_path, progress=look, evaluate=bowl, prepare=prepare_nothing)
    assert len(set(seen)) == len(seen) == 7

    def spoil(progress):
        (tmp_path / "journal.log").write_bytes(b"x\n")

    result = run_campaign(campaign, case, tmp_path, progress=spoil, evaluate=bowl, prepare=prepare_nothing)
    same(study_of(tmp_path).trials, result.records)


def test_a_journal_holds_those_in_flight_where_a_driver_stops_and_no_others_before(tmp_path, case, monkeypatch):
    monkeypatch.setattr(journal_export, "SECONDS_BETWEEN_WRITES", 0.0)
    campaign = campaign_of()
    space, setting = DesignSpace(case.catenary, campaign.design), Setting(case, campaign.limits)
    driver = StudyDriver(CampaignFolder(tmp_path), campaign, space)
    driver.ask_nominal()
    driver.tell(bowl(Job(0, case.catenary), setting))
    asked = [driver.ask() for _ in range(3)]
    driver.tell(bowl(Job(2, space.spec_of(asked[1].values)), setting))
    driver.check()
    same(study_of(tmp_path).trials, driver.records[:1])
    driver.export()
    same(study_of(tmp_path).trials, driver.records)
