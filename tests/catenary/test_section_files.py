"""Tension sections in line files: their supports, wires and defaults, the workbook that holds them, what is refused."""

import re

import numpy as np
import pytest
import yaml

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.layout.running_surface import surface_of
from catenary.layout.sections import parts_of
from catenary.library.line_workbook import write_line_workbook
from catenary.library.lines import line_file_of, load_line
from catenary.library.overlaps import rises

SUPPORTS = [1000 + 55 * k for k in range(11)]
SECTIONS = [{"name": "A", "from_m": 1000, "to_m": 1330}, {"name": "B", "from_m": 1165, "to_m": 1550}]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a line file of two sections that overlap by three spans into a folder of its own, and read it."""
    monkeypatch.chdir(tmp_path)

    def read(**keys):
        content = {"kind": "line", "type": "bruni_2015", "supports": [{"station_m": x} for x in SUPPORTS]}
        content |= {"sections": SECTIONS, **keys}
        (tmp_path / "km12.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        return load_line("km12.yaml")

    return read


def refusals(read, **keys):
    with pytest.raises(InputError) as refused:
        read(**keys)
    return "\n".join(refused.value.problems)


@pytest.mark.parametrize("spans", [2, 3, 4, 5, 6])
def test_wires_pass_each_other_level_in_the_middle_and_end_at_their_elevation(spans):
    at = [50.0 * k for k in range(13)]
    (out,), (into,) = rises([(0, 8), (8 - spans, 12)], at, [0.4])
    x = np.linspace(0.0, 600.0, 601)
    np.testing.assert_allclose(out.height(x), into.height(at[8] + at[8 - spans] - x), rtol=0, atol=1e-12)
    assert out.height(np.array([at[8]])) == pytest.approx(0.4) and out.level == at[8 - spans + spans // 2]
    middle = 0.5 * (at[8] + at[8 - spans])
    assert out.height(middle) == into.height(middle) <= 0.4 / 16
    # at supports a chord meets the curve, between them it is above
    assert out.below_chord(np.array(at), at) == pytest.approx(np.zeros(13), abs=1e-12)
    between = np.array([at[8] - 25.0])
    assert out.below_chord(between, at) == pytest.approx(0.4 * (25.0 / (at[8] - out.level)) ** 2)


def test_two_sections_have_wires_of_their_own(write):
    line = write()
    a, b = line.section.tension_sections
    assert (a.first_support, a.last_support, b.first_support, b.last_support) == (0, 6, 3, 10)
    own = line.droppers.by_section
    assert own == (6 * 9, 7 * 9)
    assert line.section.contact_heights[:7] == (0.0, 0.0, 0.0, 0.0, 0.0, 0.125, 0.5)
    assert line.section.contact_heights[7:] == (0.5, 0.125, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    kind = load_line("bruni_2015")
    # span 6 climbs from 0.125 to 0.5 m on a parabola of 110 m: in its middle 31 mm below the chord
    at = int(np.argmin(np.abs(np.array(kind.droppers.positions) - 27.5)))
    assert line.droppers.contact_wire_heights[5 * 9 + at] == pytest.approx(
        kind.droppers.contact_wire_heights[at] - 0.5 * (27.5 / 110.0) ** 2, abs=1e-9
    )


def test_an_overlap_has_the_elevation_and_the_sides_that_its_row_gives(write):
    row = {"section": "A", "kind": "insulated", "elevation_mm": 400}
    line = write(overlaps=[row], changes={"dimension": "spatial"})
    assert line.section.contact_heights[5:8] == (0.1, 0.4, 0.4)
    apart = np.array(line.section.staggers[7:11]) - np.array(line.section.staggers[3:7])
    np.testing.assert_allclose(apart, 0.45, rtol=0, atol=1e-9)
    wide = write(overlaps=[{**row, "spacing_mm": 300}], changes={"dimension": "spatial"})
    assert wide.section.staggers[7] - wide.section.staggers[3] == pytest.approx(0.3)


def test_rows_are_about_the_section_that_they_name(write):
    rows = [{"station_m": x} for x in SUPPORTS]
    rows[4:5] = [{"station_m": 1220, "section": "B", "contact_height_mm": 90}, {"station_m": 1220, "section": "A"}]
    droppers = [{"section": "A", "span": 5, "position": 9 * k + 5, "height_mm": -10} for k in range(5)]
    masses = [{"station_m": 1240.25, "mass_kg": 5, "section": "A"}]
    defects = [{"span": 5, "dropper": 2, "kind": "broken", "section": "B"}]
    line = write(supports=rows, droppers=droppers, masses=masses, defects=defects)
    assert line.section.contact_heights[4] == 0.0 and line.section.contact_heights[8] == 0.09
    assert line.droppers.by_section == (5 * 9 + 5, 7 * 9)
    eq = open_line_equilibrium(line, 10)
    assert len(eq.dropper_force) == 5 * 9 + 5 + 7 * 9 - 1
    assert len(eq.mesh.layout.masses) == 1 + 2  # what a broken dropper leaves on its wires
    assert set(eq.mesh.elem_run) == {0, 1, 2, 3}


def test_the_nearest_height_that_hangs_counts_as_rows_do_from_support_to_support(write):
    """In a span that climbs from 125 to 500 mm."""
    rows = [
        {"section": "A", "span": 6, "position": x, "height_mm": 120 if x == 27.5 else 0} for x in (5, 16, 27.5, 39, 50)
    ]
    said = refusals(write, droppers=rows)
    found = [float(z) for z in re.findall(r"the nearest that hangs is (\S+) m", said)]
    assert found and 0.0 < min(found) <= max(found) < 0.12


@pytest.mark.parametrize("dimension", ["spatial", "planar"])
def test_a_workbook_holds_sections_and_reads_back_as_the_same_line(write, tmp_path, dimension):
    """An insulated overlap, too, whose wires stand apart by what only space would show."""
    sections = [{**SECTIONS[0], "ends": "weight", "ratio": 3}, {**SECTIONS[1], "ends": "spring_damper", "damping": 900}]
    apart = [{"section": SECTIONS[0]["name"], "kind": "insulated"}]
    line = write(sections=sections, overlaps=apart, changes={"dimension": dimension})
    file = line_file_of(tmp_path / "km12.yaml")
    write_line_workbook(tmp_path / "km12.xlsx", "bruni_2015", file, line)
    again = load_line("km12.xlsx")
    there, here = (each.model_dump(exclude={"provenance", "description"}) for each in (line, again))
    assert there["section"]["tension_sections"] == here["section"]["tension_sections"]
    for key in ("contact_heights", "staggers", "messenger_staggers"):
        assert here["section"][key] == pytest.approx(there["section"][key], abs=1e-9)
    first, second = (np.array(part.line.section.staggers) for part in parts_of(again))
    common = [part.first_support for part in parts_of(again)][1]
    np.testing.assert_allclose(second[: len(first) - common] - first[common:], 0.45, atol=1e-9)
    assert here["droppers"]["by_section"] == there["droppers"]["by_section"]
    for key in ("positions", "contact_wire_heights"):
        assert here["droppers"][key] == pytest.approx(there["droppers"][key], abs=1e-9)


A, B = SECTIONS


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"sections": [A, {**B, "name": "A"}]}, "km12.yaml sections[1]: section A is named a second time"),
        ({"sections": [A, {**B, "from_m": 1275}]}, "sections[1]: sections A and B must overlap by 2 to 6 spans: got 1"),
        ({"sections": [A, {**B, "from_m": 1385}]}, "must overlap by 2 to 6 spans: got -1"),
        ({"sections": [A, {**B, "from_m": 1000}]}, "sections[1]: section B must begin and end beyond section A"),
        ({"sections": [A, {**B, "from_m": 1170}]}, "sections[1]: from must be the station of a support"),
        ({"sections": [{**A, "to_m": 1110}, {**B, "from_m": 1000}]}, "section A must have 3 spans or more: got 2"),
        ({"sections": [A, {**B, "to_m": 1495}]}, "sections[1]: section B must have the line's last support"),
        ({"sections": [{"name": "A", "to_m": 1330}, B]}, "km12.yaml sections[0]: from is missing"),
        ({"sections": [A, {**B, "ends": "wieght"}]}, "km12.yaml sections[1]: ends must be one of"),
        ({"sections": [A, {**B, "ends": "fixed", "ratio": 3}]}, "km12.yaml sections[1]: "),
        ({"sections": [A, {**B, "ends": "fixed", "ratio": 3}]}, "ratio must be left out of ends of kind 'fixed'"),
        ({"sections": [A, {**B, "name": "east of km 2"}]}, "km12.yaml sections[1]: name must be a plain name"),
        ({"overlaps": [{"section": "B"}]}, "km12.yaml overlaps[0]: section must be one of A"),
        ({"sections": [], "overlaps": [{"section": "A"}]}, "overlaps[0]: an overlap needs the table sections"),
        (
            {"masses": [{"station_m": 1240.25, "mass_kg": 5}]},
            "section is missing: the tension sections A and B overlap",
        ),
        ({"masses": [{"station_m": 1050, "mass_kg": 5, "section": "B"}]}, "section must pass there: 'B' does not"),
        (
            {"droppers": [{"span": 5, "position": 27, "height_mm": 0}]},
            "droppers[0]: section is missing: the wires of A",
        ),
        ({"droppers": [{"span": 1, "position": 9, "height_mm": 0, "section": "C"}]}, "section must be one of A, B"),
        ({"defects": [{"span": 5, "dropper": 2, "kind": "broken"}]}, "km12.yaml defects[0]: "),
    ],
)
def test_sections_that_cannot_be_are_refused_by_row(write, keys, sentence):
    assert sentence in refusals(write, **keys)


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ({"wear": [{"begin": 10, "end": 20, "area": 0.1}]}, "wear[0].section is missing: give one of A, B"),
        ({"wear": [{"begin": 10, "end": 20, "area": 0.1, "section": "C"}]}, "section must be one of A, B: got C"),
        ({"profiles": [{"stations": [1, 2], "heights": [0, 0]}]}, "profiles[0].section is missing: give one of A, B"),
        ({"kinks": [{"station": 7000, "height": 0.001}]}, "section.kinks[0] must lie on a wire: got 7000 m"),
    ],
)
def test_a_section_that_nobody_gave_is_missing_in_python_too(write, section, sentence):
    with pytest.raises(InputError) as refused:
        write().with_changes(section=section)
    said = "\n".join(refused.value.problems)
    assert sentence in said and "None" not in said


@pytest.mark.parametrize("changed", ["defects", "wear"])
def test_a_running_surface_stays_that_of_the_line_where_a_section_has_changed_since_it_was_built(write, changed):
    """Sections are hung for themselves; profile and kinks count from the line's first support all the same."""
    surface = {
        "profile": [{"section": "B", "station_m": 1400 + 10 * k, "height_mm": (-1) ** k} for k in range(8)],
        "kinks": [{"section": "A", "station_m": 1040, "height_mm": 1}],
    }
    changes = {
        "defects": [{"span": 8, "dropper": 2, "kind": "broken"}],
        "wear": [{"section": "B", "from_m": 1420, "to_m": 1475, "area_percent": 10}],
    }
    smooth = write(**{changed: changes[changed]})
    rough = write(**surface, **{changed: changes[changed]})
    here, there = (open_line_equilibrium(line, len(line.spans)) for line in (smooth, rough))
    np.testing.assert_array_equal(here.dropper_force, there.dropper_force)
    for wire in (0, 1):
        own = rough.section.tension_sections[wire]
        ends = rough.supports[own.first_support], rough.supports[own.last_support]
        found, given = (
            surface_of(line.section, line.contact_wire.together, wire, ends) for line in (there.spec, rough)
        )
        assert np.ptp(found) > 0.9e-3 and np.array_equal(found, given)


