"""Campaigns, sweeps and sensitivity studies from Python: the command line's input, folders and numbers."""

import json
import subprocess
import sys
from dataclasses import replace
from html import escape

import numpy as np
import pytest
import xarray as xr
import yaml

import catenary
import optimise
from dynamics.spec.case import case_of
from optimise.entry.campaigns import campaign_folder, prepared_campaign
from optimise.entry.found import FoundDesigns, NoDesignError
from optimise.entry.job_keys import CampaignChanges, campaign_job, sensitivity_job, sweep_job
from optimise.evaluation.outcome import failed as no_figures
from optimise.spec.jobs import OptimiseJob, SensitivityJob, SweepJob, campaign_of
from studies.cli import main
from studies.commands import export
from studies.input.compose import compose_job

LINE = ["catenary=bruni_2015", "pantograph=bruni_2015"]
SMALL = {"spans_behind": 3, "spans_ahead": 3, "tolerance": 5e-3}
TYPED = [f"periodic.{key}={value}" for key, value in SMALL.items()]
CAMPAIGN = {"design": "both", "trials": 4, "cluster": "serial", "periodic": SMALL, "sampler": "qmc"}
CAMPAIGN_TYPED = ["design=both", "trials=4", "cluster=serial", "sampler=qmc", "speed_kmh=250", *LINE, *TYPED]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign") / "small"
    return optimise.campaign("bruni_2015", "bruni_2015", speed_kmh=250, folder=folder, **CAMPAIGN)


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        ({}, []),
        (CAMPAIGN, CAMPAIGN_TYPED),
        ({"design": {"kind": "spacing", "dropper_move": 2.0}}, ["design=spacing", "design.dropper_move=2"]),
        ({"objectives": ["sigma", "uplift"], "sampler": "nsga2"}, ["objectives=[sigma,uplift]", "sampler=nsga2"]),
        ({"campaign": "mine", "seed": 3}, ["campaign=mine", "seed=3"]),
        ({"scenarios": "robust", "limits": {"uplift_factor": 1.2}}, ["scenarios=robust", "limits.uplift_factor=1.2"]),
        ({"mean_force_N": 150.0, "dt": 1e-3}, ["mean_force_N=150", "dt=1e-3"]),
    ],
)  # fmt: skip
def test_a_campaign_is_that_of_the_command_line(given, typed):
    composed = compose_job(
        "optimise", OptimiseJob, [*LINE, "speed_kmh=250", *typed, *(TYPED if "periodic" in given else [])]
    )
    job = campaign_job("bruni_2015", "bruni_2015", {"speed_kmh": 250, **given})
    assert campaign_of(job) == campaign_of(composed.job) and case_of(job) == case_of(composed.job)


def test_every_key_of_a_campaign_can_be_given_by_name():
    # what follows a search, and where it lands, is the command's
    own = {"catenary", "pantograph", "speed_kmh", "trust", "error_estimate", "cost", "run_dir"}
    assert set(CampaignChanges.__annotations__) == set(OptimiseJob.model_fields) - own


def test_a_sweep_is_that_of_the_command_line():
    axes = "sweep.axes={speed_kmh:[240,260],contact.stiffness:[50e3,2e5],pantograph.masses.0:{low:7,high:9,number:3}}"
    typed = [*LINE, "speed_kmh=240", axes, "sweep.name=sweep", "contact.stiffness=50e3", "cluster=serial"]
    given = {"speed_kmh": (240, 260), "contact": {"stiffness": np.array([50e3, 2e5])}, "cluster": "serial"}
    further = {"pantograph.masses.0": {"low": 7, "high": 9, "number": 3}}
    job = sweep_job("bruni_2015", "bruni_2015", given, further)
    assert job == compose_job("sweep", SweepJob, typed).job


def test_a_sensitivity_study_is_that_of_the_command_line():
    typed = [*LINE, "inputs=twelve_bruni", "speed_kmh=250", "sensitivity.methods=[morris]", "dt=1e-3"]
    given = {"speed_kmh": 250, "dt": 1e-3}
    job = sensitivity_job("bruni_2015", "bruni_2015", "twelve_bruni", given, {"methods": ["morris"]})
    assert job == compose_job("sensitivity", SensitivityJob, typed).job


