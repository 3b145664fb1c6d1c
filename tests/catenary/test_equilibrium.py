"""Form-finding against the closed form of tensioned beams, balance of forces, and the open line against the cell."""

import numpy as np
import pytest
from tensioned_beam import GRAVITY, hung_wire

from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import (
    EquilibriumStatus,
    find_equilibrium,
    mesh_of,
    open_line_equilibrium,
    periodic_equilibrium,
)
from catenary.layout.geometry import CONTACT, MESSENGER, STITCH, line_layout, periodic_layout
from catenary.linearised.elasticity import static_elasticity
from catenary.spec.mesh import per_bay

LINES = ("bruni_2015", "re330")
LIBRARY = (*LINES, "c350", "en50318_2002")
FREE = np.nan
both_formulations = pytest.mark.parametrize("formulation", ["ancf", "beam"])


def meshed(spec, elements_per_bay):
    """Equilibrium on a mesh of any fineness; the input's own stops at 40 elements a bay."""
    any_number = spec.model_copy(update={"mesh": per_bay(elements_per_bay)})
    eq = find_equilibrium(spec, mesh_of(any_number, periodic_layout(spec)))
    assert eq.status is EquilibriumStatus.OK
    return eq


def clamp_load(eq):
    """What every dropper pulls the contact wire up with, its own lower half and the clamp taken off [N]."""
    drops = eq.spec.droppers
    hanging = 0.5 * drops.mass_per_length * eq.dropper_length + drops.clamp_mass_contact_wire
    return eq.dropper_force - GRAVITY * hanging


def contact_wire_reactions(spec):
    """Closed form: reactions at the support and at every dropper [N]."""
    stations = np.array([0.0, *spec.droppers.positions])
    heights = np.array([0.0, *spec.droppers.contact_wire_heights])
    return hung_wire(spec.contact_wire, stations, spec.span_length, heights, np.full(len(stations), FREE))[0]


def largest_error(spec, elements_per_bay):
    eq, exact = meshed(spec, elements_per_bay), contact_wire_reactions(spec)
    at_droppers = np.abs(clamp_load(eq) - exact[1:]).max()
    return max(at_droppers, abs(eq.steady_arm_force[0] - exact[0]))


def weight(eq):
    """Weight of wires, droppers and clamps [N]."""
    drops = eq.spec.droppers
    mass = (wire_property(eq.spec, eq.mesh, "mass_per_length") * eq.elem_l0).sum()
    mass += drops.mass_per_length * eq.dropper_length.sum()
    mass += len(eq.dropper_force) * (drops.clamp_mass_contact_wire + drops.clamp_mass_messenger_wire)
    if eq.spec.stitch is not None:
        mass += len(eq.mesh.clamp_messenger) * eq.spec.stitch.clamp_mass
    return GRAVITY * mass


@both_formulations
@pytest.mark.parametrize("name", LINES)
def test_dropper_forces_are_those_of_a_tensioned_beam(build_line, name, formulation):
    """80 elements a bay resolve the boundary layers; 1e-3 N, the pre-sag's geometric non-linearity included.

    Measured: 7.6e-4 N on the line with pre-sag and 4.0e-4 N on the stitched one. On finer meshes 5.1e-4 N stay with
    pre-sag and below 5e-5 N without: what stays is the square of the wire's slope (4 mm in 1 m).
    """
    assert largest_error(build_line(name, formulation=formulation), 80) < 1.0e-3


@both_formulations
def test_a_straight_contact_wire_meets_the_closed_form_without_the_slopes_square(build_line, formulation):
    line = build_line(formulation=formulation, droppers={"contact_wire_heights": [0.0] * 9})
    assert largest_error(line, 160) < 1.0e-4


@both_formulations
def test_dropper_forces_converge_with_the_fourth_power_of_the_element(build_line, formulation):
    """Reactions of cubic elements gain order 4 once elements are shorter than the boundary layer of 0.09 m."""
    line = build_line(formulation=formulation)
    fine = meshed(line, 320).dropper_force
    error = [np.abs(meshed(line, n).dropper_force - fine).max() for n in (60, 120)]
    assert np.log2(error[0] / error[1]) == pytest.approx(4.0, abs=0.15)


@both_formulations
def test_messenger_wire_hangs_as_a_beam_under_the_droppers(build_line, formulation):
    """Heights to 0.1 mm in 0.5 m of sag: the closed form takes the weight per length of track, not of wire.

    The wire is 1 + slope^2 / 2 longer than its track, on average 1.6e-4 (measured: 0.026 mm).
    """
    line = build_line(formulation=formulation)
    eq, drops = meshed(line, 40), line.droppers
    load = eq.dropper_force + GRAVITY * (
        0.5 * drops.mass_per_length * eq.dropper_length + drops.clamp_mass_messenger_wire
    )
    height = np.array([line.encumbrance, *[FREE] * len(load)])
    stations = np.array([0.0, *drops.positions])
    reaction, z = hung_wire(line.messenger_wire, stations, line.span_length, height, np.array([0.0, *load]))
    np.testing.assert_allclose(eq.q[eq.mesh.dropper_top, 2], z[1:], rtol=0, atol=1e-4)
    assert eq.messenger_support_force[0] == pytest.approx(reaction[0], rel=5e-4)


