"""Every row of the README's tables of results names what reproduces it, and quotes the gates as their file has them."""

import re
import shlex
from pathlib import Path

import pytest

from studies import cli
from studies.validation.gates.gates import load_gates

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = {"Validation": "reproduced by", "Speed": "reproduced by", "Faults": "test"}
TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def rows_of(text):
    """Rows of the tables of results: (section, cells by heading)."""
    for section, last in SECTIONS.items():
        block = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert block, f"the README has no section {section}"
        lines = [line for line in block.group(1).splitlines() if line.startswith("|")]
        head, _, *body = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        assert head[-1] == last and body, f"the table of {section} must end with the column {last}"
        yield from ((section, dict(zip(head, cells, strict=True))) for cells in body)


def reproducers(text):
    """Commands and tests that the rows name, each once."""
    found = []
    for section, row in rows_of(text):
        named = re.findall(r"`([^`]+)`", row[SECTIONS[section]])
        assert named, f"this row of {section} names nothing that reproduces it: {next(iter(row.values()))}"
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


README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", reproducers(README))
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
        reproducers(README.replace("`catenary validate`", "somebody"))


def reference_of(start):
    """Text of what a row of the validation says, and its numbers of the reference."""
    (row,) = [row for _, row in rows_of(README) if row.get("what", "").startswith(start)]
    return row["what"], [float(n) for n in NUMBER.findall(row["reference"])]


@pytest.mark.parametrize(
    ("start", "speed"),
    [("`bruni_2015`, mean force", 230), ("the same at 275", 275), ("the same at 320 km/h, app", 320)],
)
def test_printed_mean_forces_are_those_of_the_gates(start, speed):
    gate = load_gates().mean_force
    rows = [row for row in gate.rows if row.speed_kmh == speed and row.dimension == "planar"]
    what, reference = reference_of(start)
    assert [float(n) for n in re.findall(r"\d+\.\d+", what)] == [row.applied_force_N for row in rows]
    assert reference == [rows[0].expected_N, gate.tolerance_N]


def test_printed_applied_forces_are_those_of_the_gates():
    gate = load_gates().applied_force
    for start, run in zip(
        ("the same, one pantograph, at 10", "applied force for", "the same with two"), gate.runs, strict=True
    ):
        printed = [force for row in run.rows for forces in row.printed_N for force in forces]
        assert reference_of(start)[1] == [*printed, gate.tolerance_N]


def test_printed_elasticities_and_ranges_are_those_of_the_gates():
    gates = load_gates()
    elasticity = gates.elasticity
    first, second = (row.expected_mm_per_N for row in elasticity.rows[:2])
    assert reference_of("`bruni_2015`, span mean")[1] == [first, elasticity.tolerance_percent]
    assert reference_of("the same at 200 N")[1] == [second, elasticity.tolerance_percent]
    assert reference_of("the same in space at 100 and")[1] == [first, second, elasticity.tolerance_percent]
    beside = {row.speed_kmh: list(row.contact_force_std_N) for row in gates.beside.rows}
    assert reference_of("`bruni_2015`, σ at 275 km/h (beside")[1] == beside[275.0]
    assert reference_of("the same at 320 km/h (beside")[1] == beside[320.0]
