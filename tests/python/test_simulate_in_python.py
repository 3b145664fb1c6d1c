"""Runs from Python: the command line's input and numbers, labelled histories, pictures, refusals."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import catenary
import dynamics
from dynamics.accuracy.numerical_error import ErrorPart, NumericalError
from dynamics.results.solution import without_figures
from dynamics.rig.exported import ExportedBundle
from dynamics.run import NoFiguresError, Run
from dynamics.spec.case import CaseSpec, case_of
from dynamics.spec.case_input import CaseChanges, job_input
from dynamics.spec.status import Status
from studies.cli import main
from studies.input.compose import compose_job
from studies.jobs.simulation import SimulateJob

TYPED = ["catenary=bruni_2015", "pantograph=bruni_2015", "speed_kmh=275", "dt=2e-3", "contact.stiffness=200e3"]
SHORT = ["periodic.spans_behind=6", "periodic.spans_ahead=8", "periodic.tolerance=1e-3"]
GIVEN = {
    "dt": 2e-3,
    "contact": {"stiffness": 200e3},
    "periodic": {"spans_behind": 6, "spans_ahead": 8, "tolerance": 1e-3},
}


@pytest.fixture(scope="module")
def run():
    return dynamics.simulate("bruni_2015", "bruni_2015", speed_kmh=275, error_estimate=False, **GIVEN)


def test_what_a_run_holds_is_named_on_one_line(run):
    case = "bruni_2015 with bruni_2015 at 275 km/h"
    assert repr(run.case) == str(run.case) == f"<case {case}, periodic>"
    assert repr(run.solution) == f"<solution of {case}, periodic: ok>"
    assert repr(run.statistics).startswith("<statistics: contact force 143.3") and "loss 0.00 %" in repr(run.statistics)
    parts = (ErrorPart("time_step", 0.03, ""), ErrorPart("mesh", 0.04, ""))
    assert repr(NumericalError(26.85, parts, 1.0)) == (
        "<numerical error ± 0.050 N of 26.85 N: time step 0.030 N, mesh 0.040 N>"
    )
    assert "error unknown of" in repr(NumericalError(26.85, (ErrorPart("mesh", None, "why"),), 1.0))
    bundle = ExportedBundle(Path("rig/best"), run.case, 1950, 4e-4, 18.7, (("pfem.nc", 0.1),))
    assert repr(bundle) == f"<rig bundle rig/best: {case}, 1950 frequencies>"


def test_the_input_is_that_of_the_command_line():
    composed = case_of(compose_job("simulate", SimulateJob, [*TYPED, *SHORT]).job)
    assert job_input(CaseSpec, "bruni_2015", "bruni_2015", {"speed_kmh": 275, **GIVEN}) == composed
    line = catenary.load_line("bruni_2015").with_changes(contact_wire={"tension": 21e3})
    typed = compose_job("simulate", SimulateJob, [*TYPED, *SHORT, "catenary.contact_wire.tension=21e3"])
    assert job_input(CaseSpec, line, "bruni_2015", {"speed_kmh": 275, **GIVEN}) == case_of(typed.job)


@pytest.mark.parametrize("typed", [["mean_force_N=150"], ["applied_force_N=160"], ["supply=dc_3kv"], []])
def test_the_held_force_is_that_of_the_command_line(typed):
    given = {"speed_kmh": 250}
    for text in typed:
        key, _, value = text.partition("=")
        given[key] = value if key == "supply" else float(value)
    composed = compose_job("simulate", SimulateJob, ["speed_kmh=250", *typed]).job
    assert job_input(CaseSpec, "re330", "dsa380", given) == case_of(composed)


def test_the_figures_are_those_of_the_command_line(run, own_folder):
    assert main(["simulate", *TYPED, *SHORT, "error_estimate=false", f"run_dir={own_folder / 'typed'}"]) == 0
    summary = json.loads((own_folder / "typed" / "summary.json").read_text(encoding="utf-8"))
    for name in ("contact_force_std_N", "contact_force_mean_N", "contact_force_max_N", "max_uplift_at_supports_mm"):
        assert getattr(run, name) == summary["pantographs"][0][name]
    with xr.open_dataset(own_folder / "typed" / "result.nc") as written:
        found = run.to_xarray()
        for name in ("contact_force", "support_uplift", "contact_wire_static_height"):
            xr.testing.assert_equal(found[name].load(), written[name].load())
    assert run.save(own_folder / "kept.nc").is_file()
    with pytest.raises(catenary.InputError, match=r"\.nc.*netCDF4.*kept\.txt"):
        run.save(own_folder / "kept.txt")
    assert not (own_folder / "kept.txt").exists()


def test_a_force_is_found_by_its_position(run):
    force, solution = run.contact_force, run.solution
    k = int(np.argmin(np.abs(solution.position - 30.0)))
    assert abs(solution.position[k] - 30.0) > 1e-6  # between samples
    found = force.sel(position=30)
    assert float(found) == solution.contact_force[k] and float(found.time) == solution.time[k]
    assert force.sel(position=slice(10.0, 20.0)).size == np.sum((force.position >= 10.0) & (force.position <= 20.0))
    assert force.sel(position=[5.0, 30.0]).size == 2
    assert (force.attrs["units"], run.contact_force_filtered.mean().round(3)) == (
        "N",
        round(run.contact_force_mean_N, 3),
    )
    with pytest.raises(KeyError, match="55 m"):
        force.sel(position=80)


def test_a_picture_shows_forces_droppers_supports_and_uplift(run):
    above, below = run.plot().axes
    curves = {curve.get_label(): curve for curve in above.get_lines()}
    line, force = run.case.catenary, run.solution.contact_force_filtered
    np.testing.assert_array_equal(curves["filtered at 20 Hz"].get_ydata(), [force[-1], *force])
    for name in ("as computed", "filtered at 20 Hz"):  # from the first support on, where the state is that of the end
        stations = curves[name].get_xdata()
        np.testing.assert_allclose(stations[[0, -1]], [0.0, line.period], atol=1e-9)
        np.testing.assert_allclose(np.diff(stations), stations[1] - stations[0])
    for name, stations in (("droppers", line.droppers.positions), ("supports", line.supports)):
        np.testing.assert_allclose(curves[name].get_xdata()[::3], stations)
    assert max(
        curve.get_ydata().max() for curve in below.get_lines() if curve.get_label() == "uplift"
    ) == pytest.approx(run.max_uplift_at_supports_mm)
    page = run._repr_html_()
    assert page.startswith("<p>run bruni_2015") and page.rstrip().endswith("</svg>")
    assert repr(run).startswith("<run bruni_2015 with bruni_2015 at 275 km/h, periodic: contact force 143.3")


def test_a_run_without_figures_says_why(run):
    failed = Run(without_figures(run.case, run.solution.equilibrium, Status.STATIC_SLACK, "dropper 3", 0.0), None, 0.0)
    with pytest.raises(NoFiguresError, match="slack at rest"):
        _ = failed.contact_force_std_N
    with pytest.raises(NoFiguresError):
        failed.plot()
    assert "slack at rest" in repr(failed) and "svg" not in failed._repr_html_()
    assert replace(failed, solution=run.solution).contact_force_std_N == run.contact_force_std_N


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"contact": {"stifness": 1e5}}, ("contact.stifness", "contact.stiffness")),
        ({"solver": "periodc"}, ("solver", "periodc", "transient")),
        ({"speed_kmh": 3000}, ("speed_kmh", "3000 km/h")),
        ({"speed_kmh": 590}, ("speed_kmh", "wave speed")),
        ({"pantograph": "dsa38"}, ("dsa38", "dsa380")),
        ({"line": "re33"}, ("re33", "re330")),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(given, said):
    with pytest.raises(catenary.InputError) as refused:
        dynamics.simulate(**{"line": "re330", "pantograph": "dsa380", "speed_kmh": 300, **given})
    assert all(word in str(refused.value) for word in said), refused.value


def test_a_line_that_hangs_slack_is_refused():
    slack = catenary.load_line("re330").with_droppers(heights_mm=[0, 0, 0, 0, 90, 0, 0, 0, 0])
    with pytest.warns(UserWarning, match="pre-sag is negative"), pytest.raises(catenary.InputError, match="droppers"):
        dynamics.simulate(slack, "dsa380", 300)


def test_every_key_of_a_case_can_be_given_by_name():
    own = {"catenary", "pantograph", "speed_kmh"}
    assert set(CaseChanges.__annotations__) == set(CaseSpec.model_fields) - own


def test_pantographs_are_read_by_name():
    assert "dsa380" in dynamics.pantograph_names()
    head = dynamics.load_pantograph("dsa380").with_changes(masses=[7.0, 6.0, 5.0])
    assert head.masses == (7.0, 6.0, 5.0) and head.provenance["masses"] == "c"
