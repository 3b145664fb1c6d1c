"""Trains on an open line from the command line: several pantographs, base motion, integrators, and what is refused."""

import json
from functools import partial

import numpy as np
import pytest
import xarray as xr
from refusal import refused

from dynamics.open_line import run as whole_run
from dynamics.open_line.integrators import Request
from dynamics.results.dataset import read_result

LINE = (
    "catenary=bruni_2015",
    "pantograph=bruni_2015",
    "catenary.mesh.elements_per_bay=2",
    "catenary.mesh.largest_element_length=60",
    "dt=2e-3",
)
SHORT = {"spans": 8, "start": 0.5, "first_evaluated": 4, "last_evaluated": 4, "spans_after": 1}
OPEN = ("solver=open_line", *[f"open_line.{key}={value}" for key, value in SHORT.items()], "error_estimate=false")


def test_two_pantographs_have_figures_and_forces_each(catenary, folder):
    """A held mean force is held for both; both are assessed; the file has a column each."""
    ended = catenary("simulate", *LINE, *OPEN, "kinematics=nonlinear", "trailing.distances_m=[100]", "run_dir=run")
    assert ended.code == 0, ended
    assert "pantograph 1: contact force" in ended.out
    assert "pantograph 2: contact force" in ended.out
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    means = [figures["contact_force_mean_N"] for figures in summary["pantographs"]]
    assert means == pytest.approx([summary["mean_force_N"]] * 2, abs=0.1)
    applied = [figures["applied_force_N"] for figures in summary["pantographs"]]
    assert applied[0] != applied[1]
    assert len(summary["pantograph"]) == len(summary["assessment"]) == 2
    assert (summary["kinematics"], summary["integrator"], summary["formulation"]) == ("nonlinear", "newmark", "ancf")
    values = read_result(folder / "run" / "result.nc").values
    assert any(v.ndim == 2 and v.shape[1] == 2 for name, v in values.items() if "contact_force" in name)


LONGER = ("periodic.spans_behind=10", "periodic.spans_ahead=12", "error_estimate=false", "run_dir=run")
STEADY = ("periodic.spans_behind=4", "periodic.spans_ahead=5", "error_estimate=false")


def test_two_pantographs_in_the_steady_state_over_a_period_with_a_defect(catenary, folder):
    """Each has its figures, span by span too; the page is written."""
    repeat = ("catenary.repeat.spans=2", "catenary.repeat.defects=[{span: 2, dropper: 2, kind: broken}]")
    mesh = ("catenary.mesh.elements_per_bay=4", "catenary.mesh.largest_element_length=60")
    ended = catenary("simulate", *LINE[:2], *mesh, "dt=2e-3", *repeat, *LONGER, "trailing.distances_m=[100]")
    assert ended.code == 0, ended
    assert "pantograph 2: contact force" in ended.out and "steps for 2 spans" in ended.out
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    means = [figures["contact_force_mean_N"] for figures in summary["pantographs"]]
    assert means == pytest.approx([summary["mean_force_N"]] * 2, abs=0.1)
    assert [(s["pantograph"], s["span"]) for s in summary["by_span"]] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert len(summary["static"]["dropper_force_N"]) == 17
    assert read_result(folder / "run" / "result.nc").values["pantograph_contact_force"].shape[1] == 2
    assert "Span by span" in (folder / "run" / "report.html").read_text(encoding="utf-8")


def test_a_sweep_over_the_distance_of_two_judges_the_worse_one(catenary, folder):
    typed = ("sweep.name=gap", "cluster=serial", "trailing.distances_m=[100]")
    ended = catenary("sweep", *LINE, *STEADY, *typed, "sweep.axes={trailing.distances_m.0:[90,110]}")
    assert ended.code == 0, ended
    with xr.open_dataset(folder / "outputs" / "sweeps" / "gap" / "result.nc") as data:
        swept = data["contact_force_std_N"].values
    each = []
    for gap in (90, 110):
        run = ("dt=2e-3", f"trailing.distances_m=[{gap}]", f"run_dir=at{gap}", "speed_kmh=300")
        assert catenary("simulate", *LINE[:4], *STEADY, *run).code == 0
        summary = json.loads((folder / f"at{gap}" / "summary.json").read_text(encoding="utf-8"))
        each.append([figures["contact_force_std_N"] for figures in summary["pantographs"]])
    assert swept == pytest.approx([max(two) for two in each], rel=5e-3)
    assert abs(each[0][0] / each[0][1] - 1.0) > 0.01


