"""What people do in spreadsheets to the table of a line: understood, or refused by its cell, nothing lost."""

from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest
from openpyxl.chart import LineChart
from refusal import refused

from catenary.errors import InputError
from catenary.library.design_workbook import write_design_workbook
from catenary.library.line_file import read_line_workbook
from catenary.library.lines import load_line

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SUPPORTS = (1200, 1255, 1303.7, 1360, 1415)


@pytest.fixture
def changed(catenary, folder):
    """Write the workbook of a line, change it as a person would, and read it: the line, and the line unchanged."""
    rows = "".join(f"- {{station_m: {x}, stagger_mm: {200 * (-1) ** k}}}\n" for k, x in enumerate(SUPPORTS))
    text = "kind: line\nname: mine\ntype: bruni_2015\nchanges: {dimension: planar}\nsupports:\n" + rows
    text += "droppers:\n" + "".join(f"- {{span: 2, position: {x}, height_mm: -9}}\n" for x in (8, 20, 32, 41))
    text += "masses: [{station_m: 1329.5, wire: contact, mass_kg: 3}]\n"
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    assert catenary("table", "template=mine.xlsx", "line=mine.yaml").code == 0

    def read(change):
        book = openpyxl.load_workbook("mine.xlsx")
        change(book)
        book.save("mine.xlsx")
        return load_line("mine.xlsx"), load_line("mine.yaml")

    return read


def problems(read, change):
    with pytest.raises(InputError) as refusal:
        read(change)
    return refusal.value.problems


def test_a_workbook_has_the_stations_of_the_plan_and_the_name_of_its_file(changed, catenary):
    here, there = changed(lambda _: None)
    assert here.section == there.section and here.spans == there.spans
    book = openpyxl.load_workbook("mine.xlsx")
    assert [row[0] for row in book["supports"].iter_rows(min_row=2, values_only=True)] == list(SUPPORTS)
    assert book["masses"]["A2"].value == 1329.5
    assert catenary("table", "template=km13.xlsx").code == 0
    assert openpyxl.load_workbook("km13.xlsx")["line"]["B2"].value == "km13"


def test_blanks_texts_and_the_users_sheets_change_nothing(changed):
    def change(book):
        book["supports"].insert_rows(3, 2)
        book["supports"]["A1"], book["supports"]["A2"] = " station [m] ", "1200,0"
        book["line"]["A2"], book["masses"]["B2"] = "Name ", "Contact "
        book["supports"].append(["# nothing follows"])
        book.create_chartsheet("chart").add_chart(LineChart())
        book.copy_worksheet(book["supports"])["A2"] = 7

    here, there = changed(change)
    assert here.section == there.section and here.spans == there.spans


def test_merged_cells_have_their_value_in_each(changed):
    def change(book):
        book["supports"].merge_cells("B2:B4")
        book["droppers"].merge_cells("A2:A5")  # four droppers of one span

    here, there = changed(change)
    assert here.section.staggers[:4] == (0.2, 0.2, 0.2, -0.2)
    assert here.droppers.positions == there.droppers.positions


def test_a_formula_without_a_saved_value_is_named_wherever_it_stands(changed):
    def change(book):
        book["supports"]["B3"], book["line"]["B5"] = "=-B2", '="planar"'

    assert "sheet line cell B5: a formula must have been saved" in "\n".join(problems(changed, change))
    found = problems(changed, lambda book: book["line"].delete_rows(5))
    assert len(found) == 1 and "sheet supports cell B3: a formula must have been saved" in found[0]


def test_a_design_goes_into_a_workbook_whose_keys_are_formulas(changed):
    line, _ = changed(lambda book: book["line"].append(["contact_wire.tension", 21000]))
    with ZipFile("mine.xlsx") as old, ZipFile("saved.xlsx", "w") as new:
        for name in old.namelist():
            text = old.read(name).replace(b"<v>21000</v>", b"<f>20000+1000</f><v>21000</v>")
            new.writestr(name, text)
    assert openpyxl.load_workbook("saved.xlsx")["line"]["B6"].value == "=20000+1000"
    assert load_line("saved.xlsx").contact_wire.tension == 21000.0
    write_design_workbook(Path("saved.xlsx"), Path("best.xlsx"), line, {}, {})
    assert load_line("best.xlsx").contact_wire.tension == 21000.0


