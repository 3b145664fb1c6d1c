"""Campaigns run for real, small: what they write, and that it can be shown, redrawn, continued and run again."""

import json
import os
import re
import signal

import pytest
import xarray
import yaml
from small_runs import BRUNI, FEW_CONDITIONS, SMALL_SEARCH, UNSETTLED

from catenary.errors import InputError
from catenary.storage.configuration import group_options
from dynamics.charts.numbers import error_text, with_error
from optimise.record.driver_lock import driver_lock
from optimise.record.status_file import read_status_file, write_status
from optimise.search.result import load_result
from studies import cli
from studies.input.compose import compose_job
from studies.jobs.simulation import SimulateJob

FEWER_SCENARIOS = {
    "robust_speeds": ("scenarios.speeds_kmh=[260,275]",),
    "robust_errors": ("scenarios.speeds_kmh=[275]", "scenarios.errors.samples=2"),
    "demo": ("scenarios.speeds_kmh=[300]", "trust.samples=2"),
}
# experiments whose off-design table has every kind of condition here: one case, scenarios, and a period of many spans
WHOLE_TABLES = ("bruni_heights", "demo", "unequal_spans")


@pytest.mark.parametrize("experiment", group_options("experiment"))
def test_every_experiment_runs_small(catenary, folder, experiment):
    few = () if experiment in WHOLE_TABLES else FEW_CONDITIONS
    ended = catenary("optimise", f"experiment={experiment}", *SMALL_SEARCH, *FEWER_SCENARIOS.get(experiment, ()), *few)
    assert ended.code == 0, ended
    place = folder / "outputs" / "campaigns" / experiment
    status = json.loads((place / "status.json").read_text(encoding="utf-8"))
    assert (status["state"], status["done"], status["failed"]) == ("finished", 3, 0)
    for name in ("campaign.yaml", "trials.jsonl", "journal.log", "trials.nc", "best_design.yaml", "report.html"):
        assert (place / name).stat().st_size > 0, name
    confirmation = json.loads((place / "confirmation.json").read_text(encoding="utf-8"))
    robust = experiment.startswith("robust") or experiment in ("front_two_speeds", "demo")
    # what is best over scenarios need not be better in the case's own condition
    assert robust or confirmation["best"]["sigma_N"] <= confirmation["nominal"]["sigma_N"]
    assert f"catenary export campaign={experiment}" in ended.out
    own = "300 km/h" if experiment == "demo" else "275 km/h"
    told = ("Every design in", f"Pictures and long transient: {own}", f"In the case's own condition alone ({own}")
    assert [text in ended.out for text in told] == [robust] * 3


def test_a_campaign_in_which_no_design_keeps_the_limits_ends_with_code_1(catenary, folder):
    asked = ("optimise", "experiment=bruni_heights", *SMALL_SEARCH, "limits.static_dropper_force=500", *FEW_CONDITIONS)
    ended = catenary(*asked)
    place = folder / "outputs" / "campaigns" / "bruni_heights"
    assert (ended.code, "No feasible design was found: relax limits.*" in ended.out) == (1, True), ended
    assert not (place / "best_design.yaml").exists() and (place / "report.html").exists()
    trials = (place / "trials.jsonl").read_bytes()
    assert (catenary(*asked).code, (place / "trials.jsonl").read_bytes()) == (1, trials), "shown again, it ends alike"


