"""Polish after a search: it reaches known optima, keeps limits, and resumes from the record."""

import json
from dataclasses import replace

import numpy as np
import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing

from optimise.descent.distances import distance
from optimise.evaluation import evaluate as evaluation
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import OutcomeStatus, failed
from optimise.evaluation.scenarios import scenario_set
from optimise.record.campaign_folder import CampaignFolder, read_records
from optimise.record.status_file import read_status_file
from optimise.search.campaign import Interrupted, run_campaign
from optimise.search.progress import read_status
from optimise.spec.campaign import LimitsSpec
from optimise.spec.scenarios import ScenariosSpec
from studies.report.readers.campaign_record import ranked_trials
from studies.report.sections.basins import basins_of as basins_of_report
from studies.report.sections.basins import basins_section, certainty_lines

SPACING = {"kind": "spacing"}
POLISH = {"best": 2, "distance": 0.05, "tolerance": None}


def moves_of(task, setting):
    x, x0 = task.catenary.droppers.positions, setting.case.catenary.droppers.positions
    return np.array([a - b for a, b in zip(x[:4], x0[:4], strict=True)])


def with_figures(task, setting, sigma, **g):
    found = bowl(task, setting)
    statistics = {**found.statistics, "contact_force_std_N": sigma}
    return replace(
        found, sigma_N=sigma, sampler_value_N=sigma, constraints=found.constraints | g, statistics=statistics
    )


def slanted_valley(task, setting):
    """A curved valley that random search does not follow, with one limit across it: x1 + x2 <= 0.5 m."""
    m = moves_of(task, setting)
    sigma = (
        30.0 + 20.0 * (m[0] - m[1]) ** 2 + (m[0] - 0.7) ** 2 + (m[1] - 0.7) ** 2 + m[2] ** 2 + 4.0 * (m[3] - 0.3) ** 2
    )
    return with_figures(task, setting, float(sigma), g_uplift=float(m[0] + m[1] - 0.5))


def two_basins(task, setting):
    """Wells at -0.8 m and, deeper, at +0.8 m of the last move."""
    m = moves_of(task, setting)
    sigma = 40.0 + 10.0 * (m[3] ** 2 - 0.64) ** 2 - 0.5 * m[3] + m[0] ** 2 + m[1] ** 2 + m[2] ** 2
    return with_figures(task, setting, float(sigma), g_uplift=-0.5)


def run(folder, case, evaluate, **content):
    standard = {"design": SPACING, "sampler": {"kind": "random"}, "trials": 40, "polish": POLISH}
    campaign = campaign_of(**{**standard, **content})
    return run_campaign(campaign, case, folder, evaluate=evaluate, prepare=prepare_nothing)


def test_the_polish_is_not_among_the_trials_that_are_counted_of_a_campaign(tmp_path, case):
    result = run(tmp_path, case, slanted_valley)
    written, read = read_status_file(tmp_path / "status.json"), read_status(tmp_path)
    assert (read.done, read.trials) == (40, 40) and read.polished == written["polished"] > 0
    assert read_records(CampaignFolder(tmp_path), "test") == result.records


def basins_of(result):
    return json.loads((result.folder / "basins.json").read_text(encoding="utf-8"))


def designs_of(result):
    return [(r.number, r.values, r.outcome.sigma_N, r.origin) for r in result.records]


def coarse_search(task, setting):
    """A search whose figures are too low by what its tolerance leaves, more than a polish gains."""
    found = slanted_valley(task, setting)
    lift = 0.0 if task.tolerance == 1e-4 else -3.0 if task.number <= 40 else -60.0
    return with_figures(task, setting, found.sigma_N + lift, **found.constraints)


def test_a_polish_with_a_closer_tolerance_is_compared_with_itself(tmp_path, case):
    result = run(tmp_path, case, coarse_search, polish={**POLISH, "tolerance": 1e-4})
    content = basins_of(result)
    (basin,) = content["basins"]
    assert basin["value"] > min(r.outcome.sigma_N for r in result.records if not r.polished)
    assert result.best.polished and result.best.number == basin["trial"]
    assert read_status(tmp_path).best_trial == basin["trial"]
    # a search that continues may find a better one
    more = run(tmp_path, case, coarse_search, trials=60, polish={**POLISH, "best": 0})
    lowest = min((r for r in more.records if r.outcome.feasible), key=lambda r: r.outcome.sigma_N)
    assert lowest.number > len(result.records) and more.best == lowest


