"""Sensitivities of closed forms, through sampling, record and indices as the solver's points go."""

import csv
from dataclasses import replace

import cheap_sensitivity as cheap
import numpy as np
import pytest
import xarray as xr
from pydantic import ValidationError

from catenary.errors import InputError
from optimise.evaluation.case_inputs import case_at
from optimise.evaluation.evaluate import evaluate_batch
from optimise.evaluation.job import Setting
from optimise.evaluation.outcome import failed
from optimise.parameter_study.sensitivity import SensitivityFolder, load_sensitivity, run_sensitivity
from optimise.parameter_study.sensitivity_points import sample_batches, sample_plan
from optimise.record.driver_lock import Interrupted
from studies.report.sections.sensitivity.study import study_sections

PI = np.pi


@pytest.fixture
def case(case):
    """The case in the middle of the ranges, so that differences stay within what is possible."""
    return case_at(case, cheap.THREE, (1e5, 0.1, 250.0))


def test_ishigami_indices_are_the_closed_form(tmp_path, case):
    study = cheap.study_of(methods=["sobol"], sobol={"samples": 2048, "resamples": 50})
    found = run_sensitivity(study, case, tmp_path, evaluate=cheap.ishigami).sobol
    # Ishigami and Homma 1990, a = 7, b = 0.1
    a, b = 7.0, 0.1
    variance = a**2 / 8 + b * PI**4 / 5 + b**2 * PI**8 / 18 + 0.5
    one, two, both = 0.5 * (1 + b * PI**4 / 5) ** 2, a**2 / 8, b**2 * PI**8 * (1 / 18 - 1 / 50)
    first, total = np.array([one, two, 0.0]) / variance, np.array([one + both, two, both]) / variance
    for k in range(4):  # indices do not depend on the scale of an output
        assert found.first[k] == pytest.approx(first, abs=0.02)
        assert found.total[k] == pytest.approx(total, abs=0.02)
        assert found.deviation[k] == pytest.approx((k + 1) * variance**0.5, rel=0.01)
        assert found.mean[k] == pytest.approx((k + 1) * a / 2, rel=0.01)
    assert ((found.first_low[0] - 0.01 <= first) & (first <= found.first_high[0] + 0.01)).all()
    assert ((found.total_low[0] - 0.01 <= total) & (total <= found.total_high[0] + 0.01)).all()
    assert (found.total_high[0] - found.total_low[0] < 0.15).all()
    # an output that does not vary has no indices
    assert np.isnan(found.first[4]).all() and np.isnan(found.total[4]).all()


def test_intervals_hold_what_they_promise(tmp_path, case):
    # by the spread of the estimates over seeds: as wide as the bootstrap says
    studies = [cheap.study_of(methods=["sobol"], seed=s, sobol={"samples": 256, "resamples": 50}) for s in range(8)]
    found = [
        run_sensitivity(s, case, tmp_path / str(s.sensitivity.seed), evaluate=cheap.ishigami).sobol for s in studies
    ]
    spread = np.std([f.first[0, 0] for f in found])
    width = np.mean([f.first_high[0, 0] - f.first_low[0, 0] for f in found])
    # quasi-random samples spread less than the independent ones that a bootstrap assumes, never much more
    assert 2 * 1.96 * spread < 1.5 * width
    hits = sum(f.first_low[0, 0] <= 0.3139 <= f.first_high[0, 0] for f in found)
    assert hits >= 6


def test_base_samples_with_a_hole_are_left_out_and_the_rest_counts_as_if_they_had_never_been(tmp_path, case):
    study = cheap.study_of(methods=["sobol"], sobol={"samples": 64, "resamples": 50})
    result = run_sensitivity(study, case, tmp_path, evaluate=cheap.ishigami_with_holes)
    found = result.sobol
    assert (found.groups, found.left_out, len(result.failed)) == (64, 2, 2)
    rows = result.outputs[:, 0].reshape(64, 5)
    rows = rows[np.isfinite(rows).all(axis=1)]
    assert len(rows) == 62
    rows = rows - rows[:, [0, -1]].mean()
    variance = rows[:, [0, -1]].var()
    first = [np.mean(rows[:, -1] * (rows[:, 1 + i] - rows[:, 0])) / variance for i in range(3)]
    total = [0.5 * np.mean((rows[:, 0] - rows[:, 1 + i]) ** 2) / variance for i in range(3)]
    assert found.first[0] == pytest.approx(first, rel=1e-10)
    assert found.total[0] == pytest.approx(total, rel=1e-10)


