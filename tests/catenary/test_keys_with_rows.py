"""Wrong types, keys, sheets and headings are said with what rows have wrong, and rows are not named for them."""

import openpyxl
import pytest

from catenary.errors import InputError
from catenary.library.lines import line_file_of, load_line, read_file

SUPPORTS = [1000 + 55 * k for k in range(11)]
TYPE = ("type", "bruni_2015")
DROPPERS = [["span", "position", "height_mm"], *([s, x, 0] for s in range(1, 11) for x in (5, 16, 27.5, 39, 50))]


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Write a workbook of a line into a folder of its own, and return what it is refused for."""
    monkeypatch.chdir(tmp_path)

    def read(*keys, **sheets):
        written = openpyxl.Workbook()
        written.active.title = "line"
        for row in (("key", "value"), *keys):
            written.active.append(row)
        for name, rows in {"supports": [["station_m"], *([x] for x in SUPPORTS)], **sheets}.items():
            sheet = written.create_sheet(name)
            for row in rows:
                sheet.append(row)
        written.save("km12.xlsx")
        return said_of("km12.xlsx")

    return read


def said_of(name):
    try:
        load_line(name)
    except InputError as error:
        return error.problems
    return []


def droppers(**cells):
    rows = [list(row) for row in DROPPERS]
    for cell, value in cells.items():
        rows[int(cell[1:]) - 1]["abc".index(cell[0])] = value
    return rows


def test_a_bad_type_is_said_with_bad_changes_columns_and_rows(book):
    keys = (("type", "bruny_2015"), ("contact_wire.tnsion", 5), ("contact_wire.tension", -5), ("stitch.length", 12))
    found = book(*keys, masses=[["station", "mas"], [1010, 2]], droppers=droppers(c3="low", b4=60, a24=99))
    begins = [
        "line cell B2: type must be one of bruni_2015",
        "line cell B3: contact_wire.tnsion is not a known key; did you mean contact_wire.tension?",
        "line cell B4: contact_wire.tension must be between",
        "droppers cell C3: height must be a number",
        "masses: 'mas' is not a column of masses; did you mean mass?",
        "droppers cell B4: position must lie between",
        "droppers cell A24: span must be 1 to 10: got 99",
    ]
    said = [each.removeprefix("km12.xlsx sheet ").replace("cell A", "cell B", 1) for each in found[:3]]
    said += [each.removeprefix("km12.xlsx sheet ") for each in found[3:]]
    assert len(said) == len(begins) and all(a.startswith(b) for a, b in zip(said, begins, strict=True)), found


def test_a_type_that_is_not_known_is_not_what_rows_are_judged_by(refusals):
    """A dropper of the type may stand where a mass does, or not; those of rows do, and supports."""
    own = load_line("bruni_2015").droppers.positions[0]
    masses = [{"station_m": x, "mass_kg": 1} for x in (1000.01 + own, 1055.01, 1065.01)]
    defects = [{"span": s, "dropper": 12, "kind": "broken"} for s in (2, 3)]
    rows = [{"span": s, "position": x, "height_mm": -150 if x == 30 else 0} for s in (2, 5) for x in (10, 30, 45)]
    keys = {"masses": masses, "defects": defects, "droppers": rows, "changes": {"contact_wire.tension": 18000}}
    for bad in ({"type": "bruny"}, {"changes": {"contact_wire.tension": -5}}):
        found = refusals(**keys | bad)
        assert "type must be one of" in found[0] or "contact_wire.tension must be between" in found[0]
        rows_named = [each.partition(": ")[0] for each in found[1:]]
        assert rows_named == [f"km12.yaml {name}" for name in ("masses[1]", "masses[2]", "defects[0]")], found
    known = [each.partition(": ")[0] for each in refusals(**keys)]
    assert {"km12.yaml droppers[4]", "km12.yaml masses[0]", "km12.yaml defects[1]"} <= set(known)


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        (
            ["span", "position", "heigth_mm"],
            "sheet droppers: 'heigth_mm' is not a column of droppers; did you mean height?",
        ),
        (["span", "position", "Lage"], "sheet droppers: 'Lage' is not a column of droppers; known here"),
        (["span", "position", "height_inch"], "sheet droppers: the unit of 'height_inch' must be one of"),
        (["span", "posn", "height_mm"], "sheet droppers: 'posn' is not a column of droppers; did you mean position?"),
        (["span", "position", "height (inch)"], "sheet droppers: the unit of 'height (inch)' must be one of"),
        (["span", "position", None], "sheet droppers column C: must have a heading"),
    ],
)
def test_a_heading_is_wrong_once_and_not_in_every_row(book, heads, said):
    """What else is wrong is said with it, and no row is said to lack what stands under it."""
    masses = [["station", "mass"], [1010, 900], [1110.02, 2]]
    first, *others = sorted(
        book(TYPE, droppers=[heads, *DROPPERS[1:]], masses=masses), key=lambda each: "masses" in each
    )
    assert said in first
    assert [each.partition(": ")[0] for each in others] == [f"km12.xlsx sheet masses cell {c}" for c in ("B2", "A3")]


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("supports", ["station (miles)"]),
        ("masses", ["station", "mas"]),
        ("sections", ["name", "from", "until"]),
        ("wear", ["from", "to", "aera"]),
        ("elements", ["station", "kynd"]),
    ],
)
def test_no_row_lacks_what_stands_under_a_heading_that_is_not_known(book, name, heads):
    rows = {"supports": [[x] for x in SUPPORTS], "sections": [["A", 1000, 1330], ["B", 1165, 1550]]}
    rows |= {"wear": [[1000, 1010, 0.1]], "masses": [[1010, 2]], "elements": [[1010, "damper"]]}
    (said,) = book(TYPE, **{name: [heads, *rows[name]]})
    assert said.startswith(f"km12.xlsx sheet {name}: ")


def test_a_formula_without_a_value_is_not_an_empty_cell(book):
    formula, pushes = book(TYPE, droppers=droppers(c3="=A1+2", c24=-150))
    assert formula.startswith("km12.xlsx sheet droppers cell C3: a formula must have been saved")
    assert pushes.startswith("km12.xlsx sheet droppers cell C24: ") and "have to push" in pushes


def test_a_key_that_stands_twice_hides_no_row(book):
    masses = [["station", "mass"], [99999, 2], [1110.02, 2]]
    twice, off, near = book(TYPE, ("contact_wire.tension", 20000), ("contact_wire.tension", 21000), masses=masses)
    assert "cell B4: contact_wire.tension must be given once" in twice.replace("cell A", "cell B")
    assert "sheet masses cell A2: station must lie on the line" in off and "clear of the support" in near
    missing, wrong = book(("type", "bruny"), ("type", TYPE[1]), masses=[masses[0], [1010, 900]])
    assert "type must be given once" in missing and "sheet masses cell B2: mass must be between" in wrong


def test_a_sheet_that_nearly_has_the_name_of_a_table_may_be_that_table(book):
    """Sections that are not known may be those that rows name; droppers may be those that defects count."""
    masses = [["station", "mass", "section"], [1010, 900, "A"]]
    found = book(TYPE, sectons=[["name", "from", "to"], ["A", 1000, 1330], ["B", 1165, 1550]], masses=masses)
    assert "rename it sections" in found[0] and "mass must be between" in found[1] and len(found) == 2
    defects = [["span", "dropper", "kind"], [2, 12, "broken"], [30, 1, "broken"]]
    found = book(TYPE, dropers=DROPPERS, defects=defects)
    assert "rename it droppers" in found[0] and "defects cell A3: section.defects[1].span must be" in found[1]
    assert len(found) == 2


def test_a_row_of_sections_that_does_not_fit_may_be_any_section(refusals):
    """Its name is not known, so that a row may name it."""
    keys = {"wear": [{"from_m": 1300, "to_m": 1200, "area_percent": 5, "section": "B"}], "sections": "s.csv"}
    found = refusals({"s.csv": "name,from_m,to_m\nA,1000,1330\nB,1165\n"}, **keys, overlaps=[{"section": "B"}])
    assert found == ["s.csv line 3: must have 3 values as the heading: got 2", found[1]]
    assert found[1] == "km12.yaml wear[0]: to must be beyond from, 1300 m: got 1200 m"


def test_a_section_without_a_name_is_not_the_first_of_another_name(refusals):
    sections = [{"from_m": 1000, "to_m": 1330}, {"name": "A", "from_m": 1165, "to_m": 1550}]
    assert refusals(sections=sections) == ["km12.yaml sections[0]: name is missing"]


def test_keys_and_tables_that_cannot_be_read_are_said_with_all_else(refusals):
    found = refusals(
        colour="red", masses="gone.csv", kinks=[3], type="bruny", changes={"dimension": "flat"}, droppres=[{"span": 1}]
    )
    said = ("colour is not a key", "droppres is not a key", "gone.csv does not exist", "kinks[0] must be a row")
    said += ("type must be one of", "dimension must be one of planar, spatial")
    assert len(found) == len(said) and all(any(each in one for one in found) for each in said), found
    found = refusals(suports=[{"station_m": 1}], supports=[], changes=3)
    assert ["suports is not a key" in found[0], "changes must be a block" in found[-1]] == [True, True]


def test_a_file_with_bad_keys_is_refused_where_its_rows_alone_are_asked_for(refusals, tmp_path):
    refusals(colour="red")
    for read in (line_file_of, lambda path: read_file("catenary", path)):
        with pytest.raises(InputError, match="colour is not a key of a line file"):
            read(tmp_path / "km12.yaml")
