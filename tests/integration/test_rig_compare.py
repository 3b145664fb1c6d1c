"""A dry run from start to end, and a measured log next to it whose difference is known."""

import json

import numpy as np
import pytest

from dynamics.results.dataset import read_result
from dynamics.rig.bundle import write_bundle
from dynamics.rig.service.frames import Mark
from dynamics.rig.service.journal import read_journal
from studies.cli import main

LOOP = (
    "loop.strategy=span_by_span", "loop.delay_steps=8", "loop.height_harmonics=12", "loop.dropper_harmonics=all",
    "loop.contact_relaxation=0.1",
)  # fmt: skip
DRY = ("dry_run=true", "duration_s=12", "loop.ramp_s=3", "pantograph=dsa250", *LOOP)
AMPLIFIED, MOVED = 1.25, 21.0


@pytest.fixture(scope="module")
def place(influence, tmp_path_factory):
    """A folder with a bundle and the dry run of a test on it."""
    place = tmp_path_factory.mktemp("rig")
    write_bundle(place / "bundle", influence, influence.case)
    assert main(["rig", "serve", f"bundle={place / 'bundle'}", f"run_dir={place / 'dry'}", *DRY]) == 0
    return place


def compare(place, name, *arguments):
    code = main(["rig", "compare", f"prediction={place / 'dry'}", f"run_dir={place / name}", *arguments])
    assert code == 0
    return json.loads((place / name / "comparison.json").read_text(encoding="utf-8"))


