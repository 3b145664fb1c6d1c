"""Stretches of a line in tension sections: whole overlaps, each wire as on the line, with its droppers and masses."""

import numpy as np
import pytest

import catenary
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.layout.sections import parts_of
from catenary.layout.stretch import stretch_of, with_whole_overlaps
from catenary.linearised.contact_wire import static_height
from catenary.spec.line import CatenarySpec
from catenary.spec.section import DefectSpec
from studies.validation.overlaps.built import in_sections

SPANS, SECTIONS = 16, ((0, 7), (4, 12), (10, 16))


def line_of(kind, **changes):
    return in_sections(
        catenary.load_line(kind).with_changes(mesh={"elements_per_bay": 2}, **changes), SPANS, SECTIONS, ends="weight"
    )


def with_section(line, **changes):
    return line.model_copy(update={"section": line.section.model_copy(update=changes)})


@pytest.fixture(scope="module")
def line():
    return line_of("bruni_2015")


def contact_heights(line, at, run):
    eq = open_line_equilibrium(line, len(line.spans))
    return static_height(eq, at, eq.mesh.contact_runs[run])


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ((1, 4), (1, 4)),
        ((1, 5), (1, 8)),
        ((1, 7), (1, 8)),
        ((1, 8), (1, 8)),
        ((4, 9), (4, 9)),
        ((5, 9), (4, 9)),
        ((7, 9), (4, 9)),
        ((8, 10), (8, 10)),
        ((8, 11), (8, 13)),
        ((11, 12), (10, 13)),
        ((6, 11), (4, 13)),
        ((13, 16), (13, 16)),
    ],
)
def test_a_stretch_has_whole_overlaps_and_a_span_beyond(line, given, whole):
    """The first overlap is spans 5 to 7, the second 11 and 12."""
    assert with_whole_overlaps(line, *given) == whole
    stretch = stretch_of(line, *whole)
    assert CatenarySpec.model_validate(stretch.model_dump()) == stretch
    if given != whole:
        with pytest.raises(ValueError, match="whole overlaps"):
            stretch_of(line, *given)


@pytest.mark.parametrize(
    ("sections", "given", "whole"),
    [
        (((0, 6), (4, 8), (6, 16)), (6, 6), (4, 9)),
        (((0, 6), (4, 8), (6, 16)), (8, 9), (4, 9)),
        (((0, 6), (4, 10), (7, 16)), (6, 6), (4, 7)),
    ],
)
def test_overlaps_that_touch_are_taken_together(sections, given, whole):
    """The span beyond the first lies in the second, and the other way round; not where a support is between them."""
    assert with_whole_overlaps(in_sections(catenary.load_line("bruni_2015"), SPANS, sections), *given) == whole


@pytest.mark.parametrize("changes", [{}, {"dimension": "spatial"}])
def test_both_wires_of_an_overlap_hang_as_they_do_on_the_line(changes):
    """Dropper by dropper and bay by bay: a wrong length of each wire, where both pass, among them."""
    defects = (
        DefectSpec(span=6, dropper=3, kind="length", by=0.004, section="A"),
        DefectSpec(span=6, dropper=7, kind="length", by=0.004, section="B"),
        DefectSpec(span=4, dropper=2, kind="length", by=0.003),
        DefectSpec(span=2, dropper=2, kind="broken"),
    )
    whole = with_section(line_of("bruni_2015", **changes), defects=defects)
    stretch = stretch_of(whole, 3, 9)
    assert [(d.span, d.dropper, d.section) for d in stretch.section.defects] == [(4, 3, "A"), (4, 7, "B"), (2, 2, None)]
    for run, (begin, end) in enumerate(((3, 7), (4, 9))):
        x = np.linspace(55.0 * begin + 11.0, 55.0 * end - 11.0, 83)
        here, there = contact_heights(stretch, x - 110.0, run), contact_heights(whole, x, run)
        np.testing.assert_allclose(here, there, rtol=0, atol=5e-6)
        sound = contact_heights(with_section(stretch, defects=()), x - 110.0, run)
        assert np.abs(sound - here).max() > 1e-4


def test_a_stretch_clear_of_overlaps_is_of_one_section(line):
    """Values by dropper are those of its own section, which is listed behind another."""
    section, count = line.section, len(line.droppers.positions)
    stiff = tuple(1e5 + k for k in range(count))
    masses = (
        {"station": 55.0 * 7 + 9.1, "wire": "contact", "mass": 3.0},
        {"station": 55.0 * 9 + 9.1, "wire": "contact", "mass": 4.0, "section": "B"},
        {"station": 55.0 * 6 + 9.1, "wire": "contact", "mass": 5.0, "section": "B"},
    )
    rows = line.with_changes(section={"dropper_stiffnesses": stiff, "masses": masses})
    stretch = stretch_of(rows, 8, 10)
    assert stretch.section.tension_sections == () and stretch.droppers.by_section == ()
    assert [(m.station, m.mass, m.section) for m in stretch.section.masses] == [(9.1, 3.0, None), (119.1, 4.0, None)]
    assert len(stretch.section.contact_heights) == 4 or not section.contact_heights
    hung = [k for k, x in enumerate(line.droppers.positions) if 55.0 * 7 < x < 55.0 * 10]
    assert stretch.section.dropper_stiffnesses == tuple(stiff[k] for k in hung)
    part = parts_of(rows)[1].line
    assert stretch_of(part, 4, 6).droppers == stretch.droppers


def test_main_droppers_of_a_compound_line_stay_with_their_sections():
    line = line_of("shinkansen_compound")
    stretch = stretch_of(line, 4, 8)
    assert CatenarySpec.model_validate(stretch.model_dump()) == stretch
    hung, begin = stretch.auxiliary_wire.droppers, line.supports[3]
    for own, all_of_it in zip(
        hung.positions_by_section, line.auxiliary_wire.droppers.positions_by_section, strict=False
    ):
        inside = [x - begin for x in all_of_it if line.supports[3] < x < line.supports[8]]
        assert own == pytest.approx(inside) and len(own) > 6
    assert len(hung.by_section) == 2


@pytest.mark.parametrize(
    ("given", "stretch", "expected"),
    [
        ({}, (3, 9), ["B"]),
        ({"sections": ["B", "C"]}, (3, 9), ["B"]),
        ({"sections": ["C"]}, (3, 9), "none"),
        ({"sections": ["B"]}, (8, 10), None),
        ({}, (1, 4), "none"),
    ],
)
def test_wires_of_a_stretch_are_fixed_where_those_of_the_line_are(line, given, stretch, expected):
    """Weights hold A: it has no other tension at another temperature, and its stretch has none either."""
    ends = ({"kind": "weight"}, {"kind": "fixed"}, {"kind": "fixed"})
    sections = [{**own.model_dump(), "ends": end} for own, end in zip(line.section.tension_sections, ends, strict=True)]
    warm = line.with_changes(section={"tension_sections": sections}, temperature={"now_C": 30.0, **given})
    found = stretch_of(warm, *stretch)
    assert CatenarySpec.model_validate(found.model_dump()) == found
    if expected == "none":
        assert found.temperature is None
    else:
        assert found.temperature.sections == (None if expected is None else tuple(expected))
        assert found.temperature.now_C == 30.0
