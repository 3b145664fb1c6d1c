"""Nominal line against best design in every scenario, on the page of a campaign."""

from dataclasses import replace

import numpy as np
from cheap_evaluation import campaign_of, case_of, prepare_nothing
from cheap_scenarios import bowl_in_scenarios

from optimise.campaign import run_campaign
from optimise.confirm import Confirmation, DesignConfirmation
from studies.report import write_campaign_report
from studies.report.campaign_folder import read_campaign
from studies.report.campaign_page import campaign_page
from studies.report.scenario_tables import scenario_figures, scenario_section
from studies.report.search_folder import ranked_trials
from studies.report.tables import change_percent

SPEEDS = {"speeds_kmh": [260.0, 290.0, 320.0], "speed_weights": [1, 2, 1]}
ERRORS = {"errors": {"length_sd_mm": 2, "samples": 4}}


def run(folder, scenarios, **content):
    settings = {"trials": 25, "sampler": {"kind": "random"}, "design": {"kind": "heights"}, **content}
    campaign = campaign_of(**settings, scenarios=scenarios)
    return run_campaign(campaign, case_of(), folder, evaluate=bowl_in_scenarios, prepare=prepare_nothing)


def tables_of(result):
    return scenario_section(scenario_figures(result, ranked_trials(result)[0])).tables


def test_a_condition_is_one_row_with_mean_and_worst_over_its_samples(tmp_path):
    result = run(tmp_path, {**SPEEDS, **ERRORS})
    sigma, extremes = tables_of(result)
    assert [row[0] for row in sigma.rows] == ["260 km/h", "290 km/h", "320 km/h", "all, weighted mean"]
    held = [r.evaluation.scenarios for r in (result.nominal, result.best)]
    values = [np.reshape(h["contact_force_std_N"], (3, 4)) for h in held]
    for k in range(3):
        expected = [f(v[k]) for f in (np.mean, np.max) for v in values]
        cells = sigma.rows[k]
        assert [cells[i] for i in (1, 2, 4, 5)] == [f"{v:.2f}" for v in expected]
        assert cells[3] == change_percent(expected[1], expected[0])
        forces = [
            np.reshape(h[name], (3, 4))[k] for h in held for name in ("contact_force_max_N", "contact_force_min_N")
        ]
        assert extremes.rows[k][1:5] == tuple(f"{v:.1f}".replace("-", "−") for v in (
            forces[0].max(), forces[2].max(), forces[1].min(), forces[3].min()
        ))  # fmt: skip
    combined = [e.sigma_N for e in (result.nominal.evaluation, result.best.evaluation)]
    assert list(sigma.rows[3][1:3]) == [f"{v:.2f}" for v in combined]
    html = write_campaign_report(tmp_path).read_text(encoding="utf-8")
    assert "In each scenario of the search" in html and "2 mm in dropper lengths" in html


def test_the_headline_says_beside_which_figure_the_long_transient_stands(tmp_path):
    run(tmp_path, SPEEDS)
    one, content = DesignConfirmation(1, 20.0, 20.2, None), read_campaign(tmp_path)
    worse = {**content.nominal.statistics, "contact_force_std_N": 99.0}
    nominal = replace(content.nominal, statistics=worse)
    content = replace(content, nominal=nominal, confirmation=Confirmation(one, one))
    told = "In the case's own conditions alone its σ is 20.00\xa0N, the long transient gives 20.20\xa0N"
    assert told in campaign_page(content).headline
    alone = replace(content, choice=replace(content.choice, scenarios=None))
    assert "The long transient gives 20.20\xa0N" in campaign_page(alone).headline


def test_conditions_without_samples_have_one_number_each(tmp_path):
    result = run(tmp_path, SPEEDS, objectives=["sigma:worst"])
    sigma, extremes = tables_of(result)
    assert sigma.columns == ("condition", "nominal\n[N]", "best\n[N]", "change") and len(extremes.rows) == 3


def test_errors_alone_are_one_condition_at_the_case_s_own_speed(tmp_path):
    sigma, _ = tables_of(run(tmp_path, ERRORS))
    assert [row[0] for row in sigma.rows] == ["300 km/h", "all, weighted mean"]


def test_without_scenarios_or_a_design_there_is_no_table(tmp_path):
    result = run(tmp_path / "a", SPEEDS)
    assert not scenario_section(scenario_figures(result, None)).tables
    plain = replace(result, campaign=result.campaign.model_copy(update={"scenarios": campaign_of().scenarios}))
    assert scenario_figures(plain, plain.best) is None


def test_where_the_nominal_line_has_no_figures_both_are_compared_in_the_rest(tmp_path):
    result = run(tmp_path, {**SPEEDS, **ERRORS})
    nominal = result.nominal
    holed = {
        name: tuple(None if k in (1, 4, 5, 6, 7) else v for k, v in enumerate(values))
        for name, values in nominal.evaluation.scenarios.items()
    }
    records = [replace(nominal, evaluation=replace(nominal.evaluation, scenarios=holed)), *result.records[1:]]
    figures = scenario_figures(replace(result, records=records), result.best)
    section = scenario_section(figures)
    assert "In 5 of 12 scenarios the nominal line" in section.text[1]
    sigma = section.tables[0]
    best = np.reshape(result.best.evaluation.scenarios["contact_force_std_N"], (3, 4))
    assert sigma.rows[0][2] == f"{best[0, [0, 2, 3]].mean():.2f}"
    assert sigma.rows[1][1:] == ("–",) * 6
