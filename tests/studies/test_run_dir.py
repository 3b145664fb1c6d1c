"""Folders that cannot be, or that no library can write to, are refused before anything is written."""

import errno
import os
import shlex

import pytest
from refusal import refused
from small_runs import BRUNI, FEW_CONDITIONS, SMALL_SEARCH, SMALL_WINDOW

from studies.commands import lines as lines_command

SHORT = (*BRUNI, *SMALL_WINDOW, "transient.spans_evaluated=4")

IMPOSSIBLE = {
    "": "name one, or leave run_dir out",
    "' '": "name one, or leave run_dir out",
    "~": "only a shell takes ~ for the home folder",
    "~/runs": "only a shell takes ~ for the home folder",
    "a\\b": "the netCDF library takes a backslash for a divider of folders",
    "a\nb": "a name has no control characters",
    "\x1b[2J": "a name has no control characters",
    "file/below": "file is a file",
    "pipe/below": "pipe is a file",
    "to_nothing": "to_nothing is a link to nothing",
    "to_nothing/below": "to_nothing is a link to nothing",
    "loop": "loop is a link to nothing",
    "x" * 300: "the name is too long for this system",
    "/".join(40 * ["y" * 100]): "the name is too long for this system",
}
COMMANDS = {
    "simulate": SHORT,
    "optimise": (*BRUNI, *SMALL_SEARCH),
    "sweep": (*BRUNI, "sweep.axes={speed_kmh:[200,210]}"),
    "sensitivity": (*BRUNI, "inputs=twelve_bruni"),
    "export": BRUNI,
    "validate": (),
    "certificates": (),
}


@pytest.fixture
def traps(folder):
    """A folder with what stands in the way of a run's."""
    (folder / "file").write_text("mine")
    (folder / "to_nothing").symlink_to("nowhere/there")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.mark.parametrize("study", COMMANDS)
def test_a_folder_that_cannot_be_is_refused(catenary, traps, study):
    before = sorted(traps.rglob("*"))
    for run_dir, why in IMPOSSIBLE.items():
        ended = catenary(study, *COMMANDS[study], f"run_dir={run_dir}")
        refused(ended, ["1 problem in the input, nothing was written", "run_dir must be a folder that", why])
        assert len(ended.err) < 1000 and "\x1b" not in ended.err
        assert sorted(traps.rglob("*")) == before


def test_no_run_begins_where_results_could_not_be_written(catenary, folder, monkeypatch):
    inside = folder / "back\\slash"
    inside.mkdir()
    monkeypatch.chdir(inside)
    refused(catenary("simulate", *SHORT), ["takes a backslash for a divider"])
    assert list(inside.iterdir()) == []


@pytest.mark.parametrize("name", ["größe 中 😀", "a b $HOME;'\" &", "-x=y#z,[0]", "a::b", "http:x?y"])
def test_a_folder_with_any_other_name_is_written_and_read(catenary, folder, name):
    ended = catenary("simulate", *SHORT, f"run_dir={name}")
    assert ended.code == 0, ended.err
    assert (folder / name / "result.nc").is_file()
    ended = catenary("report", f"run_dir={name}")
    assert ended.code == 0, ended.err


def test_the_next_commands_can_be_copied_whatever_the_folder_is_called(catenary, folder):
    """A shell takes spaces, quotes and dollars of a path apart."""
    ended = catenary("optimise", *BRUNI, *SMALL_SEARCH, *FEW_CONDITIONS, "trials=2", "run_dir=my $HOME runs")
    assert ended.code == 0, ended.err
    commands = [shlex.split(line) for line in ended.out.partition("Next:\n")[2].splitlines()]
    assert [words[:2] for words in commands] == [["catenary", "simulate"], ["catenary", "export"]]
    for words in commands:
        assert words[2:] == ["catenary=my $HOME runs/best_design.yaml"]
        assert catenary(*words[1:], "--cfg", "job").code == 0


def test_a_current_folder_that_was_deleted_is_said(catenary, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ended = catenary("status")
    assert ended.code == 2 and "the current folder must exist: it was deleted" in ended.err


@pytest.mark.parametrize(
    ("begun", "outcome"), [(False, "nothing was written"), (True, "what was written before stays")]
)
def test_a_fault_of_the_system_does_not_deny_what_was_written(catenary, monkeypatch, begun, outcome):
    def fails(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "somewhere")

    monkeypatch.setattr(lines_command, "run" if begun else "compose", fails)
    ended = catenary("lines")
    assert ended.code == 2 and "somewhere: Permission denied" in ended.err and outcome in ended.err
