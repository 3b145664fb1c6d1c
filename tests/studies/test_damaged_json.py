"""JSON and YAML that the program reads back, put there by anyone: refused in a sentence, never waited for."""

import json
import os
import shutil
import zlib

import pytest
from refusal import refused

from catenary.errors import InputError
from catenary.storage.files import read_json_object, read_yaml
from dynamics.rig.bundle import add_to_bundle
from dynamics.rig.loop.model import read_model
from optimise.record.driver_lock import driver_lock, read_holder
from optimise.record.json_lines import AFTER, BEFORE, parsed_line
from studies.jobs.served_loop import RECOMMENDED, judged_otherwise

TEXTS = {
    "nothing": b"", "cut": b'{"files": {', "zeros": bytes(1000), "UTF-16": '{"files": {}}'.encode("utf-16"),
    "deep": b'{"files": ' + b"[" * 100_000, "NaN": b'{"files": NaN}', "infinite": b'{"files": 1e400}',
    "digits": b'{"files": ' + b"9" * 5000 + b"}", "list": b"[1, 2]", "text": b'"files"',
}  # fmt: skip
IRREGULAR = {
    "pipe": os.mkfifo, "folder": os.mkdir, "itself": lambda path: os.symlink(path, path),
    "device": lambda path: os.symlink("/dev/zero", path),
}  # fmt: skip


@pytest.mark.parametrize("content", TEXTS.values(), ids=TEXTS)
def test_what_is_not_json(tmp_path, content):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"the file .*a\.json .*(is not|must hold|not text)"):
        read_json_object(path, "the file", "make it again")


@pytest.mark.parametrize("make", IRREGULAR.values(), ids=IRREGULAR)
def test_what_is_not_a_file_is_not_opened(tmp_path, make):
    path = tmp_path / "a"
    make(path)
    with pytest.raises(InputError, match="the file"):
        read_json_object(path, "the file", "make it again")
    with pytest.raises((OSError, ValueError)):
        read_yaml(path, "the file")
    assert read_holder(path) is None
    with pytest.raises(InputError, match="the lock"), driver_lock(path, "campaign 'c'"):
        pass


def test_yaml_with_brackets_without_end(tmp_path):
    (tmp_path / "a.yaml").write_text("a: " + "[" * 5000, encoding="utf-8")
    with pytest.raises(ValueError, match="brackets"):
        read_yaml(tmp_path / "a.yaml", "the file")


@pytest.mark.parametrize("content", TEXTS.values(), ids=TEXTS)
def test_a_manifest_that_is_not_one_is_refused(catenary, own_bundle, content, listing, folder):
    (own_bundle / "manifest.json").write_bytes(content)
    before = listing(folder)
    refused(catenary("rig", "emulate", f"bundle={own_bundle}"), ["manifest"])
    assert listing(folder) == before


@pytest.mark.parametrize(
    "files",
    [
        [], 3, {}, {"pfem.nc": 1}, {"pfem.nc": {"sha256": 5}}, {"pfem.nc": {"sha256": "x"}, "../x": {"sha256": "x"}},
        {"pfem.nc": {"sha256": "x"}, "/etc/passwd": {"sha256": "x"}}, {"pfem.nc": {"sha256": "x"}, "": {"sha256": "x"}},
    ],
)  # fmt: skip
def test_a_manifest_whose_files_are_not_files_is_refused(own_bundle, files):
    content = json.loads((own_bundle / "manifest.json").read_text(encoding="utf-8"))
    (own_bundle / "manifest.json").write_text(json.dumps({**content, "files": files}), encoding="utf-8")
    with pytest.raises(InputError, match="must list the bundle's files"):
        read_model(own_bundle)


@pytest.mark.parametrize("name", ["manifest.json", "pfem.nc"])
@pytest.mark.parametrize("make", IRREGULAR.values(), ids=IRREGULAR)
def test_a_bundle_of_what_is_not_a_file_is_refused(own_bundle, make, name):
    (own_bundle / name).unlink()
    make(own_bundle / name)
    with pytest.raises(InputError, match=name):
        read_model(own_bundle)


