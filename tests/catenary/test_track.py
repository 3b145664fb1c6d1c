"""Lines on curves: the track's plan, side forces and versines of taut wires, cant under the head, arms that push."""

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.integrate import quad

from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.form_finding.first_guess import GRAVITY
from catenary.layout.track import curvature_at, head_offset, plan_points
from catenary.linearised.attachments import steady_arm_pull, steady_arm_stiffness
from catenary.linearised.contact_wire import place_on_head
from catenary.linearised.curvature import shortening
from catenary.linearised.open_line import linearise
from catenary.linearised.static_checks import FaultKind, faults_at_rest
from catenary.spec.surroundings.track import TrackSpec

R = 3000.0
ONTO_CURVE = (
    {"kind": "straight", "length": 110.0},
    {"kind": "clothoid", "length": 200.0, "radius": R},
    {"kind": "arc", "length": 400.0, "radius": R},
)


@pytest.fixture
def curved(build_line):
    """Build bruni_2015 in space on a track, both wires over each other."""

    def build(track, **changes):
        support = {"messenger_stagger": 0.2, **changes.pop("support", {})}
        return build_line(dimension="spatial", track=track, support=support, **changes)

    return build


def test_clothoid_ends_where_tables_have_it():
    """200 m to R 3000 m: x 199.97777892, y 2.22204586 m, angle 1/30."""
    plan = ({"kind": "clothoid", "length": 200.0, "radius": R}, {"kind": "arc", "length": 50.0, "radius": R})
    end = plan_points(TrackSpec.model_validate({"plan": plan}), np.array([200.0]))[0]
    assert end == pytest.approx([199.97777892, 2.22204586, 1.0 / 30.0], abs=1e-8)
    x, y = (quad(lambda s, f=f: f(s * s / (400.0 * R)), 0.0, 200.0, epsabs=1e-12)[0] for f in (np.cos, np.sin))
    assert end[:2] == pytest.approx([x, y], abs=1e-9)


def test_arc_closes_on_its_circle():
    ring = TrackSpec(radius=R)
    x = np.linspace(0.0, 2000.0, 9)
    at = plan_points(ring, x)
    assert np.hypot(at[:, 0], at[:, 1] - R) == pytest.approx(R, abs=1e-8)
    assert at[:, 2] == pytest.approx(x / R, abs=1e-12)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_side_forces_and_versine_of_taut_wires(curved, side):
    """T L / R at every support, 403 and 293 N; L^2 / 8R = 126 mm, less what bending keeps straight at the supports."""
    spec = curved({"radius": side * R})
    eq = periodic_equilibrium(spec)
    L, T = spec.span_length, spec.contact_wire.tension
    assert eq.steady_arm_side_force[0] == pytest.approx(-side * T * L / R, rel=5e-3)
    assert abs(eq.steady_arm_side_force[0]) == pytest.approx(403.0, rel=5e-3)
    assert eq.messenger_side_force[0] == pytest.approx(-side * 293.0, rel=5e-3)
    bow = side * (eq.q[eq.mesh.dropper_bottom[4], 1] - eq.q[eq.mesh.support_contact[0], 1])
    stiff = 0.5 * L / R * np.sqrt(spec.contact_wire.bending_stiffness / T)
    assert bow + stiff == pytest.approx(0.126, rel=5e-3)
    assert np.abs(eq.horizontal_reaction).max() < 1e-5
    # both wires bow alike: droppers hang upright
    assert np.abs(eq.dropper_direction[:, 1]).max() < 2e-4


def test_droppers_hang_askew_where_wires_stand_apart(curved):
    """Side forces of all supports balance the curve's push on both wires, whatever passes through droppers."""
    spec = curved({"radius": R}, support={"messenger_stagger": 0.0})
    eq = periodic_equilibrium(spec)
    assert np.abs(eq.dropper_direction[:, 1]).max() > 0.05
    total = spec.span_length / R * (spec.contact_wire.tension + spec.messenger_wire.tension)
    assert -(eq.steady_arm_side_force + eq.messenger_side_force).sum() == pytest.approx(total, rel=1e-3)


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_cell_is_a_span_of_a_long_line(build_line, name):
    spec = build_line(name, dimension="spatial", track={"radius": R})
    cell, line = periodic_equilibrium(spec), open_line_equilibrium(spec, 7)
    n = len(spec.droppers.positions)
    for span in (3, 4):  # no mirror image: one like the other
        own = slice(span * n, (span + 1) * n)
        assert line.q[line.mesh.dropper_bottom[own], 1] == pytest.approx(cell.q[cell.mesh.dropper_bottom, 1], abs=1e-4)
    assert line.steady_arm_side_force[3] == pytest.approx(cell.steady_arm_side_force[0], rel=1e-3)


def test_a_straight_track_changes_nothing(curved, build_line):
    same = {"dimension": "spatial", "support": {"messenger_stagger": 0.2}}
    a, b = (open_line_equilibrium(spec, 4) for spec in (build_line(**same), curved({})))
    assert np.abs(a.q - b.q).max() < 1e-9


