"""What is important in a search, on the page of a campaign: screening, its label, and the study that measures."""

import json
import shlex
import shutil
from dataclasses import replace

import cheap_sensitivity
import pytest
from cheap_evaluation import bowl, campaign_of, case_of, prepare_nothing
from cheap_scenarios import bowl_in_scenarios

from dynamics.spec.case import CaseSpec
from optimise.parameter_study.sensitivity import run_sensitivity
from optimise.search.campaign import run_campaign
from studies.commands import sensitivity
from studies.report import write_report
from studies.report.pages.campaign_page import campaign_page
from studies.report.readers.campaign_folder import read_campaign

TITLE = "Importance of the variables"


def whole_bowl(task, setting):
    found = bowl(task, setting)
    others = {"contact_force_mean_N": 157.3, "contact_loss_percent": 0.0}
    return replace(found, statistics={**found.statistics, **others})


def run(folder, evaluate=whole_bowl, case=None, **content):
    campaign = campaign_of(**{"trials": 40, "sampler": {"kind": "random"}, "design": {"kind": "heights"}, **content})
    return run_campaign(campaign, case or case_of(), folder, evaluate=evaluate, prepare=prepare_nothing)


def study_into(folder, line):
    """A sensitivity study of a closed form around a line."""
    content = {**case_of().model_dump(), "speed_kmh": 250.0, "contact": {"stiffness": 1e5}}
    case = CaseSpec.model_validate({**content, "catenary": line.model_dump()})
    inputs = {**cheap_sensitivity.RANGES, "catenary.damping.alpha": {"low": 0.0, "high": 2.0 * line.damping.alpha}}
    settings = {"methods": ["sobol", "local"], "sobol": {"samples": 64, "resamples": 50}}
    study = cheap_sensitivity.study_of(inputs, **settings)
    return run_sensitivity(study, case, folder, evaluate=cheap_sensitivity.plane)


def section_of(folder, title=TITLE):
    return next(s for s in campaign_page(read_campaign(folder)).sections if s.title.startswith(title))


def in_words(name):
    for kind, quantity in (("lift_", "height of dropper "), ("move_", "station of dropper ")):
        name = name.replace(kind, quantity)
    return name


def test_the_search_s_importances_are_drawn_as_screening_with_the_command_that_measures(tmp_path):
    run(tmp_path, objectives=["sigma", "uplift"], sampler={"kind": "qmc"})
    section, held = section_of(tmp_path), json.loads((tmp_path / "importances.json").read_text("utf-8"))
    assert [c.name for c in section.charts] == ["importances_sigma", "importances_uplift"]
    for chart, name in zip(section.charts, ("sigma", "uplift"), strict=True):
        shares = held["objectives"][name]
        bars, dots = chart.curves
        assert chart.title.startswith("Screening only") and list(dots.x) == sorted(100 * v for v in shares.values())
        assert dots.notes[-1].startswith(in_words(next(iter(shares))) + ": ") and list(bars.x[1::2]) == list(dots.x)
        assert chart.y_names[-1] == in_words(next(iter(shares)))
    assert "none independent" in section.text[0] and "nothing certain of an effect" in section.text[0]
    assert section.command.startswith(f"catenary sensitivity catenary={tmp_path / 'best_design.yaml'}")
    assert section.command.endswith(f"run_dir={tmp_path / 'sensitivity'}")
    html = write_report("campaign", tmp_path).read_text(encoding="utf-8")
    assert html.index(TITLE) < html.index("Screening only") < html.index("catenary sensitivity catenary=")


def test_shares_in_an_objective_over_scenarios_name_how_they_were_combined(tmp_path):
    scenarios = {"speeds_kmh": [290.0, 320.0], "combine": "worst"}
    run(tmp_path, evaluate=bowl_in_scenarios, sampler={"kind": "qmc"}, scenarios=scenarios)
    (chart,) = section_of(tmp_path).charts
    assert "worst" in chart.title and "worst" in chart.name