def test_a_campaign_gives_designs_with_lines_figures_and_files(found, tmp_path):
    best, nominal = found.best, found.nominal
    assert nominal.line.droppers == catenary.load_line("bruni_2015").droppers and nominal.number == 0
    assert found.trials.sizes["trial"] == 4 and best.sigma_N <= nominal.sigma_N
    assert float(found.trials.contact_force_std_N[best.number]) == best.sigma_N
    assert best.save(tmp_path / "best.yaml").read_bytes() == (found.folder / "best_design.yaml").read_bytes()
    assert catenary.load_line(tmp_path / "best.yaml") == best.line
    with pytest.raises(catenary.InputError, match=r"\.yaml or \.yml.*best\.txt"):
        best.save(tmp_path / "best.txt")
    assert repr(found).startswith("<campaign bruni_2015_both: 4 designs, ") and "±" not in repr(found)
    said = "best " if best.number else "none better than the nominal line, "
    assert f"{said}{best.sigma_N:.2f} N" in repr(found)
    assert repr(best).startswith(f"<design {best.number} of bruni_2015_both")
    assert "<td>" in best._repr_html_() and found.front == (best,)
    assert repr(optimise.load_campaign(found.folder)) == repr(found)
    assert repr(found.result).startswith("<record of campaign bruni_2015_both: 4 trials, in ")


def test_a_campaign_shows_the_history_of_its_search(found):
    page, axes = found._repr_html_(), found.plot().axes[0]
    assert page.startswith(f"<p>{escape(repr(found)[1:-1])}</p><svg") and "best so far" in page
    sigma = found.trials.contact_force_std_N.values
    drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in axes.lines])
    assert np.isclose(drawn[:, None], found.best.sigma_N, rtol=1e-12).sum() >= 2  # the design, and the best so far
    assert np.isclose(drawn[:, None], found.nominal.sigma_N, rtol=1e-12).any() and np.isfinite(sigma).all()
    records = [replace(found.result.nominal, outcome=no_figures(0, "it broke"))]
    failed = FoundDesigns(found.result.__class__(found.folder, found.result.campaign, found.result.case, records))
    assert "<svg" not in failed._repr_html_()
    for asked in (failed.plot, failed.confirm):
        with pytest.raises(NoDesignError, match="bruni_2015_both"):
            asked()


def test_the_command_line_resumes_a_campaign_of_python(found):
    job = compose_job("optimise", OptimiseJob, CAMPAIGN_TYPED).job
    assert campaign_folder(job).as_posix() == "outputs/campaigns/bruni_2015_both"
    prepared = prepared_campaign(job, found.folder)
    assert prepared.is_resumed and prepared.campaign == found.result.campaign
    status = json.loads((found.folder / "status.json").read_text(encoding="utf-8"))
    assert (status["state"], status["done"]) == ("finished", 4)


def test_a_campaign_continues_where_it_stopped_and_refuses_another(found):
    more = optimise.campaign(
        "bruni_2015", "bruni_2015", speed_kmh=250, folder=found.folder, **{**CAMPAIGN, "trials": 5}
    )
    assert [r.values for r in more.result.records[:4]] == [r.values for r in found.result.records]
    with pytest.raises(catenary.InputError, match="speed_kmh"):
        optimise.campaign("bruni_2015", "bruni_2015", speed_kmh=260, folder=found.folder, **CAMPAIGN)


def test_a_best_that_is_the_nominal_line_is_not_called_optimised(found, tmp_path):
    result = found.result
    given = FoundDesigns(result.__class__(found.folder, result.campaign, result.case, result.records[:1]))
    saved = catenary.load_line(given.best.save(tmp_path / "best.yaml"))
    assert "bruni_2015 as it was given, not optimised" in saved.description and "trial 0" in saved.description
    assert "none better than the nominal line" in repr(given) and "the nominal line" in repr(given.best)
    assert "optimised for 250 km/h: trial 3" in result.catenary_of(result.records[3]).description


def test_without_a_feasible_design_there_is_no_best(found):
    none = FoundDesigns(found.result.__class__(found.folder, found.result.campaign, found.result.case, []))
    with pytest.raises(NoDesignError, match="relax limits"):
        _ = none.best
    assert "no feasible design" in repr(none)