def log_of(place, amplified, moved, every=2):
    """The dry run as a measuring system would have it: every second sample, another origin, a larger swing."""
    values = read_result(place / "dry" / "run.nc").values
    stopping = values["mark"].astype(int) & Mark.STOPPING != 0
    keep = slice(0, int(np.argmax(stopping)) if stopping.any() else None, every)
    force = values["force"][keep]
    force = force.mean() + amplified * (force - force.mean())
    lines = ["time_s,position_m,force_kN"]
    columns = zip(values["time"][keep], values["position"][keep] + moved, force / 1e3, strict=True)
    lines += [f"{t:.6f},{x:.6f},{f:.9f}" for t, x, f in columns]
    (place / "log.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return place / "log.csv"


def test_a_dry_run_steps_the_whole_test_and_loses_nothing(place):
    about, columns = read_journal(place / "dry" / "run.journal")
    summary = json.loads((place / "dry" / "summary.json").read_text(encoding="utf-8"))
    assert summary["reason"] == "done" and summary["frames"]["substituted"] == 0
    stopping = columns["mark"].astype(int) & Mark.STOPPING != 0
    assert np.argmax(stopping) == round(12.0 / about["dt_s"]) and columns["height"][-1] == 0.0
    # a force that was measured at a step is the one of the height that was sent D steps before
    reached, sent = columns["height_reached"], columns["height"]
    np.testing.assert_allclose(reached[8:], sent[:-8], atol=1e-15)
    # heights in the ramp grow from nothing
    assert np.abs(sent[:20]).max() < 0.02 * np.abs(sent[3000:4000]).max()


def test_a_dry_run_agrees_with_the_emulated_loop(place, influence):
    """Two ways through the same test: frames and session here, the emulation's compiled blocks there."""
    import yaml

    from dynamics.rig.loop.device import lumped_device
    from dynamics.rig.loop.emulation import emulate
    from dynamics.rig.loop.model import read_model
    from dynamics.rig.loop.spec import RigSettings
    from dynamics.spec.case import PantographSpec

    job = yaml.safe_load((place / "dry" / ".hydra" / "config.yaml").read_text(encoding="utf-8"))
    model, _ = read_model(place / "bundle")
    press = (job["applied_force_N"], job["contact"]["stiffness"], model.dt, job["damping_ratio"])
    device = lumped_device(PantographSpec.model_validate(job["pantograph"]), *press)
    about, columns = read_journal(place / "dry" / "run.journal")
    rig = {"loop": json.loads(about["loop"]), "actuator": job["actuator"], "sensor": job["sensor"]}
    found = emulate(model, device, RigSettings.model_validate(rig), 8.0)
    n = len(found.force)
    assert n > 3000
    np.testing.assert_allclose(columns["force"][:n], found.force, atol=1e-6)
    np.testing.assert_allclose(columns["height"][:n], found.command, atol=1e-11)


def test_a_log_that_swings_more_and_starts_elsewhere_is_reported_as_such(place):
    log = log_of(place, AMPLIFIED, MOVED)
    found = compare(place, "aligned", f"measured={log}", "record.align=true", "last_spans=5")
    N, span = 360, 55.0
    # the log covers all spans, those of the ramp too; as many of its last ones count as of the prediction
    assert found["prediction"]["spans"] == found["measured"]["spans"] == 5
    assert found["measured"]["begin_m"] - found["prediction"]["begin_m"] == pytest.approx(MOVED, abs=0.02 * span)
    first, second = (found[k]["contact_force_std_N"] for k in ("prediction", "measured"))
    assert second / first == pytest.approx(AMPLIFIED, rel=0.01)
    assert abs((found["offset_m"] - MOVED + 0.5 * span) % span - 0.5 * span) < 0.02 * span, found["offset_m"]
    given = compare(place, "given", f"measured={log}", f"record.offset_m={MOVED}", "last_spans=null")
    first, second = (given[k]["contact_force_std_N"] for k in ("prediction", "measured"))
    assert given["prediction"]["spans"] == pytest.approx(given["measured"]["spans"], abs=1)
    assert second / first == pytest.approx(AMPLIFIED, rel=0.02)
    assert given["measured"]["contact_force_mean_N"] == pytest.approx(given["prediction"]["contact_force_mean_N"], 0.01)
    # the curves differ by a quarter of the swing of the mean curve
    assert 0.1 * first < given["curve_difference_rms_N"] < 0.3 * first
    moved = compare(place, "moved", f"measured={log}", f"record.offset_m={MOVED + 0.4 * span}", "last_spans=null")
    assert moved["curve_difference_rms_N"] > 2.0 * given["curve_difference_rms_N"]
    assert (place / "given" / "comparison.html").stat().st_size > 5000 and (place / "given" / "comparison.png").exists()
    assert N * 2e-3 * influence_speed(place) == pytest.approx(span)


def test_a_test_compared_with_its_own_file_differs_in_nothing(place, capfd):
    """run.nc holds the ramp and the way to the safe height too: neither counts on one side alone."""
    found = compare(place, "itself", f"measured={place / 'dry' / 'run.nc'}", "record.align=true", "last_spans=5")
    said = capfd.readouterr()
    assert found["prediction"] == found["measured"] and found["curve_difference_largest_N"] == 0.0
    ends = "{begin_s:.2f} to {end_s:.2f} s".format(**found["measured"])
    assert said.out.count(f"5 spans count, from {ends}") == 2
    page = (place / "itself" / "comparison.html").read_text(encoding="utf-8")
    assert page.count(f"5 spans count, from {ends}") == 2 and "equally many" not in page + said.err
    # what a served test says of itself is of the mean of its spans, and stands here under that name
    summary = json.loads((place / "dry" / "summary.json").read_text(encoding="utf-8"))
    found = compare(place, "ten", f"measured={place / 'dry' / 'run.nc'}")
    for key in ("std", "max", "min"):
        own = summary[f"contact_force_{key}_N"]
        assert found["prediction"][f"mean_curve_{key}_N"] == pytest.approx(own, rel=2e-3), key
    assert found["prediction"]["mean_curve_std_N"] < found["prediction"]["contact_force_std_N"]


def test_sides_that_count_other_numbers_of_spans_are_named(place, capfd):
    lines = log_of(place, 1.0, 0.0).read_text(encoding="utf-8").splitlines()
    (place / "short.csv").write_text("\n".join([lines[0], *lines[-1000:]]) + "\n", encoding="utf-8")
    found = compare(place, "unequal", f"measured={place / 'short.csv'}", "record.offset_m=0")
    counts = found["prediction"]["spans"], found["measured"]["spans"]
    sentence = f"{counts[0]} predicted, {counts[1]} measured; last_spans={counts[1]} makes them equal"
    assert counts[0] == 10 and counts[1] < 5 and sentence in capfd.readouterr().err
    assert sentence in (place / "unequal" / "comparison.html").read_text(encoding="utf-8")


def influence_speed(place):
    return float(read_journal(place / "dry" / "run.journal")[0]["speed_m_per_s"])


def test_a_log_says_the_same_in_every_format(place, tmp_path):
    """CSV, netCDF and TDMS with times in a channel of their own, or with a waveform as LabVIEW writes it."""
    import xarray as xr
    from nptdms import ChannelObject, TdmsWriter

    log = log_of(place, AMPLIFIED, MOVED)
    time, position, force = np.loadtxt(log, delimiter=",", skiprows=1).T
    columns = {"time": (time, "s"), "position": (position, "m"), "force": (force, "kN")}
    variables = {name: ("sample", values, {"units": unit}) for name, (values, unit) in columns.items()}
    xr.Dataset(variables).to_netcdf(tmp_path / "log.nc")
    with TdmsWriter(tmp_path / "log.tdms") as file:
        file.write_segment([ChannelObject("rig", f"{name} [{u}]", v) for name, (v, u) in columns.items()])
    wave = {"wf_increment": float(time[1] - time[0]), "wf_start_offset": 0.0, "unit_string": "kN"}
    with TdmsWriter(tmp_path / "wave.tdms") as file:
        for half in np.array_split(np.arange(len(time)), 2):  # a log that grew while it was written
            channels = [ChannelObject("rig", "Contact Force", force[half], properties=wave)]
            file.write_segment([*channels, ChannelObject("rig", "Position", position[half], {"unit_string": "m"})])
    given = (f"record.offset_m={MOVED}", "last_spans=null")
    expected = compare(place, "as_csv", f"measured={log}", *given)
    for name in ("log.nc", "log.tdms", "wave.tdms"):
        found = compare(place, f"as_{name}", f"measured={tmp_path / name}", *given)
        for key in ("curve_difference_rms_N", "offset_m"):
            assert found[key] == pytest.approx(expected[key], rel=1e-6), name
        assert found["measured"]["contact_force_std_N"] == pytest.approx(
            expected["measured"]["contact_force_std_N"], rel=1e-6
        )


def test_an_emulated_test_is_compared_as_the_dry_run_of_the_same(place):
    """Two ways to predict one test: the emulation's folder next to that of the dry run."""
    same = ("duration_s=12", "loop.ramp_s=3", "pantograph=dsa250", *LOOP)
    assert main(["rig", "emulate", f"bundle={place / 'bundle'}", f"run_dir={place / 'emulated'}", *same]) == 0
    found = compare(place, "both", f"measured={place / 'emulated'}", "last_spans=5")
    assert found["measured"]["spans"] == found["prediction"]["spans"] == 5
    assert found["curve_difference_largest_N"] < 0.01 and found["prediction"]["contact_force_std_N"] > 5.0


def test_the_journal_of_a_killed_server_is_compared_as_it_is(place, tmp_path):
    killed = tmp_path / "killed"
    killed.mkdir()
    content = (place / "dry" / "run.journal").read_bytes()
    (killed / "run.journal").write_bytes(content[: 2 * len(content) // 3 + 13])
    found = compare(place, "after", f"measured={killed}", "last_spans=3")
    assert found["measured"]["spans"] == 3 and found["curve_difference_rms_N"] < 20.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("measured=nowhere",), "nowhere must be a folder of a test or simulation"),
        (("measured=.",), "neither run.journal nor period.nc nor result.nc"),
        (("prediction=x", "measured=x"), "measured must be another file or folder than prediction"),
        (("measured=bad",), "is not the journal of a rig test"),
        (("measured=short",), "must hold at least two spans"),
        (("measured=half.tdms",), "is not a whole TDMS file"),
        (("measured=cut.tdms",), "is not a whole TDMS file (Last segment of file has less data than expected"),
        (("measured=other.csv", "record.speed_kmh=275", "record.span_length=60"), "must have spans of one length"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(place, tmp_path, monkeypatch, capfd, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    for name in ("bad", "short"):
        (tmp_path / name).mkdir()
    (tmp_path / "bad" / "run.journal").write_text("not this\n", encoding="utf-8")
    (tmp_path / "short" / "run.journal").write_bytes((place / "dry" / "run.journal").read_bytes()[:9000])
    rows = "\n".join(f"{0.01 * k},{100 + k % 7}" for k in range(2000))
    (tmp_path / "other.csv").write_text(f"time_s,force_N\n{rows}\n", encoding="utf-8")
    (tmp_path / "half.tdms").write_bytes(b"no TDMS file at all, whatever its name says")
    (tmp_path / "cut.tdms").write_bytes(tdms()[:-3000])
    before = sorted(p.name for p in tmp_path.iterdir())
    capfd.readouterr()
    code = main(["rig", "compare", f"prediction={place / 'dry'}", *arguments])
    said = capfd.readouterr().err
    assert code == 2 and sentence in said and "Traceback" not in said and "WARNING" not in said, said
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def tdms():
    """Bytes of a whole TDMS file."""
    from io import BytesIO

    from nptdms import ChannelObject, TdmsWriter

    content, time = BytesIO(), 0.002 * np.arange(2000)
    with TdmsWriter(content) as file:
        file.write_segment([ChannelObject("rig", "force [N]", 100.0 + time), ChannelObject("rig", "time [s]", time)])
    return content.getvalue()


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (lambda b: (b / "manifest.json").unlink(), "has no manifest.json"),
        (lambda b: (b / "manifest.json").write_text("{", encoding="utf-8"), "is not whole JSON"),
        (lambda b: (b / "pfem.nc").write_bytes((b / "pfem.nc").read_bytes()[:-100]), "altered or cut short"),
        (lambda b: (b / "pfem.c").write_text("int x;", encoding="utf-8"), "altered or cut short"),
        (lambda b: (b / "pfem.bin").unlink(), "is missing"),
        (lambda b: rewrite(b, schema_version=99), "schema_version of the bundle"),
        (lambda b: rewrite(b, files={}), "another program's"),
    ],
)
def test_a_harmed_bundle_is_not_served(place, tmp_path, monkeypatch, capfd, harm, sentence):
    import shutil

    bundle = shutil.copytree(place / "bundle", tmp_path / "bundle")
    harm(bundle)
    monkeypatch.chdir(tmp_path)
    capfd.readouterr()
    code = main(["rig", "serve", "bundle=bundle", "dry_run=true"])
    said = capfd.readouterr().err
    assert code == 2 and sentence in said and "Traceback" not in said, said
    assert [p.name for p in tmp_path.iterdir()] == ["bundle"]


@pytest.mark.parametrize("name", ["../../elsewhere", "", None, "x" * 80])
def test_a_bundle_that_would_name_folders_elsewhere_is_refused(place, tmp_path, monkeypatch, capfd, name):
    import shutil

    bundle = shutil.copytree(place / "bundle", tmp_path / "bundle")
    rewrite(bundle, catenary=name)
    monkeypatch.chdir(tmp_path)
    capfd.readouterr()
    code = main(["rig", "serve", "bundle=bundle", "dry_run=true", *LOOP])
    said = capfd.readouterr().err
    assert code == 2 and "catenary in the manifest of the bundle" in said and "Traceback" not in said, said
    assert [p.name for p in tmp_path.iterdir()] == ["bundle"]


def test_a_test_without_settings_needs_a_bundle_that_recommends_some(place, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    capfd.readouterr()
    code = main(["rig", "serve", f"bundle={place / 'bundle'}", "dry_run=true", "loop.delay_steps=8"])
    said = capfd.readouterr().err
    keys = "loop.strategy, loop.height_harmonics, loop.dropper_harmonics, loop.contact_relaxation must be given"
    assert code == 2 and keys in said and "holds no recommendation" in said and "Traceback" not in said, said
    assert list(tmp_path.iterdir()) == []


def rewrite(bundle, **changes):
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    (bundle / "manifest.json").write_text(json.dumps({**manifest, **changes}), encoding="utf-8")
