"""A sweep from the command line: refused by name, filled, drawn, and resumed."""

import re

import numpy as np
import pytest
import xarray as xr
from refusal import refused

COARSE = (
    "array=speed_bruni",
    "sweep.name=small",
    "cluster=serial",
    "catenary.mesh.elements_per_bay=2",
    "catenary.mesh.largest_element_length=60",
    "periodic.spans_behind=4",
    "periodic.spans_ahead=5",
    "error_estimate=false",
)
AXES = "sweep.axes={contact.stiffness:{low:50e3,high:100e3,number:2},speed_kmh:[250,275]}"


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ("{contact.stifness:[50e3,60e3]}", "contact.stifness is not a known key; did you mean contact.stiffness?"),
        ("{contact.stiffness:[1,50e3]}", "contact.stiffness must be between 5000 and 5000000 N/m: got 1 N/m"),
        ("{catenary.mesh.elements_per_bay:[2,2.5]}", "elements_per_bay must be a whole number between 2 and"),
        (
            "{applied_force_N:[100,150]}",
            "applied_force_N is not one of them (what the case leaves out is given first: a",
        ),
        ("{catenary.droppers.positions:[1,2]}", "catenary.droppers.positions is not one number"),
        ("{speed_kmh:[300,200]}", "those of speed_kmh do not increase"),
        ("{speed_kmh:[300,590]}", "wave speed"),
        ("{pantograph.masses.9:[5,6]}", "pantograph.masses.9 is not one of them"),
        ("{catenary.stitch.tension:[2000,3000]}", "catenary.stitch.tension is not one of them"),
    ],
)
def test_axes_that_cannot_be_are_refused_and_nothing_is_written(catenary, folder, axes, sentence):
    refused(catenary("sweep", *COARSE, f"sweep.axes={axes}"), [sentence])
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("typed", [(), ("speed_kmh=280",), ("sweep.name=mine", "cluster=serial")])
def test_a_sweep_of_nothing_is_refused_and_says_what_there_is(catenary, folder, typed):
    refused(catenary("sweep", *typed), ["sweep.axes is missing", "array=damping_stiffness_bruni|", "cost=true"])
    assert list(folder.iterdir()) == []


def test_a_sweep_is_filled_drawn_and_resumed(catenary, folder):
    ended = catenary("sweep", *COARSE, AXES)
    assert ended.code == 0, ended.err
    assert re.search(r"4/4 points \| [\d.]+ per (?:s|min|h) \| 0 failed \| time left 0:00", ended.out)
    assert re.search(r"lowest standard deviation [\d.]+ N \(error not estimated\) at ", ended.out)
    where = folder / "outputs" / "sweeps" / "small"
    assert {f.name for f in (where / "figures").iterdir()} >= {"sigma_map.png", "contact_force_std_N.png"}
    with xr.open_dataset(where / "result.nc") as data:
        sigma = data["contact_force_std_N"]
        assert sigma.shape == (2, 2) and bool((sigma > 5.0).all())
        # each speed holds its own reference mean force
        means = data["contact_force_mean_N"].mean("contact_stiffness").values
        assert means == pytest.approx([130.6, 143.4], abs=0.2)
    page = (where / "report.html").read_text(encoding="utf-8")
    assert "train speed" in page and "data:image/png" in page
    for text in ("Where the input comes from", "core-hours", "wall time, all runs of the study", "catenary sweep "):
        assert text in page, text
    before = {f: f.stat().st_mtime_ns for f in where.rglob("*")}
    assert "sweep small: finished | 4/4 points | 0 failed | outputs/sweeps/small\n" in catenary("status").out
    assert {f: f.stat().st_mtime_ns for f in where.rglob("*")} == before, "status only reads"
    record = (where / "points.jsonl").read_bytes()
    assert catenary("sweep", *COARSE, AXES, "cluster.time_limit_s=60").code == 0
    assert (where / "points.jsonl").read_bytes() == record
    refused(catenary("sweep", *COARSE, AXES, "dt=1e-3"), ["must be resumed with the configuration", "case.dt was "])
    assert catenary("report", str(where)).code == 0


