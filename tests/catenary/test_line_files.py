"""Line files by stations: rows laid over a type, tables inline, in CSV and in XLSX, and rows that are refused."""

import numpy as np
import pytest
import yaml

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.library.line_workbook import write_line_workbook
from catenary.library.lines import line_file_of, load_line
from catenary.linearised.open_line import linearise

SUPPORTS = [0, 55, 110, 165]


@pytest.fixture
def write(write_line):
    """Write a line file on four supports into a folder of its own, and read it."""
    return lambda tables=None, **keys: write_line(tables, **{"supports": [{"station_m": x} for x in SUPPORTS], **keys})


def refusals(read, *arguments, **keys):
    with pytest.raises(InputError) as refused:
        read(*arguments, **keys)
    return refused.value.problems


@pytest.mark.parametrize("dimension", ["planar", "spatial"])
@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_a_line_file_of_equal_spans_is_the_open_line_of_its_type_bit_by_bit(write, name, dimension):
    kind = load_line(name).with_changes(dimension=dimension)
    spans, length = 4, kind.span_length
    rows = [{"station_m": 2000 + s * length} for s in range(spans + 1)]
    line = write(type=name, supports=rows, changes={"dimension": dimension})
    here, there = open_line_equilibrium(line, spans), open_line_equilibrium(kind, spans)
    assert np.array_equal(here.q, there.q) and np.array_equal(here.elem_l0, there.elem_l0)
    one, other = linearise(here), linearise(there)
    for matrix in ("mass", "damping", "stiffness", "dropper"):
        difference = getattr(one, matrix) - getattr(other, matrix)
        assert difference.nnz == 0 or np.abs(difference.data).max() == 0.0
    assert np.array_equal(one.fixed, other.fixed)


def test_droppers_by_rows_are_those_of_the_type_where_they_say_the_same(write):
    kind = load_line("bruni_2015")
    given = zip(kind.droppers.positions, kind.droppers.contact_wire_heights, strict=True)
    values = [(x, 1e3 * z) for x, z in given]
    by_span = "span;position [m];height [mm]\n" + "".join(f"{s};{x};{z}\n" for s in (1, 2, 3) for x, z in values)
    by_station = "station_m,height_mm\n" + "".join(f"{55 * s + x},{z}\n" for s in (0, 1, 2) for x, z in values)
    usual = write()
    for text in (by_span, by_station):
        line = write({"droppers.csv": text}, droppers="droppers.csv")
        assert line.droppers.positions == pytest.approx(usual.droppers.positions, abs=1e-12)
        assert line.droppers.contact_wire_heights == pytest.approx(usual.droppers.contact_wire_heights, abs=1e-12)
        assert line.provenance["droppers.positions"] == "u"
    assert usual.provenance["droppers.positions"] == "t:bruni_2015"


def test_a_row_has_what_it_names_and_its_type_the_rest(write):
    supports = [
        {"station_m": 0},
        {"station_m": 55, "encumbrance_mm": 1300, "stagger_mm": 250},
        {"station_m": 105, "contact_height_mm": 20},
        {"station_m": 160},
    ]
    droppers = [
        {"span": 2, "position": 10, "height_mm": -10, "stiffness [kN/m]": 120, "messenger_clamp_kg": 0.5},
        {"span": 2, "position": 25, "height_mm": -20},
        {"span": 2, "position": 40, "height_mm": -10},
    ]
    line = write(supports=supports, droppers=droppers, changes={"contact_wire": {"tension": 20e3}})
    own = line.section
    marks = line.provenance
    assert (marks["contact_wire.tension"], marks["messenger_wire.tension"]) == ("c", "t:bruni_2015")
    assert line.spans == (55.0, 50.0, 55.0) and line.contact_wire.tension == 20e3
    assert own.encumbrances == (1.2, 1.3, 1.2, 1.2) and own.contact_heights == (0.0, 0.0, 0.02, 0.0)
    assert own.staggers == (-0.2, 0.25, -0.2, 0.2) and own.messenger_staggers == ()
    assert own.dropper_stiffnesses == (*[200e3] * 9, 120e3, *[200e3] * 11)
    assert own.clamp_masses_messenger_wire == (*[0.195] * 9, 0.5, *[0.195] * 11)
    eq = open_line_equilibrium(line, 3)
    low, high = eq.mesh.support_contact, eq.mesh.support_messenger
    np.testing.assert_allclose(eq.q[low, 2], own.contact_heights, atol=1e-12)
    np.testing.assert_allclose(eq.q[high, 2] - eq.q[low, 2], own.encumbrances, atol=1e-12)
    # heights are over the straight line from support to support, which rises by 20 mm along span 2
    assert eq.q[eq.mesh.dropper_bottom[9:12], 2] == pytest.approx([-0.006, -0.01, 0.006], abs=1e-12)


