"""A sensitivity study from the command line: refused by name, evaluated, drawn, and resumed."""

import csv
import math
import re

import numpy as np
import pytest
import xarray as xr
from refusal import refused

from optimise.parameter_study.sensitivity import SensitivityFolder, load_sensitivity
from studies.report.readers.given_input import points_origin

COARSE = (
    "inputs=twelve_bruni",
    "sensitivity.name=small",
    "sensitivity.methods=[morris,local]",
    "sensitivity.morris.trajectories=4",
    "sensitivity.local.tolerance=5e-4",
    "cluster=serial",
    "speed_kmh=200",
    "catenary.mesh.elements_per_bay=2",
    "catenary.mesh.largest_element_length=60",
    "periodic.spans_behind=4",
    "periodic.spans_ahead=5",
    "catenary.damping.alpha=0.1",
)
INPUTS = (
    "sensitivity.inputs={contact.stiffness:{low:40e3,high:60e3},pantograph.masses.0:{low:6,high:9},"
    "catenary.damping.alpha:{low:0.05,high:0.15}}"
)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (
            "sensitivity.inputs={contact.stifness:{low:5e4,high:6e4},speed_kmh:{low:200,high:210}}",
            "did you mean contact",
        ),
        (
            "sensitivity.inputs={contact.stiffness:{low:1,high:6e4},speed_kmh:{low:200,high:210}}",
            "5000 and 5000000 N/m",
        ),
        (
            "sensitivity.inputs={catenary.droppers.positions:{low:1,high:2},speed_kmh:{low:200,high:210}}",
            "not one number",
        ),
        (
            "sensitivity.inputs={catenary.stitch.tension:{low:3e3,high:4e3},speed_kmh:{low:200,high:210}}",
            "not one of them",
        ),
        ("sensitivity.inputs={contact.stiffness:{low:6e4,high:5e4},speed_kmh:{low:200,high:210}}", "greater than low"),
        ("sensitivity.sobol.samples=1000", "power of two: got 1000, nearest 1024"),
        ("sensitivity.methods=[sobel]", "sobol"),
        (["solver=open_line", "sensitivity.methods=[gradient]"], "without gradient with solver=open_line"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(catenary, folder, typed, sentence):
    refused(catenary("sensitivity", *COARSE, *([typed] if isinstance(typed, str) else typed)), [sentence])
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("study", "typed"),
    [("sensitivity", "sensitivity.methods=[sobel]"), ("sweep", "sweep.axes={speed_kmh:[fast]}")],
)
def test_a_list_whose_only_value_is_refused_is_not_called_empty_as_well(catenary, study, typed):
    refused(catenary(study, typed), ["1 problem in the input"])


def test_a_line_without_a_stitch_is_refused_with_the_inputs_that_fit_it(catenary, folder):
    ended = catenary("sensitivity", "catenary=bruni_2015", "pantograph=bruni_2015")
    refused(ended, ["catenary.stitch.tension is not one of them (", "; use inputs=twelve_bruni, or name others by"])
    assert list(folder.iterdir()) == []


