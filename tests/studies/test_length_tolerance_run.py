"""Tolerances of dropper lengths by a command, run for real, small: of a single line, and of a best design."""

import csv
import json

import pytest
from small_runs import BRUNI

TINY = (
    *BRUNI, "solver=transient", "transient.spans=8", "transient.spans_evaluated=4", "transient.spans_behind=2",
    "transient.spans_ahead=2", "dt=4e-3", "catenary.mesh.elements_per_bay=2", "catenary.mesh.largest_element_length=60",
    "error_estimate=false",
)  # fmt: skip
TABLE_ALONE = (
    "trust.speeds=1", "trust.contact_stiffness=[]", "trust.height_errors_mm=[]", "trust.length_errors_mm=[]",
    "trust.damping_factors=[]", "trust.other_dimension=false",
)  # fmt: skip


def checked(content, samples, droppers):
    """Rows of a file of tolerances whose figures go together."""
    rows = content["droppers"]
    assert [row["dropper"] for row in rows] == list(range(1, droppers + 1))
    for row in rows:
        rises = {t["error_mm"]: t["rise_percent"] for t in row["tested"]}
        figure = row["tolerance_mm"]
        assert (figure is None) != (row["more_than_mm"] is None) and row["tolerance_error_mm"] is None
        below = [rise for error, rise in rises.items() if abs(error) < (figure or row["more_than_mm"]) - 1e-9]
        assert max(below) < content["rise_percent"]
        if figure is not None:
            sign = {"longer": 1.0, "shorter": -1.0}[row["wrong_way"]]
            assert rises[sign * figure] == pytest.approx(content["rise_percent"], rel=0.1)
    assert [len(drawn["rise_percent"]) for drawn in content["lines"]] == [samples, samples]
    return rows


def test_a_single_line_has_its_tolerances_in_words_file_and_page(catenary, folder):
    five = ("catenary.droppers.positions=[5,16.25,27.5,38.75,50]",
            "catenary.droppers.contact_wire_heights=[0,-0.03,-0.04,-0.03,0]")  # fmt: skip
    ended = catenary("simulate", *TINY, *five, "length_tolerance=true", "run_dir=run")
    assert ended.code == 0, ended
    content = json.loads((folder / "run" / "length_tolerance.json").read_text(encoding="utf-8"))
    checked(content, 20, droppers=5)
    assert "tolerance of dropper lengths (σ up by 5 %" in ended.out and "of 20 lines stay within +5 %" in ended.out
    assert "Tolerance of lengths" in (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert not (folder / "run" / "fitter_schedule.csv").exists()


def test_an_open_line_has_none_and_nothing_is_written(catenary, folder):
    refused = catenary("simulate", "solver=open_line", "length_tolerance=true", "run_dir=run")
    assert refused.code == 2 and "length_tolerance must be false with solver open_line" in refused.err
    assert not (folder / "run").exists()


def test_a_campaign_s_best_design_has_them_on_record_in_the_cutting_list_and_on_the_page(catenary, folder):
    wish = ("trust.length_tolerance.samples=2", "trust.length_tolerance.largest_mm=6")
    arguments = ("optimise", *TINY, *TABLE_ALONE, "campaign=c", "trials=2", "cluster=serial", "limits.uplift_factor=2")
    ended = catenary(*arguments, *wish)
    assert ended.code == 0, ended
    place = folder / "outputs" / "campaigns" / "c"
    held = (place / "length_tolerance.json").read_text(encoding="utf-8")
    rows = checked(json.loads(held), 2, droppers=9)
    listed = list(csv.DictReader((place / "fitter_schedule.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["tolerance_mm"] for row in listed] == [
        "" if row["tolerance_mm"] is None else f"{row['tolerance_mm']:.1f}" for row in rows
    ]
    assert "Tolerance of lengths" in (place / "report.html").read_text(encoding="utf-8")
    table = (place / "trust.json").read_text(encoding="utf-8")
    # another wish is a new search for them, but not a new table; the same is on record
    assert catenary(*arguments, *wish).code == 0
    assert (place / "length_tolerance.json").read_text(encoding="utf-8") == held
    assert catenary(*arguments, *wish, "trust.length_tolerance.rise_percent=3").code == 0
    assert json.loads((place / "length_tolerance.json").read_text(encoding="utf-8"))["rise_percent"] == 3.0
    assert (place / "trust.json").read_text(encoding="utf-8") == table