def test_derivatives_of_a_train_come_by_its_distances_too(catenary, folder):
    case = (*LINE, "speed_kmh=230", "error_estimate=false")
    ended = catenary("simulate", *case, "trailing.distances_m=[80]", "gradient=true", "run_dir=run")
    assert ended.code == 0, ended
    assert "Each figure of the train is that of the pantograph for which it is worst." in ended.out
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "Each figure of the train is that of the pantograph for which it is worst." in page
    (ten_percent,) = [
        each for each in ended.out.splitlines() if each.startswith("σ by 10 % more of an input at the same")
    ]
    assert (
        "distances_m" not in ten_percent and "σ by distances between pantographs: trailing.distances_m[0]" in ended.out
    )
    content = json.loads((folder / "run" / "gradient.json").read_text(encoding="utf-8"))
    inputs = {row["input"]: row for row in content["inputs"]}
    assert not {name for name in inputs if "entry" in name}, "what enters an open line does nothing here"
    assert catenary("simulate", *case, "trailing.distances_m=[80.05]", "run_dir=near").code == 0
    here, near = (
        max(figures["contact_force_std_N"] for figures in json.loads(text)["pantographs"])
        for text in ((folder / name / "summary.json").read_text(encoding="utf-8") for name in ("run", "near"))
    )
    assert inputs["trailing.distances_m[0]"]["sigma_N_per_unit"] == pytest.approx((near - here) / 0.05, rel=0.1)


def test_a_train_that_had_to_be_marched_keeps_its_run_and_says_that_it_has_no_derivatives(catenary, folder):
    """Contact is lost under a given applied force, which shows once it is solved for."""
    pressed = ("mean_force_N=null", "applied_force_N=100", "speed_kmh=320", "periodic.tolerance=5e-3")
    typed = ("trailing.distances_m=[200]", "gradient=true", "error_estimate=false", "run_dir=run")
    ended = catenary("simulate", *LINE, *pressed, *typed)
    assert ended.code == 0, ended
    assert "no derivatives, since this run was marched: exact derivatives of a state that is marched" in ended.out
    assert (folder / "run" / "report.html").is_file() and not (folder / "run" / "gradient.json").exists()


@pytest.mark.parametrize(
    ("command", "typed", "sentence"),
    [
        ("export", ("trailing.distances_m=[100]",), "trailing.distances_m must be empty, for a rig"),
        (
            "simulate",
            ("trailing.distances_m=[100]", "gradient=true", "periodic.method=march"),
            "gradient must be false with trailing.distances_m, for exact derivatives of a march",
        ),
        ("optimise", ("catenary.repeat.spans=2", "design.length_step=0.001"), "without design.length_step"),
        ("simulate", ("catenary.repeat.spans=2", "length_tolerance=true"), "must be false with catenary.repeat"),
        ("simulate", ("catenary.repeat.spans=2", "solver=open_line"), "catenary.repeat must be left out"),
        ("simulate", ("catenary.repeat.spans=40",), "catenary.repeat.spans must be between 1 and 24"),
    ],
)
def test_what_trains_and_periods_with_defects_cannot_do_is_refused(catenary, folder, command, typed, sentence):
    refused(catenary(command, *LINE, *typed), [sentence])
    assert list(folder.iterdir()) == []


def test_a_base_motion_from_a_file_moves_the_pantograph(catenary, folder):
    """Millimetres and a decimal comma are understood; a raised base adds its spring's force to the mean."""
    rows = "\n".join(f"{0.05 * k:.2f}".replace(".", ",") + ";100" for k in range(121))
    (folder / "roof.csv").write_text(f"time [s];height [mm]\n{rows}\n", encoding="utf-8")
    means = []
    for extra in ((), ("base_motion=roof.csv",)):
        ended = catenary("simulate", *LINE, *OPEN, "applied_force_N=150", *extra, f"run_dir=run{len(means)}")
        assert ended.code == 0, ended
        summary = json.loads((folder / f"run{len(means)}" / "summary.json").read_text(encoding="utf-8"))
        means.append(summary["pantographs"][0]["contact_force_mean_N"])
    # 160 N/m on 0.1 m; the mean of one span also moves with the swing of the start
    assert means[1] - means[0] == pytest.approx(16.0, abs=4.0)


