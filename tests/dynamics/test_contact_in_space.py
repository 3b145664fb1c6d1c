"""Contact found on wire and head in space: its point, Jacobian, planar limit, forces as slopes, friction's energy."""

import numpy as np
import pytest

from dynamics.open_line.build import build_pantographs
from dynamics.open_line.contact_space import (
    contact_jacobian,
    frame_of,
    head_point,
    place_on_wire,
    push_in_space,
    slide_to_point,
)
from dynamics.open_line.system import ContactWire, Space
from dynamics.solution import solve

SHARP = Space(True, 0.3, 0.1, 0.0, False, 4.0, 0.3, 0.25)
L = 2.0


def wire_of(q):
    """Contact wire of one element between nodal coordinates q (2, 6)."""
    dof = np.arange(12)[None]
    ends = q[:1, 0].copy(), q[1:, 0].copy()
    smooth = np.zeros(0), np.zeros(2, np.int64)
    return ContactWire(dof, q.reshape(1, 12).copy(), np.array([L]), *ends, np.array([0, 1]), *smooth)


def found_point(q, space, middle, turned, u=None):
    """Element, xi, s2 and shapes of the contact point."""
    out = np.empty((2, 6)), np.empty((3, 3)), np.empty(3), np.empty(3)
    start, moves = (0, 0.4, 0, 0), np.zeros(12) if u is None else u
    return slide_to_point(wire_of(q), space, moves, start, (middle, turned), out), out


def bent(slope_y=0.02, slope_z=-0.004):
    """Nodal coordinates of an element that runs across, up and down, and bends."""
    t = np.array([1.0, slope_y, slope_z])
    a, b = np.array([10.0, 0.1, 0.0]), np.array([10.0, 0.1, 0.0]) + L * t
    return np.array([[*a, *t], [*b, *(t + np.array([0.0, 0.004, 0.006]))]])


def gap_of(q, space, middle, turned, u=None):
    """Penetration along the normal at the contact point."""
    _, (_, wire, point, _) = found_point(q, space, middle, turned, u)
    n1, n2 = np.empty(3), np.empty(3)
    frame_of(wire[1], n1, n2)
    return (point - wire[0]) @ n2 / np.linalg.norm(n2)


def test_jacobian_is_the_slope_of_the_equations():
    """Eq. 7 against central differences of eq. 5 by arc length and by the place on the head."""
    q, middle, turned = bent(0.3, 0.1), np.array([10.8, 0.05, 0.02]), 0.1
    wire, p, across, J, C = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty((2, 2)), np.empty(2)

    def equations(s1, s2):
        place_on_wire(q, s1 / L, L, wire)
        head_point(SHARP, middle, turned, s2, p, across)
        contact_jacobian(wire, wire[0] - p, across, J, C)
        return C.copy()

    s1, s2, h = 0.83, 0.37, 1e-6
    equations(s1, s2)
    found = J.copy()
    by_differences = np.stack(
        [
            (equations(s1 + h, s2) - equations(s1 - h, s2)) / (2 * h),
            (equations(s1, s2 + h) - equations(s1, s2 - h)) / (2 * h),
        ],
        axis=1,
    )
    assert found == pytest.approx(by_differences, abs=1e-8)


def test_frame_is_at_right_angles():
    t, n1, n2 = np.array([0.9, 0.3, -0.2]), np.empty(3), np.empty(3)
    frame_of(t, n1, n2)
    assert [t @ n1, t @ n2, n1 @ n2] == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)


def test_point_lies_where_the_difference_is_normal():
    q, middle = bent(0.3, 0.1), np.array([10.8, 0.05, 0.02])
    (_, xi, s2), (_, wire, point, _) = found_point(q, SHARP, middle, 0.1)
    n1, n2 = np.empty(3), np.empty(3)
    frame_of(wire[1], n1, n2)
    assert 0.0 < xi < 1.0 and 0.2 < s2 < 0.5
    assert [(wire[0] - point) @ wire[1], (wire[0] - point) @ n1] == pytest.approx([0.0, 0.0], abs=1e-11)


def test_level_wire_and_head_give_the_planar_law():
    """t along x, a level head: the point is at the head's station, the gap is the difference of heights."""
    q = np.array([[10.0, 0.1, 0.03, 1.0, 0.0, 0.0], [12.0, 0.1, 0.03, 1.0, 0.0, 0.0]])
    flat = SHARP._replace(crown=1e9, half_width=1e3)
    middle = np.array([10.7, -0.02, 0.0304])
    (_, xi, s2), _ = found_point(q, flat, middle, 0.0)
    assert (10.0 + 2.0 * xi, s2) == pytest.approx((10.7, 0.12), abs=1e-10)
    assert gap_of(q, flat, middle, 0.0) == pytest.approx(4e-4, abs=1e-8)


