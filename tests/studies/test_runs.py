"""Commands run for real, small: what they write, and that it can be read, resumed and run again."""

import contextlib
import dataclasses
import io
import json
import math

import numpy as np
import pytest
import yaml
from small_runs import BRUNI, LONG_ELEMENTS, SMALL_WINDOW, UNSETTLED

from dynamics.accuracy.companions import NoCompanionError
from dynamics.charts import files
from dynamics.charts.numbers import error_text
from dynamics.contact_force.statistics import ContactStatistics
from dynamics.results.dataset import read_result
from dynamics.spec.status import Status
from studies.cli import main


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [n for item in value for n in numbers(item)]
    return [value] if isinstance(value, int | float) else []


@pytest.fixture(scope="module", params=["periodic", "transient"])
def simulated(request, tmp_path_factory):
    """Solver, folder and words of a run that tests share and leave as it is."""
    folder, said = tmp_path_factory.mktemp(request.param), io.StringIO()
    typed = (*BRUNI, *SMALL_WINDOW, "transient.spans_evaluated=4", f"solver={request.param}", "run_dir=run")
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(said):
        patch.setattr(files, "PNG_WIDTH", 400)
        patch.chdir(folder)
        assert main(["simulate", *typed]) == 0
    return request.param, folder / "run", said.getvalue()


def test_a_simulation_writes_what_the_interface_names(simulated):
    solver, run, said = simulated
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    described = {
        "schema_version",
        "status",
        "message",
        "config_sha256",
        "static",
        "pantographs",
        "wall_time_s",
    }
    assert described | {"catenary", "pantograph", "solver", "speed_kmh"} <= set(summary)
    assert (summary["status"], summary["solver"], summary["speed_kmh"]) == ("ok", solver, 275.0)
    assert ("; steady state by the line's operator)" in said) == (solver == "periodic")
    static = summary["static"]
    assert len(static["dropper_force_N"]) == len(static["dropper_length_m"]) == 9
    assert set(static["contact_wire_height_m"]) == {"x_m", "z_m"}
    assert set(static["elasticity_mm_per_N"]) == {"x_m", "value"}
    assert 0.1 < min(static["elasticity_mm_per_N"]["value"]) < max(static["elasticity_mm_per_N"]["value"]) < 0.6
    (figures,) = summary["pantographs"]
    assert set(figures) == {"applied_force_N", "losses", *(f.name for f in dataclasses.fields(ContactStatistics))}
    assert figures["losses"] == {"count": 0, "longest_s": 0.0, "longest_m": 0.0, "total_percent": 0.0}
    assert figures["contact_force_mean_N"] == pytest.approx(143.356, abs=0.11)
    assert set(summary["wall_time_s"]) == {"equilibrium", "dynamics", "total"}
    assert all(math.isfinite(n) for n in numbers(summary))
    for name in (
        "report.html",
        "simulate.log",
        ".hydra/config.yaml",
        ".hydra/overrides.yaml",
        ".hydra/hydra.yaml",
    ):
        assert (run / name).stat().st_size > 0
    assert list((run / "figures").glob("*.png"))
    assert "standard deviation" in said
    assert not [p for p in run.rglob(".*") if p.is_file()], "a temporary file is left"


def test_a_result_file_says_what_it_holds_and_where_it_came_from(simulated):
    _, run, _ = simulated
    stored = read_result(run / "result.nc")
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    recorded = yaml.safe_load((run / ".hydra" / "hydra.yaml").read_text(encoding="utf-8"))
    hashes = {summary["config_sha256"], recorded["config_sha256"], stored.attributes["config_sha256"]}
    assert len(hashes) == 1
    resolved = yaml.safe_load((run / ".hydra" / "config.yaml").read_text(encoding="utf-8"))
    assert resolved["schema_version"] == 1
    ran = {k: v for k, v in resolved.items() if k not in ("schema_version", "report", "length_tolerance", "gradient")}
    assert ran == yaml.safe_load(stored.attributes["config"])
    assert {"status", "versions", "commit", "filter", "contact_stiffness_N_per_m"} <= set(stored.attributes)
    force = stored.values["contact_force_filtered"]
    assert force.shape == stored.values["time"].shape == stored.values["position"].shape
    assert all(stored.units.values())