def test_what_the_verdict_rests_on_is_refined_and_said_with_its_error(catenary, folder):
    given = [word for word in COARSE if "error_estimate" not in word]
    ended = catenary("sweep", *given, "sweep.axes={speed_kmh:[275]}")
    assert ended.code == 0, ended.err
    found = re.search(r"highest standard deviation ([\d.]+) ± ([\d.]+) N at speed_kmh=275", ended.out)
    assert found, ended.out
    sigma, error = map(float, found.groups())
    assert 0.0 < error < 0.03 * sigma
    where = folder / "outputs" / "sweeps" / "small"
    with xr.open_dataset(where / "result.nc") as data:
        assert float(data["assured_sigma_N"][0]) == pytest.approx(sigma, abs=0.005)
        assert float(data["assured_error_N"][0]) == pytest.approx(error, abs=0.005)
        swept = float(data["contact_force_std_N"][0])
    assert (f"{swept:.2f} N is further off" in ended.out) == (abs(swept - sigma) > error)
    page = (where / "report.html").read_text(encoding="utf-8")
    assert "Refined points" in page and f"{found[1]} ± {found[2]}" in page.replace("\u00a0", " ").replace("\u202f", " ")


def test_an_axis_that_the_operator_does_not_have_is_said_to_decide_nothing(catenary, folder):
    """The number of wires, which a line of one leaves out, is an axis like others."""
    axes = "sweep.axes={dt:[1e-3,2e-3],catenary.contact_wire.count:[1,2]}"
    ended = catenary("sweep", *COARSE, axes)
    assert ended.code == 0, ended.err
    said = (
        "dt: the operator, which solved 4 of 4 points, has no step, mesh or window, so that it decides next to nothing"
    )
    assert said in ended.out
    page = (folder / "outputs" / "sweeps" / "small" / "report.html").read_text(encoding="utf-8")
    assert "has no step, mesh or window" in page
    with xr.open_dataset(folder / "outputs" / "sweeps" / "small" / "result.nc") as data:
        sigma = data["contact_force_std_N"].values
    assert abs(sigma[:, 1] - sigma[:, 0]).min() > 1.0 and abs(sigma[1] - sigma[0]).max() < 0.1
    assert "decides next to nothing" not in catenary("sweep", *COARSE, axes, "periodic.method=march", "run_dir=m").out


def test_the_cost_of_a_single_batch_has_no_scatter(catenary, folder):
    ended = catenary("sweep", *COARSE, "sweep.axes={mean_force_N:[100,150]}", "cost=true")
    assert ended.code == 0 and "nan" not in ended.out and "On 2 workers that is 0 s" not in ended.out


def test_the_cost_of_a_sweep_is_estimated_and_nothing_is_written(catenary, folder):
    ended = catenary("sweep", *COARSE, AXES, "cost=true")
    assert ended.code == 0, ended.err
    assert "Not counted" not in ended.out
    assert "Not counted: the errors of the lowest" in catenary("sweep", *COARSE[:-1], AXES, "cost=true").out
    assert "4 points are estimated at" in ended.out and "Nothing was submitted and nothing was written." in ended.out
    assert list(folder.iterdir()) == []


def test_over_the_delay_of_an_actuator_a_gain_of_nothing_is_a_level_line(catenary, folder):
    """That line is the passive pantograph; the delay moves the deviation of the controlled one."""
    axes = "sweep.axes={pantograph.control.actuator.delay_s:[0,0.02,0.04],pantograph.control.pid.proportional:[0,0.5]}"
    ended = catenary("sweep", "array=delay_controlled", *COARSE[1:], axes)
    assert ended.code == 0, ended.err
    where = folder / "outputs" / "sweeps" / "small"
    with xr.open_dataset(where / "result.nc") as data:
        sigma = data["contact_force_std_N"].values
    by_march = [*COARSE[2:], "periodic.method=march"]  # as one that is controlled
    passive = catenary("sweep", *by_march, "catenary=bruni_2015", "sweep.name=passive", "pantograph=bruni_2015",
                       "sweep.axes={speed_kmh:[275,280]}")  # fmt: skip
    assert passive.code == 0, passive.err
    with xr.open_dataset(folder / "outputs" / "sweeps" / "passive" / "result.nc") as data:
        alone = float(data["contact_force_std_N"].values[0])
    assert sigma[:, 0] == pytest.approx([alone] * 3, rel=2e-3)
    assert np.ptp(sigma[:, 1]) > 0.01 * alone
    assert (where / "figures" / "contact_force_std_N.png").stat().st_size > 0
    assert "from measurement to the force that begins to follow" in (where / "report.html").read_text(encoding="utf-8")
