"""Runs through tension sections of which one has another temperature: its wires' tensions are felt, and stated."""

import numpy as np
import pytest

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.layout.mesh import X, Z
from dynamics.open_line.wire_ends import wire_ends
from dynamics.refusals import refuse_unfit_case
from dynamics.solution import solve
from dynamics.spec.status import Status
from studies.validation.overlaps.built import in_sections
from studies.writing.summary import summarise

RUN = {"spans": 10, "start": 1.0, "first_evaluated": 3, "last_evaluated": 8, "spans_after": 1}
SECTIONS = [(0, 6), (4, 10)]
WARM = {"now_C": 40.0, "sections": ["B"]}


@pytest.fixture(scope="module")
def line(build_line):
    return in_sections(build_line(elements_per_bay=2), 10, SECTIONS)


@pytest.fixture(scope="module")
def case_at(line, build_case):
    """Case on the line as strung, or with its second section at 40 C."""

    def build(temperature=None, speed_kmh=250.0):
        own = line if temperature is None else line.with_changes(temperature=temperature)
        return build_case(own, speed_kmh, applied_force_N=150.0, solver="open_line", open_line=RUN)

    return build


@pytest.fixture(scope="module")
def runs(case_at):
    return solve(case_at()), solve(case_at(WARM))


def test_the_force_changes_under_the_section_that_is_warm_alone(runs):
    strung, warm = runs
    assert strung.status is warm.status is Status.OK
    x = strung.histories.position[:, 0]
    off = np.abs(warm.histories.contact_force[:, 0] - strung.histories.contact_force[:, 0])
    mean = strung.statistics.contact_force_mean_N
    # the sections share no node: until the head touches the warm one, after 220 m, nothing tells it
    assert off[x < 215.0].max() < 1e-6 * mean
    assert off[x > 340.0].max() > 0.1 * mean


def test_the_summary_has_the_tensions_of_the_section(runs, line):
    _, warm = runs
    own = open_line_equilibrium(line.with_changes(temperature=WARM), 10).parts[1].spec
    fixed = summarise(warm.case, warm, 1.0, "")["fixed_wires"]
    pulled = {"contact": own.contact_wire.tension, "messenger": own.messenger_wire.tension}
    assert fixed["by_section"] == {"B": pytest.approx(pulled, rel=1e-9)}
    assert fixed["tension_strung_N"] == {"contact": line.contact_wire.tension, "messenger": line.messenger_wire.tension}
    assert pulled["contact"] < 0.75 * line.contact_wire.tension


def test_ends_have_the_tension_of_their_section(line):
    """In height the impedance sqrt(T rho) of its wires; along the track sqrt(EA rho), which no tension changes."""
    eq = open_line_equilibrium(line.with_changes(temperature=WARM), 10)
    held = wire_ends(eq, absorbing=True)
    damping = dict(zip(held.free.tolist(), held.damping.tolist(), strict=True))
    assert eq.section_specs[1].contact_wire.tension < 0.75 * eq.section_specs[0].contact_wire.tension
    for nodes, spec in zip(eq.mesh.wire_ends, eq.section_specs, strict=True):
        for node, wire in zip(nodes, (spec.contact_wire,) * 2 + (spec.messenger_wire,) * 2, strict=True):
            assert damping[int(eq.mesh.dof[node, Z])] == pytest.approx(np.sqrt(wire.tension * wire.mass_per_length))
            matched = np.sqrt(wire.axial_stiffness * wire.mass_per_length)
            assert damping[int(eq.mesh.dof[node, X])] == pytest.approx(matched)


def test_a_speed_near_the_waves_of_a_warm_section_is_refused(case_at):
    """That of the line as strung would let it pass."""
    refuse_unfit_case(case_at(speed_kmh=390.0))
    said = r"wave speed in section B \(3\d\d km/h at 40 C, where it pulls 1\d\.\d\d kN\): got 390 km/h"
    with pytest.raises(InputError, match=said):
        refuse_unfit_case(case_at(WARM, speed_kmh=390.0))
