"""A line by stations on the command line: run with what it has of its own, in its files and on its page, or refused."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from refusal import refused

from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.library.lines import load_line
from dynamics.results.dataset import read_result
from studies.report.pages.simulation_page import simulation_page
from studies.report.readers.simulation_folder import read_simulation

CASE = ("pantograph=bruni_2015", "speed_kmh=200", "dt=4e-3", "error_estimate=false", "applied_force_N=120")
MESH = {"mesh": {"elements_per_bay": 2, "largest_element_length": 3.0}}


@pytest.fixture
def line_file(folder):
    """Write a line file of five spans of bruni_2015, one of them shorter."""

    def write(**keys):
        supports = [{"station_m": x} for x in (0, 55, 110, 160, 215, 270)]
        content = {"kind": "line", "type": "bruni_2015", "changes": MESH, "supports": supports, **keys}
        (folder / "km12.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        return "catenary=km12.yaml"

    return write


def test_a_line_by_stations_is_run_on_all_its_spans_and_written(catenary, folder, line_file):
    ended = catenary("simulate", line_file(defects=[{"span": 3, "dropper": 2, "kind": "broken"}]), *CASE, "run_dir=run")
    assert ended.code == 0, ended
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert (summary["catenary"], summary["solver"], summary["static"]["of"]) == (
        "km12",
        "open_line",
        "the line's 5 spans",
    )
    # the result has every dropper but the broken one
    assert len(summary["static"]["dropper_force_N"]) == 44
    assert read_result(folder / "run" / "result.nc").values["line_dropper_force"].shape[1] == 44
    page = read_simulation(folder / "run")
    # droppers by the names of their line: the broken one was the second of the third span, in front of the twentieth
    (table,) = (t for s in simulation_page(page).sections for t in s.tables if t.title == "Droppers")
    assert table.columns[:2] == ("span", "dropper")
    assert [row[:2] for row in table.rows[18:20]] == [("3", "1"), ("3", "3")]
    slack = summary["dropper_slack_time_s"][19]
    (said,) = (line for line in ended.out.splitlines() if line.startswith("slack while the train passes"))
    assert slack and "dropper 20" not in said and f"3 for {1e3 * slack:.0f} ms" in said.partition("span 3, ")[2]
    # spans 3 and 4 count, of 50 and 55 m
    assert page.result.force.x[0] == pytest.approx(110.0, abs=0.3) and page.result.force.x[-1] == pytest.approx(
        215.0, abs=0.3
    )
    assert page.static_note == ""
    # two spans make the whole: variance within them and between their means, by the time that each takes
    (whole,), spans = summary["pantographs"], summary["by_span"]
    assert [(s["span"], s["begin_m"], s["end_m"]) for s in spans] == [(3, 110.0, 160.0), (4, 160.0, 215.0)]
    share = np.array([50.0, 55.0]) / 105.0
    mean, sigma = (np.array([s[f"contact_force_{key}_N"] for s in spans]) for key in ("mean", "std"))
    assert share @ mean == pytest.approx(whole["contact_force_mean_N"], abs=0.3)
    total = share @ sigma**2 + share @ (mean - share @ mean) ** 2
    assert np.sqrt(total) == pytest.approx(whole["contact_force_std_N"], rel=0.02)
    assert max(s["contact_force_max_N"] for s in spans) == pytest.approx(whole["contact_force_max_N"], abs=0.5)
    rises = [spans[0]["uplift_begin_mm"], *(s["uplift_end_mm"] for s in spans)]
    assert max(rises) == pytest.approx(whole["max_uplift_at_supports_mm"])
    assert spans[0]["uplift_end_mm"] == spans[1]["uplift_begin_mm"]
    worst = max(spans, key=lambda s: s["contact_force_std_N"])
    assert f"worst span {worst['span']} ({worst['begin_m']:g} to {worst['end_m']:g} m)" in ended.out
    html = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "Span by span" in html and f"It varies most in span {worst['span']}, from" in html
    assert ended.code == catenary("report", "run_dir=run").code


def test_a_run_over_an_overlap_says_how_its_wires_share_the_head(catenary, folder, line_file):
    supports = [{"station_m": 55 * k} for k in range(8)]
    sections = [{"name": "A", "from_m": 0, "to_m": 275}, {"name": "B", "from_m": 165, "to_m": 385}]
    ended = catenary("simulate", line_file(supports=supports, sections=sections), *CASE, "run_dir=run")
    assert ended.code == 0 and "pantograph 1 on section B: " in ended.out
    a, b = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))["by_wire"]
    assert (a["section"], b["section"]) == ("A", "B") and a["load_percent"] + b["load_percent"] == pytest.approx(100.0)
    assert 165.0 < b["touched_from_m"] <= a["touched_to_m"] < 275.0
    html = (folder / "run" / "report.html").read_text(encoding="utf-8")
    page = html[html.index("Wire by wire") :]
    for wire in (a, b):
        assert f"{wire['touched_from_m']:.1f}" in page and f"{wire['contact_force_max_N']:.1f}" in page
    kept = read_result(folder / "run" / "result.nc").values
    assert kept["pantograph_wire_force"].shape == (*kept["pantograph_contact_force"].shape, 2)
    np.testing.assert_allclose(kept["pantograph_wire_force"].sum(axis=2), kept["pantograph_contact_force"], atol=1e-9)


def test_a_film_draws_the_wires_of_an_overlap_each_for_itself(catenary, folder, line_file):
    """From its first support to its last; the head is under the wire that it presses on, beyond the other one's end."""
    sections = [{"name": "A", "from_m": 0, "to_m": 200}, {"name": "B", "from_m": 100, "to_m": 350}]
    supports = [{"station_m": 50 * k} for k in range(8)]
    name = line_file(type="shinkansen_compound", supports=supports, sections=sections)
    typed = ("open_line.first_evaluated=3", "open_line.last_evaluated=6", "histories.animation=true")
    assert catenary("simulate", name, *CASE, *typed, "run_dir=run").code == 0
    film = read_simulation(folder / "run").histories.animation
    ends = [(wire, x[0], x[-1]) for wire, x in film.wires]
    assert ends == [(wire, *map(float, at)) for wire in (0, 1, 3) for at in ((0, 200), (100, 350))]
    last, (x, tenths) = film.frames[-1], film.frames[-1].pantographs[0]
    assert x > 250.0
    ((_, first, heights),) = [h for h in last.heights if film.wires[h[0]][0] == 0]
    above = np.interp(x, film.wires[1][1][first : first + heights.size], heights)
    assert abs(tenths[0] - above) < 60.0, "a head's upper edge, in tenths of a drawing unit"


