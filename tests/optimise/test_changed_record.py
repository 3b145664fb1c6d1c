"""A record deleted, replaced or changed under a running driver: said at once, written whole again, resumed."""

import errno
import os
import shutil

import cheap_sweep
import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing

from catenary.errors import WriteError
from optimise.parameter_study.sweep import load_sweep, run_sweep
from optimise.record.driver_lock import Interrupted
from optimise.record.growing_record import ChangedRecordError, GrowingRecord
from optimise.search.campaign import load_result, run_campaign

TRIALS, TOUCHED_AT = 30, 12


def delete(record):
    record.unlink()


def delete_folder(record):
    shutil.rmtree(record.parent)


def replace(record):
    other = record.with_name("other")
    other.write_bytes(record.read_bytes()[:-100])
    os.replace(other, record)


def truncate(record):
    os.truncate(record, 1000)


def append(record):
    with open(record, "ab") as handle:
        handle.write(b"x\n")


def zero(record):
    """In place, of the same size."""
    record.write_bytes(bytes(record.stat().st_size))


def make_a_folder(record):
    record.unlink()
    record.mkdir()


HANDS = {delete: "was deleted", delete_folder: "was deleted", replace: "was replaced", truncate: "was changed",
         append: "was changed", zero: "was changed", make_a_folder: "was (replaced|changed)"}  # fmt: skip


def campaign(case, folder, **how):
    asked = campaign_of(trials=TRIALS, synchronous=True, design={"kind": "heights"})
    return run_campaign(asked, case, folder, evaluate=bowl, prepare=prepare_nothing, **how)


@pytest.fixture(scope="module")
def undisturbed(case, tmp_path_factory):
    return campaign(case, tmp_path_factory.mktemp("undisturbed")).records


@pytest.mark.parametrize("hand", HANDS)
def test_a_record_changed_under_a_driver_is_written_whole_again_and_said_at_once(case, tmp_path, undisturbed, hand):
    folder, looks = tmp_path / "campaign", []

    def touch(progress):
        if hand_was_there:
            looks.append(progress)
        elif progress.done >= TOUCHED_AT:
            hand_was_there.append((folder / "trials.jsonl").read_bytes())
            hand(folder / "trials.jsonl")

    hand_was_there: list[bytes] = []
    with pytest.raises(Interrupted, match=rf"trials.jsonl {HANDS[hand]} by something else .* nothing is lost") as stop:
        campaign(case, folder, progress=touch)
    assert stop.value.exit_code == 75 and "all of them are on record" in str(stop.value)
    assert not looks, "at once"
    assert (folder / "trials.jsonl").read_bytes().startswith(hand_was_there[0])
    assert sum(r.outcome is not None for r in load_result(folder).records) >= TOUCHED_AT
    aside = [file.name for file in folder.glob("*.damaged-*")]
    assert aside == ([] if HANDS[hand] == "was deleted" else ["trials.jsonl.damaged-1"])
    assert campaign(case, folder).records == undisturbed


@pytest.mark.parametrize("hand", [delete, delete_folder, truncate])
def test_the_record_of_a_sweep_changed_under_its_driver(case, tmp_path, hand):
    folder, points = tmp_path / "sweep", []
    asked = cheap_sweep.sweep_of(cheap_sweep.AXES)

    def touch(progress):
        if progress.done == 6 and not points:
            points.append(progress.done)
            hand(folder / "points.jsonl")

    with pytest.raises(Interrupted, match=rf"points.jsonl {HANDS[hand]} by something else .* nothing is lost"):
        run_sweep(asked, case, folder, evaluate=cheap_sweep.plane, progress=touch)
    assert len(load_sweep(folder).points) >= 6
    whole = run_sweep(asked, case, folder, evaluate=cheap_sweep.plane).points
    assert whole == run_sweep(asked, case, tmp_path / "undisturbed", evaluate=cheap_sweep.plane).points


def test_a_record_that_was_touched_without_a_change_is_not_a_cause_to_stop(tmp_path):
    path = tmp_path / "record"
    record = GrowingRecord(path)
    record.append(b"one\n")
    path.write_bytes(path.read_bytes())
    os.utime(path, (1.0, 1.0))
    record.check()
    record.append(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n" and list(tmp_path.iterdir()) == [path]


def test_what_a_full_disk_refused_is_not_a_change_by_another_hand(tmp_path, monkeypatch):
    path = tmp_path / "record"
    record = GrowingRecord(path)
    record.append(b"one\n")
    fsync = os.fsync

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError):
        record.append(b"two\n")
    monkeypatch.setattr(os, "fsync", fsync)
    record.check()
    assert path.read_bytes() == b"one\n"


def test_a_record_that_cannot_be_opened_for_a_moment_is_not_a_changed_one(tmp_path, monkeypatch):
    path = tmp_path / "record"
    record = GrowingRecord(path)
    record.append(b"one\n")
    os.utime(path)  # so that its content must be looked at

    def too_many(*_):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr(type(path), "read_bytes", too_many)
        record.check()
    record.append(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    zero(path)
    with pytest.raises(ChangedRecordError, match="was changed"):
        record.check()
    assert path.read_bytes() == b"one\ntwo\n"
