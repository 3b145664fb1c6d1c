"""Elements are counted by the metre where bays are long, and what is said of their error is so."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from catenary.spec.mesh import MeshSpec, per_bay
from dynamics.accuracy.numerical_error import estimate_error
from dynamics.steady_state.learned_start import learned_start
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.span_map import SpanMap
from optimise.design.space import DesignSpace
from optimise.spec.design import DesignSpec

WINDOW = {"spans_behind": 10, "spans_ahead": 12, "tolerance": 1.0e-4}


@pytest.fixture
def as_in_library(build_line):
    """Function that takes a line with the mesh of the library, or another one."""

    def take(name="bruni_2015", mesh=None, **changes):
        line = build_line(name, **changes).model_dump()
        return CatenarySpec.model_validate({**line, "mesh": (mesh or MeshSpec()).model_dump()})

    return take


def one_dropper(as_in_library, mesh=None):
    return as_in_library(mesh=mesh, droppers={"positions": [27.5], "contact_wire_heights": [0.0]})


def sigma(solution):
    return solution.statistics.contact_force_std_N


def test_no_element_is_longer_than_asked_for_and_no_bay_has_fewer_than_the_least(as_in_library):
    mesh = periodic_equilibrium(as_in_library("re330", MeshSpec(elements_per_bay=8, largest_element_length=0.7))).mesh
    bays = np.add.reduceat(mesh.elem_length, mesh.group_elems[:, 0])
    expected = np.maximum(8, np.ceil(bays / 0.7 - 1e-6))
    np.testing.assert_array_equal(mesh.elements_of_bays, expected)
    assert {8, 11} <= set(expected)  # bays of 4.5 m, and of 7.5 m
    assert mesh.elem_length.max() <= 0.7
    np.testing.assert_array_equal(mesh.group_elems[1:, 0], mesh.group_elems[:-1, 1] + 1)
    # a bay that holds a whole number of the longest elements has that number, whatever its stations' last bits
    whole = periodic_equilibrium(as_in_library("bruni_2015", MeshSpec(largest_element_length=0.575))).mesh
    assert set(whole.elements_of_bays) == {8, 10}  # of 4.5 and 5.75 m


def test_a_span_with_one_dropper_is_right_without_a_word_about_its_mesh(as_in_library, build_case):
    """44.3 N with six elements in each of its bays of 27.5 m."""
    found, fine = (
        solve_periodic(
            build_case(one_dropper(as_in_library, mesh), 200.0, mean_force_N=108.8, dt=1e-3, periodic=WINDOW)
        )
        for mesh in (None, MeshSpec(largest_element_length=0.2))
    )
    assert sigma(found) == pytest.approx(sigma(fine), rel=0.005)


def test_the_error_of_long_elements_is_estimated_against_short_ones(as_in_library, build_case):
    """A still coarser companion said 3 N of 4.6."""
    coarse, fine = (
        build_case(one_dropper(as_in_library, mesh), 200.0, mean_force_N=108.8, dt=1e-3, periodic=WINDOW)
        for mesh in (per_bay(6), None)
    )
    solution = solve_periodic(coarse)
    (part,) = [p for p in estimate_error(coarse, solution).parts if p.name == "mesh"]
    off = abs(sigma(solution) - sigma(solve_periodic(fine)))
    assert off > 3.0
    assert off <= part.error_N < 1.1 * off


@pytest.mark.parametrize(("name", "speed", "mean"), [("re330", 300.0, 157.3), ("bruni_2015", 320.0, 169.328)])
def test_the_default_is_within_half_a_percent_in_sigma(as_in_library, build_case, name, speed, mean):
    """Six elements a bay are 1.8 % and 1.0 % off."""
    found, fine, before = (
        sigma(solve_periodic(build_case(as_in_library(name, mesh), speed, mean_force_N=mean, dt=1e-3, periodic=WINDOW)))
        for mesh in (None, MeshSpec(largest_element_length=0.2), per_bay(6))
    )
    assert abs(found / fine - 1.0) < 0.005 < abs(before / fine - 1.0)


def test_designs_share_a_mesh_and_start_from_their_neighbours(as_in_library, build_case):
    line = as_in_library(mesh=MeshSpec(elements_per_bay=2, largest_element_length=1.0))
    space = DesignSpace(line, DesignSpec(kind="spacing"))
    nominal = space.typical_of(line)
    assert nominal.mesh == MeshSpec(elements_per_bay=6, largest_element_length=1.5)
    low, high = np.array([[v.low, v.high] for v in space.variables]).T
    rng = np.random.default_rng(1)
    case = build_case(nominal, 275.0, applied_force_N=152.0, dt=4e-3, periodic=WINDOW)
    start = learned_start(case)
    assert start is not None and start.basis is not None and len(start.basis.state) > 10
    middle = np.array([v.nominal for v in space.variables])
    for values in rng.uniform(low, high, (3, len(low))):
        design = space.spec_of(middle + 0.3 * (values - middle))  # no bay grows by half
        eq = periodic_equilibrium(design)
        assert set(eq.mesh.elements_of_bays) == {6}
        assert SpanMap(case.model_copy(update={"catenary": design}), eq).near_start(start) is not None
    # heights alone leave every bay as it is, and so the mesh of the line
    assert DesignSpace(line, DesignSpec(kind="heights")).typical_of(line) == line


def test_neighbours_are_learnt_from_on_the_mesh_of_the_line(as_in_library, build_case):
    """Bays of 4.5 and 5.75 m have five and six elements; moved droppers would change these numbers."""
    line = as_in_library(mesh=MeshSpec(elements_per_bay=2, largest_element_length=1.0))
    start = learned_start(build_case(line, 275.0, applied_force_N=152.0, dt=4e-3, periodic=WINDOW))
    assert start is not None and start.basis is not None and len(start.basis.state) > 10
    plain = learned_start(build_case(line, 275.0, applied_force_N=152.0, dt=4e-3, periodic=WINDOW), directions=False)
    assert plain is not None and plain.basis is None
    np.testing.assert_array_equal(plain.state, start.state)