def test_a_line_by_stations_takes_no_solver_that_repeats_and_no_other_number_of_spans(catenary, line_file):
    name = line_file()
    refused(catenary("simulate", name, *CASE, "solver=periodic"), ["solver must be open_line for a line by stations"])
    refused(catenary("simulate", name, *CASE, "open_line.spans=6"), ["open_line.spans must be 5"])


@pytest.mark.parametrize(
    ("command", "key", "sentence"),
    [
        ("export", "run_dir=x", "catenary must be a line that repeats"),
        ("optimise", "campaign=x", "design.kind must be stations for a line by stations: got heights"),
        ("sensitivity", "sensitivity.methods=[gradient]", "without gradient with solver=open_line"),
        ("simulate", "gradient=true", "gradient must be false"),
    ],
)
def test_what_rests_on_a_line_that_repeats_takes_none_by_stations(catenary, folder, line_file, command, key, sentence):
    case = ("pantograph=bruni_2015", "speed_kmh=200", "applied_force_N=120")
    refused(catenary(command, line_file(), *case, key), [sentence])
    assert [p.name for p in folder.iterdir()] == ["km12.yaml"]


def test_a_sweep_runs_it_from_end_to_end_at_every_point(catenary, folder, line_file):
    case = (line_file(), "pantograph=bruni_2015", "applied_force_N=120", "dt=4e-3")
    many = ("sweep.axes={speed_kmh:[200,210]}", "cluster=serial", "error_estimate=false", "run_dir=s")
    ended = catenary("sweep", *case, *many)
    assert ended.code == 0, ended
    ended = catenary("simulate", *case, "speed_kmh=210", "error_estimate=false", "run_dir=one")
    assert ended.code == 0, ended
    alone = json.loads((folder / "one" / "summary.json").read_text(encoding="utf-8"))["pantographs"][0]
    swept = read_result(folder / "s" / "result.nc").values["contact_force_std_N"]
    assert swept[1] == pytest.approx(alone["contact_force_std_N"], rel=1e-12) and swept[0] != swept[1]