def test_a_finished_campaign_is_shown_redrawn_continued_and_run_again(catenary, folder):
    arguments = (
        "optimise",
        "experiment=bruni_heights",
        *SMALL_SEARCH,
        "periodic.tolerance=1e-4",
        "speed_kmh=275",  # at the experiment's 320 km/h so short a window repeats its state to no better than 0.3 %
        "error_estimate=true",
        *FEW_CONDITIONS,  # what has an error is run on long windows
        "report.author=A. Engineer, Track Works",
    )
    assert catenary(*arguments).code == 0
    place = folder / "outputs" / "campaigns" / "bruni_heights"
    errors = [
        json.loads((place / n / "summary.json").read_text("utf-8"))["numerical_error"] for n in ("nominal", "best")
    ]
    html = (place / "report.html").read_text(encoding="utf-8")
    assert all(error["total_N"] > 0.0 and f"{error['total_N']:.3f}" in html for error in errors)
    assert all(f"Estimated numerical error of σ, {name}" in html for name in ("nominal", "best"))
    (row,) = json.loads((place / "trust.json").read_text("utf-8"))["rows"]
    assert row["nominal_slack_at_rest"] is row["best_slack_at_rest"] is False
    assert "<dd>A. Engineer, Track Works</dd>" in html and "5 of 5 unconfirmed" in html
    assert row["nominal_error_N"] > 0.0 and with_error(row["nominal_std_N"], row["nominal_error_N"], 2) in html
    change = json.loads((place / "confirmation.json").read_text("utf-8"))
    assert change["change_error_percent"] > 0.0 and error_text(change["change_error_percent"], 1) in html
    confirmed = (place / "confirmation.json").stat().st_mtime_ns

    shown = catenary("status")
    assert "bruni_heights: finished | 3/3 designs" in shown.out and "resume with" not in shown.out

    off_design, state = (place / "trust.json").read_text("utf-8"), (place / "status.json").read_text("utf-8")
    (place / "trust.json").write_text(off_design.replace('"best_trial"', '"best_trial": 99, "of"'), encoding="utf-8")
    (place / "report.html").unlink()
    # the driver of a search that is over continues with these: it is this process
    said = catenary("status").out
    assert (
        "bruni_heights: search finished, off-design table and report in progress | 3/3" in said
        and "resume with" not in said
    )
    ended = read_status_file(place / "status.json")
    assert ended["process"] == os.getpid()
    write_status(place / "status.json", {**ended, "process": 0})
    said = catenary("status").out
    assert "bruni_heights: search finished, off-design table and report missing (give the command" in said
    assert "\n  resume with: catenary optimise experiment=bruni_heights" in said
    (place / "status.json").write_text(state, encoding="utf-8")
    (place / "trust.json").write_text(off_design, encoding="utf-8")
    assert catenary("report", f"run_dir={place}").code == 0
    assert (place / "report.html").exists()

    assert catenary(*arguments).code == 0  # nothing is left to do
    assert (place / "confirmation.json").stat().st_mtime_ns == confirmed

    assert catenary(*arguments, "trials=4").code == 0
    assert "4/4 designs" in catenary("status", "campaign=bruni_heights").out

    again = catenary("simulate", f"catenary={place / 'best_design.yaml'}", "error_estimate=false", "run_dir=again")
    assert again.code == 0, again
    figures = json.loads((folder / "again" / "summary.json").read_text(encoding="utf-8"))["pantographs"][0]
    best = json.loads((place / "best" / "summary.json").read_text(encoding="utf-8"))["pantographs"][0]
    assert figures["contact_force_std_N"] == best["contact_force_std_N"]
    sigma = json.loads((place / "status.json").read_text(encoding="utf-8"))["best_sigma_N"]
    # the search starts from a neighbour's state, this run from rest: equal within the solver's tolerance
    assert figures["contact_force_std_N"] == pytest.approx(sigma, rel=2e-3)


def test_every_design_of_a_front_is_run_again_from_its_file(catenary, folder):
    arguments = ("experiment=front_sigma_uplift", *SMALL_SEARCH, *FEW_CONDITIONS, "trials=9")
    arguments = (*arguments, "periodic.tolerance=1e-4", "campaign=two")
    ended = catenary("optimise", *arguments)
    assert ended.code == 0, ended
    place = folder / "outputs" / "campaigns" / "two"
    files = sorted((place / "pareto").iterdir())
    assert len(files) > 1 and f"{len(files)} designs; best_design.yaml is the one best in sigma" in ended.out
    records = {f"{r.number:03d}": r.outcome.statistics for r in load_result(place).records}
    for file in files:
        again = catenary("simulate", f"catenary={file}", "error_estimate=false", f"run_dir=again_{file.stem}")
        assert again.code == 0 and f"Conditions are those of {place / 'campaign.yaml'}" in again.err, again
        summary = json.loads((folder / f"again_{file.stem}" / "summary.json").read_text(encoding="utf-8"))
        for name in ("contact_force_std_N", "max_uplift_at_supports_mm"):
            # the search starts from a neighbour's state, this run from rest: equal within the solver's tolerance
            assert summary["pantographs"][0][name] == pytest.approx(records[file.stem][name], rel=2e-3)
    assert f"two: finished | 9/9 designs | rate - | {len(files)} on the front of" in catenary("status").out
    html = (place / "report.html").read_text(encoding="utf-8")
    assert all(f"pareto/{file.name}" in html for file in files)
    assert (place / "figures" / "front.png").stat().st_size > 0


