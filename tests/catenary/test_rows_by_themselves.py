"""What rows of a line file say wrong by themselves is said at once, whatever is wrong with cells and supports."""

import openpyxl
import pytest

from catenary.errors import InputError
from catenary.library.lines import load_line

SUPPORTS = [1000 + 55 * k for k in range(11)]
A = {"name": "A", "from_m": 1000, "to_m": 1330}
B = {"name": "B", "from_m": 1165, "to_m": 1550}
BROKEN = {"span": 2, "dropper": 3, "kind": "broken", "section": "A"}
SHORT = {**BROKEN, "kind": "length", "by_mm": -20}
SOFT = {**BROKEN, "kind": "stiffness", "stiffness": 5.0e4}


FAULTS = {
    "sections": [A, {**B, "name": "A"}, {**B, "name": "of km 2"}, {"name": "C", "from_m": 1500, "to_m": 1400}],
    "overlaps": [{"kind": "insulated"}, {"section": "X"}],
    "elements": [
        {"station_m": 1140, "kind": "damper", "mass_kg": 3},
        {"station_m": 1150, "kind": "insulator", "mass_kg": "heavy", "length_m": 1.5},
        {"kind": "spring_support", "stiffness": 0},
        {"station_m": 1160, "stiffness": 200},
    ],
    "wear": [
        {"from_m": 1300, "to_m": 1200, "area_percent": 20},
        {"from_m": 1300, "to_m": 1310, "area_percent": 90, "section": "D"},
        {"from_m": 1010, "to_m": 1040, "area_percent": 10, "section": "A"},
        {"from_m": 1030, "to_m": 1050, "area_percent": 90, "section": "A"},
    ],
    "defects": [BROKEN, {**BROKEN, "kind": "length"}, {**BROKEN, "span": 200, "dropper": 4}],
    "droppers": [{"position": 5, "height_mm": 0, "section": "A"}, {"span": 2, "position": 9, "section": "A"}],
    "masses": [{"station_m": 1100}],
    "profile": [
        {"station_m": 1010, "height_mm": 0, "section": "A"},
        {"station_m": 1009, "height_mm": 0, "section": "A"},
        {"station_m": 1020, "height_mm": 0},
    ],
    "changes": {"contact_wire.tension": -5.0, "damping": {"gamma": 1.0}},
    "irregularity": {"rms": 1.0, "longest": 1.0, "shortest": 0.8, "sed": 3},
}
SAID = [
    "km12.yaml supports[3]: station must be beyond that of the row before, 1110 m: got 1050 m",
    "km12.yaml sections[1]: section A is named a second time",
    "km12.yaml sections[2]: name must be a plain name",
    "km12.yaml sections[3]: to must be beyond from, 1500 m: got 1400 m",
    "km12.yaml overlaps[0]: section is missing: give one of A, of km 2, the section that ends there, once",
    "km12.yaml overlaps[1]: section must be one of A, of km 2, the section that ends there, once: got 'X'",
    "km12.yaml elements[0]: damping is missing: an element of kind 'damper' needs it",
    "km12.yaml elements[0]: mass must be left out of an element of kind 'damper'",
    "km12.yaml elements[1]: mass must be a number: got 'heavy'",
    "km12.yaml elements[1]: bending_stiffness is missing: an element of kind 'insulator' needs it",
    "km12.yaml elements[2]: station is missing",
    "km12.yaml elements[2]: stiffness, damping or force must be above 0 N/m",
    "km12.yaml elements[3]: kind is missing",
    "km12.yaml wear[0]: to must be beyond from, 1300 m: got 1200 m",
    "km12.yaml wear[0]: section is missing: give that of its wire, one of A, of km 2, C",
    "km12.yaml wear[1]: area must be between 0.0001 and 50 percent: got 90 percent",
    "km12.yaml wear[1]: section must be one of A, of km 2, C: got 'D'",
    "km12.yaml wear[3]: area must be between 0.0001 and 50 percent: got 90 percent",
    "km12.yaml wear[3]: wear must not overlap km12.yaml wear[2], 1010 to 1040 m",
    "km12.yaml: changes: contact_wire.tension must be between 5000 and 60000 N: got -5 N",
    "km12.yaml: changes: damping.gamma is not a known key",
    "km12.yaml: irregularity.rms must be above 0 and at most 0.02 m: got 1 m",
    "km12.yaml: irregularity.longest must be at least twice shortest, 1.6 m: got 1 m",
    "km12.yaml: irregularity.sed is not a known key; did you mean seed?",
    "km12.yaml defects[1]: by is missing: a defect of kind 'length' needs it",
    "km12.yaml defects[1]: defect is the second of dropper 3 of span 2, which is broken in km12.yaml defects[0]",
    "km12.yaml defects[2]: span must be",
    "km12.yaml droppers[0]: give either station, or span and position in it",
    "km12.yaml droppers[1]: height is missing",
    "km12.yaml masses[0]: mass is missing",
    "km12.yaml profile[1]: station must be beyond that of the point before, 1010 m: got 1009 m",
    "km12.yaml profile[2]: section is missing",
]


