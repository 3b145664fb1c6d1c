"""Server and device as two processes over real sockets in real time, each killed once while the other lives."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from rig_sockets import free_ports

from dynamics.results.dataset import read_result
from dynamics.rig.bundle import write_bundle
from dynamics.rig.service.frames import Frame, Kind, Mark, Refusal, pack, unpack
from dynamics.rig.service.journal import read_journal

ROOT = Path(__file__).resolve().parents[2]
# a machine that does other things as well lets a process wait for a while: that shall not end these tests
PATIENT = (
    "service.loss.watchdog_ms=4000", "service.loss.largest_gap_steps=2000", "service.loss.grace_ms=100",
    "service.loss.largest_share_percent=50", "service.limits.jitter_ms=500",
)  # fmt: skip
LOOP = (
    "loop.strategy=span_by_span", "loop.delay_steps=8", "loop.height_harmonics=12", "loop.dropper_harmonics=all",
    "loop.contact_relaxation=0.1", "loop.ramp_s=4",
)  # fmt: skip
DEVICE = ("pantograph=dsa250", "watchdog_ms=4000", "patience_s=200")


@pytest.fixture(scope="module")
def bundle(influence, tmp_path_factory):
    return write_bundle(tmp_path_factory.mktemp("rig") / "bundle", influence, influence.case)


@pytest.fixture
def port():
    return free_ports(1)[0]


@pytest.fixture
def start(tmp_path):
    """Function that starts `catenary rig ...` as a process; what is left at the end is ended by its number."""
    started = []

    def begin(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", "studies.cli", "rig", *arguments]
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            # a shell that runs the tests in the background ignores Ctrl-C, and its children would too
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


def served(start, bundle, port, duration, *more):
    return start(
        "serve", f"bundle={bundle}", f"service.address.port={port}", f"duration_s={duration}", "run_dir=run", *LOOP,
        f"service.emergency_stop.port={free_ports(1)[0]}", *PATIENT, *more,
    )  # fmt: skip


def wait_for_steps(journal, count, seconds=250):
    """Wait until so many steps are on record."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if journal.exists() and journal.stat().st_size and len(read_journal(journal)[1]["step"]) >= count:
            return
        time.sleep(0.02)
    pytest.fail(f"{count} steps were not on record within {seconds} s")


def test_a_test_over_sockets_runs_to_its_end(start, bundle, port, tmp_path):
    server = served(start, bundle, port, 3.0)
    device = start("device", f"address.port={port}", *DEVICE)
    output, said = device.communicate(timeout=300)[0], server.communicate(timeout=200)[0]
    assert (server.returncode, device.returncode) == (0, 0), said + output
    assert "made for bruni_2015 pressed to an applied force of 165.00 N" in said and "hold that against" in said
    assert (
        "The test ran to its end" in said and "Round trip: median" in output and "answers missed their step" in output
    )
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["reason"] == "done" and summary["steps"] >= 1500 and summary["frames"]["foreign"] == 0
    assert {p.name for p in (tmp_path / "run" / "figures").iterdir()} == {
        "convergence.png", "force_along_the_span.png", "force_by_span.png",
    }  # fmt: skip
    run = read_result(tmp_path / "run" / "run.nc")
    assert np.isfinite(run.values["height"]).all() and run.units["force"] == "N" and run.values["height"][-1] == 0.0
    # what the model gave is what was sent until the end of the test
    before = run.values["mark"].astype(int) & Mark.STOPPING == 0
    np.testing.assert_array_equal(run.values["model_height"][before], run.values["height"][before])
    np.testing.assert_allclose(run.values["position"], run.values["time"] * float(run.attributes["speed_m_per_s"]))


def test_a_device_that_is_killed_leaves_a_server_that_goes_to_the_safe_height(start, bundle, port, tmp_path):
    server = served(start, bundle, port, 60.0, "service.stop.safe_height_m=-0.002")
    device = start("device", f"address.port={port}", *DEVICE)
    wait_for_steps(tmp_path / "run" / "run.journal", 500)
    device.kill()
    said = server.communicate(timeout=200)[0]
    assert server.returncode == 1 and "the device fell silent; going to the safe height" in said, said
    run = read_result(tmp_path / "run" / "run.nc").values
    assert run["height"][-1] == pytest.approx(-0.002, abs=1e-15)
    assert np.abs(np.diff(run["height"])).max() <= 2e-3
    np.testing.assert_array_equal(run["step"], np.arange(len(run["step"])))
    assert np.isfinite(run["force_received"][:500]).mean() > 0.5


def test_a_server_that_is_killed_leaves_its_record_and_a_device_that_comes_down(start, bundle, port, tmp_path):
    server = served(start, bundle, port, 60.0)
    device = start("device", f"address.port={port}", *DEVICE)
    wait_for_steps(tmp_path / "run" / "run.journal", 500)
    server.kill()
    output = device.communicate(timeout=200)[0]
    assert device.returncode == 1 and "the server fell silent; the actuator came down by itself" in output, output
    about, columns = read_journal(tmp_path / "run" / "run.journal")
    assert about["dt_s"] == 2e-3 and len(columns["step"]) >= 500
    np.testing.assert_array_equal(columns["step"], np.arange(len(columns["step"])))
    # every step that was answered is on record
    steps, missed = map(int, re.findall(r"(\d+) steps, (\d+) answers missed", output)[0])
    assert len(columns["step"]) >= steps - missed


