"""What `catenary status` prints of studies that were interrupted, and of folders that cannot be read."""

import json
import os

import pytest
from refusal import refused

from optimise.record.status_file import StudyState
from optimise.search.progress import Progress
from studies.commands.status import campaign_in_words

AXES = "sweep.axes={contact.stiffness:[50e3,60e3,70e3],speed_kmh:[200,220]}"
OPTIMISE = ("optimise", "experiment=bruni_heights", "trials=3", "cluster=serial")
COARSE = ("array=speed_bruni", "sweep.name=my_sweep", AXES, "cluster=serial")


def test_an_interrupted_sweep_is_shown_with_the_command_that_resumes_it(catenary, folder, monkeypatch):
    from dynamics.steady_state.continuation import Continuation

    calls = []

    def stopped(self, place):
        calls.append(place)
        if len(calls) > 3:
            raise KeyboardInterrupt
        raise RuntimeError("no state")

    monkeypatch.setattr(Continuation, "start", stopped)
    ended = catenary("sweep", *COARSE)
    assert ended.code == 75 and "Traceback" not in ended.err
    command = ended.err.splitlines()[-1].strip()
    assert command.startswith("catenary sweep array=speed_bruni sweep.name=my_sweep 'sweep.axes={")
    where = "outputs/sweeps/my_sweep"
    shown = f"sweep my_sweep: interrupted | 3/6 points | 3 failed | {where}\n  resume with: {command}\n"
    assert catenary("status").out == shown
    assert catenary("status", f"run_dir={where}").out == shown
    # a record from when a march was the default names no method: the command alone would be refused
    record = folder / where / "sweep.yaml"
    kept = record.read_text(encoding="utf-8")
    record.write_text(kept.replace("    method: operator\n", ""), encoding="utf-8")
    assert catenary("status").out == shown.replace(command, f"{command} periodic.method=march")
    record.write_text(kept, encoding="utf-8")
    # a second study that cannot be read is named, and hides nothing
    broken = folder / "outputs" / "sensitivity" / "broken"
    broken.mkdir(parents=True)
    (broken / "sensitivity.yaml").write_text("sensitivity: 1\n", encoding="utf-8")
    ended = catenary("status")
    assert ended.out == shown
    refused(ended, ["outputs/sensitivity/broken/sensitivity.yaml must be a readable sensitivity study"])


def test_an_interrupted_campaign_is_shown_with_the_command_that_resumes_it(catenary, interrupted):
    ended = catenary(*OPTIMISE)
    assert ended.code == 75 and "Traceback" not in ended.err
    command = ended.err.splitlines()[-1].strip()
    assert command == "catenary optimise experiment=bruni_heights trials=3 cluster=serial"
    first, second = catenary("status").out.splitlines()
    assert first.startswith("campaign bruni_heights: interrupted | 1/3 designs")
    assert second == f"  resume with: {command}"


@pytest.mark.parametrize(
    ("there", "typed", "left"),
    [
        ((), "", "confirmation, off-design table, table of length tolerances and report missing"),
        (("confirmation.json", "report.html"), "", "off-design table, table of length tolerances and report missing"),
        (("confirmation.json", "trust.json", "report.html"), "", "table of length tolerances and report missing"),
        (("confirmation.json", "trust.json"), " trust.length_tolerance.rise_percent=null", "report missing"),
        (("confirmation.json", "trust.json", "report.html"), " trust.length_tolerance.rise_percent=null", None),
        (("confirmation.json", "trust.json", "length_tolerance.json", "report.html"), "", None),
    ],
)
def test_what_follows_a_search_is_named_as_far_as_it_is_missing(tmp_path, there, typed, left):
    content = {"best": {"trial": 7}, "best_trial": 7}
    for name in there:
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    state = Progress(
        name="c", trials=9, state=StudyState.FINISHED, best_trial=7, command=f"catenary optimise campaign=c{typed}"
    )
    assert campaign_in_words(tmp_path, state) == (
        "finished"
        if left is None
        else f"search finished, {left} (give the command that started it again: it makes what is missing)"
    )
    (tmp_path / "finished_runs.jsonl").write_text("{}", encoding="utf-8")
    assert (", from the runs on record)" in campaign_in_words(tmp_path, state)) is (left is not None)


