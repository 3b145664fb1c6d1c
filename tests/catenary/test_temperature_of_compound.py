"""A compound line at another temperature: three wires that are fixed at both ends, or some of them."""

import numpy as np
import pytest

import catenary
from catenary.form_finding.equilibrium import EquilibriumStatus, open_line_equilibrium, periodic_equilibrium
from catenary.layout.key_points import AUXILIARY, CONTACT, MESSENGER
from studies.validation.overlaps.built import in_sections

ALPHA = 1.7e-5
WIRES = {"contact": CONTACT, "messenger": MESSENGER, "auxiliary": AUXILIARY}


@pytest.fixture(scope="module")
def compound():
    return catenary.load_line("shinkansen_compound").with_changes(mesh={"elements_per_bay": 2})


def tension(spec, wire):
    return getattr(spec, f"{wire}_wire").tension


def grown(eq, strung, wire):
    """Unstretched length of a wire over that as strung."""
    now, then = (e.elem_l0[e.mesh.elem_wire == WIRES[wire]].sum() for e in (eq, strung))
    return now / then


@pytest.mark.parametrize("fixed", [None, ("contact", "messenger"), ("auxiliary",)])
def test_fixed_wires_grow_by_their_strain_and_others_keep_their_tensions(compound, fixed):
    """All three where none is named; droppers and main droppers stay as they were cut."""
    change = {"now_C": -10.0} | ({} if fixed is None else {"fixed": fixed})
    eq, strung = periodic_equilibrium(compound.with_changes(temperature=change)), periodic_equilibrium(compound)
    assert eq.status is EquilibriumStatus.OK
    for wire in WIRES:
        if fixed is None or wire in fixed:
            assert grown(eq, strung, wire) == pytest.approx(1.0 - 20.0 * ALPHA, abs=1e-9)
            assert tension(eq.spec, wire) > 1.2 * tension(compound, wire)
        else:
            assert tension(eq.spec, wire) == tension(compound, wire)
    assert eq.dropper_unstretched_length == pytest.approx(strung.dropper_unstretched_length, abs=1e-9)


def test_wires_all_but_straight_gain_what_their_strain_takes(compound):
    """EA alpha dT, but for the length that less sag takes back: little of contact and auxiliary wire."""
    spec = periodic_equilibrium(compound.with_changes(temperature={"now_C": -10.0})).spec
    for wire in ("contact", "auxiliary"):
        own = getattr(compound, f"{wire}_wire")
        assert tension(spec, wire) - own.tension == pytest.approx(20.0 * ALPHA * own.axial_stiffness, rel=0.03)
    own = compound.messenger_wire
    assert tension(spec, "messenger") - own.tension < 0.9 * 20.0 * ALPHA * own.axial_stiffness  # it sags a metre


def test_sections_of_a_compound_line_find_three_tensions_each(compound):
    line = in_sections(compound, 8, [(0, 5), (3, 8)])
    strung = open_line_equilibrium(line, 8)
    eq = open_line_equilibrium(line.with_changes(temperature={"now_C": -10.0, "sections": ["B"]}), 8)
    (a, b), (cold, other) = eq.parts, strung.parts
    assert np.array_equal(a.q, cold.q) and all(tension(a.spec, wire) == tension(line, wire) for wire in WIRES)
    for wire in WIRES:
        assert grown(b, other, wire) == pytest.approx(1.0 - 20.0 * ALPHA, abs=1e-9)
        assert tension(b.spec, wire) > 1.2 * tension(line, wire)
    again = open_line_equilibrium(eq.spec, 8)
    assert again.q == pytest.approx(eq.q, abs=1e-8)
