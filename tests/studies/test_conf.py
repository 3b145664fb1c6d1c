"""Every file of the configuration composes, validates, and says where each number comes from."""

import math
import re

import pytest
import yaml

from catenary.spec.line import CatenarySpec
from catenary.storage.configuration import group_options
from dynamics.spec.case import PantographSpec, case_of
from optimise.evaluation.case_inputs import value_at
from optimise.search.samplers import population_size
from optimise.spec.campaign import SamplerSpec
from optimise.spec.jobs import OptimiseJob, SensitivityJob, SweepJob, campaign_of
from optimise.spec.scenarios import InstallationSpec, ScenariosSpec
from studies.cli import main
from studies.commands.certificates import CertificatesJob
from studies.commands.draw import DrawJob
from studies.commands.fmu import FmuJob
from studies.commands.table import TableJob
from studies.input.compose import compose_job
from studies.jobs.convergence import ConvergenceJob
from studies.jobs.correction import CorrectJob
from studies.jobs.loop import EmulateJob, MapJob
from studies.jobs.service import CompareJob, DeviceJob, ServeJob, StopJob
from studies.jobs.simulation import ExportJob, ReportJob, SimulateJob, StatusJob, ValidateJob
from studies.validation.gates.gates import load_gates

JOBS = {
    "simulate": (SimulateJob, []),
    "convergence": (ConvergenceJob, []),
    "optimise": (OptimiseJob, []),
    "sweep": (SweepJob, []),
    "sensitivity": (SensitivityJob, []),
    "export": (ExportJob, []),
    "status": (StatusJob, []),
    "certificates": (CertificatesJob, []),
    "correct": (CorrectJob, []),
    "draw": (DrawJob, []),
    "table": (TableJob, []),
    "fmu": (FmuJob, []),
    "validate": (ValidateJob, []),
    "report": (ReportJob, ["run_dir=x"]),
    "rig_serve": (ServeJob, ["bundle=x"]),
    "rig_device": (DeviceJob, []),
    "rig_stop": (StopJob, []),
    "rig_compare": (CompareJob, ["prediction=x", "measured=y"]),
    "rig_emulate": (EmulateJob, ["bundle=x"]),
    "rig_map": (MapJob, ["bundle=x"]),
}
SPECS = {"catenary": CatenarySpec, "pantograph": PantographSpec}


def files(conf, group):
    found = sorted((conf / group).glob("*.yaml"))
    assert found, f"conf/{group} holds no YAML file"
    return found


