"""Droppers that cannot push: any lengths hang somewhere, and what hangs loose is what theory says hangs loose."""

import re

import numpy as np
import pytest

from catenary import load_line
from catenary.form_finding.equations import GRAVITY
from catenary.form_finding.equilibrium import EquilibriumStatus, open_line_equilibrium, periodic_equilibrium
from catenary.form_finding.nearest import nearest_heights
from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.linearised.static_checks import FaultKind, faults_at_rest, faults_in_words, loose_in_words
from catenary.spec.line import CatenarySpec

LINES = ("bruni_2015", "re330")
SPATIAL = {"dimension": "spatial"}


def two_spans(line):
    """The line over two spans, the second a tenth shorter."""
    content, length = line.model_dump(), line.span_length
    content["further_spans"] = (0.9 * length,)
    drops = content["droppers"]
    drops["positions"] = (*drops["positions"], *(length + 0.9 * x for x in drops["positions"]))
    drops["contact_wire_heights"] = drops["contact_wire_heights"] * 2
    return CatenarySpec.model_validate(content)


def cut_lists(line, count, seed):
    """The line with dropper lengths wrong by a tenth of a millimetre to a third of a metre, list after list."""
    right = prescribed_by_lengths(periodic_equilibrium(line))
    exact, rng = np.array(right.droppers.lengths), np.random.default_rng(seed)
    for _ in range(count):
        wrong = exact + 10.0 ** rng.uniform(-4.0, -0.5) * rng.standard_normal(exact.size)
        yield right.with_droppers(lengths_mm=1e3 * np.clip(wrong, 0.06, 3.4))


def check_hangs(eq):
    """Equilibrium at every node, and a dropper that pulls or hangs loose but never both, to 1e-6 N."""
    assert eq.status is EquilibriumStatus.OK
    count = len(eq.dropper_force) // len(eq.spec.droppers.positions)
    cut, stiffness = np.tile(eq.spec.droppers.lengths, count), eq.spec.droppers.stiffness
    elongation = eq.dropper_length - cut
    assert (eq.dropper_force >= 0.0).all() and (eq.dropper_gap >= 0.0).all()
    assert (eq.dropper_force * eq.dropper_gap == 0.0).all()
    np.testing.assert_allclose(eq.dropper_force, np.maximum(0.0, stiffness * elongation), rtol=0, atol=1e-6)
    np.testing.assert_allclose(eq.dropper_gap, np.maximum(0.0, -elongation), rtol=0, atol=1e-9)
    return bool(eq.dropper_gap.any())


@pytest.mark.parametrize("make", [lambda line: line, two_spans], ids=["one_span", "two_spans"])
@pytest.mark.parametrize("changes", [{}, SPATIAL], ids=["planar", "spatial"])
@pytest.mark.parametrize("name", LINES)
def test_any_lengths_hang(build_line, name, changes, make):
    loose = [check_hangs(periodic_equilibrium(line)) for line in cut_lists(make(build_line(name, **changes)), 12, 1)]
    assert 2 <= sum(loose) <= 11


@pytest.mark.validate
@pytest.mark.parametrize("make", [lambda line: line, two_spans], ids=["one_span", "two_spans"])
@pytest.mark.parametrize("changes", [{}, SPATIAL], ids=["planar", "spatial"])
@pytest.mark.parametrize("name", LINES)
def test_two_thousand_lists_of_lengths_hang(build_line, name, changes, make):
    """A part of two thousand each."""
    loose = [check_hangs(periodic_equilibrium(line)) for line in cut_lists(make(build_line(name, **changes)), 250, 2)]
    assert 60 < sum(loose) < 190


def test_with_every_dropper_loose_both_wires_hang_by_themselves(build_line):
    """Strings under their weight and point loads: moments of a simple beam over the tension.

    Bending stiffness rounds the kink at the support over b = sqrt(EI / T), which lifts the wire by b times its slope.
    """
    line = build_line(mesh={"largest_element_length": 0.08})
    eq = periodic_equilibrium(line.with_droppers(lengths_mm=[2000.0] * 9))
    assert (eq.dropper_force == 0.0).all() and (eq.dropper_gap > 0.3).all()
    length, drops = line.span_length, line.droppers
    x = np.array(drops.positions)
    half = 0.5 * drops.mass_per_length * eq.dropper_length
    for wire, nodes, mass, top in (
        (line.contact_wire, eq.mesh.dropper_bottom, half + drops.clamp_mass_contact_wire, 0.0),
        (line.messenger_wire, eq.mesh.dropper_top, half + drops.clamp_mass_messenger_wire, line.encumbrance),
    ):
        slope = 0.5 * (wire.mass_per_length * length + mass.sum()) * GRAVITY / wire.tension
        lift = slope * np.sqrt(wire.bending_stiffness / wire.tension)
        moment = 0.5 * wire.mass_per_length * GRAVITY * x * (length - x)
        for at, m in zip(x, mass, strict=True):
            moment += m * GRAVITY * np.where(x < at, x * (length - at), at * (length - x)) / length
        z = eq.q[nodes, 2]
        np.testing.assert_allclose(z, top - moment / wire.tension + lift, rtol=0, atol=3e-4)