DAMAGED = {
    "no JSON": b"{", "nothing": b"", "zeros": bytes(300), "no text": b"\xff\xfe{}", "deep": b"[" * 100_000,
    "no number": b'{"state": "running", "done": NaN}', "a list": b"[1]", "no state": b"{}",
    "a state of its own": b'{"state": "gone"}',
    "a text for a number": b'{"state": "running", "rate_per_s": "x"}', "a digit": None,
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_status_is_named_and_the_record_is_shown(catenary, folder, interrupted, damage):
    assert catenary(*OPTIMISE).code == 75
    status = folder / "outputs" / "campaigns" / "bruni_heights" / "status.json"
    content = DAMAGED[damage]
    status.write_bytes(status.read_bytes().replace(b'"done": 1', b'"done": 7') if content is None else content)
    ended = catenary("status")
    assert ended.code == 0, ended.err
    first, second = ended.out.splitlines()
    assert first.startswith("campaign bruni_heights: stopped") and "| 1/3 designs" in first
    assert second.startswith("  what the record holds; outputs/campaigns/bruni_heights/status.json must be JSON as a")


def test_a_status_that_is_not_a_file_is_named_and_waited_for_by_nobody(catenary, folder, interrupted):
    assert catenary(*OPTIMISE).code == 75
    status = folder / "outputs" / "campaigns" / "bruni_heights" / "status.json"
    for make in (os.mkfifo, os.mkdir, lambda path: os.symlink(path, path), lambda path: os.symlink("/dev/zero", path)):
        status.unlink() if not status.is_dir() else status.rmdir()
        make(status)
        ended = catenary("status")
        assert ended.code == 0 and "1/3 designs" in ended.out and "  what the record holds;" in ended.out


@pytest.mark.parametrize("gone", [True, False])
def test_a_campaign_whose_record_is_lost_is_named_and_never_started_again(catenary, folder, interrupted, listing, gone):
    assert catenary(*OPTIMISE).code == 75
    place = folder / "outputs" / "campaigns" / "bruni_heights"
    (place / "trials.jsonl").unlink() if gone else (place / "trials.jsonl").write_bytes(b"")
    words = {"status.json": "status.json counts 1", "trials.nc": "trials.nc is in the same folder"}
    for left, other in (("status.json", "trials.nc"), ("trials.nc", "status.json")):  # either one says so
        content = (place / other).read_bytes()
        (place / other).unlink()
        before = listing(folder)
        for command in (OPTIMISE, ("status",), ("report", f"run_dir={place}")):
            ended = catenary(*command)
            refused(ended, [f"bruni_heights/trials.jsonl must hold what was evaluated ({words[left]}): it "])
            assert f"it {'is missing' if gone else 'is empty'}; restore the file, or remove " in ended.err
        assert listing(folder) == before
        (place / other).write_bytes(content)


@pytest.mark.parametrize("typed", ["run_dir=.", "run_dir=nowhere"])
def test_a_folder_without_a_study_is_refused(catenary, folder, typed):
    refused(catenary("status", typed), ["run_dir must be the folder of a campaign, sweep or sensitivity study"])
    assert list(folder.iterdir()) == []


def test_a_folder_alone_is_taken_as_one_and_two_are_refused(catenary, folder, interrupted):
    assert catenary(*OPTIMISE).code == 75
    place = "outputs/campaigns/bruni_heights"
    assert catenary("status", place).out == catenary("status", f"run_dir={place}").out != ""
    refused(catenary("status", place, place), ["status takes one folder"])
    refused(catenary("status", "nowhere"), ["run_dir must be the folder of a campaign, sweep or sensitivity study"])


def test_no_study_at_all_is_said_with_a_command_to_begin(catenary):
    ended = catenary("status")
    assert ended.code == 0 and ended.out.startswith("Nothing to show under outputs/. Start a campaign: catenary")


def test_the_page_of_help_names_every_kind_of_study(catenary):
    page = catenary("status", "--help").out
    for words in ("campaigns, sweeps and sensitivity studies", "run_dir=outputs/sensitivity/mine", "resumes a study"):
        assert " ".join(words.split()) in " ".join(page.split())
