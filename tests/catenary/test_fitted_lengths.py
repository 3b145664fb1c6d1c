"""Dropper lengths from measured heights: errors that are known are found again; stretches of a line hang as it does."""

import numpy as np
import pytest
import yaml

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.layout.stretch import stretch_of
from catenary.library.line_file import read_line_file
from catenary.library.lines import line_file_of, load_line
from catenary.library.with_defects import write_with_defects
from catenary.linearised.contact_wire import static_height
from catenary.spec.section import DefectSpec
from catenary.survey.fitted_lengths import fitted_lengths
from catenary.survey.measured_heights import MeasuredHeights, measured_heights

MESH = {"elements_per_bay": 2, "largest_element_length": 3.0}
STATIONS = (1000, 1055, 1110, 1160, 1215, 1270)
ERRORS = {(2, 3): 0.008, (2, 4): -0.004, (3, 5): -0.012, (4, 2): 0.005}
PER_SPAN = 9


@pytest.fixture
def place(tmp_path):
    content = {
        "kind": "line",
        "type": "bruni_2015",
        "changes": {"mesh": MESH},
        "supports": [{"station_m": x} for x in STATIONS],
    }
    (tmp_path / "km1.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return tmp_path / "km1.yaml"


@pytest.fixture
def line(place):
    return load_line(place)


def with_errors(line, errors, others=()):
    defects = [DefectSpec(span=s, dropper=d, kind="length", by=by) for (s, d), by in errors.items()]
    return line.model_copy(update={"section": line.section.model_copy(update={"defects": (*others, *defects)})})


def as_it_hangs(line, at):
    rest = open_line_equilibrium(line, len(line.spans))
    assert (rest.dropper_force > 1.0).all()  # heights say nothing of the length of a dropper that hangs loose
    return static_height(rest, at)


def true_errors(errors, gone=()):
    found = np.zeros(PER_SPAN * (len(STATIONS) - 1))
    for (span, dropper), by in errors.items():
        found[PER_SPAN * (span - 1) + dropper - 1] = by
    return np.delete(found, gone)


def test_errors_of_lengths_are_found_again_and_heights_reproduced(line):
    at = np.arange(0.0, 270.5, 0.5)
    measured = MeasuredHeights(at, as_it_hangs(with_errors(line, ERRORS), at))
    found = fitted_lengths(line, measured, 1e-5, 0.02)
    np.testing.assert_allclose(found.error, true_errors(ERRORS), rtol=0, atol=5e-5)
    np.testing.assert_allclose(found.found, measured.height, rtol=0, atol=5e-6)
    assert np.abs(found.designed - measured.height).max() > 1e-3
    assert not found.loose.any()


def test_a_dropper_that_hangs_loose_is_said_to_and_never_too_short(line):
    """Noise gives it some newtons in the line that is found, and lengths by which it would be taut."""
    at, loose, said, taut, doubted = np.arange(0.0, 270.1, 1.0), 0, 0, 0, 0
    count = len(line.droppers.positions)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        true = rng.normal(0.0, 0.008, count)
        errors = {(k // PER_SPAN + 1, k % PER_SPAN + 1): float(by) for k, by in enumerate(true)}
        rest = open_line_equilibrium(with_errors(line, errors), len(line.spans))
        height = static_height(rest, at) + rng.normal(0.0, 1e-3, len(at))
        found = fitted_lengths(line, MeasuredHeights(at, height), 1e-3, 0.008)
        hanging = rest.dropper_force < 1e-6
        assert not (found.wrong(0.005) & hanging & (found.error < 0.0)).any(), seed
        loose, said = loose + hanging.sum(), said + (hanging & found.may_be_loose).sum()
        taut, doubted = taut + (rest.dropper_force > 10.0).sum(), doubted + (found.may_be_loose & ~hanging).sum()
    assert loose > 15 and said >= 0.9 * loose and doubted < 0.1 * taut


def test_the_design_itself_has_no_errors(line):
    at = np.array(line.droppers.positions)
    found = fitted_lengths(line, MeasuredHeights(at, as_it_hangs(line, at)), 1e-3, 0.02)
    assert np.abs(found.error).max() < 1e-7


def test_errors_of_noisy_heights_are_as_large_as_their_uncertainty(line):
    """Over many droppers and draws the error over its standard deviation has that of one."""
    at = np.arange(0.0, 270.1, 0.5)
    ratios, off = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        drawn = dict(zip([(s, d) for s in range(1, 6) for d in range(1, 10)], rng.normal(0, 0.002, 45), strict=True))
        exact = as_it_hangs(with_errors(line, drawn), at)
        noisy = MeasuredHeights(at, exact + 0.2e-3 * rng.standard_normal(len(at)))
        found = fitted_lengths(line, noisy, 0.2e-3, 0.002)
        ratios.append((found.error - true_errors(drawn)) / found.uncertainty)
        off.append(found.error - true_errors(drawn))
    assert 0.85 < np.std(ratios) < 1.15
    assert np.std(off) < 1e-3


def test_heights_that_no_length_reaches_are_refused_with_their_place(line):
    at = np.arange(0.0, 270.5, 0.5)
    high = as_it_hangs(line, at) + 0.45 * (np.abs(at - 82.5) < 8.0)
    with pytest.raises(InputError, match=r"heights need -\d{3} mm at the dropper 82.5 m from the first support"):
        fitted_lengths(line, MeasuredHeights(at, high), 1e-4, 3.0)


def test_a_length_is_not_known_where_nothing_was_measured(line):
    at = np.arange(0.0, 120.0, 0.5)
    found = fitted_lengths(line, MeasuredHeights(at, as_it_hangs(with_errors(line, ERRORS), at)), 1e-4, 0.02)
    assert (found.uncertainty[:18] < 0.01).all() and (found.uncertainty[27:] > 0.0199).all()
    assert np.abs(found.error[36:]).max() < 1e-4


def test_a_broken_dropper_is_known_and_not_fitted(line):
    broken = DefectSpec(span=3, dropper=2, kind="broken")
    design = with_errors(line, {}, (broken,))
    at = np.arange(0.0, 270.5, 0.5)
    measured = MeasuredHeights(at, as_it_hangs(with_errors(line, ERRORS, (broken,)), at))
    found = fitted_lengths(design, measured, 1e-5, 0.02)
    gone = 2 * PER_SPAN + 1
    assert gone not in found.dropper and len(found.dropper) == 44
    np.testing.assert_allclose(found.error, true_errors(ERRORS, gone), rtol=0, atol=5e-5)


def test_heights_of_another_datum_and_lines_with_wrong_lengths_are_refused(line):
    at = np.arange(0.0, 270.5, 5.0)
    with pytest.raises(InputError, match="nominal_height_m"):
        fitted_lengths(line, MeasuredHeights(at, np.full(len(at), 5.3)), 1e-3, 0.02)
    with pytest.raises(InputError, match="defects of kind length"):
        fitted_lengths(with_errors(line, ERRORS), MeasuredHeights(at, 0.0 * at), 1e-3, 0.02)
    with pytest.raises(InputError, match=r"catenary\.temperature must be left out where heights are measured"):
        fitted_lengths(line.with_changes(temperature={"now_C": 30.0}), MeasuredHeights(at, 0.0 * at), 1e-3, 0.02)
    with pytest.raises(InputError, match="repeats"):
        fitted_lengths(load_line("bruni_2015"), MeasuredHeights(at, 0.0 * at), 1e-3, 0.02)


def test_a_table_is_read_in_its_units_and_refused_row_by_row(tmp_path):
    supports = (0.0, 55.0, 110.0)
    table = tmp_path / "heights.csv"
    table.write_text("height [mm];station [km]\n5301,5;1,050\n5299;1,010\n", encoding="utf-8")
    found = measured_heights(table, supports, 1000.0, 5.3)
    assert found.station == pytest.approx([10.0, 50.0]) and found.height == pytest.approx([-0.001, 0.0015])
    table.write_text("station_m,height_mm\n1000,high\n1200,1\n999,1\n1010,0\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        measured_heights(table, supports, 1000.0, 0.0)
    said = "\n".join(refused.value.problems)
    assert "line 2: height must be a number: got 'high'" in said
    assert "line 3: station must lie on the line, 1000 to 1110 m: got 1200 m" in said and "line 4" in said
    table.write_text("place,height_mm\n1000,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="column 'station' is missing"):
        measured_heights(table, supports, 1000.0, 0.0)


def test_a_line_file_with_other_defects_is_the_same_line_with_them(place, line, tmp_path):
    kind = tmp_path / "own.yaml"
    kind.write_text(yaml.safe_dump(load_line("bruni_2015").model_dump(mode="json")), encoding="utf-8")
    content = {**yaml.safe_load(place.read_text()), "type": "own.yaml", "supports": "s.csv"}
    (tmp_path / "s.csv").write_text("station [m];remark\n" + "".join(f"{x},0;a\n" for x in STATIONS), encoding="utf-8")
    built, there = with_errors(line, ERRORS), tmp_path / "elsewhere" / "built.yaml"
    write_with_defects(there, read_line_file(content, place), built.section.defects, "km1", "")
    again = load_line(there)
    assert again.model_dump() == built.model_dump()
    assert line_file_of(there).type == "own.yaml"


def test_a_line_file_with_other_defects_keeps_the_spectrum_of_its_surface(place, line, tmp_path):
    drawn, there = {"rms": 1e-3, "seed": 3}, tmp_path / "drawn.yaml"
    content = {**yaml.safe_load(place.read_text()), "irregularity": drawn}
    write_with_defects(there, read_line_file(content, place), with_errors(line, ERRORS).section.defects, "km1", "")
    surface = load_line(there).section.irregularity
    assert (surface.rms, surface.seed) == (1e-3, 3)


def test_a_stretch_hangs_as_the_line_does_there(line):
    built = with_errors(line, ERRORS)
    own = stretch_of(built, 2, 4)
    assert own.spans == (55.0, 50.0, 55.0) and [(d.span, d.dropper) for d in own.section.defects] == [
        (1, 3),
        (1, 4),
        (2, 5),
        (3, 2),
    ]
    at = np.linspace(0.0, own.period, 81)
    here, there = as_it_hangs(own, at), as_it_hangs(built, at + 55.0)
    np.testing.assert_allclose(here, there, rtol=0, atol=2e-4)  # wires end in hinges where the line's own run on
    np.testing.assert_allclose(here[5:-5], there[5:-5], rtol=0, atol=5e-6)
    assert stretch_of(built, 1, 5).droppers.positions == pytest.approx(built.droppers.positions, abs=1e-9)
