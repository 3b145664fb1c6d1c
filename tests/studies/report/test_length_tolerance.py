"""Tolerances of dropper lengths on the page, in the cutting list and in words, with their errors or as "more than"."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from stand_in import evaluate, searched, tolerances_of

from optimise.search.result import load_result
from optimise.spec.off_design import LengthToleranceSpec
from studies.afterwards.length_tolerance import (
    NAME,
    length_tolerance_into,
    length_tolerance_lines,
    show_length_tolerance,
)
from studies.afterwards.off_design import show_fitter_schedule
from studies.report.readers.campaign_record import read_droppers
from studies.report.sections.length_tolerance import tolerance_table

WISH = LengthToleranceSpec(samples=4)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A campaign's folder with its cutting list, as the commands leave it."""
    result = searched(tmp_path_factory.mktemp("written"), "re330", "both", 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("optimise.evaluation.evaluate.evaluate", evaluate)
        show_fitter_schedule(result)
    return result.folder


@pytest.fixture
def asked(monkeypatch):
    runs = []
    monkeypatch.setattr("optimise.afterwards.length_tolerance.length_tolerances", tolerances_of(runs))
    return runs


def rows_of(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_the_best_design_s_tolerances_stand_in_file_list_page_and_words_and_are_not_run_twice(campaign_folder, asked):
    result = load_result(campaign_folder)
    before = rows_of(campaign_folder / "fitter_schedule.csv")
    content = show_length_tolerance(result, WISH, lambda line: None)
    again = show_length_tolerance(result, WISH, lambda line: None)
    assert again == content and len(asked) == 1 and asked[0][1] is True
    assert asked[0][0].catenary == result.catenary_of(result.best)
    rows = rows_of(campaign_folder / "fitter_schedule.csv")
    assert [{k: row[k] for k in before[0]} for row in rows] == before
    assert list(rows[0])[len(before[0]) :] == [
        "tolerance_mm", "tolerance_error_mm", "tolerance_more_than_mm", "wrong_way", "both_directions_mm",
    ]  # fmt: skip
    assert [rows[0][k] for k in list(rows[0])[-5:-1]] == ["1.8", "0.2", "", "longer"]
    assert [rows[-1][k] for k in list(rows[0])[-5:]] == ["", "", "20.0", "", "1.8"]
    words = " ".join(length_tolerance_lines(content))
    assert "dropper 1 1.80 ± 0.20 mm (longer)" in words and "more than 20.0 mm" in words and "not known" in words
    assert "2 of 4 lines stay within +5 %" in words and "within half of its tolerance: 4 of 4" in words
    read = read_droppers(campaign_folder / NAME, result.best.number)
    table = tolerance_table(read)
    assert table.rows[0][2:] == ("1.80 ± 0.20", "longer", "1.8") and table.rows[-1][2] == "more than 20.0"
    assert "in 2 of 4 lines with errors within the tolerances" in table.caption and "no figures" in table.caption
    assert read_droppers(campaign_folder / NAME, -1) is None
    show_length_tolerance(result, replace_wish(rise_percent=3.0), lambda line: None)
    assert len(asked) == 2, "another wish is another search"
    assert show_length_tolerance(result, replace_wish(rise_percent=None), lambda line: None) is None


def replace_wish(**changes):
    return LengthToleranceSpec(**{**WISH.model_dump(), **changes})


def test_the_lesser_of_a_dropper_and_its_mirror_image_counts_for_trains_both_ways(campaign_folder, asked, tmp_path):
    """Of a line that is its own mirror image alone; one station moved by a centimetre leaves no such figure."""
    result = load_result(campaign_folder)
    case = result.case_with(result.catenary_of(result.best))
    key = {"errors": True}
    even = length_tolerance_into(tmp_path / "even", case, WISH, result.campaign.cluster, lambda line: None, key=key)
    within = [row["tolerance_mm"] or row["more_than_mm"] for row in even["droppers"]]
    assert [row["both_directions_mm"] for row in even["droppers"]] == pytest.approx(np.minimum(within, within[::-1]))
    x = list(case.catenary.droppers.positions)
    x[1] += 0.01
    odd = case.model_copy(update={"catenary": case.catenary.with_droppers(positions_m=x)})
    found = length_tolerance_into(tmp_path / "odd", odd, WISH, result.campaign.cluster, lambda line: None, key=key)
    assert {row["both_directions_mm"] for row in found["droppers"]} == {None}
    table = tolerance_table(read_droppers(tmp_path / "odd" / NAME))
    assert len(table.columns) == 4


def test_a_line_without_figures_says_why(monkeypatch, tmp_path, campaign_folder):
    monkeypatch.setattr(
        "optimise.afterwards.length_tolerance.length_tolerances", lambda *a, **k: "form-finding did not converge"
    )
    result = load_result(campaign_folder)
    show_length_tolerance(result, WISH, lambda line: None)
    content = json.loads((campaign_folder / NAME).read_text(encoding="utf-8"))
    assert "did not converge" in length_tolerance_lines(content)[0]
    assert read_droppers(campaign_folder / NAME, result.best.number) is None
    assert "tolerance_mm" not in rows_of(campaign_folder / "fitter_schedule.csv")[0]


def test_the_page_of_a_campaign_shows_them_under_the_schedule(campaign_content):
    from studies.report.pages.campaign_page import campaign_page

    dropper = {"dropper": 1, "position_m": 4.5, "tolerance_mm": 1.8, "tolerance_error_mm": 0.2, "more_than_mm": None}
    dropper |= {"wrong_way": "longer", "both_directions_mm": 1.8, "message": ""}
    lines = {"share": 1.0, "within": 14, "rise_percent": 20 * [1.0]}
    shown = {"rise_percent": 5.0, "droppers": [dropper], "lines": [lines]}
    page = campaign_page(replace(campaign_content, tolerances=shown))
    section = next(s for s in page.sections if s.title == "For the fitter")
    assert [t.title for t in section.tables] == ["", "Tolerance of lengths"]
    assert "14 of 20" in section.tables[1].caption
