"""Every row of the notebook's tables of results names what reproduces it."""

import re
import shlex
from pathlib import Path

import pytest

from studies import cli

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs" / "notebook"
LAST_COLUMN = {"validation": "reproduced by", "speed": "reproduced by", "faults": "test"}
TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)


def rows_of(page, text):
    """Rows of the page's table of results: cells by heading."""
    last = LAST_COLUMN[page]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    head, _, *body = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert head[-1] == last and body, f"the table of {page} must end with the column {last}"
    yield from (dict(zip(head, cells, strict=True)) for cells in body)


def reproducers(pages):
    """Commands and tests that the rows name, each once; ``pages`` has each page's text by its name."""
    found = []
    for page, text in pages.items():
        for row in rows_of(page, text):
            named = re.findall(r"`([^`]+)`", row[LAST_COLUMN[page]])
            assert named, f"this row of {page} names nothing that reproduces it: {next(iter(row.values()))}"
            found += named
    return list(dict.fromkeys(found))


def fault_of_path(path):
    """What is wrong with a path of tests; None where tests are there."""
    return None if (ROOT / path).exists() else f"{path} is not there"


def fault_of_test(words):
    """What is wrong with a path of tests, perhaps with -k and part of a name."""
    path, *rest = words
    if fault := fault_of_path(path):
        return fault
    if not rest:
        return None
    if len(rest) != 2 or rest[0] != "-k":
        return f"a test must be a path, or a path and -k NAME: got {' '.join(words)}"
    names = re.findall(r"^def (test_\w+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    return None if any(rest[1] in name for name in names) else f"{path} has no test with {rest[1]} in its name"


def fault_of_make(words):
    """What is wrong with a target of make and its settings."""
    targets = TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8"))
    if words[0] not in targets:
        return f"make has no target {words[0]}"
    paths = [word.partition("=")[2] for word in words[1:]]
    return next((fault for fault in map(fault_of_path, paths) if fault), None)


def fault_of(line):
    """What is wrong with a thing that a row names; None where it can be run."""
    program, *words = shlex.split(line)
    if program == "make":
        return fault_of_make(words)
    if program == "catenary":
        return None if cli.main([*words, "--cfg", "job"]) == cli.DONE else f"catenary does not understand {line}"
    return fault_of_test([program, *words])


PAGES = {page: (NOTEBOOK / f"{page}.md").read_text(encoding="utf-8") for page in LAST_COLUMN}


@pytest.mark.parametrize("line", reproducers(PAGES))
def test_what_a_row_names_is_there(line, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    fault = fault_of(line)
    assert fault is None, f"{fault}: {capfd.readouterr().err}"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("tests/chaos/test_gone.py", "is not there"),
        ("tests/chaos/test_no_workers.py -k nobody", "no test with nobody"),
        ("make gone", "no target gone"),
        ("make bench BENCH=tests/gone", "tests/gone is not there"),
        ("catenary validate only=gone", "does not understand"),
        ("catenary gone", "does not understand"),
    ],
)
def test_what_is_not_there_is_found(line, fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert fault in (fault_of(line) or "nothing")


def test_a_row_that_names_nothing_is_found():
    with pytest.raises(AssertionError, match="names nothing that reproduces it"):
        reproducers({"validation": PAGES["validation"].replace("`catenary validate`", "somebody")})