def test_a_polish_ends_at_the_optimum_under_a_limit(tmp_path, case):
    result = run(tmp_path, case, slanted_valley)
    searched = [r for r in result.records if not r.polished]
    assert len(searched) == 40 and result.best.polished
    line = result.catenary_of(result.best).droppers.positions
    found = np.array(line[:4]) - case.catenary.droppers.positions[:4]
    assert found == pytest.approx([0.25, 0.25, 0.0, 0.3], abs=0.02)  # on x1 + x2 = 0.5
    assert result.best.outcome.feasible
    content = basins_of(result)
    assert len(content["basins"]) == 1 and content["basins"][0]["trial"] == result.best.number
    for one in content["polished"]:
        assert one["active"] == ["g_uplift"] and one["message"] == "converged"
        assert one["end_value"] == pytest.approx(30.405, abs=0.01) and one["end_value"] < one["start_value"]
        assert one["start_value_as_polished"] == one["start_value"]  # the same tolerance: not evaluated again
        assert not result.records[one["start_trial"]].polished


def test_distinct_basins_are_distinguished_and_the_deeper_is_first(tmp_path, case):
    result = run(tmp_path, case, two_basins, polish={**POLISH, "best": 6, "distance": 0.1})
    content = basins_of(result)
    assert len(content["polished"]) > 2
    last = [b["variables"]["move_4"] for b in content["basins"]]
    assert last == pytest.approx([0.81, -0.79], abs=0.03)
    assert [b["value"] for b in content["basins"]] == sorted(b["value"] for b in content["basins"])
    certainty, (best, other) = content["certainty"], content["basins"]
    assert (certainty["best_value"], certainty["next_best_value"]) == (best["value"], other["value"])
    assert certainty["in_best_basin"] == len(best["starts"]) < certainty["starts"] == len(content["polished"])
    sure = basins_of_report(result).certainty
    change = 100.0 * (other["value"] / best["value"] - 1.0)
    assert f"+{change:.1f} %" in sure and f"{certainty['in_best_basin']} of {certainty['starts']} starts" in sure
    starts = [s for b in content["basins"] for s in b["starts"]]
    assert sorted(starts) == sorted(p["start_trial"] for p in content["polished"])
    space = result.space
    a, b = (list(entry["variables"].values()) for entry in content["basins"])
    assert content["basins"][1]["distance_to_best"] == pytest.approx(distance(space, a, b))


def test_starts_are_the_best_designs_that_are_distinct(tmp_path, case):
    result = run(tmp_path, case, two_basins, polish={**POLISH, "best": 4, "distance": 0.2})
    starts = [result.records[p["start_trial"]] for p in basins_of(result)["polished"]]
    sigma = [s.outcome.sigma_N for s in starts]
    assert sigma == sorted(sigma) and sigma[0] == min(r.outcome.sigma_N for r in result.records[:40])
    apart = [distance(result.space, a.values, b.values) for k, a in enumerate(starts) for b in starts[:k]]
    assert min(apart) >= 0.2


def test_the_report_shows_what_a_polish_gained_and_what_holds_it_back(tmp_path, case):
    result = run(tmp_path, case, slanted_valley)
    basins = basins_of_report(result)
    section = basins_section(basins)
    (table,), (text, sure) = section.tables, section.text
    assert sure.startswith("2 of 2 starts ended in the best basin (σ 30.4") and "no other basin was found" in sure
    assert sure.endswith("Its best design meets uplift.") and certainty_lines(result) == [f"Polish: {sure}"]
    (first, *_) = basins_of(result)["polished"]
    assert [row[0] for row in table.rows] == [f"trial {p['start_trial']}" for p in basins_of(result)["polished"]]
    change = 100.0 * (first["end_value"] / first["start_value_as_polished"] - 1.0)
    assert table.rows[0][5] == f"−{abs(change):.1f} %"
    assert table.rows[0][9] == "uplift" and table.rows[0][10] == "converged"
    assert "2 distinct designs were polished" in text and "in one basin" in text
    assert basins_of_report(run(tmp_path / "none", case, slanted_valley, polish={"best": 0}, trials=3)) is None
    shown = ranked_trials(result)
    starts = [r.origin.trial for r in shown if r.polished]
    assert len(starts) == len(set(starts)) == 2  # of a polish its best design alone


@pytest.mark.parametrize("stop", [43, 52, 75])
def test_an_interrupted_polish_continues_and_evaluates_nothing_twice(tmp_path, case, stop):
    whole = run(tmp_path / "whole", case, slanted_valley)
    assert len(whole.records) > stop + 5
    calls = []

    def counted(task, setting):
        calls.append(task.catenary.droppers.positions)
        if len(calls) == stop:
            raise KeyboardInterrupt
        return slanted_valley(task, setting)

    with pytest.raises(Interrupted, match="40 of 40"):
        run(tmp_path / "parts", case, counted)
    parts = run(tmp_path / "parts", case, counted)
    assert designs_of(parts) == designs_of(whole)
    assert basins_of(parts) == basins_of(whole)
    assert len(calls) == len(whole.records) + 1  # the one that was in flight


