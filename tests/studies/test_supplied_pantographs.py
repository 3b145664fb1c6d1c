"""Pantographs from a supplier's file on the command line: next to their YAML, on record by hash, refused by name."""

import json

import numpy as np
import pytest
import yaml
from refusal import refused

from dynamics.solution import solve
from optimise.evaluation.figures import outcome_of
from optimise.evaluation.outcome import OutcomeStatus

SHORT = ("open_line.spans=6", "open_line.start=1", "open_line.first_evaluated=3", "open_line.last_evaluated=4")
OPEN_LINE = (
    "solver=open_line", *SHORT, "open_line.spans_after=1", "dt=2e-3", "catenary.mesh.elements_per_bay=3",
    "error_estimate=false", "speed_kmh=275",
)  # fmt: skip


@pytest.fixture
def masses(folder):
    """Two masses as matrices in a folder of their own, with the YAML that names the file next to it."""
    place = folder / "supplier"
    place.mkdir()
    stiffness = np.array([[7000.0, -7000.0], [-7000.0, 7000.0]])
    np.savez(
        place / "two.npz", mass=np.diag([7.0, 15.0]), damping=np.diag([0.0, 90.0]), stiffness=stiffness,
        head=[1.0, 0.0], applied=[0.0, 1.0],
    )  # fmt: skip
    content = {"kind": "matrices", "name": "two", "matrices": {"file": "two.npz"}, "provenance": {"matrices": "s"}}
    (place / "two.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return place


@pytest.fixture
def fmu(folder, lumped_fmu):
    """The three-mass FMU with the YAML that names it."""
    content = {"kind": "fmu", "name": "given", "fmu": {"file": str(lumped_fmu(2)), "settle_s": 0.5}}
    (folder / "given.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return folder / "given.yaml"


def recorded(folder):
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))


def test_matrices_run_in_the_steady_state_and_are_on_record(catenary, masses, folder):
    typed = ("pantograph=supplier/two.yaml", "speed_kmh=275", "dt=2e-3", "error_estimate=false", "run_dir=run")
    ended = catenary("simulate", *typed, "periodic.spans_behind=5", "periodic.spans_ahead=6")
    assert ended.code == 0, ended
    assert recorded(folder / "run")["pantograph"] == ["two"]
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "matrices, sha256" in page
    ended = catenary("simulate", *typed[:-1], "--cfg", "job")
    written = yaml.safe_load(ended.out)["pantograph"]
    assert written["matrices"]["file"] == str(masses / "two.npz")
    assert len(written["matrices"]["sha256"]) == 64 and "masses" not in written


def test_matrices_are_an_axis_of_no_sweep_but_a_pantograph_of_any(catenary, masses, folder):
    ended = catenary(
        "sweep", "pantograph=supplier/two.yaml", "cluster=serial", "sweep.name=s", "error_estimate=false", "dt=2e-3",
        "sweep.axes={speed_kmh:[220,240]}", "periodic.spans_behind=5", "periodic.spans_ahead=6",
    )  # fmt: skip
    assert ended.code == 0, ended
    assert "deviation" in ended.out


def test_a_changed_file_is_refused_before_anything_is_written(catenary, masses, folder):
    content = yaml.safe_load((masses / "two.yaml").read_text(encoding="utf-8"))
    content["matrices"]["sha256"] = "0" * 64
    (masses / "two.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    ended = catenary("simulate", "pantograph=supplier/two.yaml", "speed_kmh=275", "run_dir=run")
    refused(ended, ["pantograph.matrices.sha256 must be that of the file's content: on record 0000000000000000"])
    ended = catenary("sweep", "pantograph=supplier/two.yaml", "sweep.axes={speed_kmh:[220,240]}", "sweep.name=s")
    refused(ended, ["pantograph.matrices.sha256 must be that of the file's content"])
    assert not (folder / "run").exists() and not (folder / "outputs").exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"kind": "matrices"}, "pantograph.matrices is missing: kind is matrices, so give that block"),
        ({"kind": "matrices", "matrices": {"file": "none.npz"}}, "pantograph.matrices.file must be a file that can be"),
        ({"kind": "wood"}, "pantograph.kind must be one of lumped, matrices, articulated, fmu"),
        ({"masses": [7.0]}, "pantograph.stiffnesses is missing: give one value a mass"),
    ],
)
def test_a_pantograph_s_file_that_says_too_little_is_refused(catenary, folder, content, sentence):
    (folder / "p.yaml").write_text(yaml.safe_dump({"name": "p", **content}), encoding="utf-8")
    refused(catenary("simulate", "pantograph=p.yaml", "speed_kmh=275"), [sentence])


