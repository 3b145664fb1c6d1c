"""Sweeps and sensitivity studies given what they cannot use, stopped, and without a single figure."""

import errno
import os
import signal
from pathlib import Path

import pytest
from refusal import refused

from dynamics.steady_state.continuation import Continuation
from dynamics.steady_state.nearest_start import NearestStart
from optimise.record.json_lines import checked_line
from studies.writing.run_folder import RunFolder

SWEEP = ("sweep", "array=speed_bruni", "sweep.name=s", "cluster=serial", "error_estimate=false")
AXES = "sweep.axes={contact.stiffness:[50e3,60e3],speed_kmh:[200,220]}"
SENSITIVITY = (
    "sensitivity", "inputs=twelve_bruni", "sensitivity.name=s", "cluster=serial", "speed_kmh=200",
    "sensitivity.methods=[sobol,morris,local]", "sensitivity.sobol.samples=8", "sensitivity.morris.trajectories=4",
    "sensitivity.inputs={contact.stiffness:{low:40e3,high:60e3},catenary.damping.alpha:{low:0.05,high:0.15}}",
    "catenary.damping.alpha=0.1",
)  # fmt: skip
KINDS = pytest.mark.parametrize(
    ("typed", "where"),
    [((*SWEEP, AXES), "outputs/sweeps/s"), (SENSITIVITY, "outputs/sensitivity/s")],
    ids=["sweep", "sensitivity"],
)


@pytest.fixture
def unsolved(monkeypatch):
    """No steady state anywhere; the one of a number, counted from here, is a Ctrl-C."""
    calls, stop = [], []

    def start(self, place):
        calls.append(place)
        if stop and len(calls) == stop[0]:
            raise KeyboardInterrupt
        raise RuntimeError("no state")

    for policy in (Continuation, NearestStart):
        monkeypatch.setattr(policy, "start", start)

    def stops(number):
        calls.clear()
        stop[:] = [number]

    return stops


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ("{speed_kmh:[nan,250]}", "sweep.axes.speed_kmh[0] must be a number: got nan on"),
        ("{speed_kmh:250}", "speed_kmh: must be a list, as [250,300], or a range, as {low:250,high:300,number:6}"),
        ("{speed_kmh:{low:300,high:200,number:3}}", "speed_kmh.high must be greater than low: got 300 to 200 on"),
        ("{speed_kmh:{low:nan,high:200,number:3}}", "sweep.axes.speed_kmh.low must be a number: got nan on"),
        ("{speed_kmh:{low:200,high:300,number:1}}", "speed_kmh.number must be between 2 and 1000: got 1 on"),
        ("{speed_kmh:{low:200,high:300,number:3,step:4}}", "speed_kmh.step is not a known key on the command line"),
        ("5", "sweep.axes must be a block of keys: got 5 on"),
        ("{catenary.schema_version:[1,2]}", "catenary.schema_version must be 1: got 2"),
    ],
)
def test_what_is_wrong_with_an_axis_is_said_once_by_its_own_name(catenary, folder, axes, sentence):
    ended = catenary(*SWEEP, f"sweep.axes={axes}")
    refused(ended, ["1 problem in the input", sentence])
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ("catenary.damping.alpha:{low:1e-3,high:0.5,spacing:log}", "damping.alpha must be above 0 in this case where"),
        ("catenary.damping.alpha:{low:0,high:0.5}", "alpha must be greater than or equal to 0: got -0.0125"),
        ("catenary.mesh.elements_per_bay:{low:2,high:6}", "must be a number that may be broken: it is a whole one"),
        ("pantograph.masses.9:{low:2,high:6}", "sensitivity.inputs must name numbers that this case has"),
        ("contact.stiffness:{low:nan,high:6e4}", "contact.stiffness.low must be a number: got nan on"),
    ],
)
def test_ranges_that_cannot_be_spread_are_refused_in_a_sentence(catenary, folder, inputs, sentence):
    typed = f"sensitivity.inputs={{speed_kmh:{{low:190,high:210}},{inputs}}}"
    refused(catenary(*SENSITIVITY, typed, "catenary.damping.alpha=0"), [sentence])
    assert list(folder.iterdir()) == []