def test_all_is_said_in_one_round_each_once(refusals):
    """A support out of order hides nothing that can be seen without it, and nothing is said twice."""
    stations = [{"station_m": x} for x in (*SUPPORTS[:3], 1050, *SUPPORTS[4:])]
    found = refusals(supports=stations, **FAULTS)
    for said in SAID:
        assert sum(each.startswith(said) for each in found) == 1, (said, found)
    rest = [each for each in found if not any(each.startswith(said) for said in SAID)]
    assert len(rest) == 1 and rest[0].startswith("km12.yaml supports[4]: station must lie 15 to 120 m beyond"), rest


def test_names_of_two_sections_that_are_the_same_are_refused_where_nothing_else_can_be_checked(refusals):
    found = refusals(sections=[A, {**B, "name": "A", "from_m": 1170}], overlaps=[{"section": "A"}])
    assert found == [
        "km12.yaml sections[1]: section A is named a second time: a wire has one run from end to end",
    ]


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ([A, {"from_m": 1165, "to_m": 1550}], ["km12.yaml sections[1]: name is missing"]),
        ([{"from_m": 1000, "to_m": 1330}, B], ["km12.yaml sections[0]: name is missing"]),
        ([A], ["km12.yaml overlaps[0]: an overlap needs the table sections, with two of them"]),
        ([], ["km12.yaml overlaps[0]: an overlap needs the table sections"]),
    ],
)
def test_a_row_may_mean_the_section_whose_name_is_missing(refusals, sections, said):
    masses = [{"station_m": 1100, "mass_kg": 5, "section": "E"}] if len(sections) == 2 else []
    found = refusals(sections=sections, overlaps=[{"section": "E" if masses else "A"}], masses=masses)
    assert found[: len(said)] == said and not any("masses" in each for each in found)


def test_a_cell_that_is_refused_is_not_refused_again_and_what_rests_on_it_is_not_claimed(refusals):
    elements = [{"station_m": 1140, "kind": "spring_support", "stiffness": "soft"}, {"station_m": 1, "kind": "dampr"}]
    wear = [{"from_m": 1300, "to_m": "here", "area_percent": 20}]
    defects = [{**BROKEN, "dropper": 99}, {**BROKEN, "dropper": 99}]
    found = refusals(elements=elements, wear=wear, defects=defects)
    cells = ("elements[0]: stiffness", "elements[1]: kind", "wear[0]: to", "defects[0]: dropper", "defects[1]: dropper")
    assert len(found) == len(cells) and all(f"km12.yaml {cell} must be" in "\n".join(found) for cell in cells), found


@pytest.mark.parametrize(("pair", "refused"), [((SHORT, SOFT), 0), ((SHORT, SHORT), 1), ((SOFT, BROKEN), 1)])
def test_a_dropper_may_be_of_a_wrong_length_and_soft_but_not_twice_of_one_kind(refusals, pair, refused):
    found = refusals(sections=[A, B], defects=[dict(each) for each in pair])
    assert len(found) == refused and all("is the second of dropper 3 of span 2" in each for each in found)


WORN = [(1100, 1200), (1150, 1160), (1190, 1210), (1200, 1205), (1210, 1300), (1050, 1101)]


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({}, {1: 0, 2: 0, 3: 2, 5: 0}),
        # of A and B in turn: the third reaches into the first, the others touch or are of another wire
        ({"sections": [A, B], "names": ["A", "B"] * 3}, {2: 0}),
        # what a row does not say is not claimed: which wire it is about
        ({"sections": [A, B], "names": [None] * 6}, {}),
    ],
)
def test_worn_stretches_that_overlap_are_named_each_against_the_one_that_reaches_farthest(refusals, tables, said):
    wear = [{"from_m": a, "to_m": b, "area_percent": 5} for a, b in WORN]
    if "names" in tables:
        wear = [row if of is None else {**row, "section": of} for row, of in zip(wear, tables["names"], strict=True)]
    found = [each for each in refusals(sections=tables.get("sections", []), wear=wear) if "overlap" in each]
    rows = {k: f"km12.yaml wear[{k}]: wear must not overlap km12.yaml wear[{j}], " for k, j in said.items()}
    assert len(found) == len(rows) and all(any(each.startswith(row) for each in found) for row in rows.values()), found
    assert not found or any(each.endswith(" 1100 to 1200 m") for each in found)


def test_the_cell_of_a_spectrum_in_a_workbook_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    rows = [("key", "value"), ("type", "bruni_2015"), ("irregularity.rms", 1), ("irregularity.seed", "first")]
    for row in rows:
        book.active.append(row)
    book.active.title = "line"
    supports = book.create_sheet("supports")
    for row in (["station_m"], *([x] for x in SUPPORTS)):
        supports.append(row)
    book.save("km12.xlsx")
    with pytest.raises(InputError) as refused:
        load_line("km12.xlsx")
    assert [each.partition(" must be ")[0] for each in refused.value.problems] == [
        "km12.xlsx sheet line cell B3: irregularity.rms",
        "km12.xlsx sheet line cell B4: irregularity.seed",
    ]


