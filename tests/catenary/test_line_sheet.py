"""The sheet `line` of a workbook: what is wrong there is named with its cell, and hides nothing that rows say."""

import openpyxl
import pytest

from catenary.errors import InputError
from catenary.library.lines import load_line

SUPPORTS = [1000 + 55 * k for k in range(11)]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("contact_wire.tension [kN]", 27, "contact_wire.tension [kN] is not a known key; did you mean contact_wire.te"),
        ("contact_wire.tension", -5, "contact_wire.tension must be between 5000 and 60000 N: got -5 N"),
    ],
)
def test_a_key_of_a_workbook_is_named_with_its_cell_and_with_what_rows_say(tmp_path, monkeypatch, key, value, said):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    line, supports = book.active, book.create_sheet("supports")
    line.title = "line"
    for row in (("key", "value"), ("type", "bruni_2015"), (key, value)):
        line.append(row)
    for station in ("station [m]", *SUPPORTS[:2], "about here", *SUPPORTS[3:]):
        supports.append([station])
    book.save("km12.xlsx")
    with pytest.raises(InputError) as error:
        load_line("km12.xlsx")
    first, second = error.value.problems
    assert first.startswith(f"km12.xlsx sheet line cell B3: {said}")
    assert second == "km12.xlsx sheet supports cell A4: station must be a number: got 'about here'"


@pytest.mark.parametrize(("value", "said"), [("re 330", "must be one of"), ("", "is missing")])
def test_a_type_that_does_not_exist_is_named_with_its_cell(tmp_path, monkeypatch, value, said):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    book.active.title = "line"
    book.active.append(("type", value))
    supports = book.create_sheet("supports")
    for station in ("station [m]", *SUPPORTS):
        supports.append([station])
    book.save("km12.xlsx")
    with pytest.raises(InputError) as error:
        load_line("km12.xlsx")
    assert [p[: len(f"km12.xlsx sheet line cell B1: type {said}")] for p in error.value.problems] == [
        f"km12.xlsx sheet line cell B1: type {said}"
    ]
