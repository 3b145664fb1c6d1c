"""A whole test over UDP on this machine: round trips, steps that were missed. Other work on the machine shows here."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dynamics.influence.matrices import influence_matrices
from dynamics.rig.bundle import write_bundle
from dynamics.rig.service.journal import read_journal
from dynamics.rig.whole_steps import whole_step_case
from dynamics.spec.case import case_of
from studies.commands import export

ROOT = Path(__file__).resolve().parents[3]
LOOP = (
    "loop.strategy=span_by_span", "loop.delay_steps=8", "loop.height_harmonics=18", "loop.dropper_harmonics=all",
    "loop.contact_relaxation=0.1",
)  # fmt: skip


@pytest.mark.benchmark
def test_two_minutes_over_loopback(figure, tmp_path):
    case = whole_step_case(case_of(export.compose([]).job))
    bundle = write_bundle(tmp_path / "bundle", influence_matrices(case), case)
    ports = []
    for _ in range(2):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind(("127.0.0.1", 0))
            ports.append(sock.getsockname()[1])
    port, stop = ports
    patient = ("service.loss.watchdog_ms=2000", "service.loss.largest_gap_steps=1000")
    command = [sys.executable, "-m", "studies.cli", "rig"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    how = {"cwd": tmp_path, "env": environment, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    serve = [
        *command,
        "serve",
        f"bundle={bundle}",
        f"service.address.port={port}",
        f"service.emergency_stop.port={stop}",
        "run_dir=run",
        *patient,
        *LOOP,
    ]
    device = [*command, "device", f"address.port={port}", "patience_s=120", "watchdog_ms=2000"]
    with subprocess.Popen(serve, **how) as server, subprocess.Popen(device, **how) as other:
        output = other.communicate(timeout=400)[0]
        server.communicate(timeout=100)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    columns = read_journal(tmp_path / "run" / "run.journal")[1]
    what = f"test of 120 s at 2 ms over loopback, load {os.getloadavg()[0]:.1f}"
    figure(what, f"{summary['reason']}, {summary['steps']} steps", "done")
    trip = summary["round_trip_ms"]
    figure("  round trip: median, p99.9", f"{trip['median']:.3f}, {trip['p99.9']:.3f} ms", "p99.9 1 ms, idle")
    missed = next(line for line in output.splitlines() if "missed" in line)
    figure("  steps", missed, "none missed, idle")
    figure("  forces with a substitute", f"{summary['frames']['substituted']}", "0, idle")
    served = 1e3 * np.percentile(columns["service_time"], [50, 99.9])
    figure("  a step in the server, journal apart: median, p99.9", f"{served[0]:.4f}, {served[1]:.4f} ms", "0.3 ms")
