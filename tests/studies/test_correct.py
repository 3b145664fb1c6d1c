"""`catenary correct`: from measured heights to an as-built line that runs, and the droppers to cut again."""

import csv
import json

import numpy as np
import pytest
import yaml
from refusal import refused

from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.library.lines import load_line
from catenary.linearised.contact_wire import static_height
from catenary.spec.section import DefectSpec
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from optimise.correction_list.evaluation import wrong_lengths
from optimise.correction_list.find import Corrections
from studies.correction.chart import correction_charts

MESH = {"elements_per_bay": 2, "largest_element_length": 3.0}
CASE = ("pantograph=bruni_2015", "speed_kmh=275", "dt=4e-3", "cluster=serial")
WRONG = {(4, 3): 0.007, (5, 8): -0.03}


@pytest.fixture
def design(folder):
    content = {
        "kind": "line",
        "type": "bruni_2015",
        "changes": {"mesh": MESH},
        "supports": [{"station_m": 1000 + 55 * k} for k in range(10)],
    }
    (folder / "km1.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return load_line(folder / "km1.yaml")


def with_wrong(line):
    defects = tuple(DefectSpec(span=s, dropper=d, kind="length", by=by) for (s, d), by in WRONG.items())
    return line.model_copy(update={"section": line.section.model_copy(update={"defects": defects})})


def survey(folder, line):
    """Heights as a trolley has them: of a wire at 5.3 m, along the plan's stations."""
    at = np.arange(0.0, line.period + 0.1, 0.5)
    height = static_height(open_line_equilibrium(line, len(line.spans)), at)
    rows = [f"{1000 + x:.2f},{5300 + 1e3 * z:.3f}\n" for x, z in zip(at, height, strict=True)]
    (folder / "heights.csv").write_text("station_m,height_mm\n" + "".join(rows), encoding="utf-8")


@pytest.mark.filterwarnings("ignore:line 'as_built' at rest")
def test_from_heights_to_an_as_built_line_and_the_droppers_to_cut_again(catenary, folder, design):
    survey(folder, with_wrong(design))
    typed = ("measured=heights.csv", "survey.nominal_height_m=5.3", "survey.accuracy_mm=0.05", "survey.tolerance_mm=3")
    ended = catenary("correct", "catenary=km1.yaml", *typed, *CASE, "run_dir=out")
    assert ended.code == 0, ended.out
    built = load_line(folder / "out" / "as_built.yaml")
    found = {(d.span, d.dropper): d.by for d in built.section.defects}
    assert found.keys() >= WRONG.keys()
    assert found[4, 3] == pytest.approx(0.007, abs=1e-3) and found[5, 8] == pytest.approx(-0.03, abs=1e-3)
    with open(folder / "out" / "corrections.csv", encoding="utf-8") as file:
        first, *others = csv.DictReader(file)
    assert (first["span"], first["dropper"], first["cut_again"]) == ("5", "8", "yes")
    assert float(first["recut_mm"]) == pytest.approx(-1e3 * found[5, 8], abs=0.06)
    assert all(row["cut_again"] == "" for row in others)
    summary = json.loads((folder / "out" / "summary.json").read_text())
    assert summary["corrections"]["cut_again"] == 1 and summary["as_built"]["residual_rms_mm"] < 0.2
    assert "span 5 dropper 8 by +" in ended.out and "limits are missed" in ended.out
    left = load_line(folder / "out" / "corrected.yaml")
    assert {(d.span, d.dropper) for d in left.section.defects} == found.keys() - {(5, 8)}
    assert (folder / "out" / "figures" / "sigma.png").read_bytes().startswith(b"\x89PNG")
    with open(folder / "out" / "heights.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[0]["station_m"]) == 1000.0 and max(abs(float(r["residual_mm"])) for r in rows) < 1.0
    with open(folder / "out" / "droppers.csv", encoding="utf-8") as file:
        row = next(r for r in csv.DictReader(file) if (r["span"], r["dropper"]) == ("4", "3"))
    length = float(row["found_mm"]) - float(row["design_mm"])
    assert row["wrong"] == "yes" and length == pytest.approx(7.0, abs=1.0)


def test_the_as_built_line_alone_takes_no_run(catenary, folder, design):
    survey(folder, design)
    typed = ("measured=heights.csv", "survey.nominal_height_m=5.3", "correction_list=false")
    ended = catenary("correct", "catenary=km1.yaml", *typed, "run_dir=out")
    assert ended.code == 0, ended.out
    assert "0 of 81 droppers are cut wrong: none" in ended.out
    assert load_line(folder / "out" / "as_built.yaml").model_dump() == {**design.model_dump(), **named()}
    assert not (folder / "out" / "corrections.csv").exists()
    assert "do not explain" not in ended.out
    moved = catenary("correct", "catenary=km1.yaml", "measured=heights.csv", "survey.nominal_height_m=5.31", *typed[2:])
    assert moved.code == 0, moved
    said = next(line for line in moved.out.splitlines() if "lengths do not explain these heights" in line)
    assert "mm are left at 1" in said and "survey.nominal_height_m" in said


def named():
    return {"name": "as_built", "description": "As built: 0 droppers of km1 are cut wrong."}


def test_what_cannot_be_is_refused_and_nothing_is_written(catenary, folder, design):
    refused(catenary("correct", "catenary=re330"), ["catenary must be a line by stations", "'re330' repeats"])
    refused(
        catenary("correct", "catenary=km1.yaml", "limits.sigma_N=-1", "survey.spread_mm=0", "run_dir=out"),
        ["limits.sigma_N", "survey.spread_mm"],
    )
    (folder / "heights.csv").write_text("station_m,height_mm\n900,5300\n1010,high\n", encoding="utf-8")
    ended = catenary("correct", "catenary=km1.yaml", "measured=heights.csv", "run_dir=out")
    refused(ended, ["line 2: station must lie on the line, 1000 to 1495 m", "line 3: height must be a number"])
    (folder / "heights.csv").write_text("station_m,height_mm\n1010,5300\n", encoding="utf-8")
    refused(catenary("correct", "catenary=km1.yaml", "measured=heights.csv", "run_dir=out"), ["nominal_height_m"])
    refused(catenary("correct", "catenary=km1.yaml", "measured=none.csv"), ["none.csv does not exist"])
    refused(catenary("correct", "catenary=km1.yaml", "correction_list=false"), ["correction_list must be true"])
    refused(
        catenary("correct", "catenary=km1.yaml", "open_line.last_evaluated=4", "trailing.distances_m=[100]"),
        ["trailing.distances_m"],
    )
    assert sorted(p.name for p in folder.iterdir()) == ["heights.csv", "km1.yaml"]


@pytest.fixture
def in_sections(folder):
    """Ten spans in two sections, both in the fourth to the sixth: a wrong dropper of each wire there, and one more."""
    wrong = [
        {"span": 5, "dropper": 8, "kind": "length", "by_mm": -30, "section": "B"},
        {"span": 4, "dropper": 2, "kind": "length", "by_mm": 3, "section": "A"},
        {"span": 5, "dropper": 2, "kind": "broken", "section": "A"},
        {"span": 1, "dropper": 4, "kind": "length", "by_mm": 2},
    ]
    content = {
        "kind": "line",
        "type": "bruni_2015",
        "changes": {"mesh": MESH},
        "supports": [{"station_m": 1000 + 55 * k} for k in range(11)],
        "sections": [{"name": "A", "from_m": 1000, "to_m": 1330}, {"name": "B", "from_m": 1165, "to_m": 1550}],
        "defects": wrong,
    }
    (folder / "km2.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return load_line(folder / "km2.yaml")


@pytest.mark.filterwarnings("ignore:line 'km2' at rest")
def test_the_list_of_a_line_in_sections_names_them_and_its_corrected_line_runs(catenary, folder, in_sections):
    ended = catenary("correct", "catenary=km2.yaml", *CASE, "limits.sigma_N=39.6", "run_dir=out")
    assert ended.code == 0, ended.out
    assert "cut again 1 of 3 wrong droppers: section B span 5 dropper 8 by +30.0 mm" in ended.out
    with open(folder / "out" / "corrections.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(r["section"], r["span"], r["dropper"]) for r in rows} == {
        ("B", "5", "8"),
        ("A", "4", "2"),
        ("A", "1", "4"),
    }
    first = rows[0]
    hung = in_sections.droppers.positions_by_section[1]
    assert float(first["station_m"]) == pytest.approx(1000 + [x for x in hung if 220 < x < 275][7], abs=1e-3)
    assert (first["section"], first["cut_again"], first["recut_mm"]) == ("B", "yes", "+30.0")
    content = json.loads((folder / "out" / "summary.json").read_text())["corrections"]
    assert content["droppers"] == [{"section": "B", "span": 5, "dropper": 8, "recut_mm": 30.0}]
    left = load_line(folder / "out" / "corrected.yaml")
    assert left.section.tension_sections == in_sections.section.tension_sections
    assert left.section.defects == in_sections.section.defects[1:]
    again = catenary("simulate", "catenary=out/corrected.yaml", *CASE[:3], "run_dir=again")
    assert again.code == 0, again
    run = json.loads((folder / "again" / "summary.json").read_text())
    assert run["pantographs"][0]["contact_force_std_N"] == pytest.approx(content["runs"][1]["sigma_N"], rel=2e-3)


@pytest.mark.filterwarnings("ignore:line 'km2' at rest")
def test_the_chart_marks_whose_section_each_dropper_is(in_sections):
    """Rings on the figures added up, section by section, each dropper in one of them."""
    wrong = wrong_lengths(in_sections)
    figures = np.array([[30.0, 31.0, 50.0], [29.0, 30.0, 50.0], [28.5, 30.0, 50.0], [28.4, 30.0, 50.0]])
    order, limits = (0, 2, 1), np.array([29.5, np.inf, np.inf])
    case = job_input(CaseSpec, in_sections, "bruni_2015", {"speed_kmh": 275})
    (chart,) = correction_charts(Corrections(case, wrong, order, limits, figures, {}, 1, (), 0.0))
    rings = {c.label: (c.x.tolist(), c.y.tolist()) for c in chart.curves if c.mark == "rings"}
    assert rings == {
        "a dropper of section A": ([2.0, 3.0], [28.5, 28.4]),
        "a dropper of section B": ([1.0], [29.0]),
    }


def test_an_as_built_line_in_sections_names_them(catenary, folder, in_sections):
    """Heights of either wire of the overlap, one table; the design is the line without its wrong lengths."""
    content = yaml.safe_load((folder / "km2.yaml").read_text(encoding="utf-8"))
    content["defects"] = [row for row in content["defects"] if row["kind"] == "broken"]
    (folder / "design.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    wrong = (("B", 6, 5, 0.006), ("A", 2, 4, -0.005))
    lengths = tuple(DefectSpec(span=s, dropper=d, kind="length", by=by, section=name) for name, s, d, by in wrong)
    others = tuple(d for d in in_sections.section.defects if d.kind == "broken")
    line = in_sections.model_copy(
        update={"section": in_sections.section.model_copy(update={"defects": (*others, *lengths)})}
    )
    rest, rows = open_line_equilibrium(line, 10), "station_m,section,height_mm\n"
    for name, run, ends in zip("AB", rest.mesh.contact_runs, ((0.0, 330.0), (165.0, 550.0)), strict=True):
        at = np.arange(ends[0], ends[1] + 0.1, 0.5)
        height = 5300 + 1e3 * static_height(rest, at, run)
        alone = (at < 165.0) | (at > 330.0)  # a row need not say it where one wire passes
        named = np.where(alone, "", name)
        rows += "".join(f"{1000 + x:.2f},{n},{z:.4f}\n" for x, n, z in zip(at, named, height, strict=True))
    (folder / "heights.csv").write_text(rows, encoding="utf-8")
    typed = ("measured=heights.csv", "survey.nominal_height_m=5.3", "survey.accuracy_mm=0.02", "survey.tolerance_mm=3")
    ended = catenary("correct", "catenary=design.yaml", *typed, "correction_list=false", "run_dir=out")
    assert ended.code == 0, ended
    assert "2 of 116 droppers are cut wrong: section A span 2 dropper 4 by -5.0 mm, section B span 6" in ended.out
    built = load_line(folder / "out" / "as_built.yaml")
    found = {(d.section, d.span, d.dropper): d.by for d in built.section.defects if d.kind == "length"}
    assert found == {where[:3]: pytest.approx(where[3], abs=2e-4) for where in wrong}
    with open(folder / "out" / "droppers.csv", encoding="utf-8") as file:
        (row,) = [r for r in csv.DictReader(file) if (r["section"], r["span"], r["dropper"]) == ("B", "6", "5")]
    hung = [x for x in in_sections.droppers.positions_by_section[1] if 275 < x < 330]
    assert row["wrong"] == "yes" and float(row["station_m"]) == pytest.approx(1000 + hung[4], abs=1e-3)
    with open(folder / "out" / "heights.csv", encoding="utf-8") as file:
        assert {r["section"] for r in csv.DictReader(file) if r["station_m"] == "1200.000"} == {"A", "B"}
    (folder / "heights.csv").write_text("station_m,height_mm\n1200,5300\n", encoding="utf-8")
    ended = catenary("correct", "catenary=design.yaml", *typed, "correction_list=false", "run_dir=no")
    refused(ended, ["heights.csv line 2: section is missing: the wires of A and B pass there"])
    assert not (folder / "no").exists()