def test_the_error_estimate_stands_next_to_sigma_and_changes_nothing_else(catenary, folder):
    def read(name):
        return json.loads((folder / name / "summary.json").read_text(encoding="utf-8"))

    # each run takes companions with half the step and with half the elements' length
    small = (*BRUNI, *SMALL_WINDOW, *LONG_ELEMENTS, "transient.spans_evaluated=4", "dt=4e-3")
    ended = catenary("simulate", *small, "error_estimate=true", "run_dir=with")
    assert ended.code == 0, ended
    assert catenary("simulate", *small, "run_dir=without").code == 0
    summary, plain = read("with"), read("without")
    error, figures = summary.pop("numerical_error"), summary["pantographs"][0]
    assert plain.pop("numerical_error") is None
    assert plain.pop("slack_damping", None) != summary.pop("slack_damping", 0)
    for one in (summary, plain):
        del one["wall_time_s"], one["config_sha256"]  # the input says whether there is an estimate
    known = {c["name"]: c.pop("error") for c in summary["assessment"][0]["criteria"]}
    assert known.pop("contact_force_mean_N") is None, "which is held"
    assert known == {
        error["of"]: error["total_N"],
        **{name: error["others"][name] for name in known if name in error["others"]},
    }
    assert {c.pop("error") for c in plain["assessment"][0]["criteria"]} == {None}
    assert {c.pop("sure") for c in plain["assessment"][0]["criteria"]} == {None}
    assert {c.pop("sure") for c in summary["assessment"][0]["criteria"]} <= {None, True, False}
    # dropper forces are those of the companion, which has twice the harmonics
    for one in (summary, plain):
        known = len(one.pop("dropper_force_max_error_N"))
        assert known == (0 if one is plain else len(one["dropper_force_max_N"]))
        del one["dropper_force_max_N"]
    assert summary == plain
    values = [read_result(folder / name / "result.nc").values for name in ("with", "without")]
    both = values[0].keys() & values[1].keys()
    apart = {name for name in both if not np.array_equal(values[0][name], values[1][name], equal_nan=True)}
    assert apart == {"dropper_force", "dropper_force_max"}
    assert values[0].keys() - both == {"dropper_force_max_error"} and not values[1].keys() - both

    assert error["total_N"] == pytest.approx(math.hypot(*(part["error_N"] for part in error["parts"].values())))
    assert error["total_percent"] == pytest.approx(100.0 * error["total_N"] / figures["contact_force_std_N"])
    assert f"± {error_text(error['total_N'], 2)} N" in ended.out
    page = (folder / "with" / "report.html").read_text(encoding="utf-8")
    assert "Estimated numerical error" in page
    assert "Estimated numerical error" not in (folder / "without" / "report.html").read_text(encoding="utf-8")


def test_an_error_that_cannot_be_estimated_is_said_so(catenary, folder, monkeypatch):
    def no_companion(*_):
        raise NoCompanionError("the companion failed: for this test")

    monkeypatch.setattr("dynamics.accuracy.estimated_run.figures_of", no_companion)
    small = (*BRUNI, *SMALL_WINDOW, "transient.spans_evaluated=4", "periodic.method=march")
    ended = catenary("simulate", *small, "error_estimate=true", "run_dir=run")
    assert ended.code == 0, ended
    error = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))["numerical_error"]
    assert error["total_N"] is None and any(part["error_N"] is None for part in error["parts"].values())
    assert "could not be estimated" in ended.out and "the companion failed: for this test" in ended.out
    assert "numerical error not estimated" in (folder / "run" / "report.html").read_text(encoding="utf-8")