@pytest.mark.parametrize(("line", "pantograph"), [("re330", "dsa380"), ("bruni_2015", "bruni_2015")])
def test_the_command_that_measures_has_inputs_that_the_line_has(tmp_path, line, pantograph):
    run(tmp_path, case=case_of(line, pantograph), trials=2)
    section = section_of(tmp_path)
    assert f"its inputs are those of twelve_{line.split('_')[0]} unless" in section.text[1]
    program, study, *overrides = shlex.split(section.command)
    composed = sensitivity.compose(overrides)
    assert (program, study, composed.job.sensitivity.name) == (
        "catenary",
        "sensitivity",
        f"twelve_{line.split('_')[0]}",
    )
    assert composed.job.pantograph.name == pantograph and composed.job.catenary.name == "test"


def test_without_inputs_that_fit_the_page_asks_for_them(tmp_path):
    case = case_of("bruni_2015", "bruni_2015")
    masses = case.pantograph.model_dump()
    fewer = {name: masses[name][:2] for name in ("masses", "stiffnesses", "dampings")}
    run(tmp_path, case=CaseSpec.model_validate({**case.model_dump(), "pantograph": {**masses, **fewer}}), trials=2)
    section = section_of(tmp_path)
    assert "name its inputs by sensitivity.inputs" in section.text[1] and "inputs=" not in section.command


def test_where_few_trials_hold_the_limits_the_shares_are_said_to_be_of_holding_them(tmp_path):
    def broken(task, setting):
        found = whole_bowl(task, setting)
        g = {**found.constraints, "g_uplift": 0.1 if task.number % 20 else -0.1}
        return replace(found, constraints=g)

    run(tmp_path / "few", evaluate=broken)
    run(tmp_path / "many")
    few, many = (section_of(tmp_path / name).text[0] for name in ("few", "many"))
    assert "Only 2 of the trials hold every limit" in few and "Only" not in many


@pytest.mark.parametrize(("trials", "reason"), [(12, "at least 20 trials that did not fail: there are 12")])
def test_a_short_search_has_none_and_says_why(tmp_path, trials, reason):
    run(tmp_path, trials=trials)
    section = section_of(tmp_path)
    assert not section.charts and reason in section.text[0] and section.command


def test_importances_of_fewer_trials_than_are_on_record_are_not_shown(tmp_path):
    run(tmp_path)
    content = json.loads((tmp_path / "importances.json").read_text("utf-8"))
    (tmp_path / "importances.json").write_text(json.dumps({**content, "trials": 39}), encoding="utf-8")
    assert not section_of(tmp_path).charts and "when the campaign ends" in section_of(tmp_path).text[0]
    (tmp_path / "importances.json").unlink()
    assert not section_of(tmp_path).charts


def test_a_study_of_the_best_design_stands_next_to_them(tmp_path):
    result = run(tmp_path)
    study_into(tmp_path / "sensitivity", result.catenary_of(result.best))
    assert not section_of(tmp_path).command
    shown = section_of(tmp_path, "What the best design is sensitive to at 250 km/h")
    assert [c.name for c in shown.charts] == ["sobol_sigma", "tornado_sigma"]
    titles = [t.title for t in shown.tables]
    assert titles[0].startswith("Total indices") and any(t.startswith("Derivative times the range") for t in titles)
    assert "Screening only" in write_report("campaign", tmp_path).read_text(encoding="utf-8")
    assert (tmp_path / "figures" / "tornado_sigma.png").exists()


def test_a_study_of_another_line_or_none_at_all_is_named_and_not_shown(tmp_path):
    result = run(tmp_path)
    study_into(tmp_path / "sensitivity", result.case.catenary)
    assert "of another line" in section_of(tmp_path).text[1] and section_of(tmp_path).command
    assert not any(s.title.startswith("What the best design") for s in campaign_page(read_campaign(tmp_path)).sections)
    shutil.rmtree(tmp_path / "sensitivity")
    (tmp_path / "sensitivity").mkdir()
    assert "sensitivity/ is not shown: " in section_of(tmp_path).text[1]
