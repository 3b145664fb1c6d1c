"""Overlaps of compound and stitched lines and of two contact wires side by side: at rest, and under a pantograph."""

import numpy as np
import pytest

from catenary.elements.formulation import element_of
from catenary.errors import InputError
from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.layout.mesh import Z
from catenary.layout.sections import parts_of
from catenary.linearised.attachments import point_masses
from catenary.linearised.open_line import linearise
from catenary.linearised.static_checks import faults_in_words
from dynamics.open_line.build import build_whole_line
from dynamics.results.by_wire import figures_by_wire
from dynamics.solution import solve
from dynamics.spec.status import Status
from studies.validation.gates.gates import load_gates
from studies.validation.lines import halves, untouched
from studies.validation.overlaps.built import in_sections
from studies.validation.overlaps.mirror import either_way, mirrored, mirrored_at_speed

KINDS = ["shinkansen_compound", "re330", "double_wire_3kv"]
RUN = {"spans": 10, "start": 1.0, "first_evaluated": 3, "last_evaluated": 8, "spans_after": 1}
SECTIONS, GRAVITY = [(0, 6), (3, 10)], 9.81
WIRE = ("axial_stiffness", "bending_stiffness", "mass_per_length")
ARRAYS = ("dropper_force", "dropper_length", "elem_l0", "q", "steady_arm_force", "messenger_support_force")


@pytest.fixture(scope="module", params=KINDS)
def kind(request, build_line):
    return build_line(request.param, elements_per_bay=2)


@pytest.fixture(scope="module")
def compound(build_line):
    return build_line("shinkansen_compound", elements_per_bay=2)


def weight_of(eq):
    """Weight of wires, droppers and clamps [N]."""
    line, found = eq.spec, 0.0
    wires = [line.contact_wire.together, line.messenger_wire.together, line.stitch, line.auxiliary_wire]
    for number, wire in enumerate(wires):
        if wire is not None:
            found += wire.mass_per_length * eq.elem_l0[eq.mesh.elem_wire == number].sum()
    names = ("droppers", "stitch") if line.stitch is not None else ("droppers",)
    return GRAVITY * (found + sum(values.sum() for name in names for _, values in point_masses(eq, name)))


def pull_of_ends(eq):
    """Upward force on the ends of auxiliary wires [N]: against what they pull with, and half of the last weight."""
    mesh, ends = eq.mesh, eq.mesh.wire_ends[:, 4:].ravel()
    EA, EI, rho = (wire_property(eq.spec, mesh, name) for name in WIRE)
    force, _, _ = element_of(eq.spec).forces(element_coordinates(mesh, eq.q), eq.elem_l0, EA, EI, np.zeros_like(EA))
    upwards = force.reshape(-1, 12)[:, [2, 8]] + 0.5 * GRAVITY * (rho * eq.elem_l0)[:, None]
    return upwards[np.isin(mesh.elem_nodes, ends)].sum()


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_supports_and_ends_carry_what_hangs(kind, dimension):
    eq = open_line_equilibrium(in_sections(kind.with_changes(dimension=dimension), 10, SECTIONS), 10)
    assert eq.status.value == "ok" and len(eq.mesh.contact_runs) == 2 and (eq.dropper_force > 0.0).all()
    carried, weight = eq.steady_arm_force.sum() + eq.messenger_support_force.sum() + pull_of_ends(eq), weight_of(eq)
    assert carried == pytest.approx(weight, rel=1e-8)
    assert weight > 10 * kind.span_length * GRAVITY * kind.contact_wire.mass_per_length


def test_a_section_without_an_overlap_is_the_line_without_sections_bit_by_bit(kind):
    lines = [in_sections(kind, 5, sections) for sections in ((), ((0, 5),))]
    here, there = (open_line_equilibrium(line, 5) for line in lines)
    for name in ARRAYS:
        assert np.array_equal(getattr(here, name), getattr(there, name))
    matrices = [build_whole_line(eq) for eq in (here, there)]
    for name in ("mass", "damping", "stiffness"):
        assert abs(getattr(matrices[0], name) - getattr(matrices[1], name)).max() == 0.0


def test_in_space_it_is_so_but_for_rounding(kind):
    """There staggers are named support by support, and form-finding starts from others."""
    own = kind.with_changes(dimension="spatial")
    here, there = (open_line_equilibrium(in_sections(own, 5, sections), 5) for sections in ((), ((0, 5),)))
    for name in ARRAYS:
        np.testing.assert_allclose(getattr(here, name), getattr(there, name), rtol=0, atol=1e-6)