def test_the_elasticity_at_any_load_has_its_span_mean(catenary, folder):
    """PACDIN, table 1, 10 km/h: 0.314 mm/N at 100 N and 0.317 mm/N at 200 N, within 1 %."""
    loads = [200.0, 100.0]
    small = (*SMALL_WINDOW, "transient.spans_evaluated=4")
    ended = catenary("simulate", *BRUNI, *small, "elasticity_force_N=[200,100]", "run_dir=run")
    assert ended.code == 0, ended
    static = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))["static"]
    mean, by_load = static["elasticity_span_mean_mm_per_N"], static["elasticity_by_load_mm_per_N"]
    assert mean["force_N"] == by_load["force_N"] == loads
    assert mean["value"] == pytest.approx([0.317, 0.314], rel=1e-2)
    # the first load is the one of the pointwise block
    assert by_load["value"][0] == static["elasticity_mm_per_N"]["value"] != by_load["value"][1]
    stored = read_result(folder / "run" / "result.nc")
    assert stored.values["load"].tolist() == loads and stored.units["load"] == "N"
    assert 1e3 * stored.values["elasticity_by_load"] == pytest.approx(np.array(by_load["value"]))
    assert (stored.values["elasticity"] == stored.values["elasticity_by_load"][0]).all()
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "Static elasticity, span mean" in page and f"{mean['value'][0]:.4f}" in page


def test_every_variable_of_a_result_has_a_unit_and_a_long_name(simulated):
    import netCDF4

    _, run, _ = simulated
    with netCDF4.Dataset(run / "result.nc") as file:
        for name, variable in file.variables.items():
            assert variable.units and variable.long_name, name


def test_a_state_that_does_not_repeat_is_answered_by_a_long_march(catenary, folder):
    ended = catenary("simulate", *BRUNI, *SMALL_WINDOW, *UNSETTLED, "run_dir=run")
    assert ended.code == 0, ended
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["status"] == "not_periodic"
    assert "last 4 of 12 spans" in summary["message"] and summary["message"] in ended.out
    assert "; steady state marched)" in ended.out
    assert summary["pantographs"][0]["contact_force_std_N"] > 0.0
    assert "last 4 of 12 spans" in (folder / "run" / "report.html").read_text(encoding="utf-8")


def test_a_solver_that_fails_is_an_exit_code_and_a_sentence(catenary, folder, monkeypatch):
    monkeypatch.setattr("dynamics.steady_state.transient.MAX_CORRECTIONS", 1)
    ended = catenary("simulate", *BRUNI, *SMALL_WINDOW, *UNSETTLED, "run_dir=run")
    assert ended.code == 1, ended
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["status"] == Status.MEAN_FORCE_NOT_HELD.value
    assert summary["pantographs"] == []
    assert "The solver failed: the mean contact force could not be held" in ended.out
    assert (folder / "run" / "report.html").exists()


def test_doctor_tests_itself(catenary):
    ended = catenary("doctor")
    wrong = [line for line in ended.out.splitlines() if "wrong:" in line]
    assert all("catenary-optimisation is not installed" in line for line in wrong), wrong
    assert "mean contact force 143.3" in ended.out
    assert all(name in ended.out for name in ("numpy", "optuna", "cores", "commit", "threads per process"))


EXPORTED = ("catenary=bruni_2015", "pantograph=bruni_2015", "speed_kmh=320", "name=small")


def test_an_export_keeps_the_step_and_lets_the_speed_give_way(catenary, folder, monkeypatch):
    from dynamics.influence import matrices as influence
    from dynamics.rig import bundle as rig_bundle

    asked = []

    class Matrices:
        quadrature_nodes, truncation_error = 1, 0.0

    monkeypatch.setattr(influence, "influence_matrices", lambda case: asked.append(case) or Matrices())
    monkeypatch.setattr(rig_bundle, "write_bundle", lambda place, matrices, case, told: place)
    ended = catenary("export", *EXPORTED)
    assert ended.code == 0, ended
    (case,) = asked
    assert case.dt == case.time_step == pytest.approx(2e-3, abs=1e-15)
    assert case.steps_per_period == 309
    assert case.speed_kmh == pytest.approx(3.6 * 55.0 / (309 * 2e-3))
    assert "speed 320.3883 km/h (+0.121 %" in ended.out
    assert (folder / "outputs" / "rig" / "small" / ".hydra" / "config.yaml").exists()


def test_an_export_refuses_a_step_that_would_change_the_speed_too_much(catenary, folder, listing):
    ended = catenary("export", *EXPORTED, "catenary.span_length=54.9", "dt=4e-3", "speed_kmh=334.98")
    assert ended.code == 2
    assert "must let a span of 54.9 m take a whole number of steps of 4 ms within 0.3 %" in ended.err
    assert listing(folder) == {}
