"""Lines in space at rest: balance, symmetry, the side force of the arms, elasticity (in motion: test_window)."""

import numpy as np
import pytest

from catenary.form_finding.equations import GRAVITY, wire_property
from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.linearised.attachments import steady_arm_direction, steady_arm_stiffness
from catenary.linearised.elasticity import static_elasticity

LINES = ("bruni_2015", "re330")


def weight_of(eq):
    """Weight of everything that the supports carry of an equilibrium [N]."""
    spec, drops = eq.spec, eq.spec.droppers
    wires = (wire_property(spec, eq.mesh, "mass_per_length") * eq.elem_l0).sum()
    hung = (drops.mass_per_length * eq.dropper_length).sum()
    clamps = len(eq.dropper_force) * (drops.clamp_mass_contact_wire + drops.clamp_mass_messenger_wire)
    stitch = len(eq.mesh.clamp_messenger) * (spec.stitch.clamp_mass if spec.stitch else 0.0)
    return GRAVITY * (wires + hung + clamps + stitch)


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
@pytest.mark.parametrize("name", LINES)
def test_supports_carry_the_weight(build_line, name, dimension):
    eq = periodic_equilibrium(build_line(name, dimension=dimension))
    carried = eq.steady_arm_force.sum() + eq.messenger_support_force.sum()
    assert carried == pytest.approx(weight_of(eq), abs=1e-6)
    assert np.abs(eq.horizontal_reaction).max() < 1e-6


@pytest.mark.parametrize("name", LINES)
def test_arms_hold_the_zigzag_of_a_taut_wire(build_line, name):
    """A string at +-s every L under its droppers' side pulls P: arms carry 4 T s / L + 2 sum P (1 - x / L).

    Bending adds 4 M / L at the supports, M = sqrt(EI T) times half the kink: 0.6 % on bruni_2015.
    """
    spec = build_line(name, dimension="spatial")
    eq = periodic_equilibrium(spec)
    L, T = spec.span_length, spec.contact_wire.tension
    pull = -eq.dropper_force * eq.dropper_direction[:, 1]
    expected = 4.0 * T * spec.support.stagger / L + 2.0 * (pull * (1.0 - np.array(spec.droppers.positions) / L)).sum()
    assert eq.steady_arm_side_force[0] == pytest.approx(expected, rel=8e-3)


@pytest.mark.parametrize("name", LINES)
def test_next_span_is_the_mirror_image(build_line, name):
    spec = build_line(name, dimension="spatial")
    cell, line = periodic_equilibrium(spec), open_line_equilibrium(spec, 8)
    n = len(spec.droppers.positions)
    third, fourth = slice(3 * n, 4 * n), slice(4 * n, 5 * n)
    side = line.q[line.mesh.dropper_bottom, 1]
    assert side[third] == pytest.approx(-side[fourth], abs=1e-5)
    assert side[fourth] == pytest.approx(cell.q[cell.mesh.dropper_bottom, 1], abs=1e-5)
    assert line.dropper_force[fourth] == pytest.approx(cell.dropper_force, abs=1e-2)


def test_without_stagger_nothing_moves_sideways(build_line):
    flat, line = periodic_equilibrium(build_line()), build_line(dimension="spatial", support={"stagger": 0.0})
    eq = periodic_equilibrium(line)
    assert np.abs(eq.q[:, 1]).max() == 0.0
    assert eq.dropper_force == pytest.approx(flat.dropper_force, abs=1e-9)


def test_arm_is_as_stiff_in_the_vertical_as_its_planar_stand_in(build_line):
    """Pulled along itself a bar resists being turned with N / L; a stiff one lets its end run on a circle only."""
    eq = periodic_equilibrium(build_line(dimension="spatial"))
    bar, direction, block = eq.spec.support.steady_arm, steady_arm_direction(eq)[0], steady_arm_stiffness(eq)[0]
    across = np.array([0.0, -direction[2], direction[1]])
    pull = np.hypot(eq.steady_arm_force[0], eq.steady_arm_side_force[0])
    assert across @ block @ across == pytest.approx(pull / bar.length)
    assert direction @ block @ direction == pytest.approx(bar.axial_stiffness / bar.length)
    assert 200.0 < pull / bar.length < 350.0


def test_elasticity_of_the_staggered_line(build_line):
    """The wire rises as in the plane within 2 %: stagger is a few tenths of a metre in 55."""
    x = np.linspace(0.0, 55.0, 23)[:-1]
    flat, staggered = (
        static_elasticity(periodic_equilibrium(build_line(dimension=d)), x, 100.0).mean() for d in ("planar", "spatial")
    )
    assert staggered == pytest.approx(flat, rel=0.02)
    assert staggered != flat
