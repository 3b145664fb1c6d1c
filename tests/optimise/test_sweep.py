"""A sweep fills its array once: on any number of workers, after a kill, with reasons where a point has no numbers."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import cheap_sweep
import numpy as np
import pytest
import xarray as xr
from pydantic import ValidationError

from catenary.errors import InputError
from dynamics.spec.mean_force import reference_mean_force
from dynamics.steady_state.continuation import Continuation
from dynamics.steady_state.periodic import solve_periodic
from optimise.evaluation.case_inputs import case_at
from optimise.evaluation.outcome import OutcomeStatus
from optimise.parameter_study.sweep import SweepFolder, load_sweep, run_sweep
from optimise.parameter_study.sweep_axes import axis_meaning
from optimise.parameter_study.sweep_points import sweep_batches
from optimise.record.driver_lock import Interrupted
from optimise.spec.ranges import RangeSpec, SpreadSpec
from optimise.spec.sweep import SweepAxesSpec

AXES = {"contact.stiffness": (50e3, 1e5, 2e5), "speed_kmh": (250.0, 300.0), "catenary.damping.alpha": (0.0, 0.1)}


def sweep_of(axes=None, **cluster):
    return cheap_sweep.sweep_of(AXES if axes is None else axes, **cluster)


def indices_of(batch, shape):
    """Places of a batch's points in the array."""
    return [tuple(map(int, np.unravel_index(job.number, shape))) for job in batch.jobs]


@pytest.mark.parametrize("kind", ["fmu", "python"])
def test_a_parameter_of_a_supplied_pantograph_is_called_by_its_own_name(kind):
    names = [axis_meaning(f"pantograph.{kind}.parameters.{name}") for name in ("mass", "damping")]
    assert names == [f"pantograph, {kind}, parameters: {name}" for name in ("mass", "damping")]
    assert axis_meaning("pantograph.masses.1") == "pantograph: masses, head first, number 2"


def test_every_point_is_in_one_batch_along_the_longest_axis_that_is_not_the_speed():
    for axes, along in ((AXES, 0), ({"speed_kmh": tuple(range(200, 240)), "contact.stiffness": (5e4, 6e4)}, 1)):
        spec = SweepAxesSpec(axes=axes)
        jobs = [job for batch in sweep_batches(spec) for job in batch.jobs]
        assert sorted(job.number for job in jobs) == list(range(len(list(np.ndindex(spec.shape)))))
        for job in jobs:
            assert job.place == (job.values[along],)
            index = np.unravel_index(job.number, spec.shape)
            assert job.values == tuple(v[i] for v, i in zip(spec.values.values(), index, strict=True))
    stiffness, alpha = tuple(range(20000, 20020)), tuple(k / 100 for k in range(20))
    axes = {"contact.stiffness": stiffness, "catenary.damping.alpha": alpha, "speed_kmh": (250.0, 300.0, 320.0)}
    large = [indices_of(batch, (20, 20, 3)) for batch in sweep_batches(SweepAxesSpec(axes=axes))]
    assert [len(indices) for indices in large] == 12 * [100]
    assert sorted(index for indices in large for index in indices) == list(np.ndindex(20, 20, 3))
    for indices in large:  # from each point to the next one index changes, by one
        steps = np.abs(np.diff(np.array(indices), axis=0))
        assert (steps.sum(axis=1) == 1).all() and len({index[2] for index in indices}) == 1
    (alone,) = sweep_batches(SweepAxesSpec(axes={"speed_kmh": (200.0, 210.0)}))
    assert [job.place for job in alone.jobs] == [(200.0,), (210.0,)]


@pytest.mark.parametrize(
    ("shape", "lengths"), [((41,), [5, 5, 5, 5, 5, 5, 5, 6]), ((12, 3), [6] * 6), ((9, 2), [9, 9]), ((4, 2), [4, 4])]
)
def test_few_rows_are_cut_so_that_several_workers_have_work_and_less_is_lost(shape, lengths):
    ranges = zip(("contact.stiffness", "speed_kmh"), ((2e4, 9e4), (200.0, 300.0)), shape, strict=False)
    axes = SweepAxesSpec(axes={name: tuple(np.linspace(*ends, number)) for name, ends, number in ranges})
    found = [indices_of(batch, shape) for batch in sweep_batches(axes)]
    assert [len(indices) for indices in found] == lengths
    assert sorted(index for indices in found for index in indices) == list(np.ndindex(*shape))
    for indices in found:
        assert (np.diff([index[0] for index in indices]) == 1).all()