def test_remarks_go_with_their_rows_into_the_workbook_of_a_design(changed):
    """A support and a mass by their stations, a dropper by its span and number, wherever the design hangs it."""

    def change(book):
        for name, heading in (("supports", "Note"), ("droppers", "remarks"), ("masses", "remark")):
            book[name].cell(1, book[name].max_column + 1, heading)
        for name, row, text in (("supports", 4, "bridge"), ("droppers", 4, "=third"), ("masses", 2, "feeder 7")):
            cell = book[name].cell(row, book[name].max_column, text)
            cell.data_type = "s"

    line, _ = changed(change)
    moved = line.model_dump()
    moved["droppers"]["positions"] = [x + 0.25 for x in moved["droppers"]["positions"]]
    write_design_workbook(Path("mine.xlsx"), Path("best.xlsx"), type(line).model_validate(moved), {}, {})
    book = openpyxl.load_workbook("best.xlsx")
    found = {}
    for name in ("supports", "droppers", "masses"):
        head, *rows = book[name].iter_rows(values_only=True)
        found[name] = head[-1], [row for row in rows if row[-1] is not None]
    assert found["supports"][0] == "Note" and [(r[0], r[-1]) for r in found["supports"][1]] == [(1303.7, "bridge")]
    assert found["masses"][1] == [(1329.5, "contact", 3, "feeder 7")]
    ((span, position, *_, text),) = found["droppers"][1]
    assert (span, position, text) == (1, 16.25, "=third") and found["droppers"][0] == "remarks"
    assert load_line("best.xlsx").droppers.positions == pytest.approx(moved["droppers"]["positions"])


def test_rows_for_people_stay_above_the_rows_that_they_stood_above(changed):
    def change(book):
        sheet = book["supports"]
        sheet.insert_rows(1)
        sheet["A1"] = "# surveyed in May"
        sheet.insert_rows(4, 2)
        sheet["A4"], sheet["A5"], sheet["B5"] = "# a bridge", "# as low as", "it may be"
        sheet.append(["# the end"])
        book["kinks"].insert_rows(1)
        book["kinks"]["A1"] = "# none so far"

    line, _ = changed(change)
    for _ in range(2):  # a design goes into the workbook of a design as well
        write_design_workbook(Path("mine.xlsx"), Path("mine.xlsx"), line, {}, {})
        book = openpyxl.load_workbook("mine.xlsx")
        first = [row[0] for row in book["supports"].iter_rows(values_only=True)]
        assert first[1:] == [
            "# surveyed in May", 1200, "# a bridge", "# as low as", 1255, 1303.7, 1360, 1415, "# the end"
        ]  # fmt: skip
        assert book["supports"]["B5"].value == "it may be"
        assert [row[0] for row in book["kinks"].iter_rows(values_only=True)][1:] == ["# none so far"]
        assert load_line("mine.xlsx").section == line.section


def test_a_remark_whose_row_is_gone_stays_with_what_the_row_said(catenary, folder):
    """A design has the heights of an overlap in its supports, and no row of it; what stands in one section names it."""
    assert catenary("table", "template=mine.xlsx", f"line={EXAMPLES / 'overlap.yaml'}").code == 0
    book = openpyxl.load_workbook("mine.xlsx")
    book["overlaps"].cell(1, book["overlaps"].max_column + 1, "remark")
    book["overlaps"].append(["A", "insulated", 45, None, "as in 1987"])
    supports = {cell.value: cell.column for cell in book["supports"][1]}
    book["supports"].cell(1, len(supports) + 1, "note")
    book["supports"].cell(2, len(supports) + 1, "tower 3")
    book["supports"].cell(2, supports["section"]).value = None
    book.save("mine.xlsx")
    line = load_line("mine.xlsx")
    write_design_workbook(Path("mine.xlsx"), Path("best.xlsx"), line, {}, {})
    written = openpyxl.load_workbook("best.xlsx")
    first = written["supports"][2]
    assert (first[supports["section"] - 1].value, first[-1].value) == ("A", "tower 3")
    rows = list(written["overlaps"].iter_rows(values_only=True, min_row=2))
    assert [row[0] for row in rows] == ["# A; insulated; 45; as in 1987"]
    assert load_line("best.xlsx").section == line.section


@pytest.mark.parametrize("failed", ["#REF!", "#N/A"])
def test_a_failed_formula_at_the_beginning_of_a_row_makes_no_remark_of_it(changed, failed):
    def change(book):
        book["droppers"]["A3"] = failed

    assert problems(changed, change) == [
        f"mine.xlsx sheet droppers cell A3: span must be a whole number: got '{failed}'"
    ]


