"""A controller that is a Python function or an FMU, by the command: it runs where that is typed, and is on record."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from refusal import refused

from dynamics.spec.case import case_of
from optimise.record.campaign_folder import CampaignFolder
from optimise.spec.jobs import campaign_of
from studies.jobs.simulation import CampaignJob

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "controller"
OPEN_LINE = (
    "catenary=bruni_2015", "speed_kmh=275", "dt=4e-3", "solver=open_line", "applied_force_N=150", "mean_force_N=null",
    "open_line.spans=6", "open_line.start=1", "open_line.first_evaluated=3", "open_line.last_evaluated=4",
    "open_line.spans_after=1", "error_estimate=false",
)  # fmt: skip


@pytest.fixture
def given(folder):
    """The example's files in the folder."""
    for file in EXAMPLE.iterdir():
        if file.is_file():
            shutil.copy(file, folder / file.name)
    return "pantograph=pantograph.yaml"


def test_it_runs_where_that_is_typed_alone_and_its_hash_is_on_record(catenary, folder, given):
    refused(catenary("simulate", given, *OPEN_LINE, "run_dir=run"), ["run_python=true must be typed"])
    assert not (folder / "run").exists()
    ended = catenary("simulate", given, *OPEN_LINE, "run_dir=run", "run_python=true")
    assert ended.code == 0, ended
    content = yaml.safe_load((folder / "run" / ".hydra" / "config.yaml").read_text(encoding="utf-8"))
    digest = sha256((folder / "pid.py").read_bytes()).hexdigest()
    assert content["pantograph"]["control"]["python"]["sha256"] == digest
    assert digest[:12] in (folder / "run" / "report.html").read_text(encoding="utf-8")


def test_an_fmu_runs_where_that_is_typed_alone_and_its_hash_is_on_record(catenary, folder, given, controller_fmu):
    content = yaml.safe_load((folder / "pantograph.yaml").read_text(encoding="utf-8"))
    shutil.copy(controller_fmu(2), folder / "theirs.fmu")
    parameters = {"proportional": 0.5, "hangs_at": 1e9}
    content["control"] = {"fmu": {"file": "theirs.fmu", "reference": "reference", "parameters": parameters}}
    (folder / "pantograph.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    refused(catenary("simulate", given, *OPEN_LINE, "run_dir=run", "run_python=true"), ["run_fmu=true must be typed"])
    typed = ("simulate", given, *OPEN_LINE, "run_fmu=true")
    refused(catenary(*typed, "run_dir=run", "solver=periodic"), ["pantograph.control.fmu needs solver=open_line"])
    other = "pantograph.control.fmu.sha256=" + "a" * 64
    ended = catenary(*typed, "run_dir=run", other)
    refused(ended, ["pantograph.control.fmu.sha256 must be that of the file's content: on record aaaaaaaaaaaaaaaa"])
    assert not (folder / "run").exists()
    ended = catenary(*typed, "run_dir=run")
    assert ended.code == 0, ended
    kept = yaml.safe_load((folder / "run" / ".hydra" / "config.yaml").read_text(encoding="utf-8"))
    digest = sha256((folder / "theirs.fmu").read_bytes()).hexdigest()
    assert kept["pantograph"]["control"]["fmu"]["sha256"] == digest
    assert digest[:12] in (folder / "run" / "report.html").read_text(encoding="utf-8")
    hanging = ("pantograph.control.fmu.parameters.hangs_at=0.5", "pantograph.control.fmu.time_limit_s=0.5")
    ended = catenary(*typed, *hanging, "run_dir=hung")
    assert ended.code == 1 and "Traceback" not in ended.out + ended.err
    summary = json.loads((folder / "hung" / "summary.json").read_text(encoding="utf-8"))
    assert summary["status"] == "code of the pantograph failed" and "gave no answer within 0.5 s" in summary["message"]


def test_another_content_and_a_steady_state_are_refused(catenary, folder, given):
    other = "pantograph.control.python.sha256=" + "a" * 64
    ended = catenary("simulate", given, *OPEN_LINE, "run_dir=run", "run_python=true", other)
    refused(ended, ["pantograph.control.python.sha256 must be that of the file's content: on record aaaaaaaaaaaaaaaa"])
    ended = catenary("simulate", given, "catenary=bruni_2015", "speed_kmh=275", "run_dir=run", "run_python=true")
    refused(ended, ["pantograph.control.python needs solver=open_line"])
    assert not (folder / "run").exists()


def test_a_function_that_fails_ends_its_run_in_a_sentence(catenary, folder, given):
    (folder / "pid.py").write_text("def control(t, measured, memory):\n    return 1.0 / max(0.0, 0.5 - t)\n")
    ended = catenary("simulate", given, *OPEN_LINE, "run_dir=run", "run_python=true")
    assert ended.code == 1 and "Traceback" not in ended.out + ended.err
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["status"] == "code of the pantograph failed"
    assert "failed at 0.5" in summary["message"] and "ZeroDivisionError in line 2" in summary["message"]


def test_no_record_lets_code_run(catenary, folder, given):
    """A campaign that is resumed asks for the flag again."""
    rows = [{"station_m": 1000 + 55 * k} for k in range(7)]
    line = {"kind": "line", "name": "short", "type": "bruni_2015", "supports": rows,
            "sections": [{"name": "A", "from_m": 1000, "to_m": 1220}, {"name": "B", "from_m": 1110, "to_m": 1330}],
            "overlaps": [{"section": "A", "elevation_mm": 300}]}  # fmt: skip
    (folder / "short.yaml").write_text(yaml.safe_dump(line), encoding="utf-8")
    typed = ("catenary=short.yaml", given, "speed_kmh=200", "design=stations", "run_dir=out", "cluster=serial")
    refused(catenary("optimise", *typed), ["run_python=true must be typed"])
    shown = catenary("optimise", *typed, "run_python=true", "--cfg", "job")
    assert shown.code == 0 and yaml.safe_load(shown.out)["run_python"] is True
    job = CampaignJob.model_validate(yaml.safe_load(shown.out))
    (folder / "out").mkdir()
    CampaignFolder(folder / "out").write_input(campaign_of(job), case_of(job))
    refused(catenary("optimise", "resume=out", "--cfg", "job"), ["run_python=true must be typed"])
    assert catenary("optimise", "resume=out", "run_python=true", "--cfg", "job").code == 0
