"""A pantograph that is an FMU: the line feels it as its own masses, and whatever it does wrong ends in one sentence."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from dynamics.pantograph.fmu.archive import FmuError
from dynamics.pantograph.fmu.device import FmuDevice
from dynamics.pantograph.stepped.device import Rest, measured_yield
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.pantograph import PantographSpec
from dynamics.spec.status import Status

TEMPLATE = Path(__file__).resolve().parents[2] / "examples" / "fmu"
HANGING = """
import sys, time
from dynamics.pantograph.fmu.device import FmuDevice
from dynamics.spec.pantograph import FmuSpec
device = FmuDevice(FmuSpec(file=sys.argv[1], parameters={"hangs_at": 0.0}), 100.0)
print(device._process.pid, flush=True)
device.step(0.0, 1e-3)
"""
OPEN_LINE = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}


def fmu_of(path, **content):
    given = {"file": str(path), "settle_s": 1.0, **content}
    return PantographSpec.model_validate({"kind": "fmu", "name": "lumped", "fmu": given})


@pytest.fixture
def run(build_case):
    """Run a pantograph on a short open line at 1 ms."""

    def ran(head, **content):
        settings = {"solver": "open_line", "open_line": OPEN_LINE, "dt": 1e-3, "applied_force_N": 170.0}
        case = build_case("bruni_2015", 320.0, pantograph=head, run_fmu=head.kind == "fmu", **{**settings, **content})
        return run_case(case, error_estimate=False)

    return ran


@pytest.mark.parametrize("contact_stiffness", [50e3, 200e3])
def test_sigma_is_that_of_the_monolithic_run(run, lumped_fmu, contact_stiffness):
    """The head predicted, the contact implicit, the step's mean force handed over: 0.1 % of sigma at 1 ms."""
    contact = {"stiffness": contact_stiffness}
    native = run(load_pantograph("bruni_2015"), contact=contact)
    for version in (2, 3):
        driven = run(fmu_of(lumped_fmu(version)), contact=contact)
        assert driven.contact_force_std_N == pytest.approx(native.contact_force_std_N, rel=1e-3)
        assert driven.contact_force_mean_N == pytest.approx(native.contact_force_mean_N, rel=1e-4)


def test_hht_and_a_train_couple_as_well(run, lumped_fmu):
    line = {**OPEN_LINE, "spans": 8, "start": 2.0, "first_evaluated": 4, "last_evaluated": 5, "integrator": "hht"}
    more = {"open_line": line, "trailing": {"distances_m": [80.0]}}
    native, driven = (run(head, **more) for head in (load_pantograph("bruni_2015"), fmu_of(lumped_fmu(3))))
    for one, other in zip(native.solution.pantographs, driven.solution.pantographs, strict=True):
        assert other.statistics.contact_force_std_N == pytest.approx(one.statistics.contact_force_std_N, rel=2e-3)


def test_a_mean_force_is_held_and_heights_may_be_counted_from_elsewhere(run, lumped_fmu):
    head = fmu_of(lumped_fmu(2), parameters={"offset": 1.5}, zero_height_m=1.5)
    found = run(head, applied_force_N=None, mean_force_N=160.0)
    assert found.contact_force_mean_N == pytest.approx(160.0, abs=0.1)
    heights = found.solution.histories.mass_height[:, 0, 0]
    assert np.abs(heights).max() < 0.2


def test_the_yield_of_a_head_is_that_of_its_masses(lumped_fmu):
    """A held force moves a mass by dt^2 / 2 m; springs and dampers change that at 1 ms by less than 1 %."""
    with FmuDevice(fmu_of(lumped_fmu(2)).fmu, 170.0) as device:
        found, _ = measured_yield(device, Rest(0.0, 3e-4), 1e-3)
    assert found == pytest.approx(0.5e-6 / 7.5, rel=0.01)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    ("parameter", "sentence"),
    [
        ("hangs_at", "gave no answer within 0.5 s and was ended"),
        ("crashes_at", "has crashed: its process was ended by signal 6"),
        ("fails_at", "failed in fmi._DoStep at .* s with status 3|failed in fmi.DoStep at .* s with status 3"),
    ],
)
def test_an_fmu_that_goes_wrong_on_its_way_ends_the_run_in_a_sentence(
    run, lumped_fmu, version, parameter, sentence, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    began = time.monotonic()
    found = run(fmu_of(lumped_fmu(version), parameters={parameter: 1.4}, time_limit_s=0.5))
    assert found.solution.status is Status.DEVICE_FAILED
    assert re.search(sentence, found.message), found.message
    assert "\n" not in found.message and str(lumped_fmu(version)) in found.message
    assert time.monotonic() - began < 60.0
    assert not list(tmp_path.iterdir()), "a process that is killed leaves nothing behind"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"force": "contact"}, "has no real variable 'contact': it has applied_force, contact_force"),
        ({"height": "contact_force"}, "has 'contact_force' as input, where output or local is needed"),
        ({"parameters": {"nowhere": 1.0}}, "has no real variable 'nowhere'"),
        ({"sha256": "0" * 64}, "has another content than that on record"),
    ],
)
def test_what_an_fmu_does_not_have_is_named(lumped_fmu, content, sentence):
    with pytest.raises(FmuError, match=sentence):
        FmuDevice(fmu_of(lumped_fmu(2), **content).fmu, 170.0)


