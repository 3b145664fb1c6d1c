"""Trials as a labelled data set, and the confirmation of the best design."""

from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from cheap_evaluation import bowl_of_tension, bowl_with_failures, campaign_of, prepare_nothing

from dynamics.contact_force.statistics import ContactStatistics
from dynamics.spec.status import Status
from optimise.afterwards.confirm import confirm
from optimise.evaluation.verdict import BETTER, SAME
from optimise.record.labelled import long_name_and_unit
from optimise.search.campaign import run_campaign


@pytest.fixture(scope="module")
def result(tmp_path_factory, case):
    folder = tmp_path_factory.mktemp("campaign")
    return run_campaign(
        campaign_of(trials=200, design={"kind": "spacing"}), case, folder,
        evaluate=bowl_with_failures, prepare=prepare_nothing,
    )  # fmt: skip


@pytest.fixture(scope="module")
def trials(result):
    with xr.open_dataset(result.folder / "trials.nc") as data:
        return data.load()


def test_every_variable_says_what_it_is(trials):
    for name, variable in trials.variables.items():
        assert variable.attrs["long_name"], name
        assert variable.dtype.kind in "OUS" or "units" in variable.attrs or "flag_values" in variable.attrs, name
    assert dict(trials.sizes) == {"trial": 200, "variable": 4, "dropper": 9}


def test_every_statistic_has_its_meaning_in_words():
    for name in (field.name for field in fields(ContactStatistics)):
        meaning, unit = long_name_and_unit(name)
        assert meaning != name.rpartition("_")[0].replace("_", " ") and unit in ("N", "mm", "%"), name
    assert long_name_and_unit("static_dropper_force_min_N") == ("static dropper force min", "N")
    assert long_name_and_unit("g_uplift") == ("g uplift", "1")


def test_numbers_are_those_on_record(trials, result):
    sigma = [np.nan if r.outcome.sigma_N is None else r.outcome.sigma_N for r in result.records]
    column, feasible = trials["contact_force_std_N"], trials["feasible"] == 1
    np.testing.assert_array_equal(column, sigma)
    best = trials.sel(trial=trials.attrs["best_trial"])
    assert best["feasible"] == 1 and float(best["contact_force_std_N"]) == np.nanmin(column.where(feasible))
    line = result.space.spec_of(result.best.values)
    np.testing.assert_array_equal(best["dropper_position"], line.droppers.positions)


def test_a_failed_trial_has_a_reason_and_no_number(trials):
    broken = trials.sel(trial=3)
    meanings = trials["state"].attrs["flag_meanings"].split()
    assert meanings[int(broken["state"])] == "failed"
    assert broken["message"].item() == "no convergence"
    assert np.isnan(broken["contact_force_std_N"]) and np.isnan(broken["sampler_value_N"])


def test_each_quantity_has_one_name_the_one_that_it_has_in_other_files(trials, result):
    assert {"static_dropper_force_min_N", "applied_force_N", "wall_time_s", "dropper_position"} <= set(trials)
    held = [name for name in trials.data_vars if trials[name].dtype.kind == "f" and trials[name].dims == ("trial",)]
    # the sampler gets sigma itself for a design that holds every limit
    known = [name for name in held if np.isfinite(trials[name]).any() and name != "sampler_value_N"]
    for k, name in enumerate(known):
        assert not any(trials[name].equals(trials[other]) for other in known[:k]), name
    assert not {"sigma", "told"} & set(trials), "names of earlier versions"
    statistic = [(r.outcome.statistics or {}).get("contact_force_std_N", r.outcome.sigma_N) for r in result.records]
    np.testing.assert_array_equal(trials["contact_force_std_N"], np.array(statistic, dtype=float))


def test_the_origin_stands_in_the_attributes(trials, result):
    for name in ("config", "config_sha256", "versions", "commit", "seed", "Conventions"):
        assert name in trials.attrs
    assert trials.attrs["seed"] == result.campaign.seed


