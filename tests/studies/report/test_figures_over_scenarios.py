"""Figures over scenarios where they stand alone: each says how the scenarios are combined in it."""

import numpy as np
import openpyxl
import pytest
import xarray
import yaml
from cheap_evaluation import prepare_nothing
from cheap_scenarios import bowl_in_scenarios

from dynamics.spec.case import case_of
from optimise.afterwards.objective_errors import DesignErrors
from optimise.search.campaign import run_campaign
from optimise.spec.jobs import campaign_of
from studies.afterwards.design_workbook import show_design_workbook
from studies.afterwards.objective_errors import show_objective_errors
from studies.commands import optimise

LINE = {
    "kind": "line",
    "name": "short",
    "type": "bruni_2015",
    "supports": [{"station_m": 55 * k} for k in range(7)],
}
SEARCH = (
    *("pantograph=dsa380", "speed_kmh=290", "trials=4", "sampler=random", "cluster=serial", "design=stations"),
    *("design.overlap_heights=null", "design.dropper_heights={first_span: 3, last_span: 3, change: [-0.01,0.01]}"),
    *("objectives=[sigma,uplift:worst]", "scenarios.speeds_kmh=[260,320]", "scenarios.speed_weights=[1,3]"),
)


@pytest.fixture
def found(tmp_path, monkeypatch):
    """A campaign on a line by stations, whose designs cost next to nothing."""

    def errors(job, setting):
        each = {"contact_force_std_N": 0.5, "max_uplift_at_supports_mm": 0.25}
        return DesignErrors(job.number, (each,))

    monkeypatch.setattr("optimise.afterwards.objective_errors.evaluate_errors", errors)
    line = tmp_path / "short.yaml"
    line.write_text(yaml.safe_dump(LINE), encoding="utf-8")
    job = optimise.compose([f"catenary={line}", *SEARCH]).job
    return run_campaign(
        campaign_of(job), case_of(job), tmp_path / "out", evaluate=bowl_in_scenarios, prepare=prepare_nothing
    )


def figures_of(result):
    path = show_design_workbook(result, [f"catenary={result.folder.parent / 'short.yaml'}"])
    rows = list(openpyxl.load_workbook(path)["result"].iter_rows(values_only=True))
    return [row[0] for row in rows], {row[0]: row[2:] for row in rows}


def test_the_sheet_result_says_what_every_figure_is_of(found):
    names, figures = figures_of(found)
    shown = [found.nominal.outcome, found.best.outcome]
    assert figures["scenarios"][0] == found.scenarios.in_words and found.scenarios.in_words.startswith("2 scenarios")
    sigma, uplift = (objective.long_name for objective in found.objectives)
    assert names[3:6] == [sigma, uplift, "speed of the case itself"]
    assert "(mean of the scenarios)" in sigma and "(worst of the scenarios)" in uplift
    assert figures[sigma] == pytest.approx([o.objectives["sigma"] for o in shown])
    assert figures[uplift] == pytest.approx([o.objectives["uplift:worst"] for o in shown])
    largest = figures["largest contact force (worst of the scenarios)"]
    assert largest == pytest.approx([max(o.scenarios["contact_force_max_N"]) for o in shown])
    deviation = figures["standard deviation of the contact force (mean of the scenarios)"]
    assert deviation == pytest.approx([np.dot([0.25, 0.75], o.scenarios["contact_force_std_N"]) for o in shown])
    assert not {"speed", "largest contact force", "standard deviation of the contact force"} & set(names)


def test_objectives_have_their_numerical_errors_once_these_are_on_record(found):
    assert not any(name.startswith("numerical error") for name in figures_of(found)[0])
    show_objective_errors(found, lambda line: None)
    names, figures = figures_of(found)
    sigma, uplift = (objective.long_name for objective in found.objectives)
    assert names[3:7] == [sigma, f"numerical error of the {sigma}", uplift, f"numerical error of the {uplift}"]
    assert figures[names[6]] == pytest.approx([0.25, 0.25]) and all(size > 0.0 for size in figures[names[4]])


def test_statistics_of_the_trials_file_say_how_scenarios_are_combined(found):
    with xarray.open_dataset(found.folder / "trials.nc") as data:
        names = {key: data[key].attrs["long_name"] for key in ("contact_force_max_N", "contact_force_std_N")}
    assert names["contact_force_max_N"].endswith("(worst of the scenarios)")
    assert names["contact_force_std_N"].endswith("(mean of the scenarios)")
