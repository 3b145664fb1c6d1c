"""How a sweep or a sensitivity study stands, read by others while its driver works, after it stopped, at its end."""

import dataclasses
import json
import os
import socket

import cheap_sensitivity
import cheap_sweep
import pytest

from catenary.errors import InputError
from optimise.parameter_study.progress import ParameterStudyProgress, points_line
from optimise.parameter_study.sensitivity import run_sensitivity
from optimise.parameter_study.status import read_parameter_study_status
from optimise.parameter_study.sweep import SweepFolder, run_sweep
from optimise.record import status_file
from optimise.record.driver_lock import Interrupted
from optimise.record.status_file import StudyState
from optimise.search.progress import rate_in_words


def sweep(case, folder, evaluate=cheap_sweep.plane_with_holes, **how):
    return run_sweep(cheap_sweep.sweep_of(cheap_sweep.AXES), case, folder, evaluate=evaluate, command="resume", **how)


def sensitivity(case, folder, evaluate=cheap_sensitivity.ishigami_with_holes, **how):
    study = cheap_sensitivity.study_of(methods=["sobol"], sobol={"samples": 64, "resamples": 50})
    return run_sensitivity(study, case, folder, evaluate=evaluate, command="resume", **how)


def contents(folder):
    return {f.name: (f.stat().st_mtime_ns, f.read_bytes()) for f in folder.iterdir()}


@pytest.mark.parametrize(("study", "run", "points"), [("sweep", sweep, 12), ("sensitivity", sensitivity, 320)])
def test_a_study_is_counted_from_its_record_before_and_behind_an_interruption(
    tmp_path, case, study, run, points, monkeypatch
):
    monkeypatch.setattr(status_file, "SECONDS_BETWEEN_WRITES", 0.0)
    seen = []

    def look(progress):
        before = contents(tmp_path)
        seen.append((progress, read_parameter_study_status(tmp_path)))
        assert contents(tmp_path) == before, "status only reads"
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        run(case, tmp_path, progress=look)
    for progress, read in seen:
        assert (read.study, read.name, read.state, read.command) == (study, "test", "running", "resume")
        counts = (read.points, read.done, read.failed)
        assert counts == (progress.points, progress.done, progress.failed) and read.done < points
    assert seen[-1][0].rate_per_s > 0.0 and seen[-1][0].time_left_s > 0.0
    assert seen[-1][1].rate_per_s == seen[-1][0].rate_per_s and seen[-1][1].time_left_s > 0.0
    stopped = read_parameter_study_status(tmp_path)
    assert stopped.state == "interrupted" and stopped.rate_per_s is None and stopped.command == "resume"
    assert stopped.done == seen[-1][0].done
    gone_on = []
    run(case, tmp_path, progress=gone_on.append)
    ended = read_parameter_study_status(tmp_path)
    assert (ended.state, ended.done, ended.points, ended.failed) == ("finished", points, points, 2)
    assert gone_on[-1].failed == 2 and gone_on[-1].done == points, "those of the first run are among them"


def test_a_driver_that_is_gone_has_stopped_and_a_line_that_is_being_written_is_not_counted(tmp_path, case):
    sweep(case, tmp_path)
    place = SweepFolder(tmp_path)
    content = place.record.read_bytes()
    place.record.write_bytes(content[:-30])  # as a reader may see it in the middle of the last line
    place.status_json.write_text('{"state": "running", "rate_per_s": 3.0}')
    assert (read_parameter_study_status(tmp_path).state, read_parameter_study_status(tmp_path).done) == ("stopped", 9)
    place.lock.write_text(json.dumps({"host": socket.gethostname(), "process": os.getpid(), "mark": "x"}))
    assert (read_parameter_study_status(tmp_path).state, read_parameter_study_status(tmp_path).rate_per_s) == (
        "running",
        3.0,
    )
    place.lock.write_text("")
    place.status_json.unlink()
    assert read_parameter_study_status(tmp_path).state == "stopped"
    assert place.record.read_bytes() == content[:-30]
    with pytest.raises(InputError, match="folder of a campaign, sweep or sensitivity study"):
        read_parameter_study_status(tmp_path / "nowhere")


def test_the_wall_time_of_earlier_runs_counts(tmp_path, case):
    sweep(case, tmp_path)
    place = SweepFolder(tmp_path)
    for before, least in (('{"state": "finished", "wall_time_s": 100.0}', 100.0), ("no JSON", 0.0)):
        place.status_json.write_text(before)
        sweep(case, tmp_path)
        assert least <= json.loads(place.status_json.read_text())["wall_time_s"] < least + 100.0


@pytest.mark.parametrize(
    ("per_s", "words"),
    [(None, "rate -"), (2.5, "2.5 per s"), (0.05, "3.0 per min"), (0.01, "36.0 per h"), (0.0, "0.0 per h")],
)
def test_a_slow_rate_is_not_rounded_to_none(per_s, words):
    assert rate_in_words(per_s) == words


def test_the_line_has_a_rate_only_while_points_come():
    running = ParameterStudyProgress(
        study="sweep", name="s", points=40000, done=10, failed=1, rate_per_s=2.5, time_left_s=15996.0
    )
    assert points_line(running) == "10/40000 points | 2.5 per s | 1 failed | time left 4:26:36"
    begun = ParameterStudyProgress(study="sweep", name="s", points=40)
    assert points_line(begun) == "0/40 points | rate - | 0 failed | time left -"
    assert points_line(dataclasses.replace(running, state=StudyState.STOPPED)) == "10/40000 points | 1 failed"