def test_a_step_that_does_not_converge_keeps_what_came_before(catenary, folder, monkeypatch):
    """Few corrections and a stiff contact: time, place, residual; exit 1; histories up to there."""
    monkeypatch.setattr(whole_run, "Request", partial(Request, most=6))
    stiff = ("contact.stiffness=5e6", "dt=4e-3", "applied_force_N=150")
    ended = catenary("simulate", *LINE[:3], *OPEN, *stiff, "run_dir=run")
    assert ended.code == 1, ended
    assert "The solver failed: a time step did not converge at 0." in ended.out
    assert "m from the line's first support: residual" in ended.out
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["status"] == "a time step did not converge"
    assert summary["pantographs"] == []
    values = read_result(folder / "run" / "result.nc").values
    assert all(np.isfinite(v).all() for name, v in values.items() if name == "contact_force")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (
            ("trailing.distances_m=[0.2]",),
            "distances_m must increase by at least 1 m from one pantograph to the next, the first included: got 0.2 m",
        ),
        (("trailing.distances_m=[900]",), "4 + 1 + 16.36 spans do not fit into 8 (lower trailing.distances_m)"),
        (("trailing.distances_m=[100]", "trailing.applied_forces_N=[100,90]"), "1 distances, 2 forces"),
        (
            ("mean_force_N=150", "trailing.distances_m=[100]", "trailing.applied_forces_N=[100]"),
            "must be left out where",
        ),
        (("open_line.start=9",), "open_line.start must lie at least one span before"),
        (("open_line.integrator=rk4", "open_line.rk4_step=9e-4"), "must not exceed the stability limit of this mesh"),
        (("base_motion=gaps.csv",), "base_motion.time_s must have no gap over 0.1 s: none between 0.05 and 0.5 s"),
        (("base_motion=short.csv",), "base_motion.time_s must cover the whole run, 0 to"),
        (("base_motion=tall.csv",), "base_motion.height_m[1] must be between -0.5 and 0.5 m: got 1 m"),
        (("base_motion=units.csv",), "the unit of 'time [min]' must be one of s, ms: got 'min'"),
        (("base_motion=none.csv",), "base motion none.csv does not exist"),
        (("base_motion=force.csv",), "there is no height (m, mm, cm)"),
    ],
)
def test_what_cannot_run_is_refused_in_a_sentence(catenary, folder, typed, sentence):
    tables = {
        "gaps": "time [s],height [m]\n0,0\n0.05,0\n0.5,0\n",
        "short": "time [s],height [m]\n0,0\n0.05,0\n",
        "tall": "time [s],height [m]\n0,0\n0.05,1\n",
        "units": "time [min],height [m]\n0,0\n0.05,0\n",
        "force": "time [s],force [N]\n0,0\n",
    }
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    refused(catenary("simulate", *LINE, *OPEN, *typed, "run_dir=run"), [sentence])
    assert not (folder / "run").exists()


@pytest.mark.parametrize("typed", ["kinematics=nonlinear", "contact.exponent=1.5", "contact.restitution=0.8"])
def test_only_an_open_line_takes_what_it_alone_can_do(catenary, typed):
    refused(
        catenary("simulate", *LINE, typed),
        [f"{typed.partition('=')[0]}", "needs solver=open_line: got solver=periodic"],
    )


@pytest.mark.parametrize("integrator", ["hht", "newmark"])
def test_integrators_are_chosen_by_name(catenary, folder, integrator):
    chosen = (f"open_line.integrator={integrator}", "applied_force_N=150", "open_line.ends=absorbing", "run_dir=run")
    ended = catenary("simulate", *LINE, *OPEN, *chosen)
    assert ended.code == 0, ended
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["integrator"] == integrator
