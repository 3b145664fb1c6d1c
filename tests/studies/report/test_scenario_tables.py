"""Nominal line against best design in every scenario, on the page of a campaign."""

from dataclasses import replace

import numpy as np
import pytest
from cheap_evaluation import campaign_of, case_of, prepare_nothing
from cheap_scenarios import bowl_in_scenarios

from catenary.storage.files import write_json_atomic
from catenary.storage.provenance import config_sha256
from optimise.afterwards.confirm import Confirmation, DesignConfirmation
from optimise.evaluation.objectives import OBJECTIVES
from optimise.search.campaign import run_campaign
from studies.afterwards.confirmation import confirmation_content, confirmation_lines
from studies.report import write_report
from studies.report.pages.campaign_page import campaign_page
from studies.report.readers.campaign_folder import read_campaign
from studies.report.readers.campaign_record import ranked_trials
from studies.report.sections.scenario_tables import scenario_figures, scenario_section
from studies.report.sections.tables import change_percent

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
    held = [r.outcome.scenarios for r in (result.nominal, result.best)]
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
    combined = [e.sigma_N for e in (result.nominal.outcome, result.best.outcome)]
    assert list(sigma.rows[3][1:3]) == [f"{v:.2f}" for v in combined]
    html = write_report("campaign", tmp_path).read_text(encoding="utf-8")
    assert "In each scenario of the search" in html and "2 mm in dropper lengths" in html


def test_the_headline_says_next_to_which_figure_the_long_transient_stands(tmp_path):
    run(tmp_path, SPEEDS)
    one, content = DesignConfirmation(1, 20.0, 20.2, None), read_campaign(tmp_path)
    worse = replace(content.designs, nominal_values=np.array([99.0]))
    content = replace(content, designs=worse, confirmation=Confirmation(one, one))
    sentence = "In the case's own conditions alone its σ is 20.00\xa0N, the long transient gives 20.20\xa0N"
    assert sentence in campaign_page(content).headline
    plain = replace(worse, objectives=(OBJECTIVES["sigma"],))
    alone = replace(content, condition="", designs=plain)
    assert "The long transient gives 20.20\xa0N" in campaign_page(alone).headline


@pytest.mark.parametrize(
    ("objectives", "combine", "symbols"),
    [
        (["sigma"], "worst", ["worst σ"]),
        (["sigma"], "mean", ["mean σ"]),
        (["sigma@320", "sigma@290"], "mean", ["σ at 320 km/h", "σ at 290 km/h"]),
    ],
)
def test_every_figure_of_the_search_on_the_page_is_the_one_on_record(tmp_path, objectives, combine, symbols):
    result = run(tmp_path, {"speeds_kmh": [290, 305, 320], "combine": combine}, objectives=objectives)
    content = read_campaign(tmp_path)
    page = campaign_page(content)
    recorded = [[r.outcome.objectives[name] for r in (result.nominal, result.best)] for name in objectives]
    before, after = recorded[0]
    assert after < before
    assert page.headline.count(f"from {before:.2f}\xa0N with the nominal line to {after:.2f}\xa0N") == 1
    facts = {fact.label: fact.value for fact in page.facts}
    assert facts[f"{symbols[0]} of the nominal line"] == f"{before:.2f} N"
    assert facts[f"{symbols[0]} of the best design"] == f"{after:.2f} N"
    assert facts["change"] == change_percent(after, before)
    section = next(s for s in page.sections if s.title == "What was varied, and what was not")
    rows = {row[0]: row[2:4] for row in section.tables[0].rows}
    assert {
        s: tuple(f"{v:.2f}" for v in pair) for s, pair in zip(symbols, recorded, strict=True)
    }.items() <= rows.items()
    assert "Every design was evaluated in 3 scenarios: 290, 305 and 320 km/h" in " ".join(section.text)
    assert "290, 305 and 320 km/h, 3 scenarios" in page.title