def test_cant_moves_the_head(curved):
    """150 mm on 1.5 m moves a head at 5.3 m by 0.53 m, to the inside; staggers count from there."""
    spec = curved({"radius": R, "cant": 0.15})
    assert head_offset(spec.track, np.zeros(1)) == pytest.approx([0.53])
    assert head_offset(curved({"radius": -R, "cant": 0.15}).track, np.zeros(1)) == pytest.approx([-0.53])
    eq = periodic_equilibrium(spec)
    assert eq.q[eq.mesh.support_contact, 1] == pytest.approx([0.33])
    assert place_on_head(eq, np.array([0.0, 27.5])) == pytest.approx([-0.2, -0.2 + 0.125], abs=1e-3)


def test_line_follows_a_transition(curved):
    """Arms carry T x the angle that the track turns over the half spans next to them; staggers change sides before."""
    spec = curved({"plan": ONTO_CURVE, "outside_below": 1e6})
    eq = open_line_equilibrium(spec, 8)
    x = np.linspace(0.0, 440.0, 4401)
    turned = np.interp(np.arange(9) * 55.0, x, np.cumsum(curvature_at(spec.track, x)) * 0.1)
    assert eq.steady_arm_side_force[7] == pytest.approx(-(turned[8] - turned[6]) / 2 * 22e3, rel=0.02)
    straight = open_line_equilibrium(spec.with_changes(track=None), 8)
    assert eq.steady_arm_side_force[1] == pytest.approx(straight.steady_arm_side_force[1], rel=1e-3)


def test_wire_on_a_gradient_carries_its_weight_along(curved):
    """T(x) = T0 + rho g (z - z0) along a wire that is free along the track; a sag curve pushes it up by T k."""
    level = {"plan": ({"kind": "straight", "length": 1000.0},)}
    spec = curved({**level, "gradients": ((0.0, 0.02),)}, tension_in_motion="coupled")
    eq = open_line_equilibrium(spec, 6)
    wire = spec.contact_wire
    of_wire = np.flatnonzero(eq.mesh.elem_wire == 0)
    way = np.diff(eq.q[eq.mesh.elem_nodes[of_wire], :3], axis=1)[:, 0]
    tension = wire.axial_stiffness * (np.linalg.norm(way, axis=1) / eq.elem_l0[of_wire] - 1.0)
    rise = tension[-1] - tension[0]
    assert rise == pytest.approx(wire.mass_per_length * GRAVITY * 0.02 * 330.0, rel=0.03)


def test_linearised_line_is_the_slope_of_form_finding(curved):
    """What stretches a bay by moves to the side is minus curvature times the area that the wire sweeps."""
    eq = periodic_equilibrium(curved({"radius": R}))
    by_place = shortening(eq)
    inside = np.tile([1.0, 0.0, 1.0, 0.0], 2)
    assert (by_place @ inside).sum() == pytest.approx(-eq.mesh.elem_length.sum() / R)
    line = open_line_equilibrium(curved({"radius": R}), 3)
    K = linearise(line).stiffness
    assert np.abs((K - K.T).data).max() < 1e-6 * np.abs(K.data).max()


def test_arms_pull_from_outside_and_buckle_inside(curved):
    outside, inside = (periodic_equilibrium(curved({"radius": R, "arms": side})) for side in ("outside", "inside"))
    assert steady_arm_pull(outside)[0] == pytest.approx(np.hypot(403.3, 57.2), rel=1e-3)
    assert not faults_at_rest(outside)
    (fault,) = faults_at_rest(inside)
    assert (fault.kind, fault.key) == (FaultKind.PUSHED, "track.arms")
    assert "push with 407 N" in fault.sentence
    assert faults_at_rest(inside, lambda stations: np.zeros(np.shape(stations), dtype=bool)) == ()
    strong = periodic_equilibrium(curved({"radius": R, "arms": "inside", "arm_push": 500.0}))
    assert not faults_at_rest(strong)
    # a bar that pushes turns away from where it is pushed: its stiffness across is negative
    across = np.array([0.0, -steady_arm_pull(strong)[0], 0.0])
    block, pull = steady_arm_stiffness(strong)[0], steady_arm_pull(strong)[0]
    vertical = block[2, 2] - (block[1, 2] ** 2) / block[1, 1]
    assert across is not None and pull < 0.0 and vertical < 0.0


@pytest.mark.parametrize(
    ("track", "said"),
    [
        ({"radius": 3000.0, "plan": ONTO_CURVE}, "give one of radius and plan"),
        ({"radius": 20.0}, "radius must be 150 m or more"),
        ({"plan": ONTO_CURVE[:2]}, "plan must not end with a clothoid"),
        ({"cant": 0.1}, "cant needs radius"),
        ({"plan": ONTO_CURVE, "cants": ((10.0, 0.0), (10.0, 0.1))}, "cants must go along the track"),
        ({"arms": "outside"}, "arms must be any, left or right on straight track"),
    ],
)
def test_refuses_a_track_that_cannot_be(track, said):
    with pytest.raises(ValidationError, match=said):
        TrackSpec.model_validate(track)