def test_morris_gives_slopes_of_a_plane_without_spread_and_tells_what_acts_together(tmp_path, case):
    study = cheap.study_of(methods=["morris"], morris={"trajectories": 20})
    plane = run_sensitivity(study, case, tmp_path / "plane", evaluate=cheap.plane).morris
    assert plane.mean[0] == pytest.approx(2 * PI * np.array([3.0, -2.0, 0.5]))
    assert plane.mean_absolute[0] == pytest.approx(2 * PI * np.array([3.0, 2.0, 0.5]))
    assert plane.spread[:4] == pytest.approx(np.zeros((4, 3)), abs=1e-9)
    together = run_sensitivity(study, case, tmp_path / "product", evaluate=cheap.product).morris
    assert together.mean_absolute[0, 2] == 0.0 and together.spread[0, 2] == 0.0
    assert (together.spread[0, :2] > np.abs(together.mean[0, :2])).all()
    # on four levels an effect is 2 pi times the other angle, -pi, -pi/3, pi/3 or pi
    assert (together.mean_absolute[0, :2] > 2 * PI * PI / 3).all()
    assert (together.mean_absolute[0, :2] < 2 * PI * PI).all()


def test_derivatives_of_a_cubic_are_exact_and_the_step_error_bounds_what_is_left_of_a_quintic(tmp_path, case):
    study = cheap.study_of(methods=["local"], local={"step": 0.1})
    cubic = run_sensitivity(study, case, tmp_path / "cubic", evaluate=cheap.cubic).local
    assert cubic.nominal[0] == 40.0 and cubic.steps[0] == pytest.approx(1e4)
    assert cubic.derivative[0] == pytest.approx([1e-4, 0.0, 0.0], rel=1e-9, abs=1e-15)
    # the differences of both steps are 1 + h^2 and 1 + h^2 / 4
    assert cubic.error[0, 0] == pytest.approx(0.75e-4, rel=1e-9)
    quintic = run_sensitivity(study, case, tmp_path / "quintic", evaluate=cheap.quintic).local
    left = abs(quintic.derivative[0, 0] - 1e-4)
    assert 0.0 < left < quintic.error[0, 0]
    assert left == pytest.approx(0.25e-4, rel=1e-9)  # h^4 / 4 of a fifth power, after extrapolation
    finer = cheap.study_of(methods=["local"], local={"step": 0.05})
    half = run_sensitivity(finer, case, tmp_path / "finer", evaluate=cheap.quintic).local
    assert abs(half.derivative[0, 0] - 1e-4) == pytest.approx(left / 16.0, rel=1e-6)


def test_a_derivative_that_misses_a_point_is_missing_and_the_others_stand(tmp_path, case):
    study = cheap.study_of(methods=["local"])
    found = run_sensitivity(study, case, tmp_path, evaluate=cheap.ishigami_with_holes).local  # point 7: second input
    assert np.isnan(found.derivative[0]).tolist() == [False, True, False]


def test_every_point_is_in_one_batch_and_all_methods_share_one_record(case):
    study = cheap.study_of(methods=["local", "sobol", "morris"], sobol={"samples": 256}).sensitivity
    plan = sample_plan(study, case)
    assert len(plan.values) == study.points == 13 + 256 * 5 + 20 * 4
    batches = sample_batches(plan, study)
    assert [job.number for batch in batches for job in batch.jobs] == list(range(study.points))
    assert max(batch.size for batch in batches) <= 600
    assert {job.tolerance for batch in batches for job in batch.jobs if job.number >= 13} == {None}
    assert batches[0].jobs[0].tolerance == study.local.tolerance
    A = plan.shares[plan.of("sobol")].reshape(256, 5, 3)
    for i in range(3):  # AB_i has the column i of B, all others of A
        expected = A[:, 0].copy()
        expected[:, i] = A[:, 4, i]
        assert (A[:, 1 + i] == expected).all()
    low, high = (np.array([r[end] for r in cheap.RANGES.values()]) for end in ("low", "high"))
    assert plan.values == pytest.approx(low + plan.shares * (high - low))
    assert (sample_plan(study, case).values == plan.values).all()


def test_a_logarithmic_range_is_even_in_the_logarithm(case):
    inputs = {**cheap.RANGES, "contact.stiffness": {"low": 1e4, "high": 1e6, "spacing": "log"}}
    study = cheap.study_of(inputs, methods=["sobol"]).sensitivity
    values = sample_plan(study, case).values[::5, 0]
    assert np.median(values) == pytest.approx(1e5, rel=0.02)
    spread = study.inputs["contact.stiffness"]
    assert spread.share(spread.value(0.3)) == pytest.approx(0.3)


