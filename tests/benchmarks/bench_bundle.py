"""A bundle read by the stand-alone reader, at the lines' own damping, against a fresh run."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dynamics.influence import influence_matrices
from dynamics.periodic import solve_periodic
from dynamics.rig_bundle import write_bundle
from dynamics.spec import CaseSpec
from studies import export

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import bundle_programs
import read_bundle

MASSES, DAMPINGS, STIFFNESSES = (6.6, 9.5), (10.0, 90.0), (7000.0, 120.0)
APPLIED, CONTACT_STIFFNESS = 150.0, 60.0e3


@pytest.mark.benchmark
def test_export_of_every_format(figure, tmp_path, monkeypatch):
    """Matrices and files of a stitched line at 300 km/h, and a compiled step with its slack droppers."""
    monkeypatch.chdir(tmp_path)
    begin, busy = time.perf_counter(), time.process_time()
    code, folder = export.run_export(export.compose([f"run_dir={tmp_path}/bundle"]))
    assert code == 0
    taken, busy = time.perf_counter() - begin, time.process_time() - busy
    figure("export of re330, 300 km/h, 2 ms, every format", f"{taken:.1f} s wall, {busy:.1f} s of processor", "30 s")
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
