"""A campaign on a line by stations: from its workbook to the workbook with design, figures and cutting list."""

import csv
import json

import openpyxl
import pytest
import yaml

from catenary.library.lines import load_line
from optimise.search.result import load_result
from studies.afterwards import design_workbook

ROWS = [{"station_m": 1000 + 55 * k} for k in range(7)]
SHORT = {
    "kind": "line",
    "name": "short",
    "type": "bruni_2015",
    "changes": {"mesh": {"elements_per_bay": 2, "largest_element_length": 4.0}},
    "supports": ROWS,
    "sections": [{"name": "A", "from_m": 1000, "to_m": 1220}, {"name": "B", "from_m": 1110, "to_m": 1330}],
    "overlaps": [{"section": "A", "elevation_mm": 300}],
}
CASE = ("pantograph=dsa380", "speed_kmh=200", "dt=4e-3", "cluster=serial")
FEW = ("trust.speeds=1", "trust.contact_stiffness=[]", "trust.damping_factors=[]", "trust.other_dimension=false")
SEARCH = ("design=stations", "objectives=[worst_span:force_range]", "sampler=random", "trials=3", "run_dir=out")


@pytest.fixture
def workbook(catenary, folder):
    """A plan that counts from 1 km, with a sheet of the user's own."""
    (folder / "short.yaml").write_text(yaml.safe_dump(SHORT), encoding="utf-8")
    assert catenary("table", "template=short.xlsx", "line=short.yaml").code == 0
    book = openpyxl.load_workbook(folder / "short.xlsx")
    book.create_sheet("my notes").append(["measured in May"])
    book.save(folder / "short.xlsx")
    return folder / "short.xlsx"


def sheet(book, name):
    return list(book[name].iter_rows(values_only=True))


def test_the_best_design_goes_back_into_the_workbook(catenary, folder, workbook):
    typed = ("optimise", f"catenary={workbook.name}", *CASE, *SEARCH, *FEW, "error_estimate=false")
    ended = catenary(*typed)
    assert ended.code == 0, ended
    assert "same run of the whole line again" in ended.out and "long transient" not in ended.out
    assert "catenary export" not in ended.out  # a bundle is one of a line that repeats
    assert "catenary simulate catenary=out/best_design.xlsx dt=0.001" in ended.out
    result = load_result(folder / "out")
    best = result.best
    line = result.line_of(best)
    # what the plan's reader makes of the workbook is the design, on the mesh of the line
    read = load_line(folder / "out" / "best_design.xlsx")
    assert (read.section, read.droppers, read.supports) == (line.section, line.droppers, line.supports)
    assert read.mesh.largest_element_length == 4.0
    book = openpyxl.load_workbook(folder / "out" / "best_design.xlsx")
    assert sheet(book, "my notes") == [("measured in May",)]
    assert sheet(book, "supports")[1][0] == 1000 and sheet(book, "sections")[1][1] == 1000
    figures = {row[0]: row[2:] for row in sheet(book, "result")}
    ranges = [r.outcome.statistics["worst_span_contact_force_range_N"] for r in (result.nominal, best)]
    assert list(figures["worst span contact force range"]) == pytest.approx(ranges)
    cut = sheet(book, "fitter")
    assert cut[0][:4] == ("section", "dropper", "station_m", "length_m")
    assert len(cut) - 1 == len(line.droppers.positions) and {row[0] for row in cut[1:]} == {"A", "B"}
    where = cut[0].index("plan_station_m")
    assert [row[where] for row in cut[1:]] == pytest.approx([row[2] + 1000.0 for row in cut[1:]])
    with (folder / "out" / "fitter_schedule.csv").open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    assert [row["section"] for row in rows] == [row[0] for row in cut[1:]]
    assert [float(row["plan_station_m"]) for row in rows] == pytest.approx([row[where] for row in cut[1:]])
    # the figure that the search went by is that of a run of its best design, span by span
    again = catenary("simulate", "catenary=out/best_design.yaml", "run_dir=again", "error_estimate=false")
    assert again.code == 0, again
    spans = json.loads((folder / "again" / "summary.json").read_text(encoding="utf-8"))["by_span"]
    widest = max(span["contact_force_max_N"] - span["contact_force_min_N"] for span in spans)
    assert widest == pytest.approx(ranges[1], rel=2e-3)
    # the same command has nothing left to do, and one that resumes the folder finds the workbook there
    assert "3/3" not in catenary(*typed).out
    (folder / "out" / "best_design.xlsx").unlink()  # as where the first command was killed before it wrote one
    assert catenary("optimise", "resume=out", *FEW, "error_estimate=false").code == 0
    book = openpyxl.load_workbook(folder / "out" / "best_design.xlsx")
    assert sheet(book, "my notes") == [("measured in May",)]
    assert load_line(folder / "out" / "best_design.xlsx").section == line.section