@pytest.mark.parametrize(
    "settings",
    [
        {"sobol": {"samples": 1000}},
        {"methods": ["sobol", "sobol"]},
        {"methods": []},
        {"sobol": {"samples": 65536}},
        {"inputs": {"contact.stiffness": {"low": 2.0, "high": 1.0}, "speed_kmh": {"low": 200.0, "high": 210.0}}},
        {"inputs": {"contact.stiffness": {"low": 5e4, "high": 6e4}}},
    ],
)
def test_what_cannot_be_is_refused(settings):
    with pytest.raises(ValidationError):
        cheap.study_of(**settings)


@pytest.mark.parametrize(
    ("name", "ends", "told"),
    [
        ("contact.stiffness", (1.0, 5e4), "contact.stiffness"),
        ("speed_kmh", (250.0, 590.0), "wave speed"),
        ("pantograph.masses.7", (5.0, 6.0), "pantograph.masses.7 is not one of them"),
    ],
)
def test_a_range_that_leaves_what_is_possible_is_refused_before_anything_is_written(tmp_path, case, name, ends, told):
    study = cheap.study_of({**cheap.RANGES, name: {"low": ends[0], "high": ends[1]}}, methods=["morris"])
    with pytest.raises(InputError, match=told):
        run_sensitivity(study, case, tmp_path / "s", evaluate=cheap.plane)
    assert not (tmp_path / "s").exists()


def test_the_record_continues_after_an_interruption_and_another_study_is_refused(tmp_path, case):
    study = cheap.study_of(methods=["sobol", "local"], sobol={"samples": 64, "resamples": 50})

    def interrupt(progress):
        if progress.done >= 100:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="the same command resumes"):
        run_sensitivity(study, case, tmp_path / "a", progress=interrupt, evaluate=cheap.ishigami)
    partial = load_sensitivity(tmp_path / "a")
    assert 100 <= len(partial.points) < study.sensitivity.points
    assert 0 < partial.sobol.left_out < 64  # points not evaluated yet do not count
    found = run_sensitivity(study, case, tmp_path / "a", evaluate=cheap.ishigami)
    whole = run_sensitivity(study, case, tmp_path / "b", evaluate=cheap.ishigami)
    assert (found.outputs == whole.outputs).all() and (found.sobol.first_low == whole.sobol.first_low)[:4].all()
    run_sensitivity(study, case, tmp_path / "a", evaluate=cheap.never)
    assert SensitivityFolder(tmp_path / "a").indices_csv.read_bytes() == (tmp_path / "b" / "indices.csv").read_bytes()
    other = cheap.study_of(methods=["sobol", "local"], seed=2, sobol={"samples": 64, "resamples": 50})
    with pytest.raises(InputError, match="must be resumed with the configuration"):
        run_sensitivity(other, case, tmp_path / "a", evaluate=cheap.ishigami)


def test_results_are_tables_with_units_and_reasons(tmp_path, case):
    study = cheap.study_of(
        methods=["sobol", "morris", "local"], sobol={"samples": 16, "resamples": 50}, morris={"trajectories": 4}
    )
    result = run_sensitivity(study, case, tmp_path, evaluate=cheap.ishigami_with_holes)
    with xr.open_dataset(tmp_path / "result.nc") as data:
        assert data["contact_force_std_N"].dims == ("point",) and data["contact_force_std_N"].attrs["units"] == "N"
        assert data["sobol_total"].dims == ("output", "input") and data.attrs["sobol_left_out"] == 2
        assert data["input"].values.tolist() == list(cheap.THREE)
        assert str(data["message"].values[7]) == "ran away" and np.isnan(data["contact_force_std_N"].values[7])
        assert (data["method"] == "morris").sum() == 16
        np.testing.assert_array_equal(data["local_derivative"].values, result.local.derivative)
    with open(tmp_path / "indices.csv", encoding="utf-8") as table:
        rows = {(r["method"], r["quantity"], r["output"], r["input"]): r for r in csv.DictReader(table)}
    assert len(rows) == 5 * 3 * 6
    row = rows["local", "derivative", "sigma", "contact.stiffness"]
    assert row["unit"] == "N/(N/m)" and float(row["value"]) == pytest.approx(result.local.derivative[0, 0])
    assert rows["sobol", "total", "loss", "speed_kmh"]["value"] == ""