def test_the_same_bits_on_any_number_of_workers(tmp_path, case):
    results = [
        run(tmp_path / kind, case, slanted_valley, cluster={"kind": kind, "workers": 2}, trials=12)
        for kind in ("serial", "local")
    ]
    assert designs_of(results[0]) == designs_of(results[1])
    assert basins_of(results[0]) == basins_of(results[1])


def test_a_finished_campaign_is_polished_later_and_once(tmp_path, case):
    first = run(tmp_path, case, slanted_valley, polish={"best": 0})
    assert not (tmp_path / "basins.json").exists() and len(first.records) == 40
    polished = run(tmp_path, case, slanted_valley)
    assert designs_of(polished)[:40] == designs_of(first)

    def refuse(task, setting):
        raise AssertionError("nothing is left to evaluate")

    assert designs_of(run(tmp_path, case, refuse)) == designs_of(polished)


def test_more_trials_after_a_polish_search_on_as_if_it_had_not_been(tmp_path, case):
    sampler = {"sampler": {"kind": "qmc"}}
    run(tmp_path / "parts", case, slanted_valley, trials=20, **sampler)
    parts = run(tmp_path / "parts", case, slanted_valley, trials=33, **sampler)
    whole = run(tmp_path / "whole", case, slanted_valley, trials=33, **sampler, polish={"best": 0})
    assert [r.values for r in parts.records if not r.polished] == [r.values for r in whole.records]
    assert basins_of(parts)["trials"] == 33


@pytest.mark.parametrize("sampler", ["cma_es", "tpe"])
def test_a_sampler_continues_after_a_polish(tmp_path, case, sampler):
    run(tmp_path, case, slanted_valley, sampler={"kind": sampler}, trials=15)
    result = run(tmp_path, case, slanted_valley, sampler={"kind": sampler}, trials=30)
    assert sum(not r.polished for r in result.records) == 30


def test_designs_without_numbers_do_not_end_a_polish(tmp_path, case):
    def with_holes(task, setting):
        if task.number > 40 and task.number % 6 == 0:
            return failed(task.number, "no convergence")
        return slanted_valley(task, setting)

    result = run(tmp_path, case, with_holes)
    start = result.records[basins_of(result)["polished"][0]["start_trial"]]
    assert result.best.polished and result.best.outcome.sigma_N < start.outcome.sigma_N - 0.5
    broken = [r for r in result.records if r.outcome.status is OutcomeStatus.FAILED]
    assert broken and all(r.polished for r in broken)


def test_counts_stay_as_they_are(tmp_path, case):
    design = {"kind": "spacing", "droppers": (7, 11)}

    def of_count(task, setting):
        sigma = 30.0 + (task.catenary.droppers.positions[1] - 11.0) ** 2
        return with_figures(task, setting, float(sigma), g_uplift=-0.5)

    result = run(tmp_path, case, of_count, design=design, trials=20, polish={**POLISH, "best": 3})
    for record in result.records[20:]:
        assert record.values[4] == result.records[record.origin.trial].values[4]


def test_the_tolerance_of_the_polish_reaches_the_evaluation_and_the_record(tmp_path, case):
    seen = set()

    def looked_at(task, setting):
        seen.add(task.tolerance)
        return slanted_valley(task, setting)

    result = run(tmp_path, case, looked_at, polish={**POLISH, "best": 1, "tolerance": 1e-5})
    assert seen == {None, 1e-5}
    (only,) = basins_of(result)["polished"]
    start_polished = next(r for r in result.records if r.polished)
    assert start_polished.values == result.records[only["start_trial"]].values  # the start is evaluated again
    assert start_polished.origin.tolerance == 1e-5 and start_polished.origin.trial == only["start_trial"]


def test_the_tolerance_of_the_polish_holds_in_every_scenario(case, monkeypatch):
    scenarios = scenario_set(ScenariosSpec(speeds_kmh=(280.0, 300.0)), ("sigma",), case)
    setting = Setting(case, LimitsSpec(), scenarios=scenarios)
    seen = []

    def looked_at(task, given):
        seen.append([given.case.periodic.tolerance, *(w.case.periodic.tolerance for w in given.scenarios.conditions)])
        return failed(task.number, "only looked at")

    monkeypatch.setattr("optimise.evaluation.robust.evaluate_scenarios", looked_at)
    evaluation.evaluate(Job(1, case.catenary, tolerance=3e-5), setting)
    evaluation.evaluate(Job(2, case.catenary), setting)
    assert seen[0] == [3e-5, 3e-5, 3e-5] and 3e-5 not in seen[1]


def test_a_polish_of_several_objectives_is_refused():
    with pytest.raises(ValueError, match=r"polish\.best must be 0 with several objectives \(sigma, uplift\)"):
        campaign_of(objectives=("sigma", "uplift"), sampler={"kind": "nsga2"}, polish={"best": 1})
