"""The record of a campaign keeps whole transactions, survives a torn tail, and names every other damage."""

import json
import os

import pytest
import yaml
from cheap_evaluation import bowl, campaign_of, prepare_nothing

from catenary.errors import InputError
from optimise.record.campaign_folder import CampaignFolder, read_records
from optimise.record.record_damage import SetAsideError
from optimise.search.campaign import load_result, run_campaign
from optimise.search.driver import StudyDriver
from optimise.search.progress import read_status

TRIALS = 12


@pytest.fixture(scope="module")
def finished(tmp_path_factory, case):
    folder = tmp_path_factory.mktemp("campaign")
    campaign = campaign_of(trials=TRIALS)
    return run_campaign(campaign, case, folder, evaluate=bowl, prepare=prepare_nothing)


@pytest.fixture
def record(finished, tmp_path):
    copied = tmp_path / "trials.jsonl"
    for name in (copied.name, "campaign.yaml"):
        (tmp_path / name).write_bytes((finished.folder / name).read_bytes())
    return copied


def records(path):
    return read_records(CampaignFolder(path.parent), "test")


def driver(path, finished):
    return StudyDriver(CampaignFolder(path.parent), finished.campaign, finished.space)


def test_what_was_recorded_is_read_back_bit_by_bit(record, finished):
    assert records(record) == finished.records


def test_a_record_cut_anywhere_holds_whole_transactions(record, finished):
    content = record.read_bytes()
    for size in range(0, len(content), 997):
        record.write_bytes(content[:size])
        found = records(record)
        assert record.stat().st_size == size, "reading must not write"
        told = [r for r in found if r.outcome is not None]
        assert told == finished.records[: len(told)]
        assert len(found) - len(told) <= 1
        assert all(len(r.values) == 9 for r in found)


def test_a_damaged_record_is_named_with_its_folder(record):
    content = bytearray(record.read_bytes())
    content[len(content) // 2] ^= 1
    record.write_bytes(content)
    with pytest.raises(InputError, match=rf"{record} must hold .* line \d+ cannot be read; restore the file"):
        records(record)


@pytest.mark.parametrize("tail", [b'{"asked":[{"tri', b'{"', b"\x00\x00\x00", b"{\n"])
def test_a_torn_tail_is_cut_before_writing_on(record, finished, tail):
    content = record.read_bytes()
    with open(record, "ab") as handle:
        handle.write(tail)
    study = driver(record, finished)
    assert record.read_bytes() == content
    assert record.with_name("trials.jsonl.damaged-1").read_bytes() == content + tail
    assert study.records == finished.records
    asked = study.ask()
    study.commit()
    assert records(record) == [*finished.records, asked]


def test_nothing_reaches_the_disk_before_the_commit(record, finished):
    study, size = driver(record, finished), record.stat().st_size
    study.ask()
    assert record.stat().st_size == size
    study.commit()
    assert record.stat().st_size > size
    size = record.stat().st_size
    study.commit()
    assert record.stat().st_size == size, "there was nothing to write"


def test_a_broken_line_inside_is_refused_by_readers_and_set_aside_by_a_driver(record, finished):
    lines = record.read_bytes().splitlines(keepends=True)
    lines[10] = b"broken\n"
    damaged = b"".join(lines)
    record.write_bytes(damaged)
    with pytest.raises(InputError, match="line 11 cannot be read"):
        records(record)
    assert os.path.getsize(record) == len(damaged)
    with pytest.raises(SetAsideError, match=r"trials\.jsonl\.damaged-1; 5 designs of it can be read"):
        driver(record, finished)
    assert record.read_bytes() == b"".join(lines[:10])


def test_every_line_has_its_number_and_the_hash_of_its_campaign(record, finished):
    study = driver(record, finished)
    study.ask()
    study.commit()
    lines = [json.loads(line) for line in record.read_bytes().splitlines()]
    assert [line["line"] for line in lines] == list(range(1, len(lines) + 1))
    (short,) = {line["study"] for line in lines}
    assert yaml.safe_load(record.with_name("campaign.yaml").read_text())["config_sha256"].startswith(short)
    assert len(short) == 12


def test_a_campaign_resumes_from_a_record_cut_anywhere(tmp_path, case):
    campaign = campaign_of(trials=30, synchronous=True, design={"kind": "heights"})

    def run(folder):
        return run_campaign(campaign, case, folder, evaluate=bowl, prepare=prepare_nothing)

    whole = run(tmp_path / "whole")
    content = (whole.folder / "trials.jsonl").read_bytes()
    for share in (0.0, 0.001, 0.03, 0.2, 0.41, 0.62, 0.83, 0.999):
        folder = tmp_path / str(share)
        folder.mkdir()
        (folder / "campaign.yaml").write_bytes((whole.folder / "campaign.yaml").read_bytes())
        (folder / "trials.jsonl").write_bytes(content[: int(share * len(content))])
        assert run(folder).records == whole.records


def test_a_campaign_whose_record_was_an_optuna_journal_is_refused_with_a_sentence(tmp_path, finished, case):
    content = yaml.safe_load((finished.folder / "campaign.yaml").read_text(encoding="utf-8"))
    (tmp_path / "campaign.yaml").write_text(yaml.safe_dump({**content, "schema_version": 1}), encoding="utf-8")
    (tmp_path / "journal.log").write_text('{"op_code":0}\n', encoding="utf-8")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    said = r"campaign\.yaml must have schema version 2, whose record is trials\.jsonl: it has 1, of another version of "
    for read in (load_result, read_status):
        with pytest.raises(InputError, match=said):
            read(tmp_path)
    with pytest.raises(InputError, match=said):
        run_campaign(finished.campaign, case, tmp_path, evaluate=bowl, prepare=prepare_nothing)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
