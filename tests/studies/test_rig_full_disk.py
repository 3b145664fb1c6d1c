"""A rig test whose disk is full when it ends: everything is still said, and its journal is still read."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from dynamics.results.dataset import read_result
from dynamics.rig.service.journal import read_journal
from studies.rig import served_run
from studies.writing.run_folder import RunFolder

DRY = (
    "dry_run=true", "duration_s=4", "loop.ramp_s=1", "loop.strategy=span_by_span", "loop.delay_steps=8",
    "loop.height_harmonics=12", "loop.dropper_harmonics=all", "loop.contact_relaxation=0.1",
)  # fmt: skip
FULL = "could not be written: No space left on device. run/run.journal holds the record of "
READS = "`catenary rig compare prediction=... measured=run` reads that"


def said_at_the_end(ended):
    """What is counted and why it ended, which no disk keeps from the terminal."""
    assert "In the test 0 of" in ended.out and "forces (0.0 %, judged against 5 %) had a substitute" in ended.out
    assert "Of all datagrams 0 were repeated" in ended.out
    assert "Contact force, mean of the last" in ended.out and "The test ran to its end after" in ended.out
    assert "run it again" not in ended.err and "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("word", "missing", "there"),
    [(".run.", "run.nc", ["run.journal", "summary.json", "figures/"]),
     (".summary.", "summary.json", ["run.journal", "run.nc", "figures/"]),
     (".force_by_span.", "figures/", ["run.journal", "run.nc", "summary.json"])],
)  # fmt: skip
def test_what_the_disk_does_not_take_hides_nothing_else(catenary, bundle, folder, broken, word, missing, there):
    broken(word)
    ended = catenary("rig", "serve", f"bundle={bundle}", *DRY, "run_dir=run")
    said_at_the_end(ended)
    assert ended.code == 1 and f"{missing} {FULL}all" in ended.err and READS in ended.err, ended.err
    assert f"Wrote to run/ ({', '.join(there)})" in ended.out
    assert sorted(p.name for p in (folder / "run").iterdir() if p.name in ("run.nc", "summary.json")) == sorted(
        name for name in there if name in ("run.nc", "summary.json")
    )


def test_the_journal_of_such_a_test_is_read_by_the_command_that_is_named(catenary, bundle, folder, broken):
    """Without run.nc and summary.json a comparison says of it what it says of a test that has them."""
    assert catenary("rig", "serve", f"bundle={bundle}", *DRY, "run_dir=whole").code == 0
    broken(".run.")
    assert catenary("rig", "serve", f"bundle={bundle}", *DRY, "run_dir=run").code == 1
    broken("")
    (folder / "run" / "summary.json").unlink()
    ended = catenary("rig", "compare", "prediction=whole", "measured=run", "run_dir=compared")
    assert ended.code == 0, ended.err
    found = json.loads((folder / "compared" / "comparison.json").read_text(encoding="utf-8"))
    assert found["curve_difference_largest_N"] == 0.0 and found["measured"]["contact_force_std_N"] > 0.0
    kept, (_, columns) = read_result(folder / "whole" / "run.nc").values, read_journal(folder / "run" / "run.journal")
    np.testing.assert_array_equal(columns["force"], kept["force"])


def test_a_test_too_short_to_be_compared_names_no_command_that_would_refuse_it(catenary, bundle, broken):
    broken(".run.")
    ended = catenary("rig", "serve", f"bundle={bundle}", *DRY, "duration_s=1", "run_dir=run")
    assert ended.code == 1 and f"run.nc {FULL}all" in ended.err and "fewer than the" in ended.err
    assert READS not in ended.err


def test_a_journal_that_may_have_lost_its_end_fails_the_test_that_it_holds(catenary, bundle, broken):
    broken("run.journal")
    ended = catenary("rig", "serve", f"bundle={bundle}", *DRY, "run_dir=run")
    said_at_the_end(ended)
    assert ended.code == 1 and "run.journal may have lost its end: No space left on device" in ended.err


def test_on_a_disk_without_a_page_left_everything_is_said(catenary, bundle, folder, monkeypatch):
    """The log does not take a line either; the ballast comes with the end of the test."""
    place = folder / "disk"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(place)], capture_output=True, check=False
    )
    if done.returncode:  # under CI too: whether the kernel lets a container mount is not up to the tests
        pytest.skip("a real full disk needs the right to mount one, as root has")
    finish = served_run.finish

    def filled(folder: RunFolder, *arguments):
        disk = os.statvfs(place)
        with open(place / "ballast", "wb") as ballast:
            os.posix_fallocate(ballast.fileno(), 0, disk.f_bavail * disk.f_frsize)
        with open(Path(folder.path) / "rig_serve.log", "ab") as log:  # its last page is full, too
            log.write(bytes(-log.tell() % disk.f_frsize))
        return finish(folder, *arguments)

    monkeypatch.setattr(served_run, "finish", filled)
    monkeypatch.chdir(place)
    try:
        ended = catenary("rig", "serve", f"bundle={bundle}", *DRY, "run_dir=run")
    finally:
        monkeypatch.chdir(folder)
        subprocess.run(["umount", "--lazy", str(place)], check=True)
    said_at_the_end(ended)
    assert ended.code == 1 and f"run.nc, summary.json, figures/ {FULL}all" in ended.err, ended.err
    assert "Wrote to run/ (run.journal)" in ended.out
