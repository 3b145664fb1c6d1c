"""Tension sections at another temperature: each has the tensions that it has alone, and a free one keeps its own."""

import re

import numpy as np
import openpyxl
import pytest
import yaml

from catenary.elements.formulation import element_of
from catenary.errors import InputError
from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import EquilibriumStatus, open_line_equilibrium
from catenary.layout.key_points import CONTACT
from catenary.layout.sections import parts_of
from catenary.layout.stretch import stretch_of
from catenary.library.line_workbook import write_line_workbook
from catenary.library.lines import line_file_of, load_line
from catenary.linearised.blow_off import in_gust
from catenary.spec.line import CatenarySpec
from catenary.spec.surroundings.temperature import TemperatureSpec

ALPHA = 1.7e-5
# ten spans, those of the second section shorter than those of the first
STATIONS = [1000, 1055, 1110, 1165, 1220, 1275, 1330, 1375, 1420, 1465, 1510]
SECTIONS = [{"name": "A", "from_m": 1000, "to_m": 1330}, {"name": "B", "from_m": 1220, "to_m": 1510}]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a line file of two sections into a folder of its own, and read it."""
    monkeypatch.chdir(tmp_path)

    def read(ends=("spring_damper", "fixed"), sections=("A", "B"), **changes):
        rows = [{**row, "ends": kind} for row, kind in zip(SECTIONS, ends, strict=True) if row["name"] in sections]
        stations = [x for x in STATIONS if x <= rows[-1]["to_m"]]
        content = {"kind": "line", "type": "bruni_2015", "supports": [{"station_m": x} for x in stations]}
        changes = {"mesh": {"elements_per_bay": 3}, **changes}
        (tmp_path / "km.yaml").write_text(yaml.safe_dump({**content, "sections": rows, "changes": changes}))
        return load_line("km.yaml")

    return read


def found(line, **temperature):
    """The line at a temperature, or as strung without one."""
    return open_line_equilibrium(line.with_changes(temperature=temperature) if temperature else line, len(line.spans))


def tensions(spec):
    return spec.contact_wire.tension, spec.messenger_wire.tension


def unstretched(eq, wire):
    return eq.elem_l0[eq.mesh.elem_wire == wire].sum()


def pulls(eq, section):
    """Force in the first contact-wire element of a section [N]."""
    EA, EI = (wire_property(eq.spec, eq.mesh, name) for name in ("axial_stiffness", "bending_stiffness"))
    q = element_coordinates(eq.mesh, eq.q)
    force, _, _ = element_of(eq.spec).forces(q, eq.elem_l0, EA, EI, np.zeros_like(EA))
    elems = np.flatnonzero((eq.mesh.elem_wire == CONTACT) & (eq.mesh.elem_run == eq.mesh.contact_runs[section]))
    return float(np.linalg.norm(force[elems[0]].reshape(-1)[:3]))


@pytest.mark.parametrize("now", [-15.0, 40.0])
def test_each_section_has_the_tensions_and_shape_that_it_has_alone(write, now):
    """As a line of its own, without a list of sections; what a section overlaps with changes nothing in it."""
    line = write()
    both, count = found(line, now_C=now), 0
    assert both.status is EquilibriumStatus.OK
    for part, own in zip(parts_of(line), both.section_specs, strict=True):
        alone = found(part.line, now_C=now)
        assert alone.parts == () and tensions(alone.spec) == pytest.approx(tensions(own), rel=1e-9)
        n = len(alone.q)
        assert both.q[count : count + n, 2] == pytest.approx(alone.q[:, 2], abs=1e-9)
        count += n
    a, b = both.section_specs
    assert abs(a.messenger_wire.tension - b.messenger_wire.tension) > 50.0  # longer spans give more of it back
    assert (a.contact_wire.tension > line.contact_wire.tension) == (now < 10.0)


@pytest.mark.parametrize("now", [-15.0, 40.0])
def test_wires_of_every_section_have_grown_by_their_strain(write, now):
    """L0 now is L0 strung (1 + alpha dT); a contact wire all but straight loses EA alpha dT of its tension."""
    line = write()
    warm, strung = found(line, now_C=now, fixed=["contact"]), found(line)
    wire = line.contact_wire
    for hot, cold in zip(warm.parts, strung.parts, strict=True):
        assert unstretched(hot, CONTACT) / unstretched(cold, CONTACT) == pytest.approx(
            1.0 + ALPHA * (now - 10.0), abs=1e-9
        )
        expected = wire.tension - wire.axial_stiffness * ALPHA * (now - 10.0)
        assert hot.spec.contact_wire.tension == pytest.approx(expected, rel=0.04)
        assert hot.spec.messenger_wire.tension == line.messenger_wire.tension
        assert hot.dropper_unstretched_length == pytest.approx(cold.dropper_unstretched_length, abs=1e-9)


def test_a_section_that_is_not_named_stays_to_the_digit(write):
    line = write()
    strung, warm = found(line), found(line, now_C=40.0, sections=["B"])
    (a, b), (cold, other) = warm.parts, strung.parts
    assert (
        tensions(a.spec) == tensions(line) and np.array_equal(a.q, cold.q) and np.array_equal(a.elem_l0, cold.elem_l0)
    )
    n = len(cold.q)
    assert np.array_equal(warm.q[:n], cold.q) and np.abs(warm.q[n:, 2] - other.q[:, 2]).max() > 0.01
    assert tensions(b.spec)[0] < 0.85 * line.contact_wire.tension
    for part, spec in zip(
        parts_of(line.with_changes(temperature={"now_C": 40.0, "sections": ["B"]})), (a.spec, b.spec), strict=True
    ):
        assert tensions(found(part.line).spec) == pytest.approx(tensions(spec), rel=1e-9)
    # what the wires of the whole line pull: its elements have each section's tension, its spec those as strung
    assert tensions(warm.spec) == tensions(line)
    assert pulls(warm, 0) == pytest.approx(a.spec.contact_wire.tension, rel=1e-6)
    assert pulls(warm, 1) == pytest.approx(b.spec.contact_wire.tension, rel=1e-6)


def test_sections_that_weights_hold_keep_their_tensions(write):
    weights = write(ends=("weight", "fixed"))
    by_itself, named = found(weights, now_C=40.0), found(weights, now_C=40.0, sections=["B"])
    assert np.array_equal(by_itself.q, named.q) and tensions(by_itself.section_specs[0]) == tensions(weights)


def test_the_line_that_is_found_leads_to_itself(write):
    """Its spec has the lengths of the droppers, and the temperature."""
    eq = found(write(), now_C=40.0, sections=["B"])
    again = open_line_equilibrium(eq.spec, len(eq.spec.spans))
    assert again.q == pytest.approx(eq.q, abs=1e-8)
    for one, other in zip(again.section_specs, eq.section_specs, strict=True):
        assert tensions(one) == pytest.approx(tensions(other), rel=1e-8)


def test_warmed_and_cooled_again_a_section_is_as_it_was(write):
    line = write()
    warm, strung = found(line, now_C=40.0), found(line)
    for hot, cold in zip(warm.parts, strung.parts, strict=True):
        back = found(hot.spec, strung_C=40.0, now_C=10.0)
        # back to front: 1 / (1 + strain) for 1 - strain, which is the square of the strain, and EA times it in tension
        left = line.contact_wire.axial_stiffness * (30.0 * ALPHA) ** 2
        assert tensions(back.spec) == pytest.approx(tensions(cold.spec), abs=1.5 * left)
        assert back.q[:, 2] == pytest.approx(cold.q[:, 2], abs=1e-4)
        assert np.abs(hot.q[:, 2] - cold.q[:, 2]).max() > 0.01


def test_broken_droppers_stay_broken_at_another_temperature(write):
    line = write()
    defects = {"section": {"defects": [{"span": 2, "dropper": 3, "kind": "broken"}]}}
    broken = found(line.with_changes(**defects), now_C=40.0)
    assert len(broken.dropper_force) == len(line.droppers.positions) - 1
    a, b = (spec.messenger_wire.tension for spec in broken.section_specs)
    sound = [spec.messenger_wire.tension for spec in found(line, now_C=40.0).section_specs]
    assert b == sound[1] and a != sound[0]


def test_in_a_gust_every_section_keeps_the_tensions_of_its_temperature(write):
    wind = {"speed": 20.0, "gust_factor": 1.4, "contact_wire": {"diameter": 0.0132, "drag_coefficient": 1.0},
            "messenger_wire": {"diameter": 0.014, "drag_coefficient": 1.0},
            "droppers": {"diameter": 0.006, "drag_coefficient": 1.0}}  # fmt: skip
    eq = found(write(dimension="spatial", wind=wind), now_C=30.0, sections=["B"])
    gust = in_gust(eq)
    assert gust is not None and gust.spec.wind.speed > eq.spec.wind.speed
    assert [tensions(s) for s in gust.section_specs] == [tensions(s) for s in eq.section_specs]
    assert np.abs(gust.q[:, 1] - eq.q[:, 1]).max() > 0.005


@pytest.mark.parametrize(
    ("ends", "temperature", "said"),
    [
        (("fixed", "fixed"), {"sections": ["B", "C"]}, "temperature.sections must be among A, B: got 'C'"),
        (("fixed", "fixed"), {"sections": ["B", "B"]}, "must list each tension section once: got B, B"),
        (("weight", "fixed"), {"sections": ["A", "B"]}, "that no weights hold, for these keep their tensions: got A"),
        (("weight", "weight"), {}, "temperature must be left out: weights hold the wires of every tension section"),
        (("fixed", "fixed"), {"fixed": ["auxiliary"]}, "kind is simple, there is no auxiliary wire"),
    ],
)
def test_sections_that_cannot_be_at_a_temperature_are_named(write, ends, temperature, said):
    with pytest.raises(InputError, match=said):
        write(ends).with_changes(temperature={"now_C": 40.0, **temperature})
    with pytest.raises(InputError, match=f"km.yaml: changes: .*{said}"):
        write(ends, temperature={"now_C": 40.0, **temperature})


def test_a_stretch_of_the_only_section_keeps_its_temperature(write):
    """It has no list of sections, so that it names none."""
    line = write(temperature={"now_C": 40.0, "sections": ["A"]}, sections=("A",))
    stretch = stretch_of(line, 2, 5)
    assert CatenarySpec.model_validate(stretch.model_dump()) == stretch
    assert (stretch.temperature.now_C, stretch.temperature.sections) == (40.0, None)
    assert found(stretch).spec.contact_wire.tension < 0.85 * line.contact_wire.tension


def test_sections_are_refused_on_a_line_that_has_none(build_line):
    with pytest.raises(InputError, match=r"temperature\.sections must be left out: the line has no tension sections"):
        build_line().with_changes(temperature={"now_C": 40.0, "sections": ["A"]})


def test_line_files_and_workbooks_name_the_sections(write, tmp_path):
    """A cell holds names with commas between them; what is written is read as the same line."""
    line = write(temperature={"now_C": 40.0, "sections": ["B"], "fixed": ["contact", "messenger"]})
    assert line.temperature.sections == ("B",)
    file = line_file_of(tmp_path / "km.yaml")
    write_line_workbook(tmp_path / "km.xlsx", "bruni_2015", file, line)
    assert load_line("km.xlsx").temperature == line.temperature
    both = line.with_changes(temperature={"sections": "A, B"})
    assert both.temperature.sections == ("A", "B")
    assert CatenarySpec.model_validate(line.model_dump()) == line


@pytest.mark.parametrize(
    ("cell", "names", "chosen"),
    [
        (1, ("1", "2"), ("1",)),
        ("01", ("01", "1"), ("01",)),
        ("1,2", ("1", "2"), ("1", "2")),
        (1.5, ("1.5", "2"), ("1.5",)),
        ("A", ("A", "B"), ("A",)),
    ],
)
def test_a_section_named_by_a_number_is_named_alone_in_a_cell(write, tmp_path, cell, names, chosen):
    """A cell of a number, and a text that reads as one: 01 is not 1, and 1,2 are two names."""
    line = write(temperature={"now_C": 20.0})
    own = [{**row, "name": name, "ends": "fixed"} for row, name in zip(SECTIONS, names, strict=True)]
    content = yaml.safe_load((tmp_path / "km.yaml").read_text())
    (tmp_path / "km.yaml").write_text(yaml.safe_dump({**content, "sections": own}))
    line = load_line("km.yaml")
    write_line_workbook(tmp_path / "km.xlsx", "bruni_2015", line_file_of(tmp_path / "km.yaml"), line)
    book = openpyxl.load_workbook(tmp_path / "km.xlsx")
    book["line"].append(("temperature.sections", cell))
    book.save(tmp_path / "km.xlsx")
    found = load_line("km.xlsx")
    assert [each.name for each in found.section.tension_sections] == list(names)
    assert found.temperature.sections == chosen


def test_a_number_in_a_line_file_is_the_name_of_a_section(write):
    """In a list as alone, whole or not; what is neither text nor number is refused as before."""
    line = write(temperature={"now_C": 20.0})
    for given, names in ((1, ("1",)), ([1, 2.5], ("1", "2.5")), (3.0, ("3",))):
        assert TemperatureSpec.model_validate({"now_C": 20.0, "sections": given}).sections == names
    with pytest.raises(InputError, match=r"temperature\.sections"):
        line.with_changes(temperature={"sections": [True]})


def test_an_arm_that_a_warm_section_lets_stand_upright_is_named_with_its_section(write):
    """Its support and station count from the line's beginning, not from the section's: B begins at support 5."""
    warm = {"now_C": 40.0, "sections": ["B"]}
    with pytest.raises(InputError, match=r"pulls the steady arm at support 6 of section B sideways with \d+ N") as said:
        write(dimension="spatial", temperature=warm)
    assert "section A" not in str(said.value)  # which has its tension as strung
    line = write(dimension="planar", temperature=warm)
    assert line.temperature.sections == ("B",)


def test_an_arm_that_would_push_is_named_with_its_section(write):
    with pytest.raises(InputError) as said:
        write(dimension="spatial", track={"arms": "left"})
    both = str(said.value).splitlines()
    for words, section, first in zip(both, ("A", "B"), (1, 5), strict=True):
        number, at, name = re.search(r"support (\d+) \(at (\d+) m\) of section (\w) where", words).groups()
        assert name == section and int(number) > first and float(at) == STATIONS[int(number) - 1] - STATIONS[0]