def test_bad_rows_are_refused_before_anything_is_written(catenary, folder, line_file):
    rows = [{"span": 1, "position": 70, "height_mm": 0}]
    refused(catenary("simulate", line_file(droppers=rows), *CASE), ["km12.yaml droppers[0]: position must lie between"])
    assert [p.name for p in folder.iterdir()] == ["km12.yaml"]


def line_of_the_page(name):
    """A line of the examples, which the page on lines by stations shows whole."""
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "how-to" / "line-by-stations.md").read_text(encoding="utf-8")
    assert (root / "examples" / name).read_text(encoding="utf-8").partition("\n")[2] in page
    return load_line(root / "examples" / name)


def test_the_overlap_of_the_how_to_page_is_the_one_in_the_examples_and_hangs():
    line = line_of_the_page("overlap.yaml")
    assert [own.name for own in line.section.tension_sections] == ["A", "B"]
    assert open_line_equilibrium(line, 12).dropper_force.min() > 10.0


def test_the_elements_of_the_how_to_page_are_those_in_the_examples_and_hang():
    line = line_of_the_page("elements.yaml")
    assert [own.kind for own in line.section.elements] == ["spring_support", "damper", "insulator"]
    eq = open_line_equilibrium(line, 8)
    assert eq.dropper_force.min() > 10.0 and len(eq.mesh.mass_nodes) == 5


def test_the_line_of_the_how_to_page_is_the_one_in_the_examples_and_can_be_read():
    line = line_of_the_page("km12.yaml")
    assert len(line.supports) == 13 and line.section is not None
    assert [defect.kind for defect in line.section.defects] == ["broken", "length", "stiffness"]


def test_sections_at_another_temperature_state_their_tensions(catenary, folder):
    """On the terminal, in summary.json and on the page: section B is fixed at both ends, weights hold A."""
    supports = [{"station_m": 55.0 * k} for k in range(9)]
    sections = [
        {"name": "A", "from_m": 0, "to_m": 275, "ends": "weight"},
        {"name": "B", "from_m": 165, "to_m": 440, "ends": "fixed"},
    ]
    content = {"kind": "line", "type": "bruni_2015", "changes": MESH, "supports": supports, "sections": sections}
    (folder / "station.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    warm = ("catenary=station.yaml", "catenary.temperature.now_C=35")
    ended = catenary("simulate", *warm, *CASE, "run_dir=run")
    assert ended.code == 0, ended
    fixed = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))["fixed_wires"]
    assert (fixed["temperature_C"], list(fixed["by_section"])) == (35.0, ["B"])
    shown = [(wire, f"{1e-3 * pulled:.2f}") for wire, pulled in fixed["by_section"]["B"].items()]
    assert fixed["by_section"]["B"]["contact"] < 0.75 * fixed["tension_strung_N"]["contact"]
    said = f"fixed at both ends, at 35 C, section B: contact wire {shown[0][1]} kN (22.00 as strung)"
    assert said in ended.out and "section A: contact wire" not in ended.out
    sections = simulation_page(read_simulation(folder / "run")).sections
    (table,) = (t for s in sections for t in s.tables if t.title == "Wires fixed at both ends")
    assert table.rows == (("B", "contact", "22.00", shown[0][1]), ("B", "messenger", "16.00", shown[1][1]))
    refused(catenary("simulate", *warm, "catenary.temperature.sections=[C]", *CASE), ["must be among A, B: got 'C'"])
