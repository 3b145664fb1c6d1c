"""A pantograph given by matrices: the same as its lumped masses in any coordinates, or refused by name."""

import numpy as np
import pytest

from catenary.errors import InputError
from catenary.storage.provenance import config_sha256
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.pantograph.linear import linear_pantograph
from dynamics.pantograph.lumped import chain_matrix
from dynamics.refusals import refuse_unfit_case
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.pantograph import PantographSpec

OPEN_LINE = {"spans": 6, "start": 0.5, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
WINDOW = {"spans_behind": 4, "spans_ahead": 6}


def chain(name="bruni_2015"):
    """Matrices and operators of a pantograph of the library."""
    spec = load_pantograph(name)
    n = len(spec.masses)
    return {
        "mass": np.diag(spec.masses),
        "damping": chain_matrix(spec.dampings),
        "stiffness": chain_matrix(spec.stiffnesses),
        "head": np.eye(n)[0],
        "applied": np.eye(n)[-1],
        "base": np.ones(n),
    }


def in_other_coordinates(given, seed=1):
    """The same pantograph by q = T z, T with no entry that is zero: a full mass matrix, a head of all coordinates."""
    T = np.random.default_rng(seed).standard_normal(given["mass"].shape)
    back = np.linalg.inv(T)
    found = {key: back.T @ given[key] @ back for key in ("mass", "damping", "stiffness")}
    found = {key: 0.5 * (matrix + matrix.T) for key, matrix in found.items()}
    return {**found, "head": back.T @ given["head"], "applied": back.T @ given["applied"], "base": T @ given["base"]}


def spec_of(path):
    return PantographSpec.model_validate({"kind": "matrices", "name": "given", "matrices": {"file": str(path)}})


def write(path, content):
    if path.suffix == ".npz":
        np.savez(path, **content)
    elif path.suffix == ".mat":
        from scipy.io import savemat

        savemat(path, content)
    else:
        import xarray as xr

        shapes = {1: ("coordinate",), 2: ("coordinate", "other")}
        xr.Dataset({k: (shapes[np.ndim(v)], v) for k, v in content.items()}).to_netcdf(path, engine="netcdf4")
    return path


@pytest.mark.parametrize("suffix", [".npz", ".mat", ".nc"])
def test_matrices_of_lumped_masses_are_these_masses(tmp_path, suffix):
    own, read = (
        linear_pantograph(spec)
        for spec in (load_pantograph("bruni_2015"), spec_of(write(tmp_path / f"m{suffix}", chain())))
    )
    for name in ("mass", "damping", "stiffness", "applied", "base_stiffness", "base_damping", "lift", "shown"):
        np.testing.assert_allclose(getattr(read, name), getattr(own, name), rtol=1e-12, atol=1e-11, err_msg=name)


def test_any_coordinates_have_the_same_answer_and_show_the_supplier_s_own(tmp_path):
    """Receptance of the head, of the applied force and of the base, and the transformation back, in closed form."""
    given, own = in_other_coordinates(chain()), linear_pantograph(load_pantograph("bruni_2015"))
    found = linear_pantograph(spec_of(write(tmp_path / "m.npz", given)))
    for w in (0.0, 20.0, 300.0):
        a, b = (np.diag(-w * w * p.mass) + 1j * w * p.damping + p.stiffness for p in (own, found))
        head = np.eye(3)[0]
        base = [p.base_stiffness + 1j * w * p.base_damping for p in (own, found)]
        one = [np.linalg.solve(a, f)[0] for f in (head, own.applied, base[0])]
        other = [np.linalg.solve(b, f)[0] for f in (head, found.applied, base[1])]
        np.testing.assert_allclose(other, one, rtol=1e-9)
    p = np.linalg.solve(found.stiffness, found.applied)
    q = np.linalg.solve(given["stiffness"], given["applied"])
    np.testing.assert_allclose(found.shown @ p, [given["head"] @ q, *q], rtol=1e-9)


@pytest.mark.parametrize("contact_stiffness", [50e3, 200e3])
@pytest.mark.parametrize(("solver", "extra"), [("periodic", {}), ("open_line", {"open_line": OPEN_LINE})])
def test_sigma_is_that_of_the_lumped_masses(build_case, tmp_path, contact_stiffness, solver, extra):
    paths = [write(tmp_path / f"{k}.npz", m) for k, m in enumerate((chain(), in_other_coordinates(chain())))]
    settings = {"contact": {"stiffness": contact_stiffness}, "solver": solver, "periodic": WINDOW, **extra}
    runs = [
        run_case(
            build_case("bruni_2015", 320.0, applied_force_N=170.0, pantograph=head, **settings), error_estimate=False
        )
        for head in (load_pantograph("bruni_2015"), *map(spec_of, paths))
    ]
    for run in runs[1:]:
        assert run.contact_force_std_N == pytest.approx(runs[0].contact_force_std_N, rel=1e-8)
        assert run.contact_force_mean_N == pytest.approx(runs[0].contact_force_mean_N, rel=1e-9)


def test_a_train_that_enters_the_line_is_that_of_the_lumped_masses(build_case, tmp_path):
    heads = (load_pantograph("bruni_2015"), spec_of(write(tmp_path / "m.npz", in_other_coordinates(chain()))))
    settings = {"solver": "open_line", "open_line": {**OPEN_LINE, "spans": 8}, "trailing": {"distances_m": [60.0]}}
    lines = {
        "base_motion": {"time_s": [0.05 * k for k in range(120)], "height_m": [0.01 * (k % 2) for k in range(120)]}
    }
    one, other = (
        run_case(
            build_case("bruni_2015", 320.0, applied_force_N=170.0, pantograph=head, **settings, **lines),
            error_estimate=False,
        ).solution.histories
        for head in heads
    )
    np.testing.assert_allclose(other.contact_force, one.contact_force, atol=1e-5)
    np.testing.assert_allclose(other.mass_height[:, :, 0], one.mass_height[:, :, 0], atol=1e-8)


def test_derivatives_of_sigma_are_those_of_the_lumped_masses(build_case, tmp_path):
    slopes = []
    for head in (load_pantograph("bruni_2015"), spec_of(write(tmp_path / "m.npz", in_other_coordinates(chain())))):
        case = build_case("bruni_2015", 275.0, mean_force_N=143.0, pantograph=head, periodic=WINDOW)
        near = case.model_copy(update={"contact": case.contact.model_copy(update={"stiffness": 50.1e3})})
        slopes.append(SteadySlopes(run_case(case, error_estimate=False).solution).towards(near, 100.0).sigma)
    assert slopes[1] == pytest.approx(slopes[0], rel=1e-5)


def test_another_content_than_that_on_record_is_refused(build_case, tmp_path):
    spec = spec_of(write(tmp_path / "m.npz", chain()))
    assert len(spec.matrices.sha256) == 64
    again = PantographSpec.model_validate(spec.model_dump())
    assert config_sha256(again) == config_sha256(spec)
    changed = chain()
    changed["mass"][0, 0] += 1e-9
    write(tmp_path / "m.npz", changed)
    case = build_case("bruni_2015", 275.0, mean_force_N=143.0, pantograph=again)
    with pytest.raises(InputError, match="sha256 must be that of the file's content: on record"):
        refuse_unfit_case(case)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"stiffness": None}, "holds no stiffness; it holds applied, base, damping, head, mass"),
        ({"head": [1.0, 0.0]}, r"has head of shape \(2,\), not \(3,\)"),
        ({"mass": np.diag([7.5, 9.0, 0.0])}, "mass matrix that is not positive definite"),
        ({"mass": np.array([[7.5, 1.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 6.0]])}, "mass matrix that is not symmetric"),
        ({"damping": np.diag([45.0, -1.0, 100.0])}, "damping matrix with a negative eigenvalue, -1: it would feed"),
        ({"stiffness": chain_matrix((7000.0, 0.0, 0.0))}, "coordinates that nothing holds"),
        ({"head": np.zeros(3)}, "head operator of zeros"),
        ({"applied": [0.0, 0.0, np.nan]}, "has applied with values that are not finite"),
    ],
)
def test_matrices_of_anything_but_a_pantograph_are_refused(tmp_path, changes, sentence):
    content = {k: v for k, v in {**chain(), **changes}.items() if v is not None}
    with pytest.raises(InputError, match=sentence):
        linear_pantograph(spec_of(write(tmp_path / "m.npz", content)))


