"""Errors of installation: what they act on, and that every design meets the same ones."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from optimise.evaluation.installation import (
    InstallationErrors,
    drawn_errors,
    installed,
    installed_near,
    standard_errors,
)
from optimise.spec.scenarios import InstallationSpec


def test_errors_are_the_same_for_every_design_and_do_not_depend_on_the_number_of_droppers():
    nine, seven = standard_errors(1, 4, 9), standard_errors(1, 4, 7)
    assert all((a[:7] == b).all() for a, b in zip(nine, seven, strict=True))
    assert not (nine[0] == nine[1]).any() and not (standard_errors(2, 4, 9)[0] == nine[0]).any()
    many = np.array([standard_errors(1, s, 9) for s in range(200)])
    assert many.mean() == pytest.approx(0.0, abs=0.05) and many.std() == pytest.approx(1.0, abs=0.05)
    assert abs(np.corrcoef(many[:, 0].ravel(), many[:, 1].ravel())[0, 1]) < 0.1


def test_a_line_is_installed_with_the_errors_that_are_asked_for(build_line):
    line = periodic_equilibrium(build_line("bruni_2015"))
    heights, lengths = standard_errors(3, 0, 9)
    high = installed(line, InstallationErrors(heights=1e-3 * heights))
    z = np.array(line.spec.droppers.contact_wire_heights)
    assert np.array(high.spec.droppers.contact_wire_heights) - z == pytest.approx(1e-3 * heights)
    cut = installed(line, InstallationErrors(lengths=1e-3 * lengths))
    exact = np.array(line.dropper_unstretched_length)
    assert np.array(cut.spec.droppers.lengths) - exact == pytest.approx(1e-3 * lengths)
    assert cut.dropper_unstretched_length - exact == pytest.approx(1e-3 * lengths, abs=1e-9)
    both = installed(line, InstallationErrors(1e-3 * heights, 1e-3 * lengths))
    assert both.dropper_unstretched_length - high.dropper_unstretched_length == pytest.approx(1e-3 * lengths, abs=1e-9)
    # a dropper cut long hangs the contact wire lower and hands load to its neighbours
    one = installed(line, InstallationErrors(lengths=np.where(np.arange(9) == 4, 3e-3, 0.0)))
    drop = one.q[one.mesh.dropper_bottom, 2] - line.q[line.mesh.dropper_bottom, 2]
    assert -3e-3 < drop[4] < -1e-3 and one.dropper_force[4] < line.dropper_force[4] - 5.0
    assert one.dropper_force[3] > line.dropper_force[3] and one.dropper_force[5] > line.dropper_force[5]
    # nothing wrong, nothing changed: only by way of lengths
    same = installed(line, InstallationErrors(lengths=np.zeros(9)))
    assert same.dropper_force == pytest.approx(line.dropper_force, abs=1e-3)


def test_errors_of_stations_and_supports_leave_the_lengths_as_cut(build_line):
    line = periodic_equilibrium(build_line("re330"))
    drawn = drawn_errors(InstallationSpec(station_sd_mm=30.0, support_sd_mm=5.0, seed=3), 0, 9)
    moved = installed(line, drawn)
    assert moved.spec.encumbrance - line.spec.encumbrance == pytest.approx(drawn.support) and drawn.support != 0.0
    x = np.array(moved.spec.droppers.positions) - line.spec.droppers.positions
    assert x == pytest.approx(drawn.stations) and 5e-3 < np.abs(x).max() < 0.1
    assert moved.spec.droppers.lengths == pytest.approx(line.dropper_unstretched_length)
    assert moved.mesh.n_dof == line.mesh.n_dof and moved.status is line.status
    higher = installed(line, InstallationErrors(support=5e-3))
    assert (higher.q[higher.mesh.dropper_bottom, 2] > line.q[line.mesh.dropper_bottom, 2] + 5e-4).all()


def test_heights_that_errors_make_impossible_are_the_nearest_that_hang(build_line):
    line = periodic_equilibrium(build_line("bruni_2015"))
    found = installed(line, InstallationErrors(heights=np.where(np.arange(9) == 3, -15e-3, 0.0)))
    assert found.dropper_force.min() == found.dropper_force[3] == 0.0
    z = found.q[found.mesh.dropper_bottom, 2] - line.spec.droppers.contact_wire_heights
    assert -15e-3 < z[3] < -1e-3 and np.abs(np.delete(z, 3)).max() < 1e-9


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_lines_near_an_installed_one_have_its_errors_to_first_order(build_line, name):
    """Derivatives over scenarios want them; found one by one they take a fifth of a design's time."""
    spec = build_line(name)
    line = periodic_equilibrium(spec)
    drawn = drawn_errors(InstallationSpec(length_sd_mm=3.0, station_sd_mm=20.0, support_sd_mm=5.0, seed=2), 1, 9)
    base = installed(line, drawn)
    x, z = (np.array(getattr(spec.droppers, key)) for key in ("positions", "contact_wire_heights"))
    one, other = np.eye(9)[2], np.eye(9)[5]
    step = 1e-5
    specs = [
        spec.with_changes(droppers={"positions": tuple(x + step * one), "contact_wire_heights": tuple(z)}),
        spec.with_changes(droppers={"positions": tuple(x), "contact_wire_heights": tuple(z + step * other)}),
    ]
    near = [periodic_equilibrium(each, like=line.mesh) for each in specs]
    found = installed_near(base, near, drawn)
    for each, own in zip(found, (installed(line, drawn) for line in near), strict=True):
        assert each.spec == own.spec and each.status is own.status
        for values in ("q", "elem_l0", "dropper_force"):
            change = getattr(own, values) - getattr(base, values)
            assert np.abs(change).max() > 0.0
            assert getattr(each, values) - getattr(base, values) == pytest.approx(
                change, abs=2e-3 * np.abs(change).max()
            )


def test_near_lines_with_wrong_heights_are_found_one_by_one(build_line):
    line = periodic_equilibrium(build_line("bruni_2015"))
    errors = InstallationErrors(heights=np.where(np.arange(9) == 3, -15e-3, 0.0))
    (found,) = installed_near(installed(line, errors), [line], errors)
    assert found.dropper_force == pytest.approx(installed(line, errors).dropper_force)
