"""Studies on record from when a march was the default: their files name no method."""

import pytest
import yaml
from small_runs import LONG_ELEMENTS

from dynamics.spec.case import CaseSpec
from dynamics.spec.solver import ON_RECORD
from optimise.parameter_study.sweep import load_sweep

COARSE = (
    "array=speed_bruni", "sweep.name=small", "cluster=serial", *LONG_ELEMENTS,
    "periodic.spans_behind=4", "periodic.spans_ahead=5", "error_estimate=false",
)  # fmt: skip
AXES = "sweep.axes={speed_kmh:[270,275]}"
MARCHED = "periodic.method=march"


@pytest.fixture
def old(catenary, folder):
    """Folder of a sweep of marches whose input names no method, as older programs wrote it; its page is missing."""
    assert catenary("sweep", *COARSE, AXES, MARCHED).code == 0
    where = folder / "outputs" / "sweeps" / "small"
    content = yaml.safe_load((where / "sweep.yaml").read_text(encoding="utf-8"))
    assert content["case"]["periodic"].pop("method") == "march"
    (where / "sweep.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    (where / "report.html").unlink()
    return where


def test_they_stay_marches(old):
    assert load_sweep(old).case.periodic.method == "march"


def test_a_command_that_names_no_method_is_refused_with_what_to_type(old, catenary):
    kept = (old / "points.jsonl").read_bytes()
    refused = catenary("sweep", *COARSE, AXES)
    assert refused.code == 2 and "case.periodic.method was 'march', now 'operator'" in refused.err
    assert "type periodic.method=march as well (a march was the default then), or use another" in refused.err
    resumed = catenary("sweep", *COARSE, AXES, MARCHED)
    assert resumed.code == 0 and (old / "report.html").is_file() and (old / "points.jsonl").read_bytes() == kept


@pytest.mark.parametrize("case", [3, ["a"], {"periodic": 3}, None])
def test_a_record_whose_case_is_damaged_is_refused_in_a_sentence(old, catenary, case):
    content = yaml.safe_load((old / "sweep.yaml").read_text(encoding="utf-8"))
    damaged = {**content, "case": case, "config_sha256": "0" * 64}
    (old / "sweep.yaml").write_text(yaml.safe_dump(damaged), encoding="utf-8")
    for words in (("sweep", *COARSE, AXES), ("status", f"run_dir={old}")):
        ended = catenary(*words)
        assert ended.code == 2 and "sweep.yaml" in ended.err and "Traceback" not in ended.err, ended


def test_an_input_that_is_typed_has_the_default_of_today(old):
    content = yaml.safe_load((old / "sweep.yaml").read_text(encoding="utf-8"))
    assert CaseSpec.model_validate(content["case"]).periodic.method == "operator"
    assert CaseSpec.model_validate(content["case"], context=ON_RECORD).periodic.method == "march"