def test_an_overlap_of_another_kind_is_refused_with_all_else(write):
    keys = {"overlaps": [{"section": "A", "kind": "insulted"}], "masses": [{"station_m": 1200, "mass_kg": -2}]}
    problems = refusals(write, **keys)
    assert "overlaps[0]: kind must be one of uninsulated, insulated: got 'insulted'" in problems
    assert "mass must be" in problems


def test_a_steep_arm_is_named_with_the_stagger_of_its_own_row(write):
    rows = [{"station_m": x, "stagger_mm": 200 * (-1) ** k} for k, x in enumerate(SUPPORTS)]
    rows[4]["stagger_mm"] = -60
    problems = refusals(write, supports=rows, sections=[], changes={"dimension": "spatial"})
    assert "stagger = -0.06 m pulls the steady arm at support 5 sideways" in problems
    wanted = float(re.search(r"make its own stagger (-?\d\.\d\d) m, or farther that way", problems)[1])
    rows[4]["stagger_mm"] = 1e3 * wanted
    assert write(supports=rows, sections=[], changes={"dimension": "spatial"}).section.staggers[4] == wanted


def test_a_bad_row_of_one_table_hides_nothing_of_the_others(write):
    """What rows say wrong by themselves, and what only the whole line shows, in one refusal."""
    defects = [{"span": 1, "dropper": 2, "kind": "length"}, {"span": 2, "dropper": 30, "kind": "broken"}]
    masses = [{"station_m": 1010.0, "mass_kg": 0.0}, {"station_m": 1220.0, "mass_kg": 3.0}]
    said = refusals(write, defects=defects, masses=masses)
    for sentence in (
        "km12.yaml defects[0]: by is missing",
        "km12.yaml masses[0]: mass must be between",
        "km12.yaml defects[1]: section.defects[0].dropper must be 1 to",
        "km12.yaml masses[1]: section.masses[0].section is missing: the tension sections A and B overlap there",
    ):
        assert sentence in said
