"""Lines by stations at rest and in motion: against the open line of their type, bars of another code, closed forms."""

import numpy as np
import pytest
from second_methods import rest_figures

from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.form_finding.first_guess import GRAVITY
from catenary.linearised.elasticity import static_elasticity
from catenary.linearised.open_elasticity import open_line_elasticity
from catenary.spec.line import CatenarySpec
from dynamics.open_line.build import build_pantographs, build_system, build_whole_line
from dynamics.solution import solve
from dynamics.spec.status import Status
from studies.validation.second_methods import at_rest

UNEVEN = (55.0, 48.0, 61.0, 50.0)
RUN = {"start": 0.5, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}


def by_stations(kind, spans, **section):
    """Line of spans of a simple type, droppers spread over each as the type spreads them."""
    starts = np.concatenate([[0.0], np.cumsum(spans)[:-1]])
    own = kind.droppers
    content = kind.model_dump()
    content |= {"span_length": spans[0], "further_spans": list(spans[1:]), "section": section}
    content["droppers"] |= {
        "positions": [
            a + x * (b / kind.span_length) for a, b in zip(starts, spans, strict=True) for x in own.positions
        ],
        "contact_wire_heights": [z for _ in spans for z in own.contact_wire_heights],
    }
    return CatenarySpec.model_validate(content)


@pytest.mark.parametrize("kinematics", ["linearised", "nonlinear"])
def test_equal_spans_run_as_the_open_line_of_their_type_bit_by_bit(build_line, build_case, kinematics):
    """At a speed whose step divides no span: the step of both is that of one span."""
    kind = build_line(elements_per_bay=2)
    settings = {"kinematics": kinematics, "solver": "open_line", "open_line": {**RUN, "spans": 6}}
    lines = kind, by_stations(kind, [55.0] * 6)
    there, here = (solve(build_case(line, 271.0, applied_force_N=150.0, **settings)) for line in lines)
    assert here.status is Status.OK
    assert np.array_equal(here.contact_force, there.contact_force)
    assert here.statistics == there.statistics
    assert np.array_equal(here.histories.dropper_force, there.histories.dropper_force)


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_unequal_spans_encumbrances_and_staggers_hang_as_bars_do(build_line, dimension):
    """The program's error falls with the square of its mesh; the bars' at a quarter of a metre is smaller yet."""
    section = {"encumbrances": (1.2, 1.35, 1.4, 1.25, 1.2), "staggers": (-0.2, 0.25, -0.15, 0.2, -0.2)}
    errors = []
    for elements in (12, 24):
        line = by_stations(build_line(elements_per_bay=elements, dimension=dimension), UNEVEN, **section)
        eq = open_line_equilibrium(line, len(UNEVEN))
        bars = rest_figures(line, len(UNEVEN), 0.125)
        errors.append(
            {key: np.abs([at_rest(eq, key, k) - bars[key][k] for k in range(len(bars[key]))]).max() for key in bars}
        )
    for key, fine in errors[1].items():
        assert fine < max(0.5 * errors[0][key], 0.02), (key, errors)
    assert errors[1]["dropper_force_N"] < 0.1 and errors[1]["dropper_cut_length_mm"] < 0.8