def test_main_droppers_of_a_compound_line_are_in_the_workbook_of_its_best_design(catenary, folder):
    """Behind all others, section by section; what they are named by is a text."""
    compound = SHORT | {"type": "shinkansen_compound", "supports": [{"station_m": 1000 + 50 * k} for k in range(7)]}
    compound["sections"] = [{"name": "A", "from_m": 1000, "to_m": 1200}, {"name": "B", "from_m": 1100, "to_m": 1300}]
    (folder / "short.yaml").write_text(yaml.safe_dump(compound), encoding="utf-8")
    ended = catenary("optimise", "catenary=short.yaml", *CASE, *SEARCH, *FEW, "error_estimate=false")
    assert ended.code == 0, ended
    line, book = load_line(folder / "out" / "best_design.xlsx"), folder / "out" / "best_design.xlsx"
    cut, others = sheet(openpyxl.load_workbook(book), "fitter")[1:], len(line.droppers.positions)
    main = line.auxiliary_wire.droppers
    assert [row[1] for row in cut[others - 1 : others + 1]] == [others, "main 1"]
    assert [row[0] for row in cut[others:]] == ["A"] * main.by_section[0] + ["B"] * main.by_section[1]
    assert [row[2] for row in cut[others:]] == pytest.approx(main.positions, abs=1e-3)


def test_a_train_varies_under_a_line_with_a_broken_dropper_and_its_conditions_come_along(catenary, folder):
    """The spans that were typed, which are not those of the line by default, are those of its best design, too."""
    broken = SHORT | {"defects": [{"span": 1, "dropper": 3, "kind": "broken"}]}
    (folder / "short.yaml").write_text(yaml.safe_dump(broken), encoding="utf-8")
    train = ("trailing.distances_m=[20]", "design.trailing_distances=[[15,25]]", "open_line.last_evaluated=4")
    scenarios = ("scenarios.speeds_kmh=[200]",)
    ended = catenary(
        "optimise", "catenary=short.yaml", *CASE, *SEARCH, *FEW, *train, *scenarios, "error_estimate=false"
    )
    assert ended.code == 0, ended
    result = load_result(folder / "out")
    best = result.best
    figures = {row[0]: row[3] for row in sheet(openpyxl.load_workbook(folder / "out" / "best_design.xlsx"), "result")}
    assert figures["distance of pantograph 2 behind the first"] == pytest.approx(best.values[-1])
    again = catenary("simulate", "catenary=out/best_design.yaml", "run_dir=again", "error_estimate=false")
    assert again.code == 0, again
    summary = json.loads((folder / "again" / "summary.json").read_text(encoding="utf-8"))
    assert {span["span"] for span in summary["by_span"]} == {3, 4}
    worst = max(p["contact_force_std_N"] for p in summary["pantographs"])
    assert worst == pytest.approx(best.outcome.sigma_N, rel=2e-3)
    assert catenary("optimise", "resume=out", *FEW, "error_estimate=false").code == 0


@pytest.mark.parametrize("dies", ["before the plan is kept", "after"])
def test_a_command_that_dies_around_the_plan_is_followed_by_the_same_command(
    catenary, folder, workbook, monkeypatch, dies
):
    """Whatever the folder then holds, it is the campaign's, and the plan is there at last."""
    own = design_workbook.keep_plan

    def dying(*given):
        if dies == "after":
            own(*given)
        raise KeyboardInterrupt

    typed = ("optimise", f"catenary={workbook.name}", *CASE, *SEARCH, *FEW, "error_estimate=false")
    monkeypatch.setattr(design_workbook, "keep_plan", dying)
    assert catenary(*typed).code != 0
    assert (folder / "out" / "plan.xlsx").exists() == (dies == "after")
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    again = catenary(*typed)
    assert again.code == 0, again
    assert (folder / "out" / "plan.xlsx").read_bytes() == workbook.read_bytes()
    assert (folder / "out" / "best_design.xlsx").exists()


def test_what_a_line_that_ends_cannot_have_is_refused_at_once(catenary, workbook):
    refused = ("scenarios.errors.length_sd_mm=2", "scenarios.wind.speeds=[0,20]", "polish.best=1", "warm_start=out")
    ended = catenary("optimise", f"catenary={workbook.name}", *CASE, "design=stations", *refused)
    assert ended.code == 2
    for key in ("scenarios.errors", "scenarios.wind", "polish.best", "warm_start"):
        assert f"{key} must be left out on a line by stations" in ended.err
