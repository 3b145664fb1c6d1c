"""Aerodynamic forces on masses: against the same forces as a load of a pantograph by matrices, and closed forms."""

import numpy as np
import pytest
from pydantic import ValidationError

from catenary.errors import InputError
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.pantograph.aerodynamic import lift_of
from dynamics.pantograph.lumped import chain_matrix, pantograph_matrices
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.pantograph import PantographSpec

OWN = load_pantograph("bruni_2015")
GIVEN = (0.004, 0.001, 0.006)
OPEN_LINE = {"spans": 6, "start": 0.5, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
WINDOW = {"spans_behind": 4, "spans_ahead": 6}
APPLIED = 100.0


def with_forces(given, **changes):
    return PantographSpec.model_validate({**OWN.model_dump(), "aerodynamic": given, **changes})


def solved(build_case, pantograph, **settings):
    case = build_case("bruni_2015", 320.0, pantograph=pantograph, **settings)
    return run_case(case, error_estimate=False).solution


@pytest.mark.parametrize(
    "settings", [{"periodic": WINDOW}, {"solver": "open_line", "open_line": OPEN_LINE}], ids=["periodic", "open_line"]
)
def test_they_press_as_a_load_on_every_mass(build_case, tmp_path, settings):
    """Matrices of the same chain take applied and aerodynamic forces as one load, wherever it acts."""
    load = APPLIED * np.eye(3)[-1] + np.array(GIVEN) * (320.0 / 3.6) ** 2
    content = {
        "mass": np.diag(OWN.masses),
        "damping": chain_matrix(OWN.dampings),
        "stiffness": chain_matrix(OWN.stiffnesses),
        "head": np.eye(3)[0],
        "applied": load / APPLIED,
        "base": np.ones(3),
    }
    np.savez(tmp_path / "m.npz", **content)
    loaded = PantographSpec.model_validate(
        {"kind": "matrices", "name": "given", "matrices": {"file": str(tmp_path / "m.npz")}}
    )
    one, other = (
        solved(build_case, head, applied_force_N=APPLIED, **settings) for head in (with_forces(GIVEN), loaded)
    )
    np.testing.assert_allclose(one.contact_force, other.contact_force, atol=1e-5)
    assert one.applied_force_N == pytest.approx(APPLIED)
    assert one.statistics.contact_force_mean_N > 1.6 * APPLIED
    if one.histories is not None:
        np.testing.assert_allclose(one.histories.mass_height[..., :3], other.histories.mass_height[..., :3], atol=1e-7)


def test_a_held_mean_needs_less_applied_force_and_the_contact_is_the_same(build_case):
    held = {"mean_force_N": 150.0, "periodic": WINDOW}
    with_them, without = (solved(build_case, head, **held) for head in (with_forces(GIVEN), OWN))
    np.testing.assert_array_equal(with_them.contact_force, without.contact_force)
    assert with_them.case.pantograph.aerodynamic == GIVEN
    lift = lift_of(with_them.case).applied
    assert lift == pytest.approx(sum(GIVEN) * (320.0 / 3.6) ** 2, rel=0.15)  # the spring to the base is soft
    assert with_them.applied_force_N == pytest.approx(without.applied_force_N - lift)


def test_without_a_spring_to_the_base_they_sum_up_and_stretch_the_springs(build_case):
    free = with_forces(GIVEN, stiffnesses=[*OWN.stiffnesses[:-1], 0.0])
    case = build_case("bruni_2015", 320.0, pantograph=free, applied_force_N=APPLIED)
    force, lift = np.array(GIVEN) * case.speed**2, lift_of(case)
    assert lift.applied == pytest.approx(force.sum())
    k1, k2 = OWN.stiffnesses[:2]
    # the head is held: what acts on it is a pull in the first spring, and both upper forces in the second
    expected = [0.0, -force[0] / k1, -force[0] / k1 - (force[0] + force[1]) / k2]
    np.testing.assert_allclose(lift.heights, expected, rtol=1e-12)


def test_derivatives_by_a_force_on_the_head_are_all_but_those_by_the_applied_force(build_case):
    case = build_case("bruni_2015", 275.0, applied_force_N=APPLIED, pantograph=with_forces(GIVEN), periodic=WINDOW)
    slopes = SteadySlopes(run_case(case, error_estimate=False).solution)
    softer = case.model_copy(update={"pantograph": with_forces((0.0041, 0.001, 0.006))})
    pressed = case.model_copy(update={"applied_force_N": APPLIED + 1e-4 * case.speed**2})
    by_force, by_applied = (slopes.towards(near, 1.0).sigma for near in (softer, pressed))
    # bruni_2015's chain hands all but little of a force on its head to the contact
    assert by_force == pytest.approx(by_applied, rel=0.1) and abs(by_applied) > 1e-3


def test_wrong_input_is_refused():
    with pytest.raises(ValidationError, match=r"aerodynamic must have one value per mass.*3 masses, 1 values"):
        with_forces([0.01])
    with pytest.raises(ValidationError, match=r"aerodynamic must be left out: kind is articulated"):
        PantographSpec.model_validate({**load_pantograph("articulated").model_dump(), "aerodynamic": [0.01]})
    with pytest.raises(InputError, match=r"aerodynamic must be left out on the rig"):
        pantograph_matrices(with_forces(GIVEN))


def test_a_pantograph_without_them_is_written_as_before():
    assert "aerodynamic" not in OWN.model_dump()
    assert PantographSpec.model_validate(with_forces(GIVEN).model_dump()).aerodynamic == GIVEN
