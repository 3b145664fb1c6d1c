"""A search on a line that repeats under code from outside: by marches of an open line, or refused."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from refusal import refused

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "controller"
CASE = ("catenary=bruni_2015", "pantograph=own.yaml", "speed_kmh=200", "dt=4e-3", "design=spacing", "run_python=true")
SMALL = (
    "open_line.spans=6", "open_line.start=1", "open_line.first_evaluated=3", "open_line.last_evaluated=4",
    "open_line.spans_after=1", "catenary.mesh.elements_per_bay=2", "catenary.mesh.largest_element_length=4", "trials=3",
    "cluster=serial", "error_estimate=false", "trust.speeds=1", "trust.samples=1", "trust.contact_stiffness=[]",
    "trust.damping_factors=[]", "trust.height_errors_mm=[]", "trust.length_errors_mm=[1]",
    "trust.other_dimension=false",
)  # fmt: skip
MARCHED = ("solver=open_line", *SMALL)


@pytest.fixture
def search(catenary, folder):
    """Function that runs a command on a line that repeats under the example's function."""
    shutil.copy(EXAMPLE / "pid.py", folder)
    shutil.copy(EXAMPLE / "pantograph.yaml", folder / "own.yaml")

    def ran(*typed, command="optimise"):
        return catenary(command, *CASE, *typed, "run_dir=out")

    return ran


def test_it_searches_confirms_and_reports_by_marches(search, catenary, folder):
    ended = search(*MARCHED)
    assert ended.code == 0 and "Traceback" not in ended.err, ended
    place = folder / "out"
    kept = yaml.safe_load((place / "campaign.yaml").read_text(encoding="utf-8"))
    assert kept["case"]["solver"] == "open_line"
    confirmed = json.loads((place / "confirmation.json").read_text(encoding="utf-8"))
    assert confirmed["whole_line"] and confirmed["nominal"]["sigma_transient_N"] > 5.0
    rows = json.loads((place / "trust.json").read_text(encoding="utf-8"))["rows"]
    assert {row["kind"] for row in rows} == {"speed", "length_error"}
    assert all(row["best_std_N"] > 5.0 and row["nominal_std_N"] > 5.0 for row in rows)
    # what needs a steady state or a passive pantograph is not offered
    assert not (place / "length_tolerance.json").exists()
    assert "catenary simulate" in ended.out and "catenary export" not in ended.out
    # without a wish for errors nothing was finer, and nothing is left to be made
    assert "same run of the whole line again" in ended.out and "finer" not in ended.out
    said = catenary("status", f"run_dir={place}").out
    assert "finished |" in said and "missing" not in said


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ((), "pantograph.control.python needs solver=open_line"),
        (("solver=open_line", "run_python=false"), "run_python=true must be typed"),
        ((*MARCHED, "polish.best=1"), "polish.best must be left out with solver=open_line"),
        ((*MARCHED, "scenarios.errors.length_sd_mm=2"), "scenarios.errors must be left out with solver=open_line"),
        ((*MARCHED, "scenarios.wear.lost_mm=[2]"), "scenarios.wear must be left out with solver=open_line"),
    ],
)
def test_what_a_search_by_marches_cannot_have_is_refused(search, folder, typed, sentence):
    refused(search(*typed), [sentence])
    assert not (folder / "out").exists()


def test_what_it_would_cost_counts_marches(search, folder):
    ended = search(*MARCHED, "cost=true")
    assert ended.code == 0 and not (folder / "out").exists(), ended
    assert "the confirmation, 4 marches, two of them finer; the off-design table, 4 marches." in ended.out


def test_no_bundle_is_made_for_code_from_outside(catenary, search, folder):
    typed = [text for text in CASE if not text.startswith("design")]
    ended = catenary("export", *typed, "solver=open_line", "run_dir=out")
    refused(ended, ["pantograph must be without code from outside"])
    assert not (folder / "out").exists()