def test_a_head_that_force_does_not_press_down_is_refused(lumped_fmu):
    """With applied force and contact force exchanged the head goes the wrong way."""
    with (
        FmuDevice(fmu_of(lumped_fmu(2), height="head_velocity").fmu, 170.0) as device,
        pytest.raises(FmuError, match="must have a head that gives way to a force"),
    ):
        device.step = lambda force, dt: FmuDevice.step(device, -force, dt)
        measured_yield(device, Rest(0.0, 3e-4), 1e-3)


@pytest.mark.parametrize("content", [b"no archive", None])
def test_another_file_than_an_fmu_is_refused(tmp_path, content, lumped_fmu):
    path = tmp_path / "x.fmu"
    if content is None:
        shutil.copyfile(lumped_fmu(2), path)
        path.write_bytes(path.read_bytes()[:900])
    else:
        path.write_bytes(content)
    with pytest.raises(FmuError, match="cannot be unpacked as an FMU"):
        FmuDevice(fmu_of(path).fmu, 170.0)


def test_no_process_and_no_pipe_outlives_a_device(lumped_fmu):
    before = set(os.listdir("/proc/self/fd"))
    device = FmuDevice(fmu_of(lumped_fmu(2)).fmu, 170.0)
    process = device._process
    device.close()
    assert process.returncode == 0
    assert set(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"run_fmu": False}, "run_fmu=true must be typed to run the code of the FMU"),
        ({"solver": "periodic"}, "takes solver=open_line with an implicit integrator.*: got solver=periodic"),
        ({"open_line": {**OPEN_LINE, "integrator": "rk4"}}, "got open_line.integrator=rk4"),
        ({"trailing": {"distances_m": [70.0]}, "open_line": {**OPEN_LINE, "spans": 8}}, "enters the line"),
    ],
)
def test_what_cannot_be_asked_of_an_fmu_is_refused(build_case, lumped_fmu, content, sentence):
    settings = {"solver": "open_line", "open_line": OPEN_LINE, "applied_force_N": 170.0, "run_fmu": True}
    with pytest.raises(ValueError, match=sentence):
        build_case("bruni_2015", 320.0, pantograph=fmu_of(lumped_fmu(2)), **{**settings, **content})


@pytest.mark.skipif(sys.platform != "linux", reason="a process ends with the one that started it on Linux alone")
def test_an_fmu_that_hangs_does_not_outlive_a_killed_run(lumped_fmu):
    run = subprocess.Popen([sys.executable, "-c", HANGING, str(lumped_fmu(2))], stdout=subprocess.PIPE, text=True)
    with run:
        child = Path("/proc") / run.stdout.readline().strip()
        assert child.exists()
        time.sleep(0.2)
        run.send_signal(signal.SIGKILL)
    until = time.monotonic() + 10.0
    while time.monotonic() < until and child.exists() and "Z (zombie)" not in child.joinpath("status").read_text():
        time.sleep(0.05)
    assert not child.exists() or "Z (zombie)" in child.joinpath("status").read_text()


def test_the_template_of_a_pantograph_in_python_couples_as_the_masses_do(run, tmp_path):
    if importlib.util.find_spec("pythonfmu") is None:
        pytest.skip("no pythonfmu: pip install pythonfmu==0.7.0")
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", str(TEMPLATE / "pantograph.py"), "-d", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    (tmp_path / "pantograph.yaml").write_bytes((TEMPLATE / "pantograph.yaml").read_bytes())
    native, driven = (run(load_pantograph(p)) for p in ("bruni_2015", tmp_path / "pantograph.yaml"))
    assert driven.contact_force_std_N == pytest.approx(native.contact_force_std_N, rel=1e-3)