def test_two_workers_give_what_the_driver_would(tmp_path, case):
    settings = {"methods": ["morris"], "morris": {"trajectories": 8}}
    cluster = {"kind": "local", "workers": 2}
    two = run_sensitivity(cheap.study_of(cluster=cluster, **settings), case, tmp_path / "two", evaluate=cheap.plane)
    one = run_sensitivity(cheap.study_of(**settings), case, tmp_path / "one", evaluate=cheap.plane)
    assert (two.outputs == one.outputs).all()


def test_a_study_without_any_figures_has_no_indices(tmp_path, case):
    study = cheap.study_of(methods=["sobol", "morris", "local"], sobol={"samples": 8}, morris={"trajectories": 4})
    broken = run_sensitivity(study, case, tmp_path, evaluate=cheap.nothing)
    assert len(broken.failed) == study.sensitivity.points and broken.morris.left_out == 4
    for array in (broken.sobol.total, broken.morris.mean_absolute, broken.local.derivative):
        assert np.isnan(array).all()


def test_exact_derivatives_are_on_record_with_what_shorter_windows_make_of_them(tmp_path, case):
    study = cheap.study_of(methods=["gradient"])
    run_sensitivity(study, case, tmp_path, evaluate=cheap.sloped)
    found = load_sensitivity(tmp_path).gradient  # from the record alone
    assert found.derivative[0] == pytest.approx([2.0, 1.0, -4.0])
    assert found.error[0] == pytest.approx([0.05, 1.5, 0.0]), "the largest, which is that of half the window"
    assert found.known[0].tolist() == [True, False, True] and not found.known[1].any()
    assert (found.expected, found.computed) == (-0.5, -0.4) and not found.missed
    assert replace(found, computed=-0.25).missed, "half of what derivatives say"
    (section,) = study_sections(replace_gradient(load_sensitivity(tmp_path), replace(found, computed=-0.25)))
    assert "they predict −0.5000 N, so they do not say how sigma changes" in section.text[-1]
    with open(SensitivityFolder(tmp_path).indices_csv, encoding="utf-8") as table:
        rows = {(r["output"], r["input"]): r for r in csv.DictReader(table)}
    assert len(rows) == 3, "outputs without derivatives have no rows"
    assert float(rows["sigma", "speed_kmh"]["value"]) == -4.0 and rows["sigma", "speed_kmh"]["unit"] == "N/(km/h)"
    cell = {row[0]: row[1] for row in study_sections(load_sensitivity(tmp_path))[0].tables[0].rows}
    assert cell["catenary.damping.alpha"].startswith("unknown (± 0.30") and "unknown" not in cell["speed_kmh"]


def replace_gradient(result, gradient):
    """The same result with other derivatives in place of those of its points."""
    result.__dict__["gradient"] = gradient
    return result


def test_half_of_the_window_is_marched_by_half_of_the_step(case, monkeypatch):
    study, seen = cheap.study_of(methods=["gradient"]), []

    def look(job, setting, policy):
        seen.append((setting.case.periodic.resolution, setting.case.dt))
        return failed(job.number, "seen")

    monkeypatch.setattr("optimise.evaluation.evaluate._point", look)
    for batch in sample_batches(sample_plan(study.sensitivity, case), study.sensitivity):
        evaluate_batch(batch, Setting(case))
    resolution, dt = zip(*seen, strict=True)
    assert resolution == pytest.approx([0.5, 2.0 / 3.0, 1.0])
    assert dt == pytest.approx([0.5 * case.dt, case.dt, case.dt])


def test_a_record_without_derivatives_is_read_and_names_the_reason(tmp_path, case):
    study = cheap.study_of(methods=["gradient"])
    result = run_sensitivity(study, case, tmp_path, evaluate=cheap.plane)
    assert "slopes" not in (tmp_path / "points.jsonl").read_text(encoding="utf-8")
    assert np.isnan(result.gradient.derivative).all() and not result.gradient.known.any()


def test_a_case_without_exact_derivatives_is_refused_before_anything_is_written(tmp_path, case):
    released = case.with_changes(slack_damping="released")
    with pytest.raises(InputError, match=r"slack_damping must be kept.*sensitivity\.methods"):
        run_sensitivity(cheap.study_of(methods=["gradient"]), released, tmp_path / "new", evaluate=cheap.never)
    assert not (tmp_path / "new").exists()