def test_a_period_of_unequal_spans_laid_out_by_stations_is_the_open_line_of_that_period(build_line):
    kind = build_line()
    starts = np.array([0.0, 55.0])
    content = kind.model_dump() | {"further_spans": [50.0]}
    x = [a + x * b / 55.0 for a, b in zip(starts, (55.0, 50.0), strict=True) for x in kind.droppers.positions]
    content["droppers"] |= {"positions": x, "contact_wire_heights": [*kind.droppers.contact_wire_heights] * 2}
    there = open_line_equilibrium(CatenarySpec.model_validate(content), 4)
    here = open_line_equilibrium(by_stations(kind, [55.0, 50.0, 55.0, 50.0]), 4)
    np.testing.assert_allclose(here.q, there.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(here.dropper_force, there.dropper_force, rtol=0, atol=1e-4)


def carried(eq):
    """Vertical force of all supports and arms [N]."""
    return eq.steady_arm_force.sum() + eq.messenger_support_force.sum()


def weighs(eq):
    """Weight of wires, droppers and their clamps [N]."""
    spec, drops = eq.spec, eq.spec.droppers
    wires = np.array([spec.contact_wire.mass_per_length, spec.messenger_wire.mass_per_length])
    clamps = len(eq.dropper_force) * (drops.clamp_mass_contact_wire + drops.clamp_mass_messenger_wire)
    own = wires[eq.mesh.elem_wire] @ eq.elem_l0 + drops.mass_per_length * eq.dropper_length.sum()
    return GRAVITY * (own + clamps)


def test_a_point_mass_is_carried_and_a_broken_dropper_leaves_its_own(build_line):
    """All weight is carried by supports and arms."""
    kind = build_line()
    plain, mass, eq = (
        open_line_equilibrium(by_stations(kind, [55.0] * 4, **section), 4)
        for section in (
            {},
            {"masses": [{"station": 80.0, "mass": 12.0}, {"station": 81.0, "wire": "messenger", "mass": 3.0}]},
            {"defects": [{"span": 2, "dropper": 3, "kind": "broken"}]},
        )
    )
    for each, more in ((plain, 0.0), (mass, 15.0), (eq, 0.165 + 0.195 + 0.117 * plain.dropper_unstretched_length[11])):
        assert carried(each) - weighs(each) == pytest.approx(more * GRAVITY, abs=1e-3)
    assert len(eq.dropper_force) == len(plain.dropper_force) - 1
    # the others keep the lengths of the design
    kept = np.delete(plain.dropper_unstretched_length, 11)
    np.testing.assert_allclose(eq.dropper_unstretched_length, kept, rtol=0, atol=1e-6)
    # its neighbours carry what it does not any more
    lost = plain.dropper_force[11]
    gained = eq.dropper_force[10] + eq.dropper_force[11] - plain.dropper_force[10] - plain.dropper_force[12]
    assert 0.5 * lost < gained < 1.5 * lost


def test_a_dropper_too_short_lifts_the_wire_and_one_too_long_hangs_it_lower(build_line):
    kind = build_line()
    plain = open_line_equilibrium(by_stations(kind, [55.0] * 4), 4)
    at = {}
    for by in (-0.02, 0.02):
        defect = {"span": 2, "dropper": 4, "kind": "length", "by": by}
        eq = open_line_equilibrium(by_stations(kind, [55.0] * 4, defects=[defect]), 4)
        assert eq.dropper_unstretched_length[12] == pytest.approx(plain.dropper_unstretched_length[12] + by, abs=1e-6)
        at[by] = eq.q[eq.mesh.dropper_bottom[12], 2] - plain.q[plain.mesh.dropper_bottom[12], 2]
    assert 0.0 < at[-0.02] < 0.02 and -0.02 < at[0.02] < 0.0


def test_a_soft_dropper_alone_stretches_as_its_stiffness_says(build_line):
    kind = build_line()
    defect = {"span": 2, "dropper": 4, "kind": "stiffness", "stiffness": 2.0e4}
    eq = open_line_equilibrium(by_stations(kind, [55.0] * 4, defects=[defect]), 4)
    plain = open_line_equilibrium(by_stations(kind, [55.0] * 4), 4)
    stretch = eq.dropper_length - eq.dropper_unstretched_length
    stiffness = np.where(np.arange(len(stretch)) == 12, 2.0e4, 2.0e5)
    np.testing.assert_allclose(stretch * stiffness, eq.dropper_force, rtol=1e-9)
    assert eq.q[eq.mesh.dropper_bottom[12], 2] < plain.q[plain.mesh.dropper_bottom[12], 2] - 5e-4


def test_a_broken_dropper_moves_the_force_where_it_is(build_line, build_case):
    """Before the defect the force is that of the line without it; behind it, it is not."""
    kind = build_line(elements_per_bay=2)
    settings = {"solver": "open_line", "open_line": {**RUN, "spans": 6, "last_evaluated": 5}, "applied_force_N": 150.0}
    defect = {"span": 4, "dropper": 1, "kind": "broken"}
    plain, broken = (
        solve(build_case(by_stations(kind, [55.0] * 6, **section), 275.0, **settings))
        for section in ({}, {"defects": [defect]})
    )
    assert broken.status is Status.OK
    apart = np.abs(broken.contact_force_filtered - plain.contact_force_filtered)
    early, late = plain.position < 100.0, plain.position > 165.0
    assert apart[early].max() < 3.0 < 15.0 < apart[late].max()


def test_the_elasticity_of_a_long_line_is_that_of_the_infinite_one(build_line):
    """In its middle, with droppers that go slack under the force as well as without."""
    kind = build_line(elements_per_bay=3)
    eq, cell = open_line_equilibrium(by_stations(kind, [55.0] * 12), 12), periodic_equilibrium(kind)
    x = np.array([3.0, 10.25, 20.0, 27.5])
    for force in (20.0, 300.0):
        found = open_line_elasticity(eq, 6 * 55.0 + x, force)
        np.testing.assert_allclose(found, static_elasticity(cell, x, force), rtol=5e-3)


def test_spring_supports_act_with_large_deformation_and_their_dampers_without_rayleigh(build_line, build_case):
    """What large deformation adds up by springs, and damping beyond alpha M + beta K, are the element's own."""
    spring = {"station": 80.0, "kind": "spring_support", "wire": "messenger", "stiffness": 3.0e4, "damping": 250.0}
    line = by_stations(build_line(elements_per_bay=2), [55.0] * 4, elements=[spring])
    settings = {"kinematics": "nonlinear", "solver": "open_line", "open_line": {**RUN, "spans": 4, "last_evaluated": 3}}
    case = build_case(line, 250.0, applied_force_N=150.0, **settings)
    whole = build_whole_line(open_line_equilibrium(line, 4))
    system, mesh = build_system(case, whole, build_pantographs(case, 27.5)), whole.equilibrium.mesh
    (at,) = whole.kept(mesh.dof[mesh.mass_nodes, 2])
    assert system.springs.stiffness[system.springs.dof == at] == pytest.approx([3.0e4])
    a, b = line.damping.alpha, line.damping.beta
    own = (whole.damping - a * whole.mass - b * whole.stiffness)[[at]].toarray().ravel()
    assert own[at] == pytest.approx(250.0 - b * 3.0e4, rel=1e-6) and np.abs(np.delete(own, at)).max() < 1e-6
