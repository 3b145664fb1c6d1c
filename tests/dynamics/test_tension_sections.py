"""Tension sections that overlap: force of every wire, hand-over, and one wire as two that share everything."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.layout.sections import parts_of
from catenary.linearised.open_line import linearise
from dynamics.open_line.build import build_pantographs, build_whole_line
from dynamics.open_line.static_start import static_start
from dynamics.results.by_wire import figures_by_overlap, figures_by_wire
from dynamics.solution import solve
from dynamics.spec.status import Status
from studies.validation.gates.gates import load_gates
from studies.validation.lines import halves, untouched
from studies.validation.overlaps.built import in_sections
from studies.validation.overlaps.mirror import either_way, mirrored, mirrored_at_speed

RUN = {"spans": 10, "start": 1.0, "first_evaluated": 3, "last_evaluated": 8, "spans_after": 1}
SECTIONS = [(0, 6), (3, 10)]


@pytest.fixture(scope="module")
def kind(build_line):
    return build_line(elements_per_bay=2)


@pytest.fixture(scope="module")
def passed(kind, build_case):
    """A run through an overlap of three spans, 165 to 330 m."""
    line = in_sections(kind, 10, SECTIONS)
    return solve(build_case(line, 250.0, applied_force_N=150.0, solver="open_line", open_line=RUN))


def test_wires_hang_as_each_section_alone(kind):
    """Both in the plane of one section; what one overlaps with moves neither."""
    line = in_sections(kind, 10, SECTIONS)
    eq, count = open_line_equilibrium(line, 10), 0
    for part in parts_of(line):
        own = open_line_equilibrium(part.line, len(part.line.spans))
        n = len(own.dropper_force)
        assert np.array_equal(eq.dropper_force[count : count + n], own.dropper_force)
        assert eq.mesh.layout.dropper_x[count] == part.begin + own.mesh.layout.dropper_x[0]
        count += n
    assert count == len(eq.dropper_force) == len(line.droppers.positions)


def test_a_pantograph_that_starts_under_both_wires_rests_on_the_lower_or_on_both(kind, build_case):
    """At the middle of the overlap they are level; 15 m before it the one that runs in is 68 mm higher."""
    line = whole_line(kind)
    for x, touched in ((247.5, (True, True)), (232.5, (True, False)), (262.5, (False, True))):
        case = build_case(line.equilibrium.spec, 250.0, applied_force_N=150.0, solver="open_line", open_line=RUN)
        state = static_start(case, line, build_pantographs(case, x))
        assert tuple(state.force > 0.0) == touched
        assert 130.0 < state.force.sum() < 150.0  # its base spring has the rest


def whole_line(kind):
    return build_whole_line(open_line_equilibrium(in_sections(kind, 10, SECTIONS), 10))


def test_the_force_is_handed_over_from_wire_to_wire(passed):
    """In the middle span of three the wires cross, each 31 mm above the level: both are touched there."""
    assert passed.status is Status.OK
    kept = passed.histories
    force, x = kept.wire_force[:, 0], kept.position[:, 0]
    assert (force >= 0.0).all()
    np.testing.assert_allclose(force.sum(axis=1), kept.contact_force[:, 0], rtol=0, atol=1e-12)
    first, second = (x[force[:, w] > 0.0] for w in (0, 1))
    assert first.max() < 330.0 - 55.0 and second.min() > 165.0 + 55.0
    assert 220.0 < second.min() < first.max() < 275.0
    a, b = figures_by_wire(passed)
    assert (a.section, b.section) == ("A", "B")
    assert a.contact_time_percent + b.contact_time_percent - a.shared_time_percent == pytest.approx(100.0, abs=1e-9)
    assert a.load_percent + b.load_percent == pytest.approx(100.0)
    assert 0.0 < a.shared_time_percent == b.shared_time_percent < 20.0
    (overlap,) = figures_by_overlap(passed)
    assert (overlap.ends, overlap.begins, overlap.begin_m, overlap.end_m) == ("A", "B", 165.0, 330.0)
    there = (x > 165.0 + 1e-6) & (x <= 330.0 + 1e-6)
    filtered = passed.pantographs[0].contact_force_filtered[there]
    assert overlap.contact_force_std_N == pytest.approx(filtered.std(), rel=1e-9)
    assert (overlap.contact_force_max_N, overlap.contact_force_min_N) == (filtered.max(), filtered.min())
    assert (overlap.shared_from_m, overlap.shared_to_m) == (second.min(), first.max())
    loads = force[there].sum(axis=0)
    assert overlap.load_percent == pytest.approx(100.0 * loads[0] / loads.sum())


@pytest.mark.parametrize(("dimension", "kinematics"), [("spatial", "linearised"), ("planar", "nonlinear")])
def test_wires_share_the_head_in_space_and_with_large_deformation(passed, kind, build_case, dimension, kinematics):
    """The plane's linearised run is near: what is left out there moves little at this speed and force."""
    line = in_sections(kind.with_changes(dimension=dimension), 10, SECTIONS)
    case = build_case(line, 250.0, applied_force_N=150.0, solver="open_line", open_line=RUN, kinematics=kinematics)
    found = solve(case)
    assert found.status is Status.OK
    kept, other = found.histories, passed.histories
    np.testing.assert_allclose(kept.wire_force[:, 0].sum(axis=1), kept.contact_force[:, 0], rtol=0, atol=1e-12)
    for w in (0, 1):
        here, there = (each.position[each.wire_force[:, 0, w] > 0.0, 0] for each in (kept, other))
        assert here.min() == pytest.approx(there.min(), abs=6.0) and here.max() == pytest.approx(there.max(), abs=6.0)
    assert found.statistics.contact_force_std_N == pytest.approx(passed.statistics.contact_force_std_N, rel=0.15)


