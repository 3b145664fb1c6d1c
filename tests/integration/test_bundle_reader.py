"""A rig bundle read by a program of its own: same arrays in both files, and the steady state that we compute."""

import ast
import hashlib
import json
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import read_bundle

from dynamics.rig.bundle import write_bundle
from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic

# neither the pantograph nor the force is the one that the bundle was made with
MASSES, DAMPINGS, STIFFNESSES = (6.6, 9.5), (10.0, 90.0), (7000.0, 120.0)
APPLIED, CONTACT_STIFFNESS = 150.0, 60.0e3


@pytest.fixture(scope="module")
def folder(influence, tmp_path_factory):
    return write_bundle(tmp_path_factory.mktemp("rig") / "bundle", influence, influence.case)


@pytest.fixture(scope="module")
def bundle(folder):
    return read_bundle.read_netcdf(folder / "pfem.nc")


def test_reader_knows_nothing_of_ours():
    """Whatever it imports is NumPy, a file reader or the standard library."""
    tree = ast.parse(Path(read_bundle.__file__).read_text(encoding="utf-8"))
    roots = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            roots.add(str(node.module).split(".")[0])
    assert roots - set(sys.stdlib_module_names) == {"numpy", "scipy", "netCDF4"}


def test_manifest_names_every_file_with_its_hash(folder):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["files"]) == {p.name for p in folder.iterdir()} - {"manifest.json"}
    for name, facts in manifest["files"].items():
        assert facts["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()


def test_every_variable_carries_its_unit_and_the_manifest_agrees(folder):
    described = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["variables"]
    with netCDF4.Dataset(str(folder / "pfem.nc")) as data:
        assert set(data.variables) == set(described)
        for name, variable in data.variables.items():
            assert variable.units == described[name]["units"] != ""
            assert variable.long_name == described[name]["long_name"] != ""
            assert list(variable.shape) == described[name]["shape"]
            assert list(variable.dimensions) == described[name]["dimensions"]


def test_both_files_hold_the_same_numbers(folder, bundle):
    other = read_bundle.read_matlab(folder / "pfem.mat", bundle)
    for name, values in bundle.items():
        np.testing.assert_array_equal(other[name], values, err_msg=name)


def test_step_speed_and_span_fit_each_other(bundle):
    assert bundle["N"] * bundle["dt"] * bundle["speed"] == pytest.approx(bundle["span"], rel=1e-12)
    elongation = bundle["dropper_force"] / bundle["dropper_stiffness"]
    np.testing.assert_allclose(bundle["dropper_elongation"], elongation, rtol=1e-12)


def test_steady_state_from_the_bundle_meets_a_fresh_run(influence, bundle):
    """Another pantograph, force and contact, with slack droppers: sigma within 0.5 %, same step and discretisation."""
    panto = {"name": "rig", "masses": MASSES, "dampings": DAMPINGS, "stiffnesses": STIFFNESSES}
    ours = {
        **influence.case.model_dump(),
        "pantograph": panto,
        "applied_force_N": APPLIED,
        "contact": {"stiffness": CONTACT_STIFFNESS},
        "periodic": {"method": "march", "spans_behind": 15, "spans_ahead": 23, "tolerance": 1e-5, "max_spans": 300},
    }
    fresh = solve_periodic(CaseSpec.model_validate(ours))
    assert fresh.status is Status.OK, fresh.message
    force, squeeze = read_bundle.solve(bundle, (MASSES, DAMPINGS, STIFFNESSES), APPLIED, CONTACT_STIFFNESS)
    assert (squeeze > 0.0).sum() >= 5
    assert (fresh.dropper_force <= 1e-9).any()
    assert fresh.contact_force.min() > 0.0
    filtered = read_bundle.low_pass(force, float(bundle["dt"]))
    # the run records the end of each step, the matrices its beginning
    difference = np.roll(filtered, -1) - fresh.contact_force_filtered
    assert filtered.std() == pytest.approx(fresh.contact_force_filtered.std(), rel=5e-3)
    assert filtered.mean() == pytest.approx(fresh.contact_force.mean(), abs=0.1)
    assert np.sqrt(np.mean(difference**2)) < 0.01 * filtered.std()
