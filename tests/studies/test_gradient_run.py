"""What each dropper does, by a command run for real: in words, file, table and picture, with its check."""

import csv
import json

import pytest
from small_runs import BRUNI, SMALL_WINDOW

from dynamics.adjoint.figures import SOFT
from dynamics.charts.numbers import with_error


def test_a_line_has_its_derivatives_in_words_files_and_page(catenary, folder):
    ended = catenary("simulate", *BRUNI, *SMALL_WINDOW, "transient.spans_evaluated=4", "gradient=true", "run_dir=run")
    assert ended.code == 0, ended
    run = folder / "run"
    content = json.loads((run / "gradient.json").read_text(encoding="utf-8"))
    rows = content["droppers"]
    assert [row["dropper"] for row in rows] == list(range(1, 10)) and content["prescribed"] == "heights"
    check = content["check"]
    assert check["expected_N"] < 0.0 and check["computed_N"] == pytest.approx(check["expected_N"], rel=0.2)
    strongest = max(rows, key=lambda row: abs(row["sigma_N_per_mm"]))
    size = with_error(strongest["sigma_N_per_mm"], None, 2, signed=True)
    assert f"dropper {strongest['dropper']} {size} N/mm" in ended.out
    inputs = {row["input"]: row for row in content["inputs"]}
    stiffness = inputs["contact.stiffness"]
    assert stiffness["unit"] == "N/m" and stiffness["sigma_N_per_10_percent"] == pytest.approx(
        0.1 * stiffness["value"] * stiffness["sigma_N_per_unit"]
    )
    most = max(inputs.values(), key=lambda row: abs(row["sigma_N_per_10_percent"]))
    size = with_error(most["sigma_N_per_10_percent"], None, 2, signed=True)
    assert f"{most['input']} {size} N" in ended.out
    with (run / "gradient.csv").open(encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    assert [float(row["uplift_mm_per_mm"]) for row in written] == [row["uplift_mm_per_mm"] for row in rows]
    assert [float(row["force_max_N_per_mm"]) for row in written] == [row["force_max_N_per_mm"] for row in rows]
    assert all(row["force_max_N_per_mm"] and row["force_min_N_per_mm"] for row in rows)
    own = [row["static_dropper_force_N_per_mm"][k] for k, row in enumerate(rows)]
    assert own == [row["own_static_force_N_per_mm"] for row in rows] and min(own) > 0.0, "a higher wire is held up more"
    assert content["extremes"]["tau_N"] == SOFT and isinstance(check["slack_steps_changed"], int)
    assert inputs["catenary.damping.beta"]["static_dropper_force_N_per_10_percent"] == [0.0] * 9
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "What each dropper does to σ" in page and "Check: a move of all droppers" in page
    assert (run / "figures" / "gradient.png").exists()


def test_derivatives_have_their_errors_in_words_files_and_page(catenary, folder):
    ended = catenary("simulate", *BRUNI, "gradient=true", "run_dir=run")
    assert ended.code == 0, ended
    run = folder / "run"
    content = json.loads((run / "gradient.json").read_text(encoding="utf-8"))
    rows = content["droppers"]
    strongest = max(rows, key=lambda row: abs(row["sigma_N_per_mm"]))
    size = with_error(strongest["sigma_N_per_mm"], strongest["sigma_N_per_mm_error"], 2, signed=True)
    assert " ± " in size and f"dropper {strongest['dropper']} {size} N/mm" in ended.out
    with (run / "gradient.csv").open(encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    assert [float(row["force_min_N_per_mm_error"]) for row in written] == [
        row["force_min_N_per_mm_error"] for row in rows
    ]
    (stiffness,) = (row for row in content["inputs"] if row["input"] == "contact.stiffness")
    assert stiffness["sigma_N_per_10_percent_error"] == pytest.approx(
        0.1 * stiffness["value"] * stiffness["sigma_N_per_unit_error"]
    )
    assert "twice the harmonics and samples of the run" in ended.out
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "These derivatives have twice the harmonics and samples of the run" in page


@pytest.mark.parametrize("override", ["solver=transient", "slack_damping=released"])
def test_a_run_without_exact_derivatives_is_refused_and_nothing_is_written(catenary, folder, override):
    refused = catenary("simulate", *BRUNI, override, "gradient=true", "run_dir=run")
    assert refused.code == 2 and "gradient must be false" in refused.err and override in refused.err
    assert not (folder / "run").exists()


def test_a_gradient_of_a_difference_is_refused_before_anything_is_run(catenary, folder):
    """It was left out without a word: exact derivatives need the period marched as a whole."""
    repeat = ("catenary.repeat.spans=3", "catenary.repeat.defects=[{span: 1, dropper: 1, kind: broken}]")
    refused = catenary("simulate", "gradient=true", "periodic.method=difference", *repeat, "run_dir=run")
    assert refused.code == 2 and "use periodic.method=march" in refused.err and not (folder / "run").exists()
