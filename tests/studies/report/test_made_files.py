"""Files of a campaign's folder that are damaged: each is named with what makes it again, and is made again."""

import json
import os
import shutil
from contextlib import nullcontext

import pytest
from stand_in import StandIn, evaluate, searched

from catenary.errors import InputError
from optimise.search.result import load_result
from optimise.spec.campaign import OffDesignSpec
from studies.afterwards import confirmation, off_design
from studies.afterwards.made_files import set_damaged_aside
from studies.report import write_report
from studies.report.readers.stored import read_json, read_stored


def stand_in(patch, solved):
    """Put stand-ins in the place of the solvers; the solver of each case is added to ``solved``."""
    patch.setattr("optimise.afterwards.solved_cases.solve", lambda case: solved.append(case.solver) or StandIn(case))
    patch.setattr("optimise.afterwards.off_design.evaluate_variation", evaluate)
    patch.setattr("optimise.evaluation.evaluate.evaluate", evaluate)


def afterwards(folder):
    result = load_result(folder)
    confirmation.confirm_campaign(result)
    off_design.show_fitter_schedule(result)
    off_design.show_off_design(result, OffDesignSpec(speeds=1, samples=0), lambda line: None)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A campaign's folder as its command leaves it, without the record of the runs that followed."""
    folder = searched(tmp_path_factory.mktemp("written"), "re330", "heights", 20).folder
    with pytest.MonkeyPatch.context() as patch:
        stand_in(patch, [])
        afterwards(folder)
    (folder / "finished_runs.jsonl").unlink()
    return folder


@pytest.fixture
def stood_in(monkeypatch):
    """The solvers stood in for; gives the solver of each case that is solved."""
    solved = []
    stand_in(monkeypatch, solved)
    return solved


DAMAGE = {
    "best/result.nc": (lambda path: os.truncate(path, 200), ["periodic"]),
    "nominal/summary.json": (lambda path: path.write_text("{}", encoding="utf-8"), ["periodic"]),
    "best_transient/result.nc": (lambda path: path.write_bytes(b""), ["transient"]),
    "confirmation.json": (lambda path: path.write_text('{"best": {"trial": 3}}', encoding="utf-8"), 4),
    "trust.json": (lambda path: path.write_text("{}", encoding="utf-8"), []),
    "fitter_schedule.json": (lambda path: path.write_text("[1]", encoding="utf-8"), []),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_named_and_made_again_alone(campaign_folder, stood_in, capfd, name):
    path, (damage, solved) = campaign_folder / name, DAMAGE[name]
    confirmed = (campaign_folder / "confirmation.json").read_bytes()
    damage(path)
    with pytest.raises(InputError) as refused:
        write_report("campaign", campaign_folder)
    (sentence,) = refused.value.problems
    assert sentence.startswith(f"{path} must be as it was written: ")
    assert sentence.endswith(f"make it again with: catenary optimise resume={campaign_folder}")
    assert not (campaign_folder / "report.html").exists()

    set_damaged_aside(campaign_folder)
    said = capfd.readouterr().err
    assert f"{path} must be" in said and f"kept as {path.name}.damaged-1 and made again" in said
    assert not path.exists() and path.with_name(f"{path.name}.damaged-1").exists()
    afterwards(campaign_folder)
    assert stood_in == solved or len(stood_in) == solved, "what is sound is not solved again"
    assert (campaign_folder / "confirmation.json").read_bytes() == confirmed
    html = write_report("campaign", campaign_folder).read_text(encoding="utf-8")
    assert "no solution of the" not in html and "table has not been made" not in html


def test_a_missing_solution_is_solved_again_as_the_page_says(campaign_folder, stood_in):
    shutil.rmtree(campaign_folder / "best")
    shutil.copy(campaign_folder / "best_transient" / "result.nc", campaign_folder / "nominal" / "result.nc")
    page = write_report("campaign", campaign_folder).read_text(encoding="utf-8")
    assert all(f"no solution of the {name} line on record; make it with" in page for name in ("nominal", "best"))
    doing = []
    confirmation.confirm_campaign(load_result(campaign_folder), lambda text: doing.append(text) or nullcontext())
    assert doing == ["solutions that are not on record, once more: nominal, best"] and stood_in == 2 * ["periodic"]
    assert "no solution of the" not in write_report("campaign", campaign_folder).read_text(encoding="utf-8")
    confirmation.confirm_campaign(load_result(campaign_folder), lambda text: doing.append(text) or nullcontext())
    assert len(doing) == 1, "then all is on record"


def test_a_solution_is_made_again_with_its_error_where_it_had_one(campaign_folder, stood_in, monkeypatch):
    path = campaign_folder / "confirmation.json"
    path.write_text(json.dumps({**read_json(path), "refined": True}), encoding="utf-8")
    asked = []
    monkeypatch.setattr(
        "optimise.afterwards.solved_cases.estimated", lambda case, solution: (solution, asked.append(case))
    )
    monkeypatch.setattr("optimise.afterwards.solved_cases.compare_slack_damping", lambda case, solution: None)
    shutil.rmtree(campaign_folder / "best")
    confirmation.confirm_campaign(load_result(campaign_folder), error_estimate=False)
    assert len(asked) == 1


def test_every_damaged_design_is_named(campaign_folder):
    (campaign_folder / "best_design.yaml").write_text("a: [", encoding="utf-8")
    (campaign_folder / "pareto").mkdir()
    (campaign_folder / "pareto" / "003.yaml").write_text("name: x", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        write_report("campaign", campaign_folder)
    named = [said.partition(" must be as it was written")[0] for said in refused.value.problems]
    assert named == [str(campaign_folder / name) for name in ("best_design.yaml", "pareto/003.yaml")]


@pytest.mark.parametrize(("name", "content"), [("importances.json", '{"x":'), ("basins.json", '{"trials": 20}')])
def test_a_damaged_file_of_the_search_is_named_and_not_left_out(campaign_folder, name, content):
    (campaign_folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        write_report("campaign", campaign_folder)
    (sentence,) = refused.value.problems
    assert sentence.startswith(f"{campaign_folder / name} must be as it was written: ")
    assert sentence.endswith(f"make it again with: catenary optimise resume={campaign_folder}")


def test_a_missing_line_of_the_best_design_is_named(campaign_folder):
    said = "best_design.yaml is not in the folder; make it again with: catenary optimise resume="
    assert said not in write_report("campaign", campaign_folder).read_text(encoding="utf-8")
    (campaign_folder / "best_design.yaml").unlink()
    assert said in write_report("campaign", campaign_folder).read_text(encoding="utf-8")


def test_a_damaged_file_of_a_run_is_not_the_fault_of_the_folder_that_was_given(tmp_path):
    for read, name in ((read_stored, "result.nc"), (read_json, "summary.json")):
        with pytest.raises(InputError, match="it does not exist; give the folder of a run"):
            read(tmp_path / name)
        (tmp_path / name).write_bytes(b"{")
        with pytest.raises(InputError, match="restore it, or give the command again that made it"):
            read(tmp_path / name)