def numeric_leaves(value, path=""):
    """Dotted paths of all numbers; a list of numbers is one value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from numeric_leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, int | float) or (isinstance(value, list) and value):
        yield path


def test_every_job_file_composes(conf):
    assert {f.stem for f in conf.glob("*.yaml")} == set(JOBS)
    for name, (spec, overrides) in JOBS.items():
        assert isinstance(compose_job(name, spec, overrides).job, spec)


@pytest.mark.parametrize("group", ["catenary", "pantograph"])
def test_every_line_and_pantograph_is_a_valid_spec_named_after_its_file(conf, group):
    for file in files(conf, group):
        spec = SPECS[group].model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
        assert spec.name == file.stem


@pytest.mark.parametrize("group", ["catenary", "pantograph"])
def test_every_number_has_a_provenance_and_nothing_else_has(conf, group):
    for file in files(conf, group):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        marks = content.pop("provenance")
        content.pop("schema_version")
        assert set(marks) == set(numeric_leaves(content)), file.name


@pytest.mark.parametrize("group", ["catenary", "pantograph"])
def test_every_optional_number_is_written_out(conf, group):
    # a default that stands in the code alone would have no provenance
    for file in files(conf, group):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        resolved = SPECS[group].model_validate(content).model_dump(mode="json", exclude={"provenance"})
        written = set(numeric_leaves({k: v for k, v in content.items() if k != "provenance"}))
        assert set(numeric_leaves(resolved)) == written, file.name


def test_no_number_is_read_as_text(conf):
    # YAML 1.1 reads 22.0e3 as text; with a sign it is a number
    text_like_a_number = re.compile(r"^[-+]?[0-9.][0-9_.eE+-]*$")

    def texts(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return [t for item in value for t in texts(item)]
        return [value] if isinstance(value, str) and text_like_a_number.match(value) else []

    for file in conf.rglob("*.yaml"):
        assert texts(yaml.safe_load(file.read_text(encoding="utf-8"))) == [], file


def test_the_configuration_names_no_python_object(conf):
    for file in conf.rglob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        assert "_target_" not in text and "!!" not in text and "${" not in text, file


@pytest.mark.parametrize("line", group_options("catenary"))
def test_every_line_composes_in_every_dimension_and_formulation(line, conf):
    assert "formulation" in yaml.safe_load((conf / "catenary" / f"{line}.yaml").read_text(encoding="utf-8"))
    for dimension in ("planar", "spatial"):
        typed = [f"catenary={line}", "formulation=beam", f"dimension={dimension}"]
        job = compose_job("simulate", SimulateJob, typed).job
        assert (job.catenary.formulation, job.catenary.dimension) == ("beam", dimension)


@pytest.mark.parametrize("name", [name for name, (spec, _) in JOBS.items() if "catenary" in spec.model_fields])
def test_every_command_that_takes_a_line_takes_its_formulation(name):
    spec, overrides = JOBS[name]
    found = [compose_job(name, spec, [*overrides, *typed]).job for typed in ([], ["formulation=beam"])]
    assert [job.catenary.formulation for job in found] == ["ancf", "beam"]


@pytest.mark.parametrize("experiment", group_options("experiment"))
def test_every_experiment_composes_and_is_printed(experiment, capfd):
    job = compose_job("optimise", OptimiseJob, [f"experiment={experiment}"]).job
    assert job.campaign == experiment
    assert main(["optimise", f"experiment={experiment}", "--cfg", "job"]) == 0
    assert yaml.safe_load(capfd.readouterr().out)["campaign"] == experiment


@pytest.mark.parametrize("array", group_options("array"))
def test_every_array_composes_and_is_printed(array, capfd):
    job = compose_job("sweep", SweepJob, [f"array={array}"]).job
    assert job.sweep.name == array
    assert main(["sweep", f"array={array}", "--cfg", "job"]) == 0
    assert yaml.safe_load(capfd.readouterr().out)["sweep"]["name"] == array


@pytest.mark.parametrize("inputs", group_options("inputs"))
def test_every_set_of_inputs_composes_and_is_printed(inputs, capfd):
    job = compose_job("sensitivity", SensitivityJob, [f"inputs={inputs}"]).job
    assert job.sensitivity.name == inputs and len(job.sensitivity.inputs) == 12
    # twelve inputs and 2^10 base samples, the case's own values within the ranges
    assert job.sensitivity.points == 1024 * 14 + 49
    for name, spread in job.sensitivity.inputs.items():
        assert 0.0 <= spread.share(value_at(case_of(job), name)) <= 1.0, name
    assert main(["sensitivity", f"inputs={inputs}", "--cfg", "job"]) == 0
    assert yaml.safe_load(capfd.readouterr().out)["sensitivity"]["name"] == inputs


@pytest.mark.parametrize("group", ["design", "sampler", "cluster"])
def test_every_choice_composes(group):
    for name in group_options(group):
        job = compose_job("optimise", OptimiseJob, [f"{group}={name}"]).job
        assert getattr(job, group).kind == ("line" if name in ("control", "distances") else name)


def test_the_experiments_are_the_published_cases():
    oc1, oc2, heights, spacing = (
        compose_job("optimise", OptimiseJob, [f"experiment={name}"]).job
        for name in ("oc1_heights", "oc2_spacing", "bruni_heights", "bruni_spacing")
    )
    for job in (oc1, oc2):
        assert (job.catenary.name, job.pantograph.name, job.speed_kmh) == ("re330", "dsa380", 300.0)
    for job in (heights, spacing):
        assert (job.catenary.name, job.pantograph.name, job.speed_kmh) == ("bruni_2015", "bruni_2015", 320.0)
    assert [job.design.kind for job in (oc1, oc2, heights, spacing)] == 2 * ["heights", "spacing"]


SOLVED = {"method": "operator", "max_spans": 150}
NUMERICS = {**SOLVED, "spans_behind": 45, "spans_ahead": 49, "tolerance": 5e-5, "precision": "double"}
SEARCH = {**SOLVED, "spans_behind": 10, "spans_ahead": 20, "tolerance": 7e-4, "precision": "single"}
POINT = {**SOLVED, "spans_behind": 6, "spans_ahead": 8, "tolerance": 5e-4, "precision": "single"}
SHORT_MARCH = {"spans": 120, "spans_evaluated": 40, "spans_behind": 20, "spans_ahead": 26}


@pytest.mark.parametrize(
    ("name", "dt", "periodic", "march"),
    [
        ("simulate", 1e-3, NUMERICS, {}),
        ("export", 2e-3, NUMERICS, {}),
        # a campaign searches with a shorter window, a looser end and the rig's step
        ("optimise", 2e-3, SEARCH, SHORT_MARCH),
        # the points of a sweep are of one line: a shorter window serves, a tighter end makes up for what none confirms
        ("sweep", 2e-3, POINT, SHORT_MARCH),
        ("sensitivity", 2e-3, {**POINT, "tolerance": 2e-3}, SHORT_MARCH),
    ],
)
def test_what_conf_writes_for_a_command_is_what_the_specs_hold(name, dt, periodic, march):
    # a second set of defaults would drift, and Python has those of the Specs alone
    spec, overrides = JOBS[name]
    composed = compose_job(name, spec, overrides).job
    chosen = ("catenary", "pantograph", "speed_kmh", "mean_force_N", "sweep")
    content = composed.model_dump(include=set(chosen) & set(spec.model_fields))
    if name == "sensitivity":
        content["sensitivity"] = composed.sensitivity.model_dump(include={"name", "inputs"})
    assert spec.model_validate(content) == composed
    assert composed.dt == dt and composed.periodic.model_dump() == periodic
    assert march.items() <= composed.transient.model_dump().items()


def test_defaults_of_conf_for_convergence_are_those_of_its_spec():
    refined = compose_job("convergence", ConvergenceJob, []).job
    for name in ("lattice", "reference", "error_percent", "repeats", "longest_minutes"):
        assert getattr(refined, name) == ConvergenceJob.model_fields[name].default, name


def test_the_population_in_conf_is_the_one_for_a_sampler_named_in_code():
    written = compose_job("optimise", OptimiseJob, ["sampler=nsga2"]).job.sampler
    assert written.population == population_size(SamplerSpec(kind="nsga2"), variables=5)


def test_objectives_are_sigma_unless_others_are_named():
    assert compose_job("optimise", OptimiseJob, []).job.objectives == ("sigma",)
    named = compose_job("optimise", OptimiseJob, ["objectives=[uplift,sigma]", "sampler=nsga2"]).job
    assert named.objectives == ("uplift", "sigma")
    front = compose_job("optimise", OptimiseJob, ["experiment=front_sigma_uplift"]).job
    assert front.objectives == ("sigma", "uplift") and front.sampler.kind == "nsga2"
    assert (front.catenary.name, front.pantograph.name, front.speed_kmh) == ("re330", "dsa380", 300.0)
    assert campaign_of(front).reproducible


@pytest.mark.parametrize("choice", group_options("scenarios"))
def test_every_choice_of_scenarios_writes_all_keys_out(conf, choice):
    written = yaml.safe_load((conf / "scenarios" / f"{choice}.yaml").read_text(encoding="utf-8"))
    assert set(written) == set(ScenariosSpec.model_fields) and set(written["errors"]) == set(
        InstallationSpec.model_fields
    )
    found = compose_job("optimise", OptimiseJob, [f"scenarios={choice}"]).job.scenarios
    assert found.wanted == (choice != "own")
    assert choice != "own" or found == ScenariosSpec()


def test_pantographs_of_scenarios_are_named_or_lie_in_files(conf, tmp_path):
    own = tmp_path / "mine.yaml"
    own.write_text((conf / "pantograph" / "dsa380.yaml").read_text("utf-8").replace("dsa380", "mine"), encoding="utf-8")
    typed = [f"scenarios.pantographs=[dsa250,{own}]", "objectives=[sigma@dsa250,sigma@mine:worst]", "sampler=nsga3"]
    found = compose_job("optimise", OptimiseJob, typed).job
    assert [p.name for p in found.scenarios.pantographs] == ["dsa250", "mine"]
    assert found.scenarios.pantographs[0].masses == (7.51, 5.855, 4.645)
    assert campaign_of(found).objectives == ("sigma@dsa250", "sigma@mine:worst")


def test_gates_are_the_published_ones():
    gates = load_gates()
    assert {(r.speed_kmh, r.expected_N) for r in gates.mean_force.rows} == {
        (230.0, 121.3),
        (275.0, 143.4),
        (320.0, 169.3),
    }
    for row in gates.mean_force.rows:
        assert math.isclose(row.expected_N, 0.00097 * row.speed_kmh**2 + 70.0, abs_tol=0.06)
