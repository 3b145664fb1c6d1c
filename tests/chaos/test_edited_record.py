"""Records edited with checksums that fit, and files replaced under a driver: damage is named, campaigns resume."""

import json
import os
import shutil

import cheap_sweep
import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing
from record_of import lost_and_twice

from catenary.errors import InputError
from optimise.parameter_study.sweep import run_sweep
from optimise.record.growing_record import ChangedRecordError, GrowingRecord
from optimise.record.json_lines import checked_line
from optimise.record.record_damage import SetAsideError
from optimise.search.campaign import load_result, run_campaign
from optimise.search.progress import read_status

TRIALS = 12


def campaign(case, folder, evaluate=bowl):
    asked = campaign_of(trials=TRIALS, sampler={"kind": "nsga2", "population": 4}, objectives=["sigma", "uplift"])
    return run_campaign(asked, case, folder, evaluate=evaluate, prepare=prepare_nothing).records


def sweep(case, folder):
    return run_sweep(cheap_sweep.sweep_of(cheap_sweep.AXES), case, folder, evaluate=cheap_sweep.plane).points


@pytest.fixture(scope="module")
def campaign_folder(case, tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    return folder, campaign(case, folder)


@pytest.fixture(scope="module")
def sweep_folder(case, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    return folder, sweep(case, folder)


def edited(lines, change):
    """Lines that a function has changed, numbered again and with checksums that fit."""
    contents = [{k: v for k, v in json.loads(line).items() if k != "crc32"} for line in lines]
    changed = change(contents) or contents
    return b"".join(checked_line({**content, "line": n}) for n, content in enumerate(changed, start=1))


def put(place, value):
    """Function that sets a value, found by keys, in the line in the middle that has results."""

    def change(contents):
        at = [content for content in contents if "told" in content or "points" in content]
        found = at[len(at) // 2]
        for key in place[:-1]:
            found = found[key]
        found[place[-1]] = value

    return change


def without(which):
    return lambda contents: [content for n, content in enumerate(contents) if n != which % len(contents)]


EDITS = {
    "a text for a number": (put(("told", 0, "outcome", "sigma_N"), "30"), "told.0.outcome.sigma_N: input should be"),
    "a switch for a number": (put(("told", 0, "outcome", "told_N"), True), "told.0.outcome.told_N: input should be"),
    "a number without end": (put(("told", 0, "values"), [10**400, 1.0]), "told.0.values.0: input should be"),
    "a list for an outcome": (put(("told", 0, "outcome"), []), "told.0.outcome: input should be"),
    "a status of its own": (put(("told", 0, "outcome", "status"), "good"), "'good' is not a valid"),
    "another name": (put(("told", 0, "outcome", "<script>"), 1), "told.0.outcome.<script>: extra inputs are not"),
    "no list": (put(("told",), 5), "told: input should be a valid list"),
    "no time": (put(("told", 0, "ended"), "yesterday"), "told.0.ended: invalid isoformat"),
    "a trial that is not there": (put(("told", 0, "trial"), 999), "trial 999 has an outcome before it is asked for"),
    "a trial before the first": (put(("told", 0, "trial"), -1), "told.0.trial: input should be greater"),
    "an outcome of another trial": (put(("told", 0, "outcome", "number"), 0), "has the outcome of 0"),
    "a line twice": (lambda contents: [*contents[:5], contents[4], *contents[5:]], "does not follow those before it"),
    "a line gone": (without(3), "does not follow those before it"),
    "lines backwards": (lambda contents: contents[::-1], "does not follow those before it"),
    "two lines exchanged": (
        lambda contents: [*contents[:3], contents[-1], *contents[4:-1], contents[3]], "does not follow those before it"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", EDITS)
def test_a_campaign_s_record_edited_with_right_checksums(case, campaign_folder, tmp_path, kind):
    whole, found = campaign_folder
    change, sentence = EDITS[kind]
    folder = shutil.copytree(whole, tmp_path / "campaign")
    record = folder / "trials.jsonl"
    damaged = edited(record.read_bytes().splitlines(), change)
    record.write_bytes(damaged)
    for look in (read_status, load_result):
        with pytest.raises(InputError) as refused:
            look(folder)
        assert sentence in str(refused.value)
    with pytest.raises(SetAsideError, match="kept whole as"):
        campaign(case, folder)
    assert (folder / "trials.jsonl.damaged-1").read_bytes() == damaged
    assert campaign(case, folder) == found


POINT_EDITS = {
    "a text for a number": put(("points", 0, "statistics", "contact_force_std_N"), "x"),
    "a list for a time": put(("points", 0, "wall_time_s"), [[]]),
    "a block for a text": put(("points", 0, "message"), {"a": 1}),
    "a number without end": put(("points", 0, "applied_force_N"), 10**400),
    "a text for a batch": put(("strand",), "0"),
}


@pytest.mark.parametrize("kind", POINT_EDITS)
def test_a_sweep_s_record_edited_with_right_checksums(case, sweep_folder, tmp_path, kind):
    whole, found = sweep_folder
    folder = shutil.copytree(whole, tmp_path / "sweep")
    record = folder / "points.jsonl"
    record.write_bytes(edited(record.read_bytes().splitlines(), POINT_EDITS[kind]))
    with pytest.raises(SetAsideError, match="is whole but does not hold points"):
        sweep(case, folder)
    assert sweep(case, folder) == found


@pytest.mark.parametrize("value", [1e300, -1e300])
def test_a_design_outside_the_space_is_named_and_nothing_dropped(case, campaign_folder, tmp_path, value):
    folder = shutil.copytree(campaign_folder[0], tmp_path / "campaign")
    record = folder / "trials.jsonl"

    def change(contents):
        asked = next(content for content in contents if content.get("asked", [{}])[0].get("trial") == 5)
        asked["asked"][0]["params"]["move_1"] = value

    damaged = edited(record.read_bytes().splitlines(), change)
    record.write_bytes(damaged)
    with pytest.raises(InputError, match=r"designs of this campaign's space: trial 5 is not .*move_1"):
        campaign(case, folder)
    assert record.read_bytes() == damaged and not list(folder.glob("*.damaged-*"))


def replaced_by(folder, name, what):
    """Function of a job that once, in the middle of a campaign, puts something else in the place of a file."""

    def evaluate(job, setting):
        if job.number == TRIALS // 2:
            (folder / name).unlink()
            what(folder / name)
        return bowl(job, setting)

    return evaluate


@pytest.mark.timeout(60)
def test_a_record_that_a_pipe_replaces_is_written_again(tmp_path):
    """A pipe would be read for ever."""
    path = tmp_path / "points.jsonl"
    record = GrowingRecord(path)
    record.append(b"first\n")
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ChangedRecordError, match="was replaced by something else"):
        record.check()
    assert path.read_bytes() == b"first\n"


@pytest.mark.parametrize("what", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("nowhere")])
def test_a_status_that_is_replaced_under_a_driver_is_written_again(case, tmp_path, monkeypatch, what):
    monkeypatch.setattr("optimise.record.status_file.SECONDS_BETWEEN_WRITES", 0.0)
    found = campaign(case, tmp_path, replaced_by(tmp_path, "status.json", what))
    assert len(found) == TRIALS and read_status(tmp_path).done == TRIALS
    assert json.loads((tmp_path / "status.json").read_text())["state"] == "finished"


@pytest.mark.parametrize("what", [lambda path: None, os.mkfifo, lambda path: path.write_text("prose")])
def test_an_input_that_is_lost_under_a_driver_is_written_again(case, tmp_path, what):
    """Without it nobody could read the campaign, or resume it."""
    found = campaign(case, tmp_path, replaced_by(tmp_path, "campaign.yaml", what))
    assert campaign(case, tmp_path) == found
    assert lost_and_twice(tmp_path, TRIALS) == (0, 0)