def test_droppers_of_a_type_keep_their_distance_under_a_stitch_wire_and_spread_between(write):
    rows = [{"station_m": x} for x in (0, 65, 120, 185)]
    line = write(type="re330", supports=rows)
    inside = np.array([x - 65 for x in line.droppers.positions if 65 < x < 120])
    usual = np.array(load_line("re330").droppers.positions)
    assert inside[0] == usual[0] and inside[-1] == pytest.approx(55 - (65 - usual[-1]))
    np.testing.assert_allclose((inside[1:-1] - 9.0) / 37.0, (usual[1:-1] - 9.0) / 47.0, atol=1e-6)


def test_every_bad_row_is_named_with_its_cell(write):
    supports = "station_m;encumbrance_mm;wind;stagger_ft\n0;1200;;\n55;12;;\n110;;;\n165;1,2 m;;\n"
    droppers = [
        {"span": 1, "position": 10, "height_mm": -10},
        {"span": 1, "position": 60, "height_mm": -10},
        {"span": 9, "position": 5, "height_mm": 0},
        {"station_m": 120, "height_mm": "low"},
        {"station_m": 118, "height_mm": 0},
        {"position": 5, "height_mm": 0},
    ]
    found = "\n".join(refusals(write, {"supports.csv": supports}, supports="supports.csv", droppers=droppers))
    for sentence in (
        "supports.csv: 'wind' is not a column of supports",
        "supports.csv: the unit of 'stagger_ft' must be one of m, mm, cm: got 'ft'",
        "supports.csv line 3: encumbrance must be between 300 and 3000 mm: got 12 mm",
        "supports.csv line 5: encumbrance must be a number: got '1,2 m'",
        "km12.yaml droppers[1]: position must lie between 0.5 and 54.5 m inside span 1, from 0 to 55 m: got 60 m",
        "km12.yaml droppers[2]: span must be 1 to 3: got 9",
        "km12.yaml droppers[3]: height must be a number: got 'low'",
        "km12.yaml droppers[4]: station must be beyond that of the dropper before in span 3, 120 m: got 118 m",
        "km12.yaml droppers[5]: give either station, or span and position",
    ):
        assert sentence in found, found


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"supports": []}, "km12.yaml: supports is missing"),
        ({"supports": [{"station_m": x} for x in (0, 55, 110)]}, "must list 4 to 49 supports: got 3"),
        ({"supports": [{"station_m": x} for x in (0, 55, 50, 165)]}, "supports[2]: station must be beyond"),
        ({"supports": [{"station_m": x} for x in (0, 55, 65, 165)]}, "got 65 m, a span of 10 m"),
        ({"supprts": 3}, "supprts is not a key of a line file; did you mean supports?"),
        ({"type": "re333"}, "re330"),
        ({"type": "km12.yaml"}, "must be a line that repeats: 'km12.yaml' is a line by stations"),
        ({"droppers": "droppers.txt"}, "must be in a file that ends in .csv or .xlsx"),
        ({"droppers": {"file": "none.csv"}}, "none.csv does not exist"),
        ({"masses": [{"station_m": 55.02, "mass_kg": 5}]}, "km12.yaml masses[0]"),
        ({"defects": [{"span": 2, "dropper": 12, "kind": "broken"}]}, "km12.yaml defects[0]"),
        ({"defects": [{"span": 2, "dropper": 1, "kind": "length"}]}, "by is missing"),
        ({"defects": [{"span": 2, "dropper": 1, "kind": "brokn"}]}, "did you mean broken?"),
        ({"changes": {"contact_wire": {"tnsion": 3}}}, "contact_wire.tension"),
    ],
)
def test_a_line_file_that_cannot_be_is_refused_by_name(write, keys, sentence):
    assert sentence in "\n".join(refusals(write, **keys))