OWN = {"alpha": 0.1, "beta": 1e-4, "droppers": {"alpha": 0.1, "beta": 1e-3}}
SOUND = dict(zip(RECOMMENDED, ("step_by_step", 7, 10, 10, 0.1), strict=True))
GIVEN = [f"loop.{name}={value}" for name, value in SOUND.items()]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (lambda _: [1], "manifest.json must hold the input of the export under case"),
        (
            lambda c: {**c, "catenary": {**c["catenary"], "damping": OWN}, "periodic": {"method": "operator"}},
            "transient must be false: catenary.damping must be one alpha and one beta for the whole line",
        ),
    ],
)
def test_a_bundle_whose_input_no_transient_can_run_is_refused(catenary, own_bundle, folder, case, said):
    content = json.loads((own_bundle / "manifest.json").read_text(encoding="utf-8"))
    other = json.dumps({**content, "case": case(content["case"])})
    (own_bundle / "manifest.json").write_text(other, encoding="utf-8")
    ended = catenary(
        "rig", "emulate", f"bundle={own_bundle}", "transient=true", *GIVEN, "run_dir=run", "pantograph=dsa380"
    )
    refused(ended, [said])
    assert not (folder / "run").exists()


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000, "[1]", '{"strategy": NaN}', json.dumps({**SOUND, "spectral_radius": "x"}),
        json.dumps({**SOUND, "contact_stiffness": [1]}), json.dumps({**SOUND, "device_masses": 5}),
        json.dumps({**SOUND, "device_masses": ["a"]}), json.dumps({**SOUND, "device": ["a"]}),
        json.dumps({**SOUND, "margin": True}),
    ],
)  # fmt: skip
def test_a_recommendation_that_is_not_one_is_refused(own_bundle, build_case, content):
    add_to_bundle(own_bundle, "recommendation.json", content)
    read_model(own_bundle)  # its digest is right
    with pytest.raises(InputError, match=r"recommendation\.json"):
        judged_otherwise(own_bundle, build_case("re330", 200.0, applied_force_N=100.0).pantograph, 50e3)


def test_a_line_of_a_record_whose_checksum_fits_what_is_not_json():
    for body in (b"[1", b'{"a":' + b"[" * 100_000, b"[[1]", b'{"a":1'):
        line = body + BEFORE + b"%08x" % zlib.crc32(body) + AFTER
        assert parsed_line(line) == ({"a": 1} if body == b'{"a":1' else None)


@pytest.mark.parametrize("make", IRREGULAR.values(), ids=IRREGULAR)
@pytest.mark.parametrize("name", ["campaign.yaml", "trials.jsonl", "status.json"])
def test_a_campaign_of_what_is_not_a_file_is_reported(catenary, folder, interrupted, make, name):
    typed = ("optimise", "experiment=oc1_heights", "campaign=c", "trials=3", "cluster=serial")
    assert catenary(*typed).code == 75
    path = folder / "outputs" / "campaigns" / "c" / name
    path.unlink()
    make(path)
    for command in (("status", "run_dir=outputs/campaigns/c"), ("report", "run_dir=outputs/campaigns/c"), typed):
        ended = catenary(*command)
        assert ended.code in (0, 2, 75) and "Traceback" not in ended.err and "error of the program" not in ended.err
        assert "outputs/campaigns/c" in ended.out + ended.err


WRONG = {
    "summary.json": [{"pantographs": 5}, {"pantographs": [1]}, {"wall_time_s": {"a": "x"}}, {"static": 3},
                     {"status": []}, {"error": [1]}, {"assessment": 1}, {"pantographs": [{"losses": 4}]}],
}  # fmt: skip


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    from small_runs import BRUNI, SMALL_WINDOW

    from studies.cli import main

    place = tmp_path_factory.mktemp("simulated") / "run"
    assert main(["simulate", *BRUNI, *SMALL_WINDOW, "transient.spans_evaluated=4", f"run_dir={place}"]) == 0
    return place


def test_a_run_whose_summary_is_of_other_types_is_refused_or_drawn(catenary, folder, simulated):
    for k, wrong in enumerate(WRONG["summary.json"]):
        run = shutil.copytree(simulated, folder / str(k))
        content = json.loads((run / "summary.json").read_text(encoding="utf-8"))
        (run / "summary.json").write_text(json.dumps({**content, **wrong}), encoding="utf-8")
        ended = catenary("report", str(run))
        assert ended.code in (0, 2) and "error of the program" not in ended.err, (wrong, ended.err)
        assert ended.code == 0 or "must be those that this version writes" in ended.err, (wrong, ended.err)
