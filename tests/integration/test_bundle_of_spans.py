"""A bundle whose period has several spans, where each dropper's record begins at a step of its own: every reader."""

import json

import numpy as np
import pytest
import xarray as xr
from bundle_programs import compiled, heights_of_c, heights_of_loop, heights_of_octave

from catenary.errors import InputError
from catenary.storage.files import write_json_atomic
from dynamics.influence.matrices import influence_matrices
from dynamics.rig.bundle import write_bundle
from dynamics.rig.bundle.pfem import STRATEGIES, Pfem, read_raw
from dynamics.rig.bundle.self_check import LoopSettings, direct_heights
from dynamics.rig.loop.model import model_of, read_model

TOLERANCE = 1e-12


@pytest.fixture(scope="module")
def matrices(build_line, build_case):
    """Three equal spans a period, three droppers each."""
    droppers = {"positions": [8.0, 21.0, 33.0], "contact_wire_heights": [0.0, -0.02, 0.0]}
    line = build_line(elements_per_bay=2, span_length=40.0, droppers=droppers, repeat={"spans": 3})
    return influence_matrices(build_case(line, 280.0, applied_force_N=150.0, dt=4.0e-3))


@pytest.fixture(scope="module")
def folder(matrices, tmp_path_factory):
    return write_bundle(tmp_path_factory.mktemp("rig") / "bundle", matrices, matrices.case)


@pytest.fixture(scope="module")
def long_way(matrices):
    """Forces, settings and the heights by both strategies, with droppers of all spans slack."""
    n = np.arange(round(2.3 * len(matrices.z0)))
    force = 150.0 + 80.0 * np.sin(n / 21.0) + 40.0 * np.sin(n / 3.7)
    settings = LoopSettings(4, 0.8, 0, 40, 150)
    heights, squeeze = direct_heights(matrices, force, settings)
    assert all((squeeze[3 * span : 3 * span + 3] > 0.0).any() for span in range(3))
    return force, settings, heights


def assert_same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE * np.abs(wanted).max())


def test_c_and_octave_give_the_heights_of_the_long_way(folder, long_way, tmp_path):
    force, settings, wanted = long_way
    program = compiled(folder, tmp_path)
    for strategy in (0, 1):
        assert_same(heights_of_c(program, folder, force, strategy, settings), wanted[strategy])
    assert_same(heights_of_octave(folder, force, settings, tmp_path), wanted)


@pytest.mark.parametrize("strategy", [0, 1])
def test_python_and_the_loop_give_them_too(folder, long_way, strategy):
    force, settings, wanted = long_way
    model = Pfem(read_raw(folder / "pfem.bin"), settings.harmonics, settings.dropper_harmonics)
    model.start(STRATEGIES[strategy], settings.delay, settings.relaxation, settings.ramp_steps)
    assert_same(np.array([model.step(f) for f in force]), wanted[strategy])
    found = heights_of_loop(read_model(folder)[0], force, settings, strategy)
    assert_same(found, wanted[strategy])


def test_the_readme_says_period_of_what_repeats_and_span_of_a_span(folder, matrices):
    """It called three spans together a span, and the next sentence a record of three of them two spans long."""
    readme = " ".join((folder / "README.md").read_text(encoding="utf-8").split())
    N, M = len(matrices.z0), matrices.I_cd.shape[2]
    assert f"A period is the 3 spans of 40, 40, 40 m that repeat and takes {N} steps (N)." in readme
    assert "| time steps a period |" in readme and "a record is as long as two spans (M steps" in readme
    assert M == 2 * -(-N // 3) and f"dropper corrections f_d (9 × {M})" in readme
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert "length of the period" in manifest["variables"]["span"]["long_name"]
    programs = " ".join(path.read_text(encoding="utf-8") for path in folder.iterdir() if path.suffix in (".h", ".m"))
    for wrong in ("a 'span'", "steps a span", "droppers a span", "own span", "make a span", "span length"):
        assert wrong not in readme and wrong not in programs, wrong


def test_a_bundle_of_the_version_before_is_read(influence, tmp_path):
    """One first step for all droppers, as schema 2 had it."""
    folder = write_bundle(tmp_path / "bundle", influence, influence.case)
    stored = as_version_2(folder, int(influence.dropper_offset[0]))
    assert stored["dropper_offset"].shape == ()
    model, manifest = read_model(folder, "pfem.nc")
    assert manifest["schema_version"] == 2
    np.testing.assert_array_equal(model.dropper_offset, model_of(influence).dropper_offset)


@pytest.mark.parametrize("step", [0.5, 1e6, np.nan])
def test_first_steps_that_cannot_be_are_refused(influence, tmp_path, step):
    folder = write_bundle(tmp_path / "bundle", influence, influence.case)
    as_version_2(folder, step)
    with pytest.raises(InputError, match=r"dropper_offset of the bundle .* whole numbers within 360 steps"):
        read_model(folder, "pfem.nc")


def as_version_2(folder, step):
    """The bundle's file as the version before wrote it."""
    with xr.open_dataset(folder / "pfem.nc") as data:
        stored = data.load()
    stored["dropper_offset"] = ((), float(step), {"units": "1"})
    stored.to_netcdf(folder / "pfem.nc")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    write_json_atomic(folder / "manifest.json", {**manifest, "schema_version": 2})
    return stored