def test_wires_hang_as_each_section_alone(kind):
    """Droppers of all sections come first, then their main droppers; stations are those of the whole line."""
    line = in_sections(kind, 10, SECTIONS)
    eq, parts = open_line_equilibrium(line, 10), parts_of(line)
    alone = [open_line_equilibrium(part.line, len(part.line.spans)) for part in parts]
    layout, main = eq.mesh.layout, [np.array(own.mesh.layout.dropper_is_main, dtype=bool) for own in alone]
    main = [
        each if each.size else np.zeros(len(own.dropper_force), bool) for each, own in zip(main, alone, strict=True)
    ]
    for name in ("dropper_force", "dropper_length", "dropper_gap", "dropper_stiffness"):
        values = [getattr(own, name) for own in alone]
        low, high = ([v[m == which] for v, m in zip(values, main, strict=True)] for which in (False, True))
        assert np.array_equal(getattr(eq, name), np.concatenate([*low, *high]))
    assert layout.dropper_x == pytest.approx(line.dropper_positions, abs=1e-9)
    np.testing.assert_allclose(eq.mesh.node_x[eq.mesh.dropper_bottom], layout.dropper_x, rtol=0, atol=1e-9)
    np.testing.assert_allclose(eq.q[eq.mesh.dropper_top, 0], layout.dropper_x, rtol=0, atol=1e-9)
    count = np.array([len(own.mesh.node_x) for own in alone])
    assert eq.mesh.dropper_top.max() < count.sum() and linearise(eq).mass.shape[0] == eq.mesh.n_dof
    for wire, points in layout.runs:
        for point in points:
            if point.what == "dropper":
                assert point.x == pytest.approx(layout.dropper_x[point.index], abs=1e-9), (wire, point)


def test_the_auxiliary_wire_of_every_section_is_held_where_the_layout_says(compound):
    """Sides at all supports and heights at its ends; main droppers that share a clamp with a dropper hold it there."""
    places = [2.5, 12.5, 22.5, 37.5, 47.5]
    shared = compound.with_changes(dimension="spatial", auxiliary_wire={"droppers": {"positions": places}})
    eq = open_line_equilibrium(in_sections(shared, 10, SECTIONS), 10)
    layout, mesh = eq.mesh.layout, eq.mesh
    x, y, z = eq.q[mesh.support_auxiliary, :3].T
    assert x == pytest.approx([50.0 * k for first, last in SECTIONS for k in range(first, last + 1)])
    assert y == pytest.approx(layout.auxiliary_side) and np.abs(y).min() > 0.05
    ends = np.isin(mesh.support_auxiliary, mesh.wire_ends)
    assert ends.sum() == 4 and z[ends] == pytest.approx(np.array(layout.auxiliary_height)[ends])
    assert len(layout.shared_clamps) == 13 * len(places) == sum(layout.dropper_is_main)
    for low, high in layout.shared_clamps:
        assert mesh.dropper_top[low] == mesh.dropper_bottom[high] and layout.dropper_is_main[high]


@pytest.fixture(scope="module")
def run(kind, build_case):
    """A run through an overlap of three spans."""
    line = in_sections(kind, 10, SECTIONS)
    return solve(build_case(line, 200.0, applied_force_N=130.0, solver="open_line", open_line=RUN))


def test_the_force_is_shared_by_both_wires(run):
    kept = run.histories
    assert run.status is Status.OK and (kept.wire_force >= 0.0).all()
    np.testing.assert_allclose(kept.wire_force[:, 0].sum(axis=1), kept.contact_force[:, 0], rtol=0, atol=1e-12)
    a, b = figures_by_wire(run)
    assert (a.section, b.section) == ("A", "B") and a.shared_time_percent == b.shared_time_percent > 0.0
    assert a.load_percent + b.load_percent == pytest.approx(100.0)
    assert a.contact_time_percent + b.contact_time_percent - a.shared_time_percent <= 100.0 + 1e-9
    assert run.dropper_slack_time.shape == (len(run.case.catenary.dropper_positions),)


@pytest.mark.parametrize(("dimension", "kinematics"), [("spatial", "linearised"), ("planar", "nonlinear")])
def test_space_and_large_deformation_are_near_the_planes_linearised_run(run, kind, build_case, dimension, kinematics):
    line = in_sections(kind.with_changes(dimension=dimension), 10, SECTIONS)
    found = solve(
        build_case(line, 200.0, applied_force_N=130.0, solver="open_line", open_line=RUN, kinematics=kinematics)
    )
    assert found.status is Status.OK
    kept, other = found.histories, run.histories
    np.testing.assert_allclose(kept.wire_force[:, 0].sum(axis=1), kept.contact_force[:, 0], rtol=0, atol=1e-12)
    for w in (0, 1):
        here, there = (each.position[each.wire_force[:, 0, w] > 0.0, 0] for each in (kept, other))
        assert here.min() == pytest.approx(there.min(), abs=6.0) and here.max() == pytest.approx(there.max(), abs=6.0)
    sigma = [each.statistics.contact_force_std_N for each in (found, run)]
    assert sigma[0] == pytest.approx(sigma[1], rel=0.15) and sigma[0] != sigma[1]


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
@pytest.mark.parametrize("gate", [untouched, mirrored_at_speed])
def test_an_overlap_leaves_what_it_must(kind, gate, dimension):
    """Stitch wires have one tension each, in the bay where they begin, which their images name where they end."""
    gates = load_gates().lines
    found, failure = gate(kind.with_changes(dimension=dimension), gates)
    limit = gates.untouched_percent if gate is untouched or kind.stitch else gates.mirrored_percent
    assert not failure and found is not None and 0.0 <= found <= limit


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_two_halves_are_the_whole(kind, dimension):
    """Arms as bars, stitch and auxiliary wires and their droppers are halved with all the rest."""
    found, failure = halves(kind.with_changes(dimension=dimension), load_gates().lines)
    assert not failure and found is not None and 0.0 <= found <= load_gates().lines.halves_percent