@pytest.mark.parametrize("station", [".inf", ".nan", "inf"])
def test_a_support_that_stands_nowhere_is_one_problem(write, station):
    supports = f"station_m\n0\n55\n{station}\n165\n"
    (problem,) = refusals(write, {"supports.csv": supports}, supports="supports.csv")
    assert problem.startswith("supports.csv line 4: station must be")


def test_heights_that_no_dropper_holds_are_named_by_row_with_the_nearest_that_hang(write):
    heights = (0, -100, 0, 0, 0)
    rows = [{"span": 2, "position": 9 * (k + 1), "height_mm": z} for k, z in enumerate(heights)]
    (problem,) = refusals(write, droppers=rows)
    assert problem.startswith("km12.yaml droppers[1]: ") and "push down with" in problem
    nearest = 1e3 * float(problem.rpartition("hangs is ")[2].removesuffix(" m"))
    rows[1]["height_mm"] = nearest + 0.1
    assert write(droppers=rows).droppers.contact_wire_heights[10] == pytest.approx(1e-3 * nearest + 1e-4)


def test_a_running_surface_comes_from_tables_and_goes_into_a_workbook(tmp_path):
    """Stations count as the plan does; each problem has its row."""
    supports = [{"station_m": 1000 + 55 * k} for k in range(5)]
    content = {
        "kind": "line", "type": "bruni_2015", "supports": supports, "profile": "surface.csv",
        "kinks": [{"station_m": 1060, "height_mm": -2, "length_mm": 600}],
        "irregularity": {"rms": 1e-3, "shortest": 0.8, "seed": 7, "source": "a survey"},
    }  # fmt: skip
    (tmp_path / "surface.csv").write_text("station_m,height_mm\n1010,0\n1011,1.5\n1012,0\n", encoding="utf-8")
    (tmp_path / "rough.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    line = load_line(tmp_path / "rough.yaml")
    (profile,), (kink,) = line.section.profiles, line.section.kinks
    assert (profile.stations, profile.heights) == ((10.0, 11.0, 12.0), (0.0, 0.0015, 0.0))
    assert (kink.station, kink.height, kink.length) == (60.0, -0.002, 0.6)
    assert (line.section.irregularity.seed, line.section.irregularity.source) == (7, "a survey")
    write_line_workbook(tmp_path / "rough.xlsx", "bruni_2015", line_file_of(tmp_path / "rough.yaml"), line)
    assert load_line(tmp_path / "rough.xlsx").section == line.section
    (tmp_path / "surface.csv").write_text("station_m,height_mm\n1010,0\n1009,90\n", encoding="utf-8")
    content["irregularity"]["rms"] = 1.0
    (tmp_path / "rough.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_line(tmp_path / "rough.yaml")
    assert "height must be between -50 and 50 mm: got 90 mm" in str(refused.value)
    (tmp_path / "surface.csv").write_text("station_m,height_mm\n1010,0\n1009,1\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"surface.csv.* station must be beyond that of the point before, 1010 m: got 1009 m"
    ):
        load_line(tmp_path / "rough.yaml")