def test_an_fmu_runs_where_that_is_typed_alone(catenary, fmu, folder):
    ended = catenary("simulate", "pantograph=given.yaml", *OPEN_LINE, "run_dir=run")
    refused(ended, ["run_fmu=true must be typed to run the code of the FMU"])
    assert not (folder / "run").exists()
    ended = catenary("simulate", "pantograph=given.yaml", *OPEN_LINE, "run_dir=run", "run_fmu=true")
    assert ended.code == 0, ended
    assert recorded(folder / "run")["pantographs"][0]["contact_force_std_N"] > 10.0
    assert "fmu, sha256" in (folder / "run" / "report.html").read_text(encoding="utf-8")


def test_an_fmu_that_is_another_one_or_wants_a_steady_state_is_refused(catenary, fmu, folder):
    ended = catenary("simulate", "pantograph=given.yaml", "run_fmu=true", "run_dir=run", "speed_kmh=275")
    refused(ended, ["pantograph.kind fmu takes solver=open_line"])
    other = ("run_fmu=true", "pantograph.fmu.sha256=" + "a" * 64, "run_dir=run")
    ended = catenary("simulate", "pantograph=given.yaml", *OPEN_LINE, *other)
    refused(ended, ["pantograph.fmu.sha256 must be that of the file's content: on record aaaaaaaaaaaaaaaa"])
    assert not (folder / "run").exists()


def test_a_file_of_another_kind_than_an_fmu_is_refused_before_anything_is_written(catenary, folder):
    (folder / "none.fmu").write_text("no archive", encoding="utf-8")
    alone = {"kind": "fmu", "name": "given", "fmu": {"file": "none.fmu"}}
    chain = {"masses": [7.0], "stiffnesses": [100.0], "dampings": [50.0]}
    controlled = {"name": "given", **chain, "control": {"fmu": {"file": "none.fmu"}}}
    for content, key in ((alone, "pantograph.fmu"), (controlled, "pantograph.control.fmu")):
        (folder / "given.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        ended = catenary("simulate", "pantograph=given.yaml", *OPEN_LINE, "run_dir=run", "run_fmu=true")
        refused(ended, [f"{key}.file must be an FMU, a zip archive"])
        assert not (folder / "run").exists()


def test_an_fmu_that_hangs_or_crashes_fails_its_run_in_a_sentence(catenary, fmu, folder):
    typed = ("simulate", "pantograph=given.yaml", *OPEN_LINE, "run_fmu=true", "pantograph.fmu.time_limit_s=0.5")
    for name, sentence in (("hangs_at", "gave no answer within 0.5 s"), ("crashes_at", "has crashed")):
        ended = catenary(*typed, f"pantograph.fmu.parameters.{name}=0.7", f"run_dir={name}")
        assert ended.code == 1, ended
        assert sentence in ended.out + ended.err and "Traceback" not in ended.out + ended.err
        summary = recorded(folder / name)
        assert summary["status"] == "code of the pantograph failed" and sentence in summary["message"]


def test_what_an_fmu_that_fails_leaves_is_an_outcome_with_its_reason(build_case, lumped_fmu):
    """As everything that workers evaluate: a failed design has a sentence and no figures."""
    head = {"kind": "fmu", "name": "given"}
    head["fmu"] = {"file": str(lumped_fmu(3)), "settle_s": 0.2, "parameters": {"crashes_at": 0.1}}
    line = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
    case = build_case(
        "bruni_2015", 275.0, applied_force_N=150.0, pantograph=head, solver="open_line", open_line=line, run_fmu=True
    )
    outcome = outcome_of(7, solve(case))
    assert outcome.status is OutcomeStatus.DEVICE_FAILED and "has crashed" in outcome.message
