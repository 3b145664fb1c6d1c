"""Lines next to one that hangs, by its Newton matrix, against form-finding from a first guess."""

import numpy as np
import pytest

import catenary
from catenary.form_finding import neighbours
from catenary.form_finding.equilibrium import EquilibriumStatus, periodic_equilibrium
from catenary.form_finding.neighbours import neighbouring_equilibria
from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.linearised.cell import vertical_cell


def moved(line, key, index, step):
    values = list(getattr(line.droppers, key))
    values[index] += step
    return line.with_changes(droppers={key: values})


def spec_of(name, **changes):
    return catenary.load_line(name).with_changes(**changes)


def near(line):
    key = "lengths" if line.droppers.prescribed == "lengths" else "contact_wire_heights"
    stiff = line.contact_wire.tension
    return [moved(line, key, 2, 1e-4), moved(line, "positions", 3, -2e-3),
            line.with_changes(contact_wire={"tension": stiff + 5.0}), line]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        spec_of("bruni_2015"),
        spec_of("re330"),
        spec_of("bruni_2015", dimension="spatial"),
        spec_of("bruni_2015", formulation="beam"),
        prescribed_by_lengths(periodic_equilibrium(spec_of("bruni_2015"))),
    ],
    ids=["simple", "stitched", "spatial", "beam", "lengths"],
)
def test_lines_next_to_one_that_hangs_are_those_of_form_finding(line, monkeypatch):
    base = periodic_equilibrium(line)
    wanted = [periodic_equilibrium(spec, like=base.mesh) for spec in near(line)]
    monkeypatch.delattr(neighbours, "periodic_equilibrium")  # none is found by itself
    for got, want in zip(neighbouring_equilibria(base, near(line)), wanted, strict=True):
        assert got.status is EquilibriumStatus.OK and got.spec == want.spec
        assert got.q == pytest.approx(want.q, abs=1e-8)
        assert got.dropper_force == pytest.approx(want.dropper_force, abs=2e-4)
        assert got.elem_l0 == pytest.approx(want.elem_l0, abs=1e-9)
        assert got.residual < 1e-5


def test_a_line_too_far_away_is_found_by_itself():
    line = spec_of("bruni_2015")
    base, far = periodic_equilibrium(line), moved(line, "contact_wire_heights", 4, 0.4)
    (got,) = neighbouring_equilibria(base, [far])
    want = periodic_equilibrium(far, like=base.mesh)
    assert got.status is want.status and got.dropper_force == pytest.approx(want.dropper_force, abs=1e-3)


def test_several_sides_at_once_are_each_by_itself():
    line = spec_of("re330")
    base = periodic_equilibrium(line)
    problem = neighbours._problem(line, base.mesh)
    u = neighbours._unknowns(problem, base)
    r, matrix = neighbours.residual_and_jacobian(problem, u)
    assert np.abs(r[problem.rows]).max() < problem.tolerance, "the unknowns are those that were found"
    solver = neighbours.banded_solver(problem)
    sides = np.random.default_rng(3).normal(size=(len(problem.rows), 4))
    one = np.stack([solver.solve(matrix, side) for side in sides.T], axis=1)
    assert solver.solve_all(matrix, sides) == pytest.approx(one, rel=1e-9, abs=1e-9 * np.abs(one).max())


@pytest.mark.parametrize("dropper", [0, 1])
@pytest.mark.parametrize("step", [1e-3, -1e-3])
def test_a_dropper_moved_past_a_node_of_another_wire_keeps_the_numbers_of_its_dofs(dropper, step):
    """On re330 a dropper hangs where the stitch wire has a node, so that a small step changes their order."""
    line = spec_of("re330")
    base = periodic_equilibrium(line)
    (found,) = neighbouring_equilibria(base, [moved(line, "positions", dropper, step)])
    assert np.array_equal(found.mesh.dof, base.mesh.dof)
    here, there = vertical_cell(base), vertical_cell(found)
    change = np.abs(there.stiffness.own - here.stiffness.own).max()
    assert 0.0 < change < 1e-2 * np.abs(here.stiffness.own).max()