def test_the_bundle_of_a_design_is_made_for_what_the_command_makes_it_for(found, tmp_path, monkeypatch):
    cases = []
    for module in ("optimise.entry.found", "studies.commands.export"):
        monkeypatch.setattr(f"{module}.write_case", lambda case, folder: cases.append(case))
    found.export_bundle(tmp_path / "bundle")
    with pytest.raises(AttributeError):  # nothing was written to tell of
        export.run(export.compose([f"catenary={found.folder / 'best_design.yaml'}", f"run_dir={tmp_path / 'typed'}"]))
    assert cases[0] == cases[1] and cases[0].catenary == found.best.line and cases[0].dt == 2e-3


def test_a_sweep_has_the_numbers_of_the_command_line(tmp_path):
    speeds = [240, 260]
    data = optimise.sweep("bruni_2015", "bruni_2015", speeds, cluster="serial", periodic=SMALL, folder=tmp_path / "s")
    typed = ["sweep.axes={speed_kmh:[240,260]}", "cluster=serial", "error_estimate=false", f"run_dir={tmp_path / 't'}"]
    assert main(["sweep", *LINE, *TYPED, "speed_kmh=240", *typed]) == 0
    with xr.open_dataset(tmp_path / "t" / "result.nc") as written:
        np.testing.assert_array_equal(data.contact_force_std_N, written.contact_force_std_N)
    assert (data.speed_kmh.values.tolist(), data.contact_force_std_N.attrs["units"]) == ([240.0, 260.0], "N")
    again = optimise.sweep("bruni_2015", "bruni_2015", speeds, cluster="serial", periodic=SMALL, folder=tmp_path / "s")
    xr.testing.assert_identical(again.drop_vars("wall_time_s"), data.drop_vars("wall_time_s"))
    given = yaml.safe_load((tmp_path / "s" / "sweep.yaml").read_text(encoding="utf-8"))
    assert given["case"]["periodic"]["spans_behind"] == 3


def test_a_sensitivity_study_gives_its_derivatives():
    ranges = {"contact.stiffness": {"low": 45e3, "high": 60e3}, "speed_kmh": {"low": 245, "high": 255}}
    data = optimise.sensitivity(
        "bruni_2015", "bruni_2015", 250, ranges, study={"methods": ["local"]}, cluster="serial", periodic=SMALL
    )
    assert data.sizes["point"] == 9 and list(data.input.values) == list(ranges)
    assert np.isfinite(data.contact_force_std_N).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: optimise.campaign("re330", "dsa380", 300, trails=10), ("trails", "trials")),
        (lambda: optimise.campaign("re330", "dsa380", 300, trust={"speeds": 3}), ("trust", "not a known key")),
        (lambda: optimise.campaign("re330", "dsa380", 300, design="heigths"), ("heigths", "heights")),
        (lambda: optimise.campaign("re330", "dsa380", 300, limits={"uplift": 1.2}), ("limits.uplift",)),
        (lambda: optimise.sweep("re330", "dsa380", [300, 290]), ("speed_kmh", "increas")),
        (lambda: optimise.sweep("re330", "dsa380", 300, axes={"contact.stifness": [1e5]}), ("contact.stiffness",)),
        (lambda: optimise.sweep("re330", "dsa380", 300, contact={"stifness": [1e5]}), ("contact.stiffness",)),
        (lambda: optimise.sweep("re330", "dsa380", 300, stiffness=[1e5]), ("stiffness", "known")),
        (lambda: optimise.sensitivity("bruni_2015", "bruni_2015", 300, "twelve_re330"), ("stitch",)),
        (lambda: optimise.sensitivity("re330", "dsa380", 300, "twelve"), ("inputs", "twelve_re330")),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(call, said, own_folder):
    with pytest.raises(catenary.InputError) as refused:
        call()
    assert all(word in str(refused.value) for word in said), refused.value
    assert not list(own_folder.iterdir())


def test_a_script_without_a_guard_may_start_workers(own_folder):
    """Workers begin no program of the user's: it would start workers once more."""
    script = own_folder / "script.py"
    script.write_text(
        "import optimise\nprint('started')\n"
        f"data = optimise.sweep('bruni_2015', 'bruni_2015', [240, 260], periodic={SMALL})\n"
        "print(data.sizes['speed_kmh'], 'points')\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("started") == 1 and "2 points" in done.stdout
