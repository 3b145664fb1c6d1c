"""Reports from campaign folders that the commands' own writers filled; the solvers alone are stood in for."""

import json
import math
import shutil

import numpy as np
import pytest
import yaml
from stand_in import StandIn, evaluate, searched

from catenary.errors import InputError
from catenary.storage.configuration import CONF
from catenary.storage.files import read_json
from optimise.search.result import load_result
from optimise.spec.campaign import OffDesignSpec
from studies.afterwards import confirmation
from studies.afterwards import off_design as off_design
from studies.jobs.report_head import ReportSpec
from studies.jobs.simulation import RecordSpec
from studies.report import write_comparison, write_report
from studies.report.readers.campaign_folder import read_campaign
from studies.report.readers.comparison_content import read_comparison
from studies.report.readers.stored import read_stored, stored_case
from studies.writing.report_head import keep_head


@pytest.fixture(scope="module", params=[("re330", "heights"), ("bruni_2015", "both")], ids="-".join)
def written(request, tmp_path_factory):
    """A campaign's folder as the commands leave it, written once for all tests."""
    line, kind = request.param
    result = searched(tmp_path_factory.mktemp("written"), line, kind, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("optimise.afterwards.solved_cases.solve", StandIn)
        confirmation.confirm_campaign(result)
        patch.setattr("optimise.afterwards.off_design.evaluate_variation", evaluate)
        patch.setattr("optimise.evaluation.evaluate.evaluate", evaluate)
        off_design.show_off_design(result, OffDesignSpec(speeds=3, samples=2), lambda line: None)
        off_design.show_fitter_schedule(result)
    return result.folder


def test_a_campaign_stands_for_its_nominal_and_its_best_design(campaign_folder, tmp_path):
    content = read_comparison([str(campaign_folder)], RecordSpec())
    nominal, best = content.entries
    found = read_campaign(campaign_folder)
    assert nominal.result.statistics == found.nominal.statistics
    assert best.result.statistics == found.best.statistics
    assert "best design of" in best.line
    picture = write_comparison([str(campaign_folder)], RecordSpec(), tmp_path / "cmp.html")
    assert picture.read_bytes().startswith(b"\x89PNG")
    differences = (tmp_path / "cmp.html").read_text(encoding="utf-8").partition("What differs in the input")[2]
    assert "droppers, contact wire heights" in differences
    assert "speed" not in differences.partition("Where they come from")[0]


def test_best_and_nominal_line_are_judged_by_the_limits_of_the_head(campaign_folder, tmp_path, monkeypatch):
    rows = yaml.safe_load((CONF / "standards" / "contact_force.yaml").read_text(encoding="utf-8"))
    for row in rows["limits"]:
        row["constant"] = 1.0 if row["statistic"] == "contact_force_max_N" else row.get("constant", 0.0)
    own = tmp_path / "strict.yaml"
    own.write_text(yaml.safe_dump(rows), encoding="utf-8")
    keep_head(campaign_folder, ReportSpec(limits=str(own)))
    own.unlink()  # the head holds them
    (campaign_folder / "confirmation.json").unlink()
    monkeypatch.setattr("optimise.afterwards.solved_cases.solve", StandIn)
    confirmation.confirm_campaign(load_result(campaign_folder))
    for run in ("nominal", "best", "best_transient"):
        (judged,) = read_json(campaign_folder / run / "summary.json")["assessment"]
        assert judged["limits_file"] == str(own) and not judged["all_met"]


def test_a_campaign_without_its_solution_cannot_be_compared(campaign_folder, tmp_path):
    shutil.rmtree(campaign_folder / "best")
    with pytest.raises(InputError, match=r"best design.*must hold a solved contact force"):
        write_comparison([str(campaign_folder)], RecordSpec(), tmp_path / "cmp.html")
    assert not (tmp_path / "cmp.html").exists()


def test_a_campaign_is_reported(campaign_folder):
    html = write_report("campaign", campaign_folder).read_text(encoding="utf-8")
    names = {f.stem for f in (campaign_folder / "figures").iterdir()}
    wanted = {"contact_force", "contact_height", "line", "contact_wire", "search", "dropper_forces", "speed"}
    assert wanted <= names
    for text in (
        "The long transient gives",
        "a dropper snapped",
        "Limits and margins",
        "least dropper force",
    ):
        assert text in html


def test_the_campaign_says_what_is_on_record(campaign_folder):
    content = read_campaign(campaign_folder)
    history = content.history
    assert history.state.count("failed") == 3
    feasible = [s for s, state in zip(history.value, history.state, strict=True) if state == "feasible"]
    assert content.best.statistics["contact_force_std_N"] == min(feasible) == content.designs.values[0, 0]
    better = [value for value in sorted(feasible) if value < history.nominal]
    assert better and list(content.designs.values[0]) == better[:5], "the nominal line has a column of its own"
    assert 0 not in content.designs.trials and next(c.label for c in content.choice.drawn) == "nominal"
    assert content.nominal.statistics["contact_force_std_N"] == history.nominal
    uplift = content.constraints[0]
    assert uplift.limit == pytest.approx(66.0)
    assert uplift.margin == pytest.approx(6.0)
    assert content.warnings == ()


def test_the_table_of_designs_has_what_every_dropper_changes_by(campaign_folder):
    result = load_result(campaign_folder)
    table = read_campaign(campaign_folder).designs
    nominal = result.space.nominal.droppers
    half = (len(nominal.positions) + 1) // 2
    heights = [f"dropper {k + 1}, height change" for k in range(half)]
    shifts = [f"dropper {k + 1}, shift towards mid-span" for k in range(result.space.moves)]
    assert list(table.names) == heights + shifts and not any("lift" in name for name in table.names)
    # 10 mm and 0.5 m of the search; where droppers move, heights are held around the profile that they meet there
    ends = [math.nan if shifts else 10.0] * half + [0.5] * len(shifts)
    np.testing.assert_array_equal(table.upper, ends)
    np.testing.assert_array_equal(table.lower, -table.upper)
    assert (abs(table.designs) <= np.nan_to_num(table.upper, nan=np.inf)[:, None]).all()
    by_number = {record.number: record for record in result.records}
    for column, trial in zip(table.designs.T, table.trials, strict=True):
        own = result.catenary_of(by_number[trial]).droppers
        change = 1e3 * (np.array(own.contact_wire_heights) - nominal.contact_wire_heights)
        moved = np.array(own.positions) - nominal.positions
        np.testing.assert_allclose(column[:half], change[:half], atol=1e-9)
        np.testing.assert_allclose(column[half:], moved[: len(shifts)], atol=1e-12)
    lift = next(v for v in result.space.variables if v.name.startswith("lift"))
    assert f"alone changes its height by −{-1e3 * lift.low:.1f} to +{1e3 * lift.high:.1f}" in table.caption
    assert abs(table.designs).max(axis=0)[[t != 0 for t in table.trials]].min() > 0.1
    html = write_report("campaign", campaign_folder).read_text(encoding="utf-8")
    assert "dropper 1, height change" in html and ">lift 1<" not in html


def test_the_page_has_the_mesh_that_the_nominal_line_ran_on(campaign_folder):
    ran = stored_case(read_stored(campaign_folder / "nominal" / "result.nc"), campaign_folder).catenary.mesh
    given = load_result(campaign_folder).case.catenary.mesh
    shown = {row.name: row for row in read_campaign(campaign_folder).provenance if row.name.startswith("mesh")}
    assert {row.value for row in shown.values()} == {str(ran.elements_per_bay), f"{ran.largest_element_length:g}"}
    said = "one mesh for all designs" in shown["mesh, elements per bay"].origin
    assert said == (ran.elements_per_bay != given.elements_per_bay)


def test_rounded_stations_are_checked_like_lengths(campaign_folder):
    schedule = json.loads((campaign_folder / "fitter_schedule.json").read_text(encoding="utf-8"))
    for placed in schedule["stations_rounded"]:
        step = 1e-3 * placed["rounded_mm"]
        steps = np.array(placed["position_m"]) / step
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
        assert np.abs(np.subtract(placed["position_m"], schedule["position_m"])).max() <= 0.5 * step + 1e-9
        # a centimetre along a sagging wire changes a dropper by little; five by little more
        assert np.abs(np.subtract(placed["length_m"], schedule["length_m"])).max() < 5e-4 + 0.12 * step
        assert placed["contact_force_std_N"] > 0.0 and placed["message"] == ""
    assert [r["rounded_mm"] for r in schedule["stations_rounded"]] == [10.0, 50.0]
    html = write_report("campaign", campaign_folder).read_text(encoding="utf-8")
    assert "station\nto 10 mm [m]" in html and "at stations to 50 mm" in html
    head, first = (campaign_folder / "fitter_schedule.csv").read_text(encoding="utf-8").splitlines()[:2]
    row = dict(zip(head.split(","), first.split(","), strict=True))
    assert float(row["station_rounded_50mm_m"]) % 0.05 == pytest.approx(0.0, abs=1e-9) or float(
        row["station_rounded_50mm_m"]
    ) % 0.05 == pytest.approx(0.05)


def test_two_campaigns_show_a_line_once_and_name_every_design(campaign_folder, tmp_path):
    other = shutil.copytree(campaign_folder, tmp_path / "second")
    content = read_comparison([str(campaign_folder), str(other)], RecordSpec())
    assert [e.line.partition(" of ")[0] for e in content.entries] == ["nominal line", "trial_run, best design"]
    shown_once = [text for text in content.warnings if "shown once" in text]
    assert len(shown_once) == 2 and f"{other} (nominal line) is the line of {campaign_folder}" in shown_once[0]


def test_a_confirmation_of_another_trial_is_not_shown(campaign_folder):
    path = campaign_folder / "confirmation.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["best"]["trial"] += 1
    path.write_text(json.dumps(content), encoding="utf-8")
    found = read_campaign(campaign_folder)
    assert found.confirmation is None
    assert "not of the best design" in found.warnings[0]


def test_a_campaign_without_solutions_has_a_page_that_says_so(campaign_folder):
    for name in ("nominal", "best"):
        shutil.rmtree(campaign_folder / name)
    (campaign_folder / "confirmation.json").unlink()
    (campaign_folder / "trust.json").unlink()
    html = write_report("campaign", campaign_folder).read_text(encoding="utf-8")
    assert f"no solution of the best line on record; make it with: catenary optimise resume={campaign_folder}" in html
    assert "History of the search" in html


def test_a_solution_of_another_design_is_not_shown(campaign_folder):
    shutil.copy(campaign_folder / "nominal" / "result.nc", campaign_folder / "best" / "result.nc")
    found = read_campaign(campaign_folder)
    assert found.best.force is None
    assert "no solution of the best line" in found.warnings[0]


def test_a_folder_without_a_campaign_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"campaign\.yaml"):
        write_report("campaign", tmp_path)


def test_a_reading_of_slack_droppers_that_moves_a_line_of_a_campaign_is_a_warning_of_its_page(campaign_folder):
    warning = "slack_damping=kept is a choice that matters here"
    summaries = {
        "nominal": {"warning": warning, "message": "20 N, 22 N"},
        "best": {"warning": "", "message": "20 N, 20.1 N"},
    }
    for name, said in summaries.items():
        path = campaign_folder / name / "summary.json"
        summary = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**summary, "slack_damping": said}), encoding="utf-8")
    assert read_campaign(campaign_folder).warnings == (f"nominal line: {warning} (20 N, 22 N).",)
    for name in summaries:
        path = campaign_folder / name / "summary.json"
        summary = json.loads(path.read_text(encoding="utf-8"))
        del summary["slack_damping"]  # as folders of earlier versions
        path.write_text(json.dumps(summary), encoding="utf-8")
    assert read_campaign(campaign_folder).warnings == ()
