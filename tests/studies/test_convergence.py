"""The study of convergence, on the command line and in its files: what it tells, and what it refuses."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from refusal import refused

from dynamics.accuracy.refinement import setting_of
from dynamics.results.dataset import read_result
from studies.commands.convergence import compose, settings_of
from studies.commands.simulate import compose as compose_simulation
from studies.writing.convergence_result import conclude

LINE = ("open_line.spans=4", "open_line.start=0", "open_line.first_evaluated=2", "open_line.last_evaluated=2")
# at 40 N and 200 km/h nothing slackens, so that errors follow powers of the sizes
SHORT = (*LINE, "open_line.spans_after=1", "speed_kmh=200", "applied_force_N=40")
SMALL = (
    *SHORT,
    "lattice.formulations=ancf",
    "lattice.integrators=newmark",
    "lattice.elements_per_bay=[3,4,6]",
    "lattice.dt=[4e-3,2e-3]",
    "catenary.mesh.elements_per_bay=5",
    "catenary.mesh.largest_element_length=60",
    "dt=2e-3",
    "reference.elements_per_bay=8",
    "reference.dt=1e-3",
)


def test_a_small_lattice_is_run_written_and_drawn(catenary, folder):
    ended = catenary("convergence", *SMALL, "run_dir=run")
    assert ended.code == 0, ended
    # the case's own setting is not on the lattice, and is run along with it
    assert "setting 7 of 7: linearised, ancf, newmark, 5 a bay, 2 ms" in ended.out
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    rows, (reference,), (order,) = summary["settings"], summary["references"], summary["orders"]
    assert len(rows) == 7 and [row["own"] for row in rows] == 6 * [False] + [True]
    assert (reference["elements_per_bay"], reference["dt"], reference["integrator"]) == (8, 1e-3, "newmark")
    by_setting = {(row["elements_per_bay"], row["dt"]): row for row in rows}
    # finer in both is nearer to the reference, and more expensive
    coarse, fine = by_setting[3, 4e-3], by_setting[6, 2e-3]
    assert fine["error_rms_N"] < 0.5 * coarse["error_rms_N"]
    assert all(row["cost"] > 0.0 and row["assured_percent"] >= abs(row["error_sigma_percent"]) for row in rows)
    assert 1.0 < order["mesh"] < 3.0, order
    assert order["mesh_at_dt"] == 2e-3 and order["step_at_elements_per_bay"] == 6
    assert order["step"] is None  # two steps tell no order
    stored = read_result(folder / "run" / "result.nc")
    assert stored.values["elements_per_bay"].tolist() == [3, 4, 5, 6]
    assert stored.values["time_step"].tolist() == [4e-3, 2e-3]
    sigma = stored.values["contact_force_std"]
    assert sigma.shape == (1, 1, 1, 4, 2) and np.isnan(sigma).sum() == 1
    assert sigma[0, 0, 0, 3, 1] == fine["sigma_N"]
    curve = stored.values["contact_force_filtered"][0, 0, 0, 3, 1]
    apart = (curve - stored.values["reference_force_filtered"][0])[np.isfinite(curve)]
    assert np.sqrt(np.mean(apart**2)) == pytest.approx(fine["error_rms_N"], rel=1e-3)
    (conclusion,) = summary["conclusions"]
    assert conclusion["sentence"] in ended.out
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert conclusion["sentence"].replace("sigma", "σ").split("%")[-1] in page
    for name in ("sigma_error_linearised", "curve_error_linearised"):
        assert (folder / "run" / "figures" / f"{name}.png").stat().st_size > 5000
    # its page is drawn again from its folder, which holds no force to lay next to others
    assert catenary("report", "run").code == 0
    assert (folder / "run" / "report.html").read_text(encoding="utf-8") == page
    refused(catenary("report", "run", "run"), ["run must be a run or campaign folder: it holds a study of convergence"])


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("lattice.dt=[]", "lattice.dt must list at least 1 value: got 0"),
        ("lattice.integrators=[]", "lattice.integrators must list at least 1 value: got 0"),
        ("lattice.elements_per_bay=[6,6]", "every value must stand in the list once: got 6, 6"),
        ("lattice.integrators=[euler]", "must be one of newmark, hht, rk4: got 'euler'"),
        ("lattice.elements_per_bay=[6,24]", "reference.elements_per_bay must exceed that of every setting, 24: got 18"),
        ("reference.dt=5e-4", "reference.dt must be below that of every setting, 0.0005 s: got 0.0005 s"),
        ("kinematics=nonlinear", "kinematics must be one of lattice.kinematics: got nonlinear"),
        ("solver=periodic", "solver must be open_line, which has all integrators and kinematics: got periodic"),
        ("histories.animation=true", "histories must be left out: this study keeps the contact force alone"),
    ],
)
def test_a_lattice_that_cannot_be_run_is_refused(catenary, folder, typed, sentence):
    refused(catenary("convergence", typed), [sentence])
    assert list(folder.iterdir()) == []


def test_a_study_of_hours_is_refused_with_its_time(catenary, folder):
    coarse = (
        "lattice.elements_per_bay=2",
        "lattice.dt=4e-3",
        "catenary.mesh.elements_per_bay=2",
        "catenary.mesh.largest_element_length=60",
        "dt=4e-3",
    )
    slow = ("lattice.formulations=ancf", "lattice.integrators=[newmark,rk4]", "longest_minutes=0.01", *coarse)
    ended = catenary("convergence", *SHORT, *slow)
    refused(ended, ["longest_minutes must hold the study's processor time", "rk4", "got 0.01 min"])
    assert list(folder.iterdir()) == []


def test_every_combination_is_run_once_and_runge_kutta_once_a_mesh():
    typed = ["lattice.integrators=[newmark,rk4]", "lattice.formulations=[ancf,beam]"]
    typed.append("catenary.mesh.largest_element_length=60")  # the case's own setting is then one of the lattice
    job = compose([*typed, "lattice.dt=[2e-3,1e-3]", "lattice.elements_per_bay=[6,4]"]).job
    found = settings_of(job)
    assert len(found) == len(set(found)) == 2 * (2 * 2 + 2)
    assert {s.dt for s in found if s.integrator == "rk4"} == {1e-3}


REFERENCE = SimpleNamespace(setting=SimpleNamespace(kinematics="linearised"))


def _row(mesh, dt, cost, assured, **changes):
    row = {"kinematics": "linearised", "formulation": "ancf", "integrator": "newmark", "elements_per_bay": mesh}
    return {
        **row,
        "dt": dt,
        "cost": cost,
        "assured_percent": assured,
        "error_sigma_percent": assured,
        "own": False,
        **changes,
    }


def test_the_conclusion_is_the_cheapest_within_the_error():
    own = _row(6, 1e-3, 0.11, 0.8, own=True)
    rows = [
        _row(4, 2e-3, 0.05, 1.7),
        _row(4, 1e-3, 0.10, 0.9),
        own,
        _row(12, 5e-4, 0.5, 0.1),
        _row(6, 2e-3, 0.08, None),
    ]
    found = conclude(rows, REFERENCE, 1.0)
    assert found["cheapest"] is rows[1] and found["equally_cheap"] == [rows[1], own]
    assert found["own_is_cheapest"] is True
    strict = conclude(rows, REFERENCE, 0.5)
    assert strict["cheapest"] is rows[3] and strict["own_is_cheapest"] is False
    assert (
        "the setting in use, ancf, newmark, 6 a bay, 1 ms, costs 0.22 times as much and has +0.80 %"
        in strict["sentence"]
    )
    assert "no setting stays within 0.05 % of sigma" in conclude(rows, REFERENCE, 0.05)["sentence"]


# docs/notebook/convergence.md, by speed: elements a bay, step [s], error of sigma [%], cost [s/s]; ancf, newmark
MEASURED = {
    275: (
        (4, 0.002, 2.11, 0.20),
        (4, 0.001, 1.40, 0.21),
        (4, 0.0005, 1.19, 0.51),
        (6, 0.002, 1.08, 0.37),
        (6, 0.001, 0.31, 0.34),
        (6, 0.0005, 0.24, 0.72),
        (12, 0.002, 1.07, 0.85),
        (12, 0.001, 0.23, 0.73),
        (12, 0.0005, 0.07, 1.33),
    ),
    320: (
        (4, 0.002, 1.25, 0.24),
        (4, 0.001, 1.99, 0.26),
        (4, 0.0005, 2.70, 0.41),
        (6, 0.002, 0.62, 0.44),
        (6, 0.001, 0.45, 0.44),
        (6, 0.0005, 0.70, 0.63),
        (12, 0.002, 0.12, 1.08),
        (12, 0.001, -0.10, 0.88),
        (12, 0.0005, 0.04, 1.15),
    ),
}


def default_setting():
    job = compose_simulation([]).job
    return setting_of(job)


@pytest.mark.parametrize("speed", MEASURED)
def test_the_defaults_are_not_coarser_than_what_was_measured_to_be_cheapest_within_one_percent(speed):
    """Elements are counted by the metre since: there are more of them here than the table needs."""
    default = default_setting()
    assert (default.integrator, default.kinematics, default.formulation) == ("newmark", "linearised", "ancf")
    rows = []
    for mesh, dt, error, cost in MEASURED[speed]:
        assured = max(abs(e) for m, d, e, _ in MEASURED[speed] if m >= mesh and d <= dt)
        rows.append({**_row(mesh, dt, cost, assured), "error_sigma_percent": error})
    cheapest = conclude(rows, REFERENCE, 1.0)["cheapest"]
    assert default.elements_per_bay >= cheapest["elements_per_bay"] and default.dt <= cheapest["dt"]


@pytest.mark.validate
@pytest.mark.parametrize("speed", [275, 320])
def test_the_defaults_are_within_half_a_percent(catenary, folder, speed):
    typed = ("lattice.formulations=ancf", "lattice.integrators=newmark", "repeats=2", "longest_minutes=60")
    ended = catenary("convergence", f"speed_kmh={speed}", *typed, "run_dir=run")
    assert ended.code == 0, ended
    (found,) = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))["conclusions"]
    assert (found["own"]["elements_per_bay"], found["own"]["dt"]) == (default_setting().elements_per_bay, 1e-3)
    assert abs(found["own"]["error_sigma_percent"]) <= 0.5, found["sentence"]
