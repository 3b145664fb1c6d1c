"""A bundle read by the stand-alone reader, at the lines' own damping, against a fresh run."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dynamics.influence.matrices import influence_matrices
from dynamics.rig.bundle import write_bundle
from dynamics.spec.case import CaseSpec
from dynamics.steady_state.periodic import solve_periodic

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "integration"))

import bundle_programs
import read_bundle

MASSES, DAMPINGS, STIFFNESSES = (6.6, 9.5), (10.0, 90.0), (7000.0, 120.0)
ROOT, REPEATS = Path(__file__).resolve().parents[3], 3
APPLIED, CONTACT_STIFFNESS = 150.0, 60.0e3


@pytest.mark.benchmark
def test_export_of_every_format(figure, tmp_path):
    """A stitched line at 300 km/h as a person exports it, start of the program included; a compiled step in C."""
    folder, command = tmp_path / "bundle", [sys.executable, "-m", "studies.cli", "export", "speed_kmh=300"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    spent = []
    for _ in range(REPEATS + 1):  # the first one may have to compile
        begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [*command, f"run_dir={folder}"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        spent.append((time.perf_counter() - begin, busy, done.stdout))
    wall, busy, output = min(spent[1:])
    what = f"export of re330, 300 km/h, 2 ms, every format, best of {REPEATS}, load {os.getloadavg()[0]:.1f}"
    figure(what, f"{wall:.1f} s, {busy:.1f} s of processor; first {spent[0][0]:.1f} s", "30 s")
    for line in output.splitlines()[1:-1]:
        figure("  " + line.partition(": ")[0], line.partition(": ")[2])
    for name in ("pfem.nc", "pfem.mat", "pfem.bin"):
        figure(f"  {name}", f"{(folder / name).stat().st_size / 1e6:.1f} MB", "100 MB")
    program = bundle_programs.compiled(folder, tmp_path)
    timed = bundle_programs.run([str(program), "pfem.bin", "time", "60000"], folder).stdout.decode().strip()
    figure("  one compiled step (gcc -O2), droppers slack", timed, "30 us")


@pytest.mark.benchmark
@pytest.mark.parametrize(("line", "speed"), [("bruni_2015", 275), ("re330", 300)])
def test_bundle_against_a_fresh_run(case_of, figure, tmp_path, line, speed):
    matrices = influence_matrices(case_of(f"catenary={line}", f"speed_kmh={speed}", dt=2.0e-3))
    bundle = read_bundle.read_netcdf(write_bundle(tmp_path / "bundle", matrices, matrices.case) / "pfem.nc")
    panto = {"name": "rig", "masses": MASSES, "dampings": DAMPINGS, "stiffnesses": STIFFNESSES}
    forces = {"applied_force_N": APPLIED, "mean_force_N": None, "contact": {"stiffness": CONTACT_STIFFNESS}}
    fresh = solve_periodic(CaseSpec.model_validate({**matrices.case.model_dump(), "pantograph": panto, **forces}))
    force, squeeze = read_bundle.solve(bundle, (MASSES, DAMPINGS, STIFFNESSES), APPLIED, CONTACT_STIFFNESS)
    a = read_bundle.low_pass(force, float(bundle["dt"])).std()
    b = fresh.contact_force_filtered.std()
    figure(f"bundle against a fresh run, {line}, {speed} km/h, 2 ms: sigma", f"{a:.3f} and {b:.3f} N, "
           f"{100 * (a / b - 1):+.3f} %", "0.5 %")  # fmt: skip
    figure("  slack samples; least contact force", f"{np.count_nonzero(squeeze > 0.0)}; {force.min():.1f} N")