def test_force_and_statistics_are_of_the_case_s_own_condition_and_say_so(tmp_path):
    # a mean over speeds is the level of no force that is drawn
    result = run(tmp_path, SPEEDS)
    assert read_campaign(tmp_path).nominal.statistics == {}, "without a solution there are no statistics to show"
    for name, record in (("nominal", result.nominal), ("best", result.best)):
        case = result.case_with(result.catenary_of(record))
        own = {"contact_force_mean_N": 157.3, "contact_force_std_N": 41.0}
        error = {"total_N": 0.7, "parts": {"mesh": {"error_N": 0.7, "message": "coarser"}}}
        summary = {"config_sha256": config_sha256(case), "pantographs": [own], "numerical_error": error}
        write_json_atomic(tmp_path / name / "summary.json", summary)
    content = read_campaign(tmp_path)
    assert content.nominal.statistics["contact_force_std_N"] == content.best.statistics["contact_force_std_N"] == 41.0
    assert content.condition == "300 km/h"
    page = campaign_page(content)
    assert not any("±" in fact.value for fact in page.facts), "the numerical error is of the case's own condition alone"
    force = next(s for s in page.sections if s.title == "The contact force")
    assert "the case's own condition alone: 300 km/h" in force.text[0]
    assert "mean contact force" not in [c.name for c in content.constraints], "each speed holds its own"


def test_the_long_transient_s_lines_say_that_they_are_of_the_case_s_own_condition(tmp_path):
    one = DesignConfirmation(1, 20.0, 20.2, None)
    content = confirmation_content(Confirmation(one, one), run(tmp_path, ERRORS))
    lines = confirmation_lines(content)
    assert lines[0].startswith("In the case's own condition alone (300 km/h, no errors of installation)")
    assert confirmation_lines({**content, "own_condition": ""}) == lines[1:]


def test_the_long_transient_s_lines_say_where_the_search_was_for_something_else(tmp_path):
    one = DesignConfirmation(1, 20.0, 20.2, None)
    result = run(tmp_path, ERRORS, objectives=["uplift"])
    content = confirmation_content(Confirmation(one, one), result)
    lines = confirmation_lines(content)
    assert lines[1].startswith("The search was for: largest uplift") and "is of the standard deviation:" in lines[1]
    assert confirmation_lines({**content, "searched_for": ""}) == [lines[0], *lines[2:]]
    matters = "slack_damping=kept is a choice that matters here"
    assert confirmation_lines({**content, "slack_damping": {"best": matters}}) == [*lines, f"best: {matters}"]


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
        for name, values in nominal.outcome.scenarios.items()
    }
    records = [replace(nominal, outcome=replace(nominal.outcome, scenarios=holed)), *result.records[1:]]
    figures = scenario_figures(replace(result, records=records), result.best)
    section = scenario_section(figures)
    assert "In 5 of 12 scenarios the nominal line" in section.text[1]
    sigma = section.tables[0]
    best = np.reshape(result.best.outcome.scenarios["contact_force_std_N"], (3, 4))
    assert sigma.rows[0][2] == f"{best[0, [0, 2, 3]].mean():.2f}"
    assert sigma.rows[1][1:] == ("–",) * 6


def test_limits_of_standards_over_scenarios_are_those_of_the_own_condition_alone(tmp_path):
    result = run(tmp_path, {**SPEEDS, "damping_factors": [0.5, 1.0]})
    statistics = {"contact_force_mean_N": 157.3, "contact_force_std_N": 30.0}
    for name, record in (("nominal", result.nominal), ("best", result.best)):
        (tmp_path / name).mkdir(exist_ok=True)
        summary = {"config_sha256": config_sha256(result.case_of(record)), "pantographs": [statistics]}
        write_json_atomic(tmp_path / name / "summary.json", summary)
    found = read_campaign(tmp_path).assessment
    assert found.condition == f"{result.case.speed_kmh:g} km/h, damping x 1, AC alone"