def test_a_loose_dropper_may_be_taken_away(build_line):
    """Its length does not matter any more, only its weight, half of which hangs at either end."""
    line = prescribed_by_lengths(periodic_equilibrium(build_line()))
    lengths = 1e3 * np.array(line.droppers.lengths)
    longer, longest = (
        periodic_equilibrium(line.with_droppers(lengths_mm=lengths + np.eye(9)[3] * by)) for by in (60.0, 90.0)
    )
    assert longer.dropper_force[3] == longest.dropper_force[3] == 0.0
    np.testing.assert_allclose(longest.q, longer.q, rtol=0, atol=1e-9)
    assert longest.dropper_gap[3] - longer.dropper_gap[3] == pytest.approx(0.03, abs=1e-9)
    assert loose_in_words(line, longer) == f"dropper 4 hangs loose by {1e3 * longer.dropper_gap[3]:.1f} mm"
    assert faults_at_rest(longer) == ()


def test_a_line_is_cut_as_it_is_prescribed_loose_droppers_included(build_line):
    line = next(iter(cut_lists(build_line("re330"), 1, 4)))
    eq = periodic_equilibrium(line)
    np.testing.assert_allclose(eq.dropper_unstretched_length, line.droppers.lengths, rtol=0, atol=1e-10)
    whole = open_line_equilibrium(line, 3)
    assert whole.status is EquilibriumStatus.OK and (whole.dropper_force >= 0.0).all()


def test_loose_droppers_of_several_spans_are_named_with_their_span(build_line):
    line = prescribed_by_lengths(periodic_equilibrium(two_spans(build_line())))
    lengths = 1e3 * np.array(line.droppers.lengths)
    lengths[[2, 13]] += 60.0
    line = line.with_droppers(lengths_mm=lengths)
    found = loose_in_words(line, periodic_equilibrium(line))
    assert "dropper 3 of span 1 hangs loose by" in found and "dropper 5 of span 2 hangs loose by" in found


def test_a_loose_dropper_behind_a_broken_one_keeps_its_name(build_line):
    defects = [{"span": 1, "dropper": 2, "kind": "broken"}, {"span": 1, "dropper": 4, "kind": "length", "by": 0.06}]
    line = build_line(repeat={"spans": 2, "defects": defects})
    found = loose_in_words(line, periodic_equilibrium(line))
    assert found.startswith("dropper 4 of span 1 hangs loose by") and found.count("hangs") == 1


def test_heights_that_no_dropper_holds_are_refused_and_the_nearest_are_named(build_line):
    line = build_line()
    heights = np.array(line.droppers.contact_wire_heights)
    heights[3] -= 0.012
    low = line.with_droppers(heights_mm=1e3 * heights)
    eq = periodic_equilibrium(low)
    assert [f.kind for f in faults_at_rest(eq)] == [FaultKind.SLACK] and eq.dropper_force[3] < -10.0
    near = nearest_heights(eq)
    z = near.q[near.mesh.dropper_bottom, 2]
    assert near.dropper_force.min() == near.dropper_force[3] == 0.0
    np.testing.assert_allclose(np.delete(z - heights, 3), 0.0, rtol=0, atol=1e-9)
    assert 0.0 < z[3] - heights[3] < 0.012
    (sentence,) = faults_in_words(eq)
    upwards = 1e-4 * (np.ceil(1e4 * z[3]) + 1.0)  # to 0.1 mm, and as much higher
    assert f"hang are [0, -0.024, -0.041, {upwards:.7g}, -0.055" in sentence
    # what is named hangs, and hangs so by its lengths too
    again = periodic_equilibrium(near.spec)
    np.testing.assert_allclose(again.q[again.mesh.dropper_bottom, 2], z, rtol=0, atol=1e-8)
    np.testing.assert_allclose(again.dropper_force, near.dropper_force, rtol=0, atol=1e-4)


def test_nearest_heights_of_a_sound_line_are_its_own(build_line):
    eq = periodic_equilibrium(build_line("re330", **SPATIAL))
    assert nearest_heights(eq) is eq


@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_the_nearest_heights_as_printed_hang(name):
    """Rounded to the nearest 0.1 mm, four of ten lists were refused again."""
    line, rng, found = load_line(name), np.random.default_rng(1), 0
    heights = 1e3 * np.array(line.droppers.contact_wire_heights)
    for _ in range(8):
        wrong = line.with_droppers(heights_mm=list(np.round(heights + rng.normal(0.0, 12.0, len(heights)), 1)))
        said = " ".join(faults_in_words(periodic_equilibrium(wrong)))
        printed = re.search(r"hang are \[(.*?)\] m", said)
        if printed is None:
            continue
        found += 1
        hung = line.with_droppers(heights_mm=[1e3 * float(z) for z in printed[1].split(",")])
        assert faults_in_words(periodic_equilibrium(hung)) == []
    assert found > 4
