"""`catenary validate`: verdicts, exit code and what it writes, on gates cut down to one quick run."""

import dataclasses
import json

import pytest

from catenary.storage.provenance import commit, machine
from dynamics.solution import solve
from dynamics.spec.status import Status
from studies.validation.en50318 import acceptance_case
from studies.validation.formulations import Run, difference_rows, runs_of
from studies.validation.gates import gates as gates_module
from studies.validation.gates.gates import GatesSpec, load_gates


@pytest.fixture(scope="module")
def solution():
    """The standard's case at 300 km/h, solved once."""
    return solve(acceptance_case(load_gates().acceptance, 300.0))


def cut_gates(**known):
    """Gates of the standard's case at 300 km/h in the plane alone; causes by quantity."""
    content = load_gates().model_dump()
    content["acceptance"]["dimensions"] = ["planar"]
    content["acceptance"]["speeds"] = [s for s in content["acceptance"]["speeds"] if s["speed_kmh"] == 300.0]
    for row in content["acceptance"]["speeds"][0]["rows"]:
        if row["quantity"] in known:
            row["known_miss"] = {"planar": known[row["quantity"]]}
    return GatesSpec.model_validate(content)


@pytest.fixture
def validate(catenary, monkeypatch, solution):
    """The command, its gates cut down, its solver giving what it has to."""

    def run(gates=None, *more, **statistics):
        monkeypatch.setattr("studies.commands.validate.load_gates", lambda: gates or cut_gates())
        leading = dataclasses.replace(
            solution.leading, statistics=dataclasses.replace(solution.statistics, **statistics)
        )
        found = dataclasses.replace(solution, pantographs=(leading,))
        monkeypatch.setattr("studies.validation.en50318.solve", lambda case: found)
        return catenary("validate", "only=en50318", "run_dir=run", *more)

    return run


def test_rows_are_printed_written_and_drawn(validate, folder):
    ended = validate()
    assert ended.code == 0, ended
    assert "All gates are met." in ended.out and "Interpretation: ten spans" in ended.out
    assert ended.out.count("   met\n") == 8
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["verdicts"] == {"met": 8, "MISSED": 0, "known": 0, "printed": 0}
    (found,) = summary["comparisons"]
    sigma = found["rows"][1]
    assert sigma["quantity"] == "standard deviation σ" and sigma["allowed"] == [32.0, 40.0]
    assert sigma["references"] == [
        {"source": "PACDIN", "printed": "34.0"},
        {"source": "PantoCat", "printed": "34.3"},
    ]
    assert 32.0 <= sigma["here"] <= 40.0
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "8 of 8 gates are met" in page and "PACDIN 57.5/63.0/58.9, PantoCat 60.0" in page
    assert 'id="en50318_planar_300"' in page
    assert (folder / "run" / "figures" / "en50318_planar_300.png").stat().st_size > 5_000
    assert (folder / "run" / ".hydra" / "config.yaml").exists() and (folder / "run" / "validate.log").exists()


def test_figures_without_a_gate_are_called_no_proof(catenary, monkeypatch, folder):
    content = load_gates().model_dump()
    content["ln2"] |= {"numerical": (), "assumptions": content["ln2"]["assumptions"][:1]}
    monkeypatch.setattr("studies.commands.validate.load_gates", lambda: GatesSpec.model_validate(content))
    ended = catenary("validate", "only=ln2", "run_dir=run")
    assert ended.code == 0, ended
    assert "No gate is among these figures" in ended.out and "gates are met" not in ended.out
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "No gate is among these 7 figures" in page and "gates are met" not in page


def test_the_tables_are_pages_of_the_documentation(validate, folder):
    assert validate(None, "tables=results").code == 0
    (page,) = (folder / "results").iterdir()
    text = page.read_text(encoding="utf-8")
    assert page.name == "validation_en50318.md" and text.startswith("# EN 50318:2002")
    assert "`catenary validate only=en50318 tables=docs/results` wrote this page" in text
    assert f"| {machine()} | " in text and f" | `{commit()}` |" in text
    sigma = next(line for line in text.splitlines() if line.startswith("| standard deviation σ"))
    cells = [cell.strip() for cell in sigma.strip("|").split("|")]
    assert cells[2:4] == ["PACDIN 34.0, PantoCat 34.3", "32.0 to 40.0"] and cells[5:7] == ["N", "met"]
    assert 32.0 <= float(cells[4]) <= 40.0