def test_a_creeping_head_passes_the_image_of_a_compound_overlap_alike(compound):
    """From either side it does not: what turns with the way is as large as the speed, and a quarter of it halves."""
    gates = load_gates().lines
    found, failure = mirrored(compound, gates)
    assert not failure and 0.0 <= found <= gates.mirrored_percent
    fast, slow = (either_way(compound, gates, speed)[0] for speed in (10.0, 5.0))
    assert 1.5 < fast / slow < 3.0


def test_defects_and_lengths_of_a_section_are_its_own(compound):
    """A longer dropper of one section cuts those of both to length, main ones too; the other one hangs as before."""
    line = in_sections(compound, 10, SECTIONS)
    defects = [{"span": 5, "dropper": 3, "kind": "length", "by": 0.01, "section": "B"}]
    changed = open_line_equilibrium(line.with_changes(section={"defects": defects}), 10)
    sound = open_line_equilibrium(line, 10)
    moved = np.abs(changed.dropper_force - sound.dropper_force)
    x, main = np.array(sound.mesh.layout.dropper_x), np.array(sound.mesh.layout.dropper_is_main)
    own = np.zeros(len(x), bool)
    for block, begin in ((line.droppers, 0), (line.auxiliary_wire.droppers, len(line.droppers.positions))):
        own[begin + block.by_section[0] : begin + sum(block.by_section)] = True
    assert moved[~own].max() < 1e-4 < 1.0 < moved[own].max() and abs(x[np.argmax(moved)] - 225.0) < 26.0
    assert changed.spec.auxiliary_wire.droppers.prescribed == changed.spec.droppers.prescribed == "lengths"
    cut = prescribed_by_lengths(sound)
    assert cut.auxiliary_wire.droppers.by_section == line.auxiliary_wire.droppers.by_section
    again = open_line_equilibrium(cut, 10)
    np.testing.assert_allclose(again.q[:, Z], sound.q[:, Z], rtol=0, atol=1e-6)
    assert cut.auxiliary_wire.droppers.lengths == pytest.approx(sound.dropper_unstretched_length[main])


def test_droppers_of_one_section_do_not_serve_the_other(build_line, compound):
    """Each section has its own stitch wires and clamps; those of the other one carry other wires."""
    line = in_sections(build_line("re330", elements_per_bay=2), 10, SECTIONS)
    kept = [k for k, x in enumerate(line.droppers.positions) if not (k >= 6 * 9 and 260.0 < x < 273.0)]
    fewer = {key: [getattr(line.droppers, key)[k] for k in kept] for key in ("positions", "contact_wire_heights")}
    counts = [6 * 9, len(kept) - 6 * 9]
    with pytest.raises(InputError, match="a stitch wire needs at least one dropper on each side of the support"):
        line.with_changes(droppers={**fewer, "by_section": counts})
    two = in_sections(compound, 10, SECTIONS)
    own = two.auxiliary_wire.droppers
    with pytest.raises(InputError, match=r"positions must give span 4 1 to 40: got 0"):
        rest = [k for k, x in enumerate(own.positions) if not (k >= own.by_section[0] and x < 200.0)]
        counts = [own.by_section[0], len(rest) - own.by_section[0]]
        main = {"positions": [own.positions[k] for k in rest], "auxiliary_wire_heights": [], "by_section": counts}
        two.with_changes(auxiliary_wire={"droppers": main})
    with pytest.raises(
        InputError, match=r"by_section must count the main droppers of 2 tension sections: got 3 counts"
    ):
        two.with_changes(auxiliary_wire={"droppers": {"by_section": [10, own.by_section[0] - 10, own.by_section[1]]}})


def test_nearest_heights_that_hang_count_from_support_to_support(compound):
    """As prescribed heights do: where a wire rises to its end they are those of the line that hangs."""
    line = in_sections(compound, 10, SECTIONS)
    at = int(np.argmin(np.abs(np.array(line.droppers.positions) - 277.5)))
    raised = [z + 0.05 * (k == at) for k, z in enumerate(line.droppers.contact_wire_heights)]
    (*_, words) = faults_in_words(
        open_line_equilibrium(line.with_changes(droppers={"contact_wire_heights": raised}), 10)
    )
    listed = [float(z) for z in words.partition("hang are [")[2].partition("]")[0].split(", ")]
    moved = np.array(listed) - np.array(raised)
    assert np.abs(np.delete(moved, [at - 1, at + 1])).max() < 1e-9 and moved[[at - 1, at + 1]].min() > 5e-3
    hung = open_line_equilibrium(line.with_changes(droppers={"contact_wire_heights": listed}), 10)
    assert not faults_in_words(hung)