def test_ranges_hold_both_ends():
    assert RangeSpec(low=0.1, high=0.3, number=3).values == (0.1, 0.2, 0.3)
    assert RangeSpec(low=1e-5, high=1e-3, number=3, spacing="log").values == (1e-5, 1e-4, 1e-3)
    for spacing in ("linear", "log"):
        one, small = SpreadSpec(low=2e4, high=1e6, spacing=spacing), 1e-6
        share = one.share(5e4)
        slope = (one.value(share + small) - one.value(share - small)) / (2.0 * small)
        assert one.slope(5e4) == pytest.approx(slope, rel=1e-6)
    for bad in ({"low": 1.0, "high": 1.0}, {"low": 0.0, "high": 1.0, "spacing": "log"}):
        with pytest.raises(ValidationError):
            RangeSpec(number=3, **bad)


def test_a_point_holds_its_values_and_the_reference_force_of_its_speed(case):
    names = ("pantograph.masses.0", "speed_kmh", "catenary.damping.alpha")
    held = case.model_copy(update={"mean_force_N": reference_mean_force(case.speed_kmh)})
    point = case_at(held, names, (6.0, 250.0, 0.3))
    assert (point.pantograph.masses[0], point.speed_kmh, point.catenary.damping.alpha) == (6.0, 250.0, 0.3)
    assert point.pantograph.masses[1:] == case.pantograph.masses[1:]
    assert point.mean_force_N == pytest.approx(reference_mean_force(250.0), abs=1e-5)
    typed = case.model_copy(update={"mean_force_N": 120.0})
    assert case_at(typed, names, (6.0, 250.0, 0.3)).mean_force_N == 120.0


@pytest.mark.parametrize(
    ("axes", "told"),
    [
        ({"contact.stiffness": (1.0, 5e4)}, "contact.stiffness"),
        ({"speed_kmh": (250.0, 590.0)}, "wave speed"),
        ({"pantograph.masses.7": (5.0, 6.0)}, "pantograph.masses.7 is not one of them"),
        ({"contact.nothing": (5.0, 6.0)}, "contact.nothing is not one of them"),
    ],
)
def test_a_point_that_is_not_a_case_is_refused_before_anything_is_written(tmp_path, case, axes, told):
    with pytest.raises(InputError, match=told):
        run_sweep(sweep_of(axes), case, tmp_path / "s", evaluate=cheap_sweep.plane)
    assert not (tmp_path / "s").exists()


def test_the_array_has_every_point_with_units_and_the_reasons_of_those_without_numbers(tmp_path, case):
    result = run_sweep(sweep_of(), case, tmp_path, evaluate=cheap_sweep.plane_with_holes)
    assert result.failed == 2
    with xr.open_dataset(tmp_path / "result.nc") as data:
        sigma = data["contact_force_std_N"]
        assert sigma.dims == ("contact_stiffness", "speed_kmh", "catenary_damping_alpha")
        assert sigma.attrs["units"] == "N" and data["speed_kmh"].attrs["units"] == "km/h"
        assert data["contact_stiffness"].values.tolist() == [50e3, 1e5, 2e5]
        hole = (data["contact_stiffness"] == 1e5) & (data["speed_kmh"] == 300.0)
        assert (np.isnan(sigma) == hole).all()
        assert (data["message"].where(hole, "") == data["message"]).all()
        assert "did not converge" in str(data["message"].sel(contact_stiffness=1e5, speed_kmh=300.0).values[0])
        found = float(sigma.sel(contact_stiffness=2e5, speed_kmh=250.0, catenary_damping_alpha=0.1))
        assert found == cheap_sweep.height_of((2e5, 250.0, 0.1))
        assert "units" in data["max_uplift_at_supports_mm"].attrs and len(data.attrs["config_sha256"]) == 64


def test_an_error_on_a_worker_is_the_reason_of_its_batch_and_others_are_not_touched(tmp_path, case):
    result = run_sweep(sweep_of(kind="local", workers=2), case, tmp_path, evaluate=cheap_sweep.plane_that_breaks)
    broken = {index: p.message for index, p in result.points.items() if not p.statistics}
    assert len(result.points) == 12
    assert sorted(broken) == [(i, 0, 1) for i in range(3)]
    assert all("broken" in message for message in broken.values())