@pytest.mark.parametrize(
    ("name", "content"), [("m.npz", b"nothing"), ("m.mat", b"MATLAB"), ("m.nc", b"CDF"), ("m.txt", b"")]
)
def test_a_file_of_another_kind_is_refused_in_a_sentence(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"pantograph\.matrices\.file") as refused:
        linear_pantograph(spec_of(path))
    assert "\n" not in str(refused.value)


def test_a_moving_base_needs_to_be_in_the_file(build_case, tmp_path):
    content = chain()
    del content["base"]
    moved = {"base_motion": {"time_s": [0.05 * k for k in range(200)], "height_m": [0.0] * 200}}
    case = build_case(
        "bruni_2015", 275.0, mean_force_N=143.0, pantograph=spec_of(write(tmp_path / "m.npz", content)),
        solver="open_line", open_line=OPEN_LINE, **moved,
    )  # fmt: skip
    with pytest.raises(InputError, match="holds no base, which base_motion needs"):
        refuse_unfit_case(case)


def test_lumped_masses_are_on_record_as_before_there_were_other_kinds(build_case):
    """Their hash names runs of earlier versions."""
    spec = load_pantograph("bruni_2015")
    assert config_sha256(spec) == "ef7f8533e3646bc4e2635ebfd843eeb2c92fd57897df73d1631bbc55422ffb1b"
    written = build_case("bruni_2015", 275.0, mean_force_N=143.0).model_dump()
    assert "run_fmu" not in written
    assert set(written["pantograph"]) == {
        "schema_version", "name", "description", "masses", "stiffnesses", "dampings", "provenance",
    }  # fmt: skip
