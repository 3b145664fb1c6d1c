"""A bundle read by the stand-alone reader, at the lines' own damping, against a fresh run."""

import sys
from pathlib import Path

import numpy as np
import pytest

from dynamics.influence import influence_matrices
from dynamics.periodic import solve_periodic
from dynamics.rig_bundle import write_bundle
from dynamics.spec import CaseSpec

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import read_bundle

MASSES, DAMPINGS, STIFFNESSES = (6.6, 9.5), (10.0, 90.0), (7000.0, 120.0)
APPLIED, CONTACT_STIFFNESS = 150.0, 60.0e3


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