def test_what_nobody_would_read_is_refused(changed):
    def change(book):
        book["droppers"].title = "dropper"

    assert "sheet dropper: is not a table of a line" in problems(changed, change)[0]

    def change_back(book):
        book["dropper"].title = "droppers"
        book["supports"]["D3"] = "checked"

    assert "sheet supports column D: must have a heading" in problems(changed, change_back)[0]

    def twice(book):
        book["supports"]["D3"] = None
        book["line"].append(["dimension", "spatial"])

    assert "cell B6: dimension must be given once" in problems(changed, twice)[0]

    def double(book):
        book["line"].delete_rows(6)
        book.copy_worksheet(book["supports"]).title = "supports "

    assert "must have one sheet supports: it has 'supports' and 'supports '" in problems(changed, double)[0]


def test_too_many_rows_of_a_table_are_refused_and_those_of_other_sheets_are_not(changed):
    def change(book):
        book.create_sheet("own")["A30000"] = 1

    changed(change)

    def beyond(book):
        book["masses"]["A30000"] = 1300

    assert "sheet masses: must have at most 20000 rows: it has more" in problems(changed, beyond)[0]


def test_a_cell_is_named_with_what_was_given(changed):
    def change(book):
        book["supports"]["A3"] = datetime(2026, 3, 5)
        book["supports"]["A3"].number_format = "dd/mm/yyyy"

    assert "cell A3: station must be a number: got 'date 2026-03-05" in problems(changed, change)[0]

    def title(book):
        book["supports"]["A3"], book["supports"]["A3"].number_format = SUPPORTS[1], "General"
        book["supports"].insert_rows(1)
        book["supports"]["A1"] = "Plan of km 12"

    found = problems(changed, title)
    assert len(found) == 2 and "the first row must name columns of supports (station," in found[1]

    def tension(book):
        book["supports"].delete_rows(1)
        book["masses"]["A2"] = 129.5
        book["line"].append(["contact_wire.tension", "21000,5"])

    assert problems(changed, tension) == [
        "mine.xlsx sheet masses cell A2: station must lie on the line, 1200 to 1415 m: got 129.5 m"
    ]
    assert read_line_workbook(Path("mine.xlsx")).changes["contact_wire.tension"] == 21000.5

    def unit(book):
        book["line"]["B6"] = "21 kN"

    assert "sheet line cell B6: contact_wire.tension must be a number" in problems(changed, unit)[0]


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("Plan of km 12\nstation_m\n1200\n", "the first row must name columns of supports"),
        ("station_m\n1200,5\n1255,5\n", "line 2: must have 1 values as the heading: got 2"),
        ("station_m;\n1200;2\n1255;\n", "column 2: must have a heading"),
        ("station_m;stagger\n;\n;\n", "must have rows below the line that names its columns: all are empty"),
        ("stagger_mm\n200\n-200\n", "a column 'station' is missing: it has stagger_mm"),
    ],
)
def test_tables_of_supports_that_say_nothing_are_refused(folder, table, sentence):
    (folder / "s.csv").write_text(table, encoding="utf-8")
    (folder / "km12.yaml").write_text("{kind: line, type: bruni_2015, supports: s.csv}", encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        load_line("km12.yaml")
    assert sentence in "\n".join(refusal.value.problems)


def test_rows_of_separators_and_the_line_that_names_them_are_left_out(catenary, folder):
    rows = "".join(f"{x};200\r\n;\r\n" for x in SUPPORTS).replace(".", ",")
    text = f"\ufeffsep=;\r\nstation_m;stagger_mm\r\n{rows}"
    (folder / "s.csv").write_bytes(text.encode())
    (folder / "km12.yaml").write_text("{kind: line, type: bruni_2015, supports: s.csv}", encoding="utf-8")
    assert load_line("km12.yaml").spans == pytest.approx((55, 48.7, 56.3, 55))
    (folder / "s.csv").write_bytes(text.replace("1255;200", "#REF!;200").encode())
    refused(catenary("simulate", "catenary=km12.yaml"), ["s.csv line 5: station must be a number: got '#REF!'"])


def test_a_mast_number_is_not_a_remark(changed):
    """Where names stand in front, a row that begins with # and has values is refused; with a space it is left out."""

    def numbered(first):
        def change(book):
            sheet = book["masses"]
            sheet.insert_cols(1)
            sheet["A1"], sheet["A2"] = "name", first

        return change

    (said,) = problems(changed, numbered("#12"))
    assert "masses cell A2: a row that begins with # is a remark" in said and "write '12' in place of '#12'" in said
    line, _ = changed(numbered("# 12"))
    assert not line.section.masses