def test_lines_of_another_make_stand_next_to_the_nominal(tmp_path, case):
    design = {"kind": "line", "droppers": (7, 11), "contact_wire_tension": (25.0e3, 28.0e3)}
    campaign = campaign_of(trials=12, design=design, sampler={"kind": "qmc"})
    result = run_campaign(campaign, case, tmp_path, evaluate=bowl_of_tension, prepare=prepare_nothing)
    with xr.open_dataset(tmp_path / "trials.nc") as data:
        trials = data.load()
    count, tension = trials["value"].values.T
    assert set(count) > {9.0} and set(count) <= {7.0, 8.0, 9.0, 10.0, 11.0}
    assert list(trials["variable_unit"].values) == ["1", "N"]
    assert trials.sizes["dropper"] == count.max()
    np.testing.assert_array_equal(np.isfinite(trials["dropper_position"]).sum("dropper"), count)
    np.testing.assert_array_equal(trials["contact_force_std_N"], 30.0 + 1e-3 * np.abs(tension - 26.0e3))
    best = result.catenary_of(result.best)
    assert best.contact_wire.tension == tension[result.best.number]
    assert "with number of droppers, contact wire tension optimised" in best.description


def statistics(sigma):
    return SimpleNamespace(contact_force_std_N=sigma)


def test_confirmation_says_by_how_much_the_long_transient_differs(result):
    seen = []

    def solve(case):
        assert case.solver == "transient"
        moved = case.catenary.droppers != result.case.catenary.droppers
        sigma = 1.01 * (result.best if moved else result.nominal).outcome.sigma_N
        seen.append((moved, case.dt, case.catenary.mesh.largest_element_length, case.transient.spans_behind))
        if len(seen) == 3:  # of the best design on the coarser numerics
            sigma *= 1.04
        found = statistics(sigma)
        return SimpleNamespace(
            status=Status.OK, message="", statistics=found, train_statistics=found, spread_percent=2.0
        )  # fmt: skip

    found = confirm(result, solve)
    assert found.best.difference_percent == pytest.approx(100.0 * (1.0 / 1.01 - 1.0))
    assert found.best.spread_percent == pytest.approx(2.0)
    assert found.change_percent == pytest.approx(found.change_transient_percent) and found.change_percent < 0.0
    # both lines on the same two settings, neither of them the search's own: the second halves step and elements' length
    own = result.case.dt, result.case.transient.spans_behind
    assert [moved for moved, *_ in seen] == [False, False, True, True] and seen[0][1:] == seen[2][1:]
    assert seen[1][1:] == seen[3][1:] and seen[0][1] == min(own[0], 1e-3) and seen[1][3] == max(own[1], 45)
    assert seen[0][3] == round(2.0 / 3.0 * seen[1][3]), "what a longer window would move is in the error"
    assert seen[1][1] == 0.5 * seen[0][1] and seen[1][2] == pytest.approx(2.0 / 3.0 * seen[0][2])
    # the change moves by 4 % of the best design's share, and each line's halves differ by 2 %
    share = found.best.sigma_transient_N / found.nominal.sigma_transient_N
    assert found.change_error_percent == pytest.approx(np.hypot(4.0 * share, np.hypot(1.0, 1.0)))
    assert found.nominal.error == pytest.approx(0.01 * found.nominal.sigma_transient_N)
    assert found.best.error == pytest.approx(np.hypot(0.04, 0.01) * found.best.sigma_transient_N)
    error = found.change_error_percent
    assert found.verdict == (BETTER if -found.change_transient_percent > error else SAME)


def test_a_transient_that_fails_confirms_nothing(result):
    found = confirm(result, lambda case: SimpleNamespace(status=Status.DIVERGED, message="", train_statistics=None))
    assert found.best.difference_percent is None and found.change_transient_percent is None
    assert found.best.message == Status.DIVERGED.value
