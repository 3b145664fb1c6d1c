"""The journal keeps whole transactions, survives a torn tail, and is Optuna's own format."""

import os

import optuna
import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from catenary.errors import InputError
from optimise.design.space import DesignSpace
from optimise.record.campaign_folder import CampaignFolder, read_records
from optimise.record.journal import MARK, DriverJournal
from optimise.search.campaign import run_campaign
from optimise.search.driver import StudyDriver

TRIALS = 12


@pytest.fixture(scope="module")
def finished(tmp_path_factory, case):
    folder = tmp_path_factory.mktemp("campaign")
    campaign = campaign_of(trials=TRIALS)
    return run_campaign(campaign, case, folder, evaluate=bowl, prepare=prepare_nothing)


@pytest.fixture
def journal(finished, tmp_path):
    copied = tmp_path / "journal.log"
    copied.write_bytes((finished.folder / "journal.log").read_bytes())
    return copied


def records(path, finished):
    return read_records(CampaignFolder(path.parent), finished.campaign, finished.case)


def test_optuna_itself_reads_the_journal(journal, finished):
    study = optuna.load_study(study_name="test", storage=JournalStorage(JournalFileBackend(str(journal))))
    assert len(study.trials) == TRIALS
    for trial, record in zip(study.trials, finished.records, strict=True):
        assert tuple(trial.params.values()) == record.values
        assert trial.value == record.outcome.told_N
        assert trial.constraints == record.outcome.constraints
        assert trial.user_attrs["evaluation"]["sigma_N"] == record.outcome.sigma_N


def test_what_was_told_is_read_back_bit_by_bit(journal, finished):
    assert records(journal, finished) == finished.records


def test_a_journal_cut_anywhere_holds_whole_transactions(journal, finished):
    content = journal.read_bytes()
    for size in range(0, len(content), 997):
        journal.write_bytes(content[:size])
        found = records(journal, finished)
        assert journal.stat().st_size == size, "reading must not write"
        told = [r for r in found if r.outcome is not None]
        assert told == finished.records[: len(told)]
        assert len(found) - len(told) <= 1
        assert all(len(r.values) == 9 for r in found)


def test_a_damaged_journal_is_named_with_its_folder(journal):
    content = bytearray(journal.read_bytes())
    content[len(content) // 2] ^= 1
    journal.write_bytes(content)
    with pytest.raises(InputError, match=rf"{journal} must hold .* line \d+ cannot be read; restore the file"):
        DriverJournal(journal, read_only=True)


@pytest.mark.parametrize(
    "tail", [b'{"op_code":5,"wor', b"\x00\x00\x00", b'{"op_code":4,"worker_id":"a","study_id":0}\n']
)
def test_a_torn_tail_is_cut_before_writing_on(journal, finished, tail):
    size = journal.stat().st_size
    with open(journal, "ab") as handle:
        handle.write(tail)
    study = StudyDriver(CampaignFolder(journal.parent), finished.campaign, finished.space)
    assert journal.stat().st_size == size
    assert study.records == finished.records
    record = study.ask()
    study.commit()
    assert records(journal, finished) == [*finished.records, record]


def test_nothing_reaches_the_disk_before_the_commit(journal, finished):
    study = StudyDriver(CampaignFolder(journal.parent), finished.campaign, finished.space)
    size = journal.stat().st_size
    study.ask()
    assert journal.stat().st_size == size
    study.commit()
    assert journal.stat().st_size > size


def test_a_broken_line_inside_is_refused(journal):
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[20] = b"broken\n"
    journal.write_bytes(b"".join(lines))
    size = os.path.getsize(journal)
    with pytest.raises(InputError, match="line 21 cannot be read"):
        DriverJournal(journal)
    assert os.path.getsize(journal) == size


def test_a_reader_cannot_write(journal):
    with pytest.raises(RuntimeError, match="driver"):
        DriverJournal(journal, read_only=True).append([{"op_code": 2}])


def test_transactions_are_counted_on(journal, finished):
    before = journal.read_bytes().count(MARK.encode())
    study = StudyDriver(
        CampaignFolder(journal.parent),
        finished.campaign,
        DesignSpace(finished.case.catenary, finished.campaign.design),
    )
    study.ask()
    study.commit()
    assert f'"{MARK}":{before + 1}'.encode() in journal.read_bytes().splitlines()[-1]


def test_a_campaign_resumes_from_a_journal_cut_anywhere(tmp_path, case):
    campaign = campaign_of(trials=30, synchronous=True, design={"kind": "heights"})

    def run(folder):
        return run_campaign(campaign, case, folder, evaluate=bowl, prepare=prepare_nothing)

    whole = run(tmp_path / "whole")
    content = (whole.folder / "journal.log").read_bytes()
    for share in (0.0, 0.001, 0.03, 0.2, 0.41, 0.62, 0.83, 0.999):
        folder = tmp_path / str(share)
        folder.mkdir()
        (folder / "campaign.yaml").write_bytes((whole.folder / "campaign.yaml").read_bytes())
        (folder / "journal.log").write_bytes(content[: int(share * len(content))])
        assert run(folder).records == whole.records