@pytest.mark.parametrize("typed", ["campaign/pareto/001.yaml", "001.yaml", "./001.yaml"])
def test_a_design_of_a_front_brings_the_conditions_of_its_campaign(folder, line_file, monkeypatch, typed):
    (folder / "campaign" / "pareto").mkdir(parents=True)
    line_file("campaign/pareto/001.yaml")
    condition = {"campaign": {}, "case": {"speed_kmh": 222.0}}
    (folder / "campaign" / "campaign.yaml").write_text(yaml.safe_dump(condition), encoding="utf-8")
    if "pareto" not in typed:
        monkeypatch.chdir(folder / "campaign" / "pareto")
    composed = compose_job("simulate", SimulateJob, [f"catenary={typed}"])
    assert composed.job.speed_kmh == 222.0
    assert "campaign.yaml, unless typed here" in composed.notes[0]


def test_the_nominal_line_that_cannot_be_solved_ends_a_campaign(catenary, monkeypatch):
    monkeypatch.setattr("dynamics.steady_state.transient.MAX_CORRECTIONS", 1)
    ended = catenary("optimise", "experiment=bruni_heights", *SMALL_SEARCH, *UNSETTLED)
    assert ended.code == 1
    assert "the nominal line 'bruni_2015' must be solvable" in ended.err


def test_an_interrupted_campaign_says_how_to_resume(catenary, monkeypatch):
    from optimise.search import campaign

    def stop(*_, **__):
        raise campaign.Interrupted("campaign 'x' was interrupted; the same command resumes from there")

    monkeypatch.setattr(campaign, "drive_campaign", stop)
    ended = catenary("optimise", "campaign=x", "objectives=[sigma,uplift]", "sampler=nsga2")
    assert ended.code == cli.INTERRUPTED
    assert "the same command resumes" in ended.err
    assert ended.err.splitlines()[-1] == "  catenary optimise campaign=x 'objectives=[sigma,uplift]' sampler=nsga2"
    said = next(line for line in ended.out.splitlines() if line.startswith("Variables: "))
    assert re.search(r"height of dropper 3 -[\d.]+ to \+[\d.]+ mm", said) and "_" not in said, "as the page names them"


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "place", ["optimise.search.campaign.write_designs", "studies.afterwards.off_design.show_off_design"]
)
def test_a_campaign_that_is_stopped_behind_its_search_says_how_to_resume(catenary, folder, monkeypatch, sent, place):
    def stopped(*_, **__):
        with pytest.raises(InputError, match="one driver"), driver_lock(campaign / ".driver.lock", "the folder"):
            pass
        os.kill(os.getpid(), sent)

    campaign = folder / "outputs" / "campaigns" / "bruni_heights"
    monkeypatch.setattr(place, stopped)
    monkeypatch.setattr("studies.afterwards.confirmation.confirm_campaign", lambda *_, **__: {})
    before = signal.getsignal(signal.SIGTERM)
    ended = catenary("optimise", "experiment=bruni_heights", *SMALL_SEARCH, "trials=1")
    assert ended.code == cli.INTERRUPTED and signal.getsignal(signal.SIGTERM) == before
    said, command = ended.err.splitlines()
    assert "campaign 'bruni_heights' was interrupted: every design that was evaluated is on record in outputs" in said
    assert command.startswith("  catenary optimise experiment=bruni_heights ") and command.endswith("trials=1")
    if place.endswith("write_designs"):
        assert "; search, confirmation, off-design table, " in said and said.endswith(
            "the same command resumes from there:"
        )
    else:
        assert "confirmation too, and every finished run of the off-design table; " in said
        assert "resumes the off-design table from there" in said
        assert said.endswith("then table of length tolerances, report:")
    page = campaign / "report.html"
    assert page.exists() is place.endswith("show_off_design")  # written before the table that takes minutes
    assert not page.exists() or "The off-design table has not been made." in page.read_text(encoding="utf-8")


