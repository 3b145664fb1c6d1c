"""Defects of kind loose: droppers that hang loose at rest by a gap, whatever length that takes."""

import numpy as np
import pytest
from pydantic import ValidationError

from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.layout.dropper_places import dropper_places
from catenary.spec.section import DefectSpec
from catenary.survey.loose_lengths import with_loose_as_lengths
from studies.validation.overlaps.built import in_sections

LOOSE = {"span": 2, "dropper": 3, "kind": "loose", "by": 0.005}
SPATIAL = {"dimension": "spatial"}
COLD = {"temperature": {"strung_C": 15.0, "now_C": -10.0}}


def repeating(line, *defects, **changes):
    return line.with_changes(repeat={"spans": 2, "defects": list(defects)}, **changes)


@pytest.mark.parametrize("changes", [{}, SPATIAL], ids=["planar", "spatial"])
@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_a_loose_dropper_is_one_cut_so_much_too_long(build_line, name, changes):
    """It hangs by its gap, and the line is that of a dropper whose length is wrong by what was found."""
    line = build_line(name, **changes)
    eq, sound = periodic_equilibrium(repeating(line, LOOSE)), periodic_equilibrium(repeating(line))
    (at,) = np.flatnonzero(eq.dropper_gap)
    assert dropper_places(eq.spec)[at][1:3] == (2, 3)
    assert eq.dropper_gap[at] == pytest.approx(0.005, abs=1e-15) and eq.dropper_force[at] == 0.0
    by = float(eq.dropper_unstretched_length[at] - sound.dropper_unstretched_length[at])
    assert by > 0.01, "wires move apart where a dropper does not hold them"
    longer = periodic_equilibrium(repeating(line, {**LOOSE, "kind": "length", "by": by}))
    np.testing.assert_allclose(longer.q, eq.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(longer.dropper_gap, eq.dropper_gap, rtol=0, atol=1e-9)
    np.testing.assert_allclose(longer.dropper_unstretched_length, eq.dropper_unstretched_length, rtol=0, atol=1e-9)
    assert eq.spec.droppers.lengths == pytest.approx(longer.spec.droppers.lengths, abs=1e-9)


def test_droppers_of_either_wire_keep_their_gaps_next_to_a_broken_one(build_line):
    """Two tension sections: a gap in each, behind a dropper that is broken."""
    line = in_sections(build_line("re330", elements_per_bay=2), 9, ((0, 6), (3, 9)), ends="weight")
    defects = (
        DefectSpec(span=2, dropper=1, kind="broken"),
        DefectSpec(span=2, dropper=4, kind="loose", by=0.004),
        DefectSpec(span=5, dropper=5, kind="loose", by=0.002, section="B"),
        DefectSpec(span=8, dropper=2, kind="length", by=0.003),
    )
    line = line.model_copy(update={"section": line.section.model_copy(update={"defects": defects})})
    eq = open_line_equilibrium(line, 9)
    gaps = dict(zip(dropper_places(line), eq.dropper_gap, strict=True))
    found = {(place.section, place.span, place.number): gap for place, gap in gaps.items() if gap > 0.0}
    assert found == {("A", 2, 4): 0.004, ("B", 5, 5): 0.002}
    as_lengths = with_loose_as_lengths(line)
    assert [defect.kind for defect in as_lengths.section.defects] == ["broken", "length", "length", "length"]
    again = open_line_equilibrium(as_lengths, 9)
    np.testing.assert_allclose(again.q, eq.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(again.dropper_gap, eq.dropper_gap, rtol=0, atol=1e-9)


def test_a_loose_dropper_keeps_its_length_at_another_temperature(build_line):
    """The gap is that of the temperature of the design; in the cold lengths stay as they were cut."""
    line = build_line()
    warm, cold = (periodic_equilibrium(repeating(line, LOOSE, **changes)) for changes in ({}, COLD))
    np.testing.assert_allclose(cold.dropper_unstretched_length, warm.dropper_unstretched_length, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"by": None}, "by is missing: a defect of kind 'loose' needs it"),
        ({"by": 0.0}, "by must be a gap above 0 m where a dropper hangs loose: got 0"),
        ({"by": -0.01}, "by must be a gap above 0 m where a dropper hangs loose: got -0.01"),
        ({"stiffness": 1e5}, "stiffness must be left out of a defect of kind 'loose'"),
    ],
)
def test_a_gap_is_needed_and_a_stiffness_is_not(changes, sentence):
    with pytest.raises(ValidationError, match=sentence):
        DefectSpec.model_validate(LOOSE | changes)