def test_tables_that_cannot_be_written_are_refused_before_any_run(validate, folder):
    (folder / "results").write_text("a file", encoding="utf-8")
    ended = validate(None, "tables=results")
    assert ended.code == 2 and "tables must be a folder" in ended.err and not (folder / "run").exists()


@pytest.mark.parametrize("broken", [{"contact_force_std_N": 41.0}, {"contact_force_mean_N": float("nan")}])
def test_a_broken_value_turns_the_exit_code(validate, folder, broken):
    ended = validate(**broken)
    assert ended.code == 1
    assert ended.out.count("   MISSED") == 1 and "1 gate(s) missed." in ended.out
    assert "The program misses a gate: " in (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))["verdicts"]["MISSED"] == 1


def test_a_known_miss_carries_its_cause_and_does_not_gate(validate):
    ended = validate(cut_gates(contact_force_std_N="for this test"), contact_force_std_N=41.0)
    assert ended.code == 0, ended
    assert "   known; for this test" in ended.out


def test_a_cause_that_outlives_its_miss_gates(validate):
    ended = validate(cut_gates(contact_force_std_N="for this test"))
    assert ended.code == 1
    assert "remove its known_miss" in ended.out


def test_a_solver_that_fails_misses_every_gate(catenary, monkeypatch, solution):
    nothing = dataclasses.replace(solution.leading, statistics=None)
    failed = dataclasses.replace(solution, pantographs=(nothing,), status=Status.DIVERGED, message="at 1.0 s")
    monkeypatch.setattr("studies.commands.validate.load_gates", cut_gates)
    monkeypatch.setattr("studies.validation.en50318.solve", lambda case: failed)
    ended = catenary("validate", "only=[en50318]", "run_dir=run")
    assert ended.code == 1
    assert ended.out.count("   MISSED; ") == 8 and ended.out.count("at 1.0 s") >= 8


@pytest.mark.parametrize("typed", ["only=pacdyn", "only=[]", "only=[en50318,nonsense]"])
def test_what_is_not_a_comparison_is_refused(catenary, folder, typed):
    ended = catenary("validate", typed)
    assert ended.code == 2
    assert "only" in ended.err and "Traceback" not in ended.err
    assert not list(folder.iterdir())


def test_every_comparison_is_a_module_and_has_its_gates():
    from studies.commands.validate import comparison_of
    from studies.jobs.simulation import COMPARISONS

    assert all(callable(comparison_of(key)) for key in COMPARISONS)
    assert gates_module.load_gates().schema_version == 1


def test_every_way_is_laid_against_the_one_that_differs_in_one_thing():
    gate = load_gates().formulations
    runs = runs_of(gate)
    assert len(runs) == len(set(runs)) == 24
    figures = {run: {"contact_force_std_N": 30.0 + k} for k, run in enumerate(runs)}
    rows = difference_rows(gate, figures)
    # eight beams, eight with large deformation, twelve in space, eight open lines linearised; six a speed and pair
    assert len(rows) == 12 + 8 + 12 + 8
    same = {run: {"contact_force_std_N": 30.0} for run in runs}
    assert {row.here for row in difference_rows(gate, same)} == {0.0}
    assert all(row.verdict == "printed" and row.reading == "" for row in difference_rows(gate, same))


def test_a_difference_without_a_cause_says_so():
    gate = load_gates().formulations
    plain = Run(320.0, "open_line", "ancf", "linearised", "planar")
    beam = dataclasses.replace(plain, formulation="beam")
    figures = {plain: {"contact_force_std_N": 60.0}, beam: {"contact_force_std_N": 66.0}}
    bare = gate.model_copy(update={"causes": ()})
    (row,) = difference_rows(bare, figures)
    assert row.here == pytest.approx(10.0) and row.reading == "not explained"
