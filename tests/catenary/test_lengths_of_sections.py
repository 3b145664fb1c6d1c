"""Dropper lengths of a line in tension sections, from heights that say on whose wire they were measured."""

import numpy as np
import pytest

import catenary
from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.layout.dropper_places import places_by_design
from catenary.linearised.contact_wire import static_height
from catenary.spec.section import DefectSpec
from catenary.survey.fitted_lengths import fitted_lengths
from catenary.survey.measured_heights import MeasuredHeights, measured_heights
from studies.validation.overlaps.built import in_sections

# spans 4 and 5 have the wires of both
ERRORS = {("A", 2, 3): 0.008, ("A", 4, 6): -0.004, ("B", 5, 5): 0.005, ("B", 5, 8): -0.004, ("B", 7, 8): 0.005}
ENDS = {"A": (0.0, 275.0), "B": (165.0, 440.0)}


@pytest.fixture(scope="module")
def line():
    mesh = {"elements_per_bay": 2, "largest_element_length": 3.0}
    return in_sections(catenary.load_line("bruni_2015").with_changes(mesh=mesh), 8, ((0, 5), (3, 8)))


def with_errors(line, others=()):
    defects = [DefectSpec(span=s, dropper=d, kind="length", by=by, section=n) for (n, s, d), by in ERRORS.items()]
    return line.model_copy(update={"section": line.section.model_copy(update={"defects": (*others, *defects)})})


def measured_on(line, *sections):
    """Heights every half metre of each wire, one wire between the others."""
    eq = open_line_equilibrium(line, len(line.spans))
    assert (eq.dropper_force > 1.0).all()
    rows = []
    for name, run in zip("AB", eq.mesh.contact_runs, strict=True):
        at = np.arange(ENDS[name][0], ENDS[name][1] + 0.1, 0.5)
        heights = static_height(eq, at, run)
        rows += [(x, name, z) for x, z in zip(at, heights, strict=True) if name in sections]
    x, names, z = zip(*sorted(rows), strict=True)
    return MeasuredHeights(np.array(x), np.array(z), tuple(names))


def test_errors_of_either_wire_are_found_again(line):
    measured = measured_on(with_errors(line), "A", "B")
    found = fitted_lengths(line, measured, 1e-5, 0.02)
    places = list(places_by_design(line))
    assert [places[k] for k in found.dropper] == places
    true = [ERRORS.get(place[:3], 0.0) for place in places]
    np.testing.assert_allclose(found.error, true, rtol=0, atol=5e-5)
    np.testing.assert_allclose(found.found, measured.height, rtol=0, atol=5e-6)
    assert np.abs(found.designed - measured.height).max() > 1e-3


def test_a_section_without_heights_keeps_the_lengths_of_its_design(line):
    found = fitted_lengths(line, measured_on(with_errors(line), "B"), 1e-5, 0.02)
    section = np.array([place.section for place in places_by_design(line)])
    assert (found.error[section == "A"] == 0.0).all()
    np.testing.assert_allclose(found.uncertainty[section == "A"], 0.02, rtol=1e-9)
    assert np.abs(found.error[section == "B"]).max() == pytest.approx(0.005, abs=5e-5)


def test_a_broken_dropper_of_the_second_section_is_known(line):
    design = line.model_copy(
        update={"section": line.section.model_copy(update={"defects": (DefectSpec(span=7, dropper=2, kind="broken"),)})}
    )
    measured = measured_on(with_errors(line, design.section.defects), "A", "B")
    found, places = fitted_lengths(design, measured, 1e-5, 0.02), list(places_by_design(line))
    there = [places[k] for k in found.dropper]
    assert [p[:3] for p in set(places) - set(there)] == [("B", 7, 2)]
    np.testing.assert_allclose(found.error, [ERRORS.get(p[:3], 0.0) for p in there], rtol=0, atol=5e-5)


def test_heights_of_another_datum_are_named_with_their_station(line):
    exact = measured_on(line, "A", "B")
    off = np.where(exact.station == 400.0, 0.7, 0.0)
    with pytest.raises(InputError, match=r"got \+0\.7\d* m at 400 m from the first support"):
        fitted_lengths(line, MeasuredHeights(exact.station, exact.height + off, exact.section), 1e-3, 0.02)
    with pytest.raises(ValueError, match="must name theirs"):
        fitted_lengths(line, MeasuredHeights(exact.station, exact.height), 1e-3, 0.02)


def read(line, folder, rows):
    (folder / "heights.csv").write_text(rows, encoding="utf-8")
    return measured_heights(folder / "heights.csv", line.supports, 1000.0, 0.0, line.section.tension_sections)


def test_a_row_names_its_section_where_two_pass(line, tmp_path):
    """A station at which wires of one section end, under those of the other, is the other's unless a row says so."""
    rows = ("1200,B,0.02", "1200,A,0.01", "1100,,0", "1165,,0", "1165,B,0.5", "1275,,0", "1440,,0", "1000,,0")
    found = read(line, tmp_path, "\n".join(("station_m,section,height_m", *rows)))
    assert found.section == ("A", "A", "A", "B", "B", "A", "B", "B")
    assert found.station.tolist() == [0.0, 100.0, 165.0, 165.0, 200.0, 200.0, 275.0, 440.0]
    assert found.height.tolist() == [0.0, 0.0, 0.0, 0.5, 0.02, 0.01, 0.0, 0.0]


def test_a_row_of_nobody_is_refused_by_its_line(line, tmp_path):
    with pytest.raises(InputError) as refused:
        read(line, tmp_path, "station_m,section,height_m\n1200,,0\n1300,A,0\n1100,C,0\n1100,A,0\n")
    said = "\n".join(refused.value.problems)
    assert "line 2: section is missing: the wires of A and B pass there. Say in a column 'section'" in said
    assert "line 3: section must be that of a wire which passes there, B: got 'A'" in said
    assert "line 4: section must be one of A, B: got 'C'" in said and "line 5" not in said
    with pytest.raises(InputError, match="line 2: section is missing"):
        read(line, tmp_path, "station_m,height_m\n1200,0\n")
    with pytest.raises(InputError, match="only one column may hold the section"):
        read(line, tmp_path, "station_m,height_m,section,section\n1200,0,A,B\n")