@pytest.mark.parametrize("gate", [untouched, mirrored, mirrored_at_speed, either_way, halves])
def test_overlaps_leave_what_they_must(kind, gate):
    """On a coarse mesh: before the change-over as one section; an image passed the other way the same run, at any
    speed; creeping, one overlap alike from either side; two half lines as one."""
    gates = load_gates().lines
    found, failure = gate(kind, gates)
    limits = {untouched: gates.untouched_percent, either_way: gates.either_way_percent, halves: gates.halves_percent}
    assert not failure and found is not None and 0.0 <= found <= limits.get(gate, gates.mirrored_percent)


@pytest.mark.parametrize(
    ("ends", "mass", "damping", "stiffness"),
    [
        ({}, 0.0, "matched", 0.0),
        ({"ends": "spring_damper", "stiffness": 2e4, "damping": 900.0}, 0.0, 900.0, 2e4),
        ({"ends": "weight", "ratio": 2.5}, 2.5, 0.0, 0.0),
    ],
)
def test_ends_hold_wires_along_the_track_with_what_the_section_says(kind, ends, mass, damping, stiffness):
    line = in_sections(kind, 10, SECTIONS, **ends)
    eq = open_line_equilibrium(line, 10)
    held = build_whole_line(open_line_equilibrium(in_sections(kind, 10, SECTIONS, ends="fixed"), 10))
    assert held.along.size == 0
    whole, mesh, model = build_whole_line(eq), eq.mesh, linearise(eq)
    assert whole.along.size == 8
    for nodes in mesh.wire_ends:
        for node, wire in zip(nodes, (kind.contact_wire,) * 2 + (kind.messenger_wire,) * 2, strict=True):
            k = whole.number[mesh.dof[node, 0]]
            own = mesh.dof[node, 0]
            expected = np.sqrt(wire.axial_stiffness * wire.mass_per_length) if damping == "matched" else damping
            assert whole.damping[k, k] - model.damping[own, own] == pytest.approx(expected, rel=1e-9)
            assert whole.stiffness[k, k] - model.stiffness[own, own] == pytest.approx(stiffness, abs=1e-3)
            assert whole.mass[k, k] - model.mass[own, own] == pytest.approx(mass * wire.tension / 9.81, rel=1e-9)