@KINDS
def test_a_study_stopped_by_ctrl_c_continues_and_without_any_figure_ends_with_its_reasons(
    catenary, folder, unsolved, typed, where
):
    unsolved(4)
    ended = catenary(*typed)
    assert ended.code == 75 and "Traceback" not in ended.err and "the same command resumes" in ended.err
    kept = Path(where, "points.jsonl").read_bytes() if Path(where, "points.jsonl").exists() else b""
    assert [p for p in Path(where).iterdir() if p.suffix in (".nc", ".html", ".csv")] == []
    unsolved(0)
    ended = catenary(*typed)
    assert ended.code == 1 and "Traceback" not in ended.err, ended
    assert "points have no figures: RuntimeError: no state" in ended.out
    assert Path(where, "points.jsonl").read_bytes().startswith(kept)
    assert Path(where, "report.html").is_file() and Path(where, "result.nc").is_file()
    assert f": finished | {'4/4' if 'sweeps' in where else '53/53'} points" in catenary("status").out
    Path(where, "points.jsonl").write_bytes(b"")
    for command in (typed, ("status",)):
        refused(
            catenary(*command),
            [f"{where}/points.jsonl must hold what was evaluated (status.json counts ", "it is empty"],
        )


@KINDS
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_study_stopped_behind_its_points_says_how_to_resume(
    catenary, folder, unsolved, monkeypatch, typed, where, sent
):
    monkeypatch.setattr(RunFolder, "__init__", lambda *_: os.kill(os.getpid(), sent))
    ended = catenary(*typed)
    assert ended.code == 75, ended
    said, command = ended.err.splitlines()
    assert f"was interrupted: every point that was evaluated is on record in {where}, points, results or report" in said
    assert command.startswith(f"  catenary {typed[0]} ")


@KINDS
def test_a_folder_that_holds_something_else_or_is_damaged_is_refused_and_left_as_it_is(
    catenary, folder, unsolved, typed, where
):
    study = typed[0]
    taken = folder / "taken"
    taken.mkdir()
    (taken / "campaign.yaml").write_text("a: 1\n", encoding="utf-8")
    (taken / "file").write_text("", encoding="utf-8")
    refused(catenary(*typed, "run_dir=taken"), [f"must be a new, empty or {study} folder: taken holds other files"])
    refused(catenary(*typed, "run_dir=taken/file"), ["taken/file is a file"])
    broken = folder / "broken"
    broken.mkdir()
    for content in (b"a: [1\n", b"\xff\xfe", b"a: !!python/object:os.system {}\n"):
        (broken / f"{study}.yaml").write_bytes(content)
        refused(catenary(*typed, "run_dir=broken"), [f"broken/{study}.yaml must be readable; restore it or use"])
        assert sorted(p.name for p in broken.iterdir()) == [f"{study}.yaml"]
    unsolved(2)
    assert catenary(*typed).code == 75
    record = Path(where, "points.jsonl")
    for content, line in ((checked_line({"trial": 1}), 1), (b"x\n" + checked_line({"strand": 0, "points": []}), 1)):
        record.write_bytes(content)
        refused(catenary("status"), ["points.jsonl must hold the points that were written", f"line {line}"])
        assert record.read_bytes() == content
        ended = catenary(*typed)
        refused(ended, ["points.jsonl must hold the points that were written", f"line {line}", "0 points of it can"])
        assert "nothing was written" not in ended.err
        (kept,) = record.parent.glob("points.jsonl.damaged-*")
        assert kept.read_bytes() == content and not record.exists()
        kept.unlink()


@KINDS
@pytest.mark.parametrize("word", ["status.json", "points.jsonl", "result.nc", "report.html"])
def test_a_disk_that_takes_no_file_ends_with_75_leaves_no_half_file_and_continues(
    catenary, folder, unsolved, monkeypatch, typed, where, word
):
    fsync, full = os.fsync, [True]

    def failing(handle):
        name = Path(os.readlink(f"/proc/self/fd/{handle}")).name
        if full and Path(word).stem in name:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", failing)
    ended = catenary(*typed)
    assert ended.code == 75 and "Traceback" not in ended.err, ended
    assert f"{word} could not be written" in ended.err and "the same command resumes" in ended.err
    assert [p for p in Path(where).rglob(".*") if p.is_file() and p.name != ".driver.lock"] == []
    if word in ("status.json", "points.jsonl"):
        assert not Path(where, "points.jsonl").exists() or Path(where, "points.jsonl").stat().st_size == 0
        return
    full.clear()
    assert catenary(*typed).code == 1 and Path(where, "report.html").is_file()