@both_formulations
@pytest.mark.parametrize("name", LIBRARY)
def test_supports_carry_the_weight_and_nothing_holds_the_cell_along(build_line, name, formulation):
    eq = periodic_equilibrium(build_line(name, elements_per_bay=6, formulation=formulation))
    carried = eq.steady_arm_force.sum() + eq.messenger_support_force.sum()
    assert carried == pytest.approx(weight(eq), abs=1e-6)
    np.testing.assert_allclose(eq.horizontal_reaction, 0.0, atol=1e-6)


@pytest.mark.parametrize("name", LIBRARY)
def test_open_line_carries_its_weight(build_line, name):
    eq = open_line_equilibrium(build_line(name), 5)
    carried = eq.steady_arm_force.sum() + eq.messenger_support_force.sum()
    # the residual's floor grows with the length of the line: coordinates of 300 m times EA over the element length
    assert carried == pytest.approx(weight(eq), abs=1e-5)


def strain_tension(eq):
    """Tension of every element from its mean Green strain, independent of nodal forces [N]."""
    spec, mesh = eq.spec, eq.mesh
    q = element_coordinates(mesh, eq.q)
    xi, w = np.polynomial.legendre.leggauss(5)
    xi, l0 = 0.5 * (xi[:, None] + 1), eq.elem_l0
    one = np.ones_like(l0)
    rise, near, far = (6 * xi**2 - 6 * xi) / l0, 1 - 4 * xi + 3 * xi**2, 3 * xi**2 - 2 * xi
    shapes = np.stack([rise, near * one, -rise, far * one])
    nodal = np.stack([q[:, 0, :3], q[:, 0, 3:], q[:, 1, :3], q[:, 1, 3:]])
    slope = np.einsum("age,aec->gec", shapes, nodal)
    if not mesh.axial_slope:  # the beam's x runs linearly, and its strain is the mean of the element
        slope[:, :, 0] = (q[:, 1, 0] - q[:, 0, 0]) / l0
    squared = (slope**2).sum(axis=2)
    tension = wire_property(spec, mesh, "axial_stiffness") * 0.5 * (squared - 1) * np.sqrt(squared)
    along = slope[:, :, 0] / np.sqrt(squared)
    return 0.5 * w @ tension, 0.5 * w @ (tension * along)


@both_formulations
@pytest.mark.parametrize("name", LINES)
def test_tensions_are_the_prescribed_ones(build_line, name, formulation):
    """At the start of the named bay. Along a hanging wire tension grows by its weight per metre of height (a chain).

    The strain is read in the middle of the bay, clear of the boundary layers, where it is the whole tension.
    """
    per_bay = 40
    eq = meshed(build_line(name, formulation=formulation), per_bay)
    spec, mesh = eq.spec, eq.mesh
    tension, _ = strain_tension(eq)
    named = {CONTACT: spec.contact_wire, MESSENGER: spec.messenger_wire, STITCH: spec.stitch}
    for first in mesh.tension_elem:
        wire = named[int(mesh.elem_wire[first])]
        rise = eq.q[mesh.elem_nodes[first + per_bay // 2, 0], 2] - eq.q[mesh.elem_nodes[first, 0], 2]
        read = tension[first + per_bay // 2 - 4 : first + per_bay // 2 + 4].mean()
        expected = wire.tension + wire.mass_per_length * GRAVITY * rise
        assert read == pytest.approx(expected, rel=2e-5)


def test_stitch_and_messenger_together_balance_the_tension_outside(build_line):
    """Horizontal pull is the same on both sides of a stitch clamp: messenger = messenger inside + stitch."""
    line = build_line("re330")
    eq = meshed(line, 20)
    mesh, (_, along) = eq.mesh, strain_tension(eq)
    middle = mesh.node_x[mesh.elem_nodes[:, 0]]
    inside = np.minimum(middle, line.span_length - middle) < 0.4 * line.stitch.length
    outside = (mesh.elem_wire == MESSENGER) & (np.abs(middle - 0.5 * line.span_length) < 5.0)
    pull = {w: along[(mesh.elem_wire == w) & inside].mean() for w in (MESSENGER, STITCH)}
    assert pull[MESSENGER] + pull[STITCH] == pytest.approx(along[outside].mean(), rel=1e-4)
    assert pull[STITCH] == pytest.approx(line.stitch.tension, rel=5e-3)


@pytest.mark.parametrize("name", LIBRARY)
def test_inner_spans_of_an_open_line_are_the_periodic_cell(build_line, name):
    """Spans 4 of 7; the ends (no stitch, half the load) are felt 1e-3 as much from span to span."""
    line = build_line(name)
    cell = periodic_equilibrium(line)
    eq = find_equilibrium(line, mesh_of(line, line_layout(line, 7)))
    force, length = eq.dropper_force.reshape(7, -1)[3], eq.dropper_length.reshape(7, -1)[3]
    np.testing.assert_allclose(force, cell.dropper_force, rtol=0, atol=1e-4)
    np.testing.assert_allclose(length, cell.dropper_length, rtol=0, atol=1e-5)
    assert eq.steady_arm_force[3] == pytest.approx(cell.steady_arm_force[0], abs=1e-4)


@pytest.mark.parametrize("name", LIBRARY)
def test_lines_of_the_library_hang_in_tension_and_are_elastic_as_built_lines_are(build_line, name):
    """0.15 to 0.5 mm/N at 100 N is what built high-speed lines have."""
    line = build_line(name, elements_per_bay=6)
    eq = periodic_equilibrium(line)
    assert eq.dropper_force.min() > 40.0
    rise = 1e3 * static_elasticity(eq, np.linspace(0.0, line.span_length, 33)[:-1], 100.0)
    assert 0.15 < rise.min() < rise.max() < 0.5