def test_a_study_is_evaluated_drawn_and_resumed(catenary, folder):
    ended = catenary("sensitivity", *COARSE, INPUTS)
    assert ended.code == 0, ended.err
    assert re.search(r"29/29 points \| [\d.]+ per (?:s|min|h) \| 0 failed \| time left 0:00", ended.out)
    assert "mean elementary effect on sigma over the range: pantograph.masses.0" in ended.out
    where = folder / "outputs" / "sensitivity" / "small"
    assert {f.name for f in (where / "figures").iterdir()} >= {"morris_sigma.png", "tornado_sigma.png"}
    with xr.open_dataset(where / "result.nc") as data:
        assert data["morris_mean_absolute"].shape == (5, 3) and data.sizes["point"] == 29
        sigma = data["contact_force_std_N"].values
        assert ((sigma > 3.0) & (sigma < 40.0)).all()
    with open(where / "indices.csv", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert {r["method"] for r in rows} == {"morris", "local"}
    page = (where / "report.html").read_text(encoding="utf-8")
    assert "Elementary effects" in page and "step error" in page and "data:image/png" not in page
    found = load_sensitivity(where)
    origin = points_origin(SensitivityFolder(where), found.case, found.plan.names, found.points.values())
    rows = {(row[0], row[3]) for table in origin[0].tables for row in table.rows}
    varied = "varied here; this is the case's own"
    assert {("contact, stiffness", varied), ("masses", varied), ("damping, alpha", varied)} <= rows
    assert ("dt", "default of the program") in rows and ("stiffnesses", varied) not in rows
    facts = dict(origin[1].tables[0].rows)
    assert facts["points on record"] == "29" and float(facts["core-hours, one thread a point"]) > 0.0
    assert {"SHA-256 of the resolved input", "results written", "commit", "versions"} <= facts.keys()
    assert origin[2].command.startswith("catenary sensitivity inputs=twelve_bruni sensitivity.name=small")
    assert all(section.title in page for section in origin)
    before = {f: f.stat().st_mtime_ns for f in where.rglob("*")}
    shown = catenary("status").out
    assert shown == "sensitivity small: finished | 29/29 points | 0 failed | outputs/sensitivity/small\n"
    assert {f: f.stat().st_mtime_ns for f in where.rglob("*")} == before, "status only reads"
    (where / "indices.csv").unlink()
    shown = catenary("status", f"run_dir={where}").out
    assert "all points done, indices.csv in progress" in shown, "its driver is this process"
    record = (where / "points.jsonl").read_bytes()
    assert catenary("sensitivity", *COARSE, INPUTS, "cluster.time_limit_s=60").code == 0
    assert (where / "points.jsonl").read_bytes() == record
    refused(
        catenary("sensitivity", *COARSE, INPUTS, "dt=1e-3"), ["must be resumed with the configuration", "case.dt was "]
    )
    assert catenary("report", str(where)).code == 0


def test_exact_derivatives_are_checked_by_a_computed_step_and_by_shorter_windows(catenary, folder):
    ended = catenary(
        "sensitivity", *COARSE, INPUTS, "sensitivity.methods=[gradient]", "sensitivity.local.tolerance=1e-7",
        "periodic.method=march", "periodic.max_spans=400", "periodic.spans_behind=10", "periodic.spans_ahead=12",
        "mean_force_N=60",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "exact derivative of sigma times the range: " in ended.out
    where = folder / "outputs" / "sensitivity" / "small"
    exact = load_sensitivity(where).gradient
    assert exact.computed < 0.0 and exact.computed == pytest.approx(exact.expected, rel=0.05)
    near = exact.error[0, :2] / np.abs(exact.derivative[0, :2])
    assert (near > 0.0).all() and (near < 0.1).all(), "what acts at the pantograph is hardly cut"
    assert near.max() < exact.error[0, 2] / abs(exact.derivative[0, 2]), "what acts everywhere is"
    assert "Exact derivatives" in (where / "report.html").read_text(encoding="utf-8")


def test_by_the_operator_their_error_comes_from_fewer_harmonics_and_samples(catenary, folder):
    even_in_the_logarithm = INPUTS.replace("low:6,high:9", "low:2,high:30,spacing:log")
    ended = catenary(
        "sensitivity", *COARSE, even_in_the_logarithm, "sensitivity.methods=[gradient]",
        "mean_force_N=120",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    exact = load_sensitivity(folder / "outputs" / "sensitivity" / "small").gradient
    said = re.search(r"derivative of sigma times the range: pantograph\.masses\.0 \+([\d.]+) ± ([\d.]+) N", ended.out)
    by_mass = exact.derivative[0, 1] * 7.5 * math.log(15.0)
    assert float(said[1]) == pytest.approx(by_mass, rel=0.01) and 0.0 < float(said[2]) < 0.2 * by_mass
    assert exact.known[0].sum() >= 2
    assert exact.computed < 0.0 and exact.computed == pytest.approx(exact.expected, rel=0.05)
    share = exact.error[0] / np.abs(exact.derivative[0])
    assert (share > 1e-4).all() and share.min() < 0.2, f"{share}: another resolution gives other derivatives"