def test_a_campaign_evaluates_lines_that_can_be_built_and_keeps_them_on_record(catenary, folder):
    """Stations on a grid, lengths in steps, a shorter and a longer span: every trial, and the file of the best."""
    built = ("design.station_grid=0.05", "design.length_step=0.001", "design.span_difference=[0,6]")
    arguments = ("optimise", "experiment=oc2_spacing", "design=both", *SMALL_SEARCH, *FEW_CONDITIONS)
    ended = catenary(*arguments, *built)
    assert ended.code == 0 and "Built: stations in steps of 50 mm and dropper lengths in steps of 1 mm" in ended.out
    place = folder / "outputs" / "campaigns" / "oc2_spacing"
    best = yaml.safe_load((place / "best_design.yaml").read_text(encoding="utf-8"))
    result = load_result(place)
    lines = [best["droppers"], *(result.line_of(r).droppers.model_dump() for r in result.records)]
    for droppers in lines:
        assert droppers["prescribed"] == "lengths" and len(droppers["lengths"]) == 18
        assert all(abs(length - round(length, 3)) < 1e-12 for length in droppers["lengths"])
    held = result.records[-1].outcome.droppers
    assert held["length_m"] == result.line_of(result.records[-1]).droppers.lengths
    with xarray.open_dataset(place / "trials.nc") as trials:
        assert trials.dropper_length[-1].values == pytest.approx(held["length_m"], abs=1e-12)
        assert trials.contact_wire_height[-1].values == pytest.approx(held["contact_wire_height_m"], abs=1e-12)
    refused = catenary(*arguments, "design.station_grid=0.1", *built[1:])
    assert refused.code == 2 and "design.station_grid was 0.05, now 0.1" in refused.err


def test_a_campaign_over_defects_names_them_and_resumes(catenary, folder):
    """Each of the droppers of the line that is given, once in two spans: the page and the data set have every line."""
    defects = (
        "scenarios.defects.spans=2",
        "scenarios.defects.broken_dropper=[1,3]",
        "scenarios.defects.weights=[2,1,1]",
    )
    goals = ("objectives=[worst_span:force_range:worst,sigma@sound]", "sampler=nsga2", "learned_directions=false")
    arguments = ("optimise", *BRUNI, *SMALL_SEARCH, *FEW_CONDITIONS, "campaign=broken", *goals)
    ended = catenary(*arguments, *defects)
    assert ended.code == 0, ended.err
    assert "3 scenarios: sound line, dropper 1 broken and dropper 3 broken (once in 2 spans)" in ended.out
    place = folder / "outputs" / "campaigns" / "broken"
    assert "dropper 3 broken" in (place / "report.html").read_text(encoding="utf-8")
    with xarray.open_dataset(place / "trials.nc") as trials:
        assert trials.scenario.values.tolist() == ["sound line", "dropper 1 broken", "dropper 3 broken"]
        ranges = trials.scenario_worst_span_contact_force_range_N
        assert (trials.objective_worst_span_force_range_worst_N == ranges.max("scenario")).all()
        sound = trials.scenario_contact_force_std_N[:, 0]
        assert (trials.objective_sigma_at_sound_N == sound).all()
        first = sound.values
    assert catenary("optimise", f"resume={place}", "trials=4").code == 0
    with xarray.open_dataset(place / "trials.nc") as trials:
        assert trials.scenario_contact_force_std_N[:3, 0].values.tolist() == first.tolist() and len(trials.trial) == 4
    refused = catenary(*arguments, *defects[:2], "scenarios.defects.weights=[1,1,1]")
    assert refused.code == 2 and "scenarios.defects.weights" in refused.err