@pytest.mark.parametrize(("letters", "refused"), [(32, 0), (33, 1)])
def test_a_name_of_a_section_is_refused_with_the_length_that_it_may_have(refusals, letters, refused):
    found = refusals(sections=[{**A, "name": "n" * letters}, B])
    assert len(found) == refused and all("'.' and '-', at most 32, no path: got 'nnn" in each for each in found), found


def test_lines_of_a_table_are_named(refusals):
    defects = "span,dropper,kind\n2,1,broken\n3,1,broken\n2,1,broken\n"
    wear = "from_m,to_m,area_percent\n1300,1200,20\n"
    found = refusals({"defects.csv": defects, "wear.csv": wear}, defects="defects.csv", wear="wear.csv")
    assert found == [
        "wear.csv line 2: to must be beyond from, 1300 m: got 1200 m",
        "defects.csv line 4: defect is the second of dropper 1 of span 2, which is broken in defects.csv line 2",
    ]


def test_a_stitch_wire_without_a_dropper_is_named_by_row_and_span(refusals):
    supports = [{"station_m": 2000 + 65 * k} for k in range(5)]
    droppers = "span,position_m,height_mm\n2,5,0\n2,30,0\n2,45,0\n3,32,0\n"
    found = refusals({"droppers.csv": droppers}, type="re330", supports=supports, droppers="droppers.csv")
    needs = "a stitch wire needs at least one dropper on each side of the support, within 9 m of it"
    assert [each.partition(" = ")[0].partition(":")[0] for each in found] == [
        f"droppers.csv line {n}" for n in (4, 5, 5)
    ]
    assert [each.partition("nearest in ")[2] for each in found] == [
        f"span 2 to the support at 130 m: {needs}",
        f"span 3 to the support at 130 m: {needs}",
        f"span 3 to the support at 195 m: {needs}",
    ]


@pytest.mark.parametrize(("few", "row"), [(1, 0), (3, 3)])
def test_lengths_in_some_rows_alone_are_one_problem(refusals, few, row):
    """Next to what is wrong with another cell; spans without rows, which have heights, are not named for it."""
    droppers = [
        {"span": 1, "position": 5 * (k + 1), **({"length_mm": 900} if k < few else {"height_mm": 0})} for k in range(4)
    ]
    found = refusals(droppers=droppers, masses=[{"station_m": 1100}])
    said = f"length must be given in every row, or in none where heights stand: {few} of 4 rows have one"
    assert found == ["km12.yaml masses[0]: mass is missing", f"km12.yaml droppers[{row}]: {said}"]


@pytest.mark.parametrize(
    ("table", "example"), [("supports", "station_m: 100"), ("defects", "span: 1"), ("sections", "name: A")]
)
def test_what_is_not_a_row_is_answered_by_a_row_that_would_be(refusals, table, example):
    found = refusals(**{table: [3]})
    assert found == [f"km12.yaml {table}[0] must be a row of keys and values, such as {example}: got 3"]


def test_what_hangs_wrong_says_from_where_its_stations_count(refusals):
    (clamp,) = refusals(masses=[{"station_m": 1000.0, "wire": "contact", "mass": 1.0}])
    assert clamp.startswith("km12.yaml masses[0]: ")
    assert clamp.endswith("; stations here count from the first support, which stands at 1000 m")
    (dropper,) = refusals(
        droppers=[{"span": 4, "position": x, "height_mm": -120 if x == 20 else 0} for x in (5, 20, 45)]
    )
    assert dropper.startswith("km12.yaml droppers[1]: ") and "(at 185 m)" in dropper
    assert dropper.endswith("which stands at 1000 m")


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [("stagger_mm", -300, -200), ("messenger_stagger_mm", 20, -180), ("contact_height_mm", 20, 0)],
)
def test_a_place_of_the_wires_of_two_sections_is_given_for_each(refusals, key, one, other):
    """Both wires of an overlap in one point is a mistake; what both may share, they share."""
    supports = [{"station_m": x, "encumbrance": 1.4, key: one if x == 1220 else None} for x in SUPPORTS]
    content = {"sections": [A, B], "changes": {"dimension": "spatial"}}
    assert refusals(supports=supports, **content) == [
        f"km12.yaml supports[4]: section is missing: the wires of A and B pass there, each with "
        f"{key.removesuffix('_mm')} of its own; give a row for each, at the same station"
    ]
    (row,) = [row for row in supports if row["station_m"] == 1220]
    both = [{**row, "section": "A"}, {**row, "section": "B", key: other}]
    assert refusals(supports=[*supports[:4], *both, *supports[5:]], **content) == []
