"""Errors of the objectives on record and on the page: of a front, and over scenarios."""

import json
from dataclasses import replace

import numpy as np
import pytest
from cheap_evaluation import bowl, campaign_of, case_of, prepare_nothing
from cheap_scenarios import bowl_in_scenarios

from catenary.errors import InputError
from dynamics.charts.parts import Chart
from optimise.afterwards.objective_errors import DesignErrors
from optimise.evaluation.objectives import OBJECTIVES
from optimise.search.campaign import run_campaign
from studies.afterwards.made_files import set_damaged_aside
from studies.afterwards.objective_errors import NAME, objective_error_lines, show_objective_errors
from studies.report.pages.campaign_lead import gain_verdict, lead_section
from studies.report.pages.campaign_page import campaign_page
from studies.report.readers.campaign_folder import read_campaign
from studies.report.sections.front import front_charts, front_table

FRONT = {"objectives": ["sigma", "uplift"], "sampler": {"kind": "random"}, "design": {"kind": "heights"}}
HELD = {"contact_loss_percent": 0.0, "contact_force_mean_N": 157.3}
SPEEDS = {
    "scenarios": {"speeds_kmh": [290.0, 305.0, 320.0]},
    "sampler": {"kind": "random"},
    "design": {"kind": "heights"},
}


@pytest.fixture
def estimated(monkeypatch):
    """Stands in for the companions: every design has errors of the same size; gives the jobs that were run."""
    asked = []

    def errors(job, setting):
        asked.append(job.number)
        each = {"contact_force_std_N": 0.5, "max_uplift_at_supports_mm": 0.25}
        return DesignErrors(job.number, (each,))

    monkeypatch.setattr("optimise.afterwards.objective_errors.evaluate_errors", errors)
    return asked


def sound_bowl(job, setting):
    found = bowl(job, setting)
    return replace(found, statistics={**found.statistics, **HELD})


def searched(folder, evaluate, content):
    campaign = campaign_of(trials=40, **{"seed": 1, **content})
    return run_campaign(campaign, case_of(), folder, evaluate=evaluate, prepare=prepare_nothing)


def test_every_design_of_a_front_has_its_errors_on_record_once(tmp_path, estimated):
    result = searched(tmp_path, sound_bowl, FRONT)
    content = show_objective_errors(result, lambda line: None)
    trials = sorted({0, *(record.number for record in result.front)})
    assert len(estimated) == len(trials) and trials == [design["trial"] for design in content["designs"]]
    assert content["designs"][0]["objectives"] == {"sigma": 0.5, "uplift": 0.25}
    assert show_objective_errors(result, lambda line: None) == content and len(estimated) == len(trials)
    sigma, uplift, front = objective_error_lines(content, result)
    assert sigma.startswith("σ by the search: nominal line ") and sigma.endswith(" N: better")
    assert uplift.startswith("uplift by the search: nominal line ") and " ± 0.25" in uplift
    assert front.endswith(f"of {len(result.front)} designs of the front may be no better than another one of it")
    read = read_campaign(tmp_path)
    assert read.front.errors.shape == read.front.values.shape and read.front.errors[0].tolist() == [0.5, 0.25]
    assert read.front.nominal_errors.tolist() == [0.5, 0.25] and read.first_errors == (0.5, 0.5)


def test_one_objective_in_one_case_is_left_to_its_confirmation(tmp_path, estimated):
    result = searched(tmp_path, sound_bowl, {**FRONT, "objectives": ["sigma"]})
    assert show_objective_errors(result, lambda line: None) is None
    assert not estimated and not (tmp_path / NAME).exists()


def test_a_search_in_scenarios_is_judged_by_errors_of_all_of_them(tmp_path, estimated):
    result = searched(tmp_path, bowl_in_scenarios, SPEEDS)
    content = show_objective_errors(result, lambda line: None)
    assert [design["scenarios_std_N"] for design in content["designs"]] == [[0.5] * 3] * 2 and len(estimated) == 6
    read = read_campaign(tmp_path)
    assert read.choice.scenarios.sigma_errors_N.tolist() == np.full((2, 3, 1), 0.5).tolist()
    assert gain_verdict(read) == "better"
    statements = {row[0]: row[1:] for row in lead_section(read).tables[0].rows}
    verdict, figures = statements["is better in mean σ"]
    assert verdict == "holds" and " ± 0.50 → " in figures and "): better; the long transient" in figures
    page = campaign_page(read)
    assert all(" ± 0.50 N" in fact.value for fact in page.facts[:2])
    assert page.headline.replace("\N{NO-BREAK SPACE}", " ").count(" ± 0.50 N with ") == 2
    verdict, figures = statements["has the lower σ in every scenario of the search"]
    assert figures.endswith("errors are each scenario's own.")


@pytest.mark.parametrize(("size", "word"), [(0.1, "better"), (30.0, "the same within the errors")])
def test_a_mean_over_scenarios_is_better_by_more_than_its_errors_alone(campaign_content, size, word):
    designs = replace(campaign_content.designs, objectives=(OBJECTIVES["sigma:mean"],))
    content = replace(campaign_content, designs=designs, condition="300 km/h", first_errors=(size, size))
    assert gain_verdict(content) == word


def test_errors_of_another_case_say_nothing(tmp_path, estimated):
    result = searched(tmp_path, sound_bowl, FRONT)
    content = show_objective_errors(result, lambda line: None)
    (tmp_path / NAME).write_text(json.dumps({**content, "case_sha256": "0" * 64}), encoding="utf-8")
    read = read_campaign(tmp_path)
    assert read.front.errors is None and np.isnan(read.first_errors).all()


def test_a_damaged_file_of_errors_is_refused_and_made_again(tmp_path, estimated, capsys):
    result = searched(tmp_path, sound_bowl, FRONT)
    content = show_objective_errors(result, lambda line: None)
    (tmp_path / NAME).write_text('{"designs": [{"trial": 3}]}', encoding="utf-8")
    with pytest.raises(InputError, match=f"{NAME} must be as it was written: objectives is missing; restore it, or"):
        read_campaign(tmp_path)
    set_damaged_aside(tmp_path)
    assert f"{NAME} must be as it was written" in capsys.readouterr().err
    assert show_objective_errors(result, lambda line: None)["designs"] == content["designs"]


def test_a_front_shows_its_errors_and_which_designs_they_do_not_part(front_content):
    front = front_content.front
    errors = np.tile([0.03, 0.02], (len(front.trials), 1))
    sure = replace(front, errors=errors, nominal_errors=np.array([0.2, 0.1]))
    table = front_table(sure)
    assert table.rows[0][1] == "31.20 ± 0.20" and table.rows[1][1:4] == ("20.000 ± 0.030", "−35.9 %", "70.000 ± 0.020")
    crowded = {row[0]: row[-1] for row in table.rows[1:]}
    assert crowded[front.files[0]] == crowded[front.files[-1]] == "" and "009" in crowded[front.files[1]]
    (chart,) = front_charts(sure)
    assert isinstance(chart, Chart)
    notes = next(c for c in chart.curves if c.label == "front").notes
    assert notes[0] == f"{front.files[0]}: σ 20.000 ± 0.030 N, uplift 70.000 ± 0.020 mm"
    assert len(front_table(front).columns) == len(table.columns) - 1, "without errors nothing is said"
    assert campaign_page(replace(front_content, front=sure)).sections[1].title == "The front"