def test_a_batch_that_failed_is_evaluated_again_and_keeps_what_it_had(tmp_path, case, capsys):
    """By the same command, as runs that follow a search are: an error may have been the machine's."""
    local = {"kind": "local", "workers": 1}
    whole = run_sweep(sweep_of(), case, tmp_path / "whole", evaluate=cheap_sweep.plane).points
    folder = tmp_path / "broken"
    run_sweep(sweep_of(**local), case, folder, evaluate=cheap_sweep.plane_that_breaks_elsewhere)
    broken = run_sweep(sweep_of(**local), case, folder, evaluate=cheap_sweep.plane_that_breaks)
    assert [p.message for p in broken.points.values() if not p.statistics] == ["RuntimeError: broken here"]
    seen = []
    found = run_sweep(
        sweep_of(), case, folder, evaluate=cheap_sweep.plane_of_failures_alone, progress=lambda p: seen.append(p.done)
    )
    assert {i: p.statistics for i, p in found.points.items()} == {i: p.statistics for i, p in whole.items()}
    assert seen[-1] == 12 and "evaluates again what failed, 1 of 12 points" in capsys.readouterr().err
    status = json.loads((folder / "status.json").read_text())
    assert (status["done"], status["failed"]) == (12, 0)
    assert run_sweep(sweep_of(), case, folder, evaluate=cheap_sweep.never).points == found.points


def test_a_point_that_its_solver_gave_up_is_not_evaluated_again(tmp_path, case):
    first = run_sweep(sweep_of(), case, tmp_path, evaluate=cheap_sweep.plane_with_holes)
    assert run_sweep(sweep_of(), case, tmp_path, evaluate=cheap_sweep.never).points == first.points


def test_another_configuration_is_refused_and_the_same_one_evaluates_nothing_again(tmp_path, case):
    run_sweep(sweep_of(), case, tmp_path, evaluate=cheap_sweep.plane)
    before = (tmp_path / "points.jsonl").read_bytes()
    again = run_sweep(sweep_of(workers=7), case, tmp_path, evaluate=cheap_sweep.never)
    assert len(again.points) == 12 and (tmp_path / "points.jsonl").read_bytes() == before
    with pytest.raises(InputError, match="must be resumed with the configuration"):
        run_sweep(sweep_of({**AXES, "speed_kmh": (250.0, 301.0)}), case, tmp_path, evaluate=cheap_sweep.plane)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").touch()
    with pytest.raises(InputError, match="holds other files"):
        run_sweep(sweep_of(), case, tmp_path / "other", evaluate=cheap_sweep.plane)


def test_a_record_cut_at_any_byte_of_its_last_line_loses_that_batch_alone(tmp_path, case):
    whole = run_sweep(sweep_of(), case, tmp_path, evaluate=cheap_sweep.plane).points
    record = SweepFolder(tmp_path).record
    content = record.read_bytes()
    last = content.rindex(b"\n", 0, -1) + 1
    for cut in (last + 1, last + 40, len(content) - 1):
        record.write_bytes(content[:cut])
        assert len(load_sweep(tmp_path).points) == 9
        assert run_sweep(sweep_of(), case, tmp_path, evaluate=cheap_sweep.plane).points == whole
        assert record.read_bytes() == content
    lines = content.splitlines(keepends=True)
    for end in (b" ", b"\x0b"):  # between the last two lines: both are whole but for that byte
        record.write_bytes(b"".join(lines[:-1])[:-1] + end + lines[-1])
        with pytest.raises(InputError, match=f"line {len(lines) - 1} cannot be read"):
            load_sweep(tmp_path)
    record.write_bytes(lines[0] + b"x" + b"".join(lines[1:]))
    with pytest.raises(InputError, match="line 2"):
        load_sweep(tmp_path)


def test_an_interruption_keeps_what_is_done_and_says_how_to_resume(tmp_path, case):
    def interrupt(progress):
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="the same command resumes") as stopped:
        run_sweep(sweep_of(), case, tmp_path, progress=interrupt, evaluate=cheap_sweep.plane)
    assert stopped.value.exit_code == 75
    assert 0 < len(load_sweep(tmp_path).points) < 12
    assert len(run_sweep(sweep_of(), case, tmp_path, evaluate=cheap_sweep.plane).points) == 12