def test_ctrl_c_on_the_server_stops_the_actuator_before_it_ends(start, bundle, port, tmp_path):
    server = served(start, bundle, port, 60.0)
    device = start("device", f"address.port={port}", *DEVICE)
    wait_for_steps(tmp_path / "run" / "run.journal", 200)
    server.send_signal(signal.SIGINT)
    output, said = device.communicate(timeout=200)[0], server.communicate(timeout=200)[0]
    assert (server.returncode, device.returncode) == (1, 1), said + output
    assert "the server was interrupted; going to the safe height" in said
    assert "The test stopped: the server was" in output
    assert read_result(tmp_path / "run" / "run.nc").values["height"][-1] == 0.0


def test_a_device_that_is_interrupted_asks_for_a_stop_and_follows_it_down(start, bundle, port, tmp_path):
    server = served(start, bundle, port, 60.0)
    device = start("device", f"address.port={port}", *DEVICE)
    wait_for_steps(tmp_path / "run" / "run.journal", 200)
    device.send_signal(signal.SIGINT)
    output, said = device.communicate(timeout=200)[0], server.communicate(timeout=200)[0]
    assert (server.returncode, device.returncode) == (1, 1), said + output
    assert "the device asked for an emergency stop; going to the safe height" in said, said
    assert "The test stopped: the device asked for an emergency stop" in output and "Traceback" not in output, output
    assert read_result(tmp_path / "run" / "run.nc").values["height"][-1] == 0.0


def test_the_emergency_stop_as_a_command(start, bundle, port, tmp_path):
    stop = free_ports(1)[0]
    nobody = start("stop", f"address.port={stop}", "patience_s=0.3")
    output = nobody.communicate(timeout=200)[0]
    assert nobody.returncode == 1 and f"NOTHING ANSWERED at localhost:{stop}" in output, output
    own = (f"service.emergency_stop.port={stop}", "service.emergency_stop.key=red")
    server = served(start, bundle, port, 60.0, *own)
    device = start("device", f"address.port={port}", *DEVICE)
    wait_for_steps(tmp_path / "run" / "run.journal", 200)
    pressed = start("stop", f"address.port={stop}", "address.key=red", "patience_s=20")
    assert "answered: the actuator is led to its safe height" in pressed.communicate(timeout=200)[0]
    output, said = device.communicate(timeout=200)[0], server.communicate(timeout=200)[0]
    assert (pressed.returncode, server.returncode, device.returncode) == (0, 1, 1), said + output
    assert "an emergency stop was asked for at its own address" in said and "an emergency stop was asked" in output
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["reason"] == "emergency"


def test_an_emergency_stop_ends_a_server_that_waits(start, bundle, port, tmp_path):
    stop = free_ports(1)[0]
    server = served(start, bundle, port, 60.0, f"service.emergency_stop.port={stop}")
    pressed = start("stop", f"address.port={stop}", "patience_s=200")
    assert "answered" in pressed.communicate(timeout=300)[0]
    said = server.communicate(timeout=200)[0]
    assert server.returncode == 1 and "Traceback" not in said, said
    assert "an emergency stop was asked for at its own address" in said
    assert json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))["steps"] == 0


@pytest.mark.validate  # four processes
def test_an_emergency_stop_of_the_device_and_whoever_comes_at_the_wrong_time(start, bundle, port, tmp_path):
    lonely = start("device", f"address.port={port}", "patience_s=0.5")  # nobody serves yet
    output = lonely.communicate(timeout=200)[0]
    assert lonely.returncode == 2 and "nothing answered at localhost" in output, output
    server = served(start, bundle, port, 60.0)
    until = time.monotonic() + 200
    while not (tmp_path / "run" / "run.journal").exists() and time.monotonic() < until:
        time.sleep(0.05)
    rival = served(start, bundle, port, 60.0, "run_dir=rival")
    output = rival.communicate(timeout=200)[0]
    assert rival.returncode == 2 and "another server may run" in output and "Traceback" not in output, output
    assert not (tmp_path / "rival").exists()
    device = start("device", f"address.port={port}", *DEVICE, "stop_after_s=2")
    wait_for_steps(tmp_path / "run" / "run.journal", 50)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as second:
        second.settimeout(20.0)
        second.sendto(pack(Frame(Kind.HELLO)), ("127.0.0.1", port))
        answer = unpack(second.recv(2048))
    assert isinstance(answer, Frame) and (answer.kind, answer.status) == (Kind.REFUSAL, Refusal.BUSY)
    output, said = device.communicate(timeout=200)[0], server.communicate(timeout=200)[0]
    assert (server.returncode, device.returncode) == (1, 1), said + output
    assert "the device asked for an emergency stop" in said and "refused a client" in said
    # the latency: the device asks at step 1000, and the height that answers this very step is on the way down
    _, columns = read_journal(tmp_path / "run" / "run.journal")
    assert int(np.argmax(columns["mark"].astype(int) & Mark.STOPPING != 0)) == 1000
    assert len(columns["step"]) == 1000 + 250 and columns["height"][-1] == 0.0


def test_a_device_with_another_period_or_delay_is_refused(start, bundle, port):
    served(start, bundle, port, 60.0)
    for wrong, sentence in (
        ("steps_per_span=7", "steps_per_span must be 360"),
        ("delay_steps=5", "must be 8, on which"),
    ):
        device = start("device", f"address.port={port}", wrong, "patience_s=200")
        said = device.communicate(timeout=200)[0]
        assert device.returncode == 2 and sentence in said, said