def test_forces_are_the_slopes_of_the_gap():
    """Virtual work: what lam does to height, roll and every nodal coordinate is lam times the gap's slope by it.

    The contact frame stands on the wire's slope alone, so that the gap's slopes by places hold at a vanishing gap.
    """
    q, turned, h = bent(), 0.05, 1e-6
    middle = np.array([10.8, 0.05, 0.0])
    middle[2] -= gap_of(q, SHARP, middle, turned)
    middle[2] -= gap_of(q, SHARP, middle, turned)
    (_, xi, _), (_, wire, point, _) = found_point(q, SHARP, middle, turned)
    n1, n2, push = np.empty(3), np.empty(3), np.empty(3)
    frame_of(wire[1], n1, n2)
    smooth = SHARP._replace(friction=0.0)
    push_in_space(smooth, 1.0, (wire[1], n1, n2), np.zeros(3), push)

    def slope(change):
        up, down = (gap_of(*change(sign * h)) for sign in (1.0, -1.0))
        return (up - down) / (2.0 * h)

    def lifted(d):
        return q, SHARP, middle + np.array([0.0, 0.0, d]), turned

    def rolled(d):
        return q, SHARP, middle, turned + d

    arm = point - middle
    # the normal is that of the wire, which a head curved across does not share: its tangent's part is second order
    assert slope(lifted) == pytest.approx(push[2], abs=0.01)
    assert slope(rolled) == pytest.approx(arm[1] * push[2] - arm[2] * push[1], abs=0.01)
    for c in (0, 2):
        u = np.zeros(12)
        u[c] = 1.0
        N = 1.0 - xi * xi * (3.0 - 2.0 * xi)
        found = slope(lambda d, u=u: (q, SHARP, middle, turned, d * u))
        assert found == pytest.approx(-N * push[c], abs=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_friction_takes_energy(seed):
    """Power of the pair on head and wire, -mu F v^2 / sqrt(v^2 + v0^2), never above zero and -mu F v at speed."""
    rng = np.random.default_rng(seed)
    t, n1, n2, push, bare = np.array([1.0, 0.1, 0.02]), *np.empty((4, 3))
    frame_of(t, n1, n2)
    sliding = rng.normal(size=3) * [76.0, 1.0, 0.3]
    push_in_space(SHARP, 150.0, (t, n1, n2), sliding, push)
    push_in_space(SHARP._replace(friction=0.0), 150.0, (t, n1, n2), sliding, bare)
    rub, n = push - bare, n2 / np.linalg.norm(n2)
    tangential = sliding - (sliding @ n) * n
    # the wire is dragged along, the head held back
    assert rub @ sliding == pytest.approx(0.3 * 150.0 * (tangential @ tangential) / np.hypot(*_pair(tangential)))
    assert -rub @ sliding <= 0.0
    assert rub @ n == pytest.approx(0.0, abs=1e-10)
    assert np.linalg.norm(rub) == pytest.approx(45.0, rel=0.01)


def _pair(v):
    return np.linalg.norm(v), SHARP.regular


def test_fixed_direction_makes_energy_where_the_wire_slides_the_other_way():
    """The source's bisector does not turn with the sliding: it feeds a wire that runs back."""
    t, n1, n2, push = np.array([1.0, 0.0, 0.0]), *np.empty((3, 3))
    frame_of(t, n1, n2)
    fixed = SHARP._replace(fixed=True)
    push_in_space(fixed, 100.0, (t, n1, n2), np.array([5.0, -80.0, 0.0]), push)
    assert push @ np.array([5.0, -80.0, 0.0]) < 0.0
    push_in_space(SHARP, 100.0, (t, n1, n2), np.array([5.0, -80.0, 0.0]), push)
    assert push @ np.array([5.0, -80.0, 0.0]) > 0.0


def test_line_with_contact_in_space_runs_as_the_vertical_one(build_case):
    """Without friction the contact in space moves sigma by less than 1 %: wire and head are nearly level."""
    settings = {"spans": 6, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
    case = build_case(
        "bruni_2015", 200.0, solver="open_line", applied_force_N=120.0, dt=2e-3, open_line=settings,
        kinematics="nonlinear",
    )  # fmt: skip
    mesh = {"elements_per_bay": 2, "largest_element_length": 3.0}
    line = case.catenary.with_changes(dimension="spatial", mesh=mesh)
    case = case.model_copy(update={"catenary": line})
    flat, space, rubbing = (
        solve(case.model_copy(update={"contact": case.contact.with_changes(space=own)}))
        for own in (None, {"friction": 0.0}, {"friction": 0.2})
    )
    sigma = [s.statistics.contact_force_std_N for s in (flat, space, rubbing)]
    assert sigma[1] != sigma[0] and sigma[1] == pytest.approx(sigma[0], rel=0.01)
    assert sigma[2] != sigma[1] and sigma[2] == pytest.approx(sigma[0], rel=0.05)
    kept = space.leading.place[space.leading.evaluated]
    assert kept == pytest.approx(flat.leading.place[flat.leading.evaluated], abs=0.03)
    assert np.abs(kept).max() == pytest.approx(0.2, abs=0.01)


def test_cant_turns_the_head_about_the_rails(build_case):
    """What moves the head's middle to the inside lowers its inner side: a rigid turn about the middle of the rails."""
    for radius in (3000.0, -3000.0):
        case = build_case("bruni_2015", speed_kmh=275.0, applied_force_N=150.0, mean_force_N=None)
        line = case.catenary.with_changes(dimension="spatial", track={"radius": radius, "cant": 0.1})
        case = case.model_copy(update={"catenary": line})
        found = build_pantographs(case, 0.0)
        p, across = np.zeros(3), np.zeros(3)
        flat = SHARP._replace(crown=1e9)
        turned = float(found.head_turned[0])
        head_point(flat, np.zeros(3), turned, 0.2, p, across)
        assert p[2] * radius < 0.0  # the left side sinks in a left curve
        assert np.array([-np.sin(turned)]) * line.track.wire_height == pytest.approx(found.head_y[:1], rel=2e-3)