def test_a_killed_driver_loses_nothing_on_record(tmp_path, case):
    command = [sys.executable, str(Path(cheap_sweep.__file__)), str(tmp_path / "killed")]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as driver:
        for line in driver.stdout:
            if int(line) >= 6:
                break
        os.kill(driver.pid, signal.SIGKILL)
    assert 6 <= len(load_sweep(tmp_path / "killed").points) < 12
    killed = run_sweep(sweep_of(), case, tmp_path / "killed", evaluate=cheap_sweep.plane)
    whole = run_sweep(sweep_of(), case, tmp_path / "whole", evaluate=cheap_sweep.plane)
    assert {i: p.statistics for i, p in killed.points.items()} == {i: p.statistics for i, p in whole.points.items()}
    numbers = [json.loads(line)["strand"] for line in SweepFolder(tmp_path / "killed").record.read_text().splitlines()]
    assert sorted(numbers) == [0, 1, 2, 3]


def coarse(build_line, build_case):
    line = build_line(elements_per_bay=2)
    return build_case(
        line, 275.0, mean_force_N=143.36, periodic={"spans_behind": 4, "spans_ahead": 5, "tolerance": 5e-4}
    )


def test_steady_states_along_a_parameter_are_those_from_rest(build_line, build_case):
    case, policy = coarse(build_line, build_case), Continuation()
    spans = []
    for alpha in (0.05, 0.1, 0.15, 0.2):
        point = case_at(case, ("catenary.damping.alpha",), (alpha,))
        alone = solve_periodic(point)
        here = solve_periodic(point, policy.start((alpha,)), alone.equilibrium)
        policy.keep((alpha,), here.warm_start)
        spans.append((here.spans_marched, alone.spans_marched))
        sigma = here.statistics.contact_force_std_N
        assert sigma == pytest.approx(alone.statistics.contact_force_std_N, rel=0.005)
        assert here.statistics.contact_force_mean_N == pytest.approx(143.36, abs=0.06)
    assert spans[0][0] == spans[0][1]
    assert sum(s for s, _ in spans[1:]) < 0.6 * sum(s for _, s in spans[1:])


def test_one_worker_or_two_give_the_same_bits(tmp_path, build_line, build_case):
    case = coarse(build_line, build_case)
    axes = {"contact.stiffness": (50e3, 1e5), "catenary.damping.alpha": (0.05, 0.1, 0.15)}
    found = [
        run_sweep(sweep_of(axes, **cluster), case, tmp_path / cluster["kind"]).points
        for cluster in ({"kind": "serial"}, {"kind": "local", "workers": 2})
    ]
    assert not any(p.message for p in found[0].values())
    one, two = ({index: p.statistics for index, p in points.items()} for points in found)
    assert one == two


def test_a_record_with_another_division_into_batches_is_refused(tmp_path, case):
    spec = sweep_of()
    run_sweep(spec, case, tmp_path, evaluate=cheap_sweep.plane)
    place = SweepFolder(tmp_path)
    written = place.input_yaml.read_text(encoding="utf-8")
    place.input_yaml.write_text(written.replace("schema_version: 2", "schema_version: 1", 1), encoding="utf-8")
    for attempt in (lambda: load_sweep(tmp_path), lambda: run_sweep(spec, case, tmp_path, evaluate=cheap_sweep.never)):
        with pytest.raises(InputError, match="must have schema version 2: it has 1, of another version"):
            attempt()


def test_an_impossible_corner_has_its_reason_and_a_value_that_goes_with_none_is_refused(tmp_path, case):
    tension, speed = "catenary.contact_wire.tension", "speed_kmh"
    spec = sweep_of({tension: (9e3, 27e3), speed: (230.0, 320.0)})
    result = run_sweep(spec, case, tmp_path / "corner", evaluate=cheap_sweep.plane_of_valid_cases)
    assert sorted(result.points) == list(np.ndindex(2, 2))
    corner = result.points[0, 1]
    assert (corner.status, corner.statistics) == (OutcomeStatus.IMPOSSIBLE, {})
    assert "must stay below 90 %" in corner.message and "\n" not in corner.message
    assert result.failed == 1 and np.isnan(result.figures("contact_force_std_N")[0, 1])
    alone = sweep_of({tension: (6e3, 27e3), speed: (280.0, 320.0)})
    with pytest.raises(InputError, match=r"sweep\.axes must give possible cases: at .*tension=6000"):
        run_sweep(alone, case, tmp_path / "none", evaluate=cheap_sweep.never)
    assert not (tmp_path / "none").exists()
