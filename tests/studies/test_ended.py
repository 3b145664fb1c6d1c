"""How a command ends that cannot do its work: in a sentence, and with nothing lost that helps to correct it."""

import re
from pathlib import Path

import pytest

from studies import ended
from studies.commands import simulate


@pytest.fixture
def failing(monkeypatch):
    """Function that lets `catenary simulate` fail with an error."""

    def fail_with(error):
        def run(composed):
            raise error

        monkeypatch.setattr(simulate, "run", run)

    return fail_with


def test_an_error_that_nobody_planned_is_a_sentence_and_its_traceback_is_in_a_file(
    catenary, failing, tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    failing(KeyError("spam \x1b[2J"))
    found = catenary("simulate", "speed_kmh=250")
    assert found.code == 1 and "Traceback" not in found.err and "\x1b" not in found.err
    assert "catenary simulate speed_kmh=250: an error of the program itself, KeyError: 'spam" in found.err
    assert re.search(r"\(in _run, studies/cli.py line \d+\)", found.err)
    file = Path(re.search(r"Please report it with (\S+),", found.err)[1])
    kept = file.read_text(encoding="utf-8")
    assert file.parent == tmp_path and kept.startswith("catenary simulate speed_kmh=250\n")
    assert "Traceback (most recent call last)" in kept and "raise error" in kept and "KeyError" in kept


def test_a_traceback_that_no_file_takes_is_printed(catenary, failing, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    failing(KeyError("spam"))
    assert "Traceback (most recent call last)" in catenary("simulate").err


def test_a_developer_sees_the_traceback(catenary, failing, monkeypatch):
    monkeypatch.setenv(ended.TRACEBACK, "1")
    failing(KeyError("spam"))
    with pytest.raises(KeyError):
        catenary("simulate")


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(12, "Cannot allocate memory", "some.so"),
        ImportError("libx.so: failed to map segment from shared object"),
        RuntimeError("can't start new thread"),
    ],
    ids=["array", "system", "library", "thread"],
)
def test_memory_that_ends_is_said(catenary, failing, error):
    failing(error)
    found = catenary("simulate")
    assert found.code == 1 and found.err.count("\n") == 1
    assert "the memory that this process may have is used up" in found.err
    assert "ended by" not in found.err and "Traceback" not in found.err


def test_a_terminal_without_greek_letters_ends_nothing(console, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    shown = console("simulate", "catenary.description='σ of the wire'", "--cfg", "job")
    assert shown.code == 0 and "description: \\u03c3 of the wire" in shown.out
