"""Workbooks of lines by stations: written empty or with a line's rows, read back as the same line, refused by cell."""

import zipfile

import numpy as np
import openpyxl
import pytest
import yaml
from refusal import refused

from catenary.errors import InputError
from catenary.library.columns import COLUMNS
from catenary.library.lines import load_line
from catenary.library.workbook import read_workbook


@pytest.fixture
def filled(folder):
    """Write a line file with something of its own in every table."""
    supports = [{"station_m": 1200 + x} for x in (0, 55, 103.7, 160, 215)]
    supports[1] |= {"encumbrance_mm": 1312.5, "stagger_mm": 180, "contact_height_mm": 7.3}
    given = zip((9.0, 18.35, 30.1, 41.0), (-11, -21.3, -20, -10), strict=True)
    droppers = [{"span": 2, "position": x, "height_mm": z, "contact_clamp_kg": 0.2} for x, z in given]
    content = {
        "kind": "line",
        "type": "bruni_2015",
        "name": "mine",
        "changes": {"contact_wire": {"tension": 21e3}, "dimension": "spatial"},
        "supports": supports,
        "droppers": droppers,
        "masses": [{"station_m": 1329.9, "wire": "messenger", "mass_kg": 3.25}],
        "defects": [{"span": 1, "dropper": 2, "kind": "length", "by_mm": -12.5}],
    }
    (folder / "km12.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return load_line("km12.yaml")


def content_of(line):
    return {key: value for key, value in line.model_dump().items() if key != "provenance"}


def test_a_line_goes_into_a_workbook_and_comes_back_the_same(catenary, filled):
    assert catenary("table", "template=here.xlsx", "line=km12.yaml").code == 0
    assert content_of(load_line("here.xlsx")) == content_of(filled)
    # and from the workbook into another one, and from a sheet that a YAML file names
    assert catenary("table", "template=again.xlsx", "line=here.xlsx").code == 0
    assert content_of(load_line("again.xlsx")) == content_of(filled)


def test_sheets_of_a_workbook_serve_a_line_file(catenary, filled, folder):
    assert catenary("table", "template=rows.xlsx", "line=km12.yaml").code == 0
    content = yaml.safe_load((folder / "km12.yaml").read_text(encoding="utf-8"))
    for name in COLUMNS:
        content[name] = {"file": "rows.xlsx", "sheet": name}
    (folder / "km12.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    assert content_of(load_line("km12.yaml")) == content_of(filled)


def test_an_empty_workbook_has_all_columns_with_their_lists_and_ranges(catenary, folder):
    assert catenary("table", "template=km12.xlsx", "type=c350").code == 0
    book = openpyxl.load_workbook(folder / "km12.xlsx")
    assert book.sheetnames == ["line", *COLUMNS]
    for name, columns in COLUMNS.items():
        rules = book[name].data_validations.dataValidation
        assert len(rules) == len(columns) == book[name].max_column
        assert all(rule.showErrorMessage and "inf" not in str(rule.formula1) for rule in rules)
    kinds = {rule.formula1 for rule in book["defects"].data_validations.dataValidation if rule.type == "list"}
    assert kinds == {'"broken,length,loose,stiffness"'}
    assert [row[1].value for row in book["line"].iter_rows(min_row=3, max_row=3)] == ["c350"]
    refused(catenary("simulate", "catenary=km12.xlsx"), ["km12.xlsx: supports is missing"])
    refused(catenary("table", "template=km12.xlsx"), ["km12.xlsx exists already"])


def test_a_filled_template_is_read_and_bad_cells_are_named(catenary, folder):
    assert catenary("table", "template=km12.xlsx", "type=bruni_2015").code == 0
    book = openpyxl.load_workbook(folder / "km12.xlsx")
    for x in (0, 55, 110, 165):
        book["supports"].append([x])
    book.save(folder / "km12.xlsx")
    assert load_line("km12.xlsx").spans == (55.0, 55.0, 55.0)
    book["supports"]["B3"] = 12.0
    book["droppers"].append([None, 2, 70.0, -10.0])
    book["defects"].append([2, 40, "brokn"])
    book.save(folder / "km12.xlsx")
    ended = catenary("simulate", "catenary=km12.xlsx")
    refused(
        ended,
        [
            "km12.xlsx sheet supports cell B3: encumbrance must be between 300 and 3000 mm: got 12 mm",
            "km12.xlsx sheet droppers cell C2: position must lie between 0.5 and 54.5 m inside span 2",
            "km12.xlsx sheet defects cell C2: kind must be one of broken, length, loose, stiffness: got 'brokn'",
        ],
    )


def test_other_files_are_refused_as_workbooks(folder):
    (folder / "text.xlsx").write_text("station_m\n0\n", encoding="utf-8")
    (folder / "none.yaml").write_text("{kind: line, type: re330, supports: text.xlsx}", encoding="utf-8")
    for name in ("text.xlsx", "none.yaml"):
        with pytest.raises(InputError, match=r"text\.xlsx is not an XLSX file"):
            load_line(name)
    book = openpyxl.Workbook()
    book.active.append(["station_m"])
    book.save(folder / "other.xlsx")
    with pytest.raises(InputError, match="must have a sheet 'line'"):
        load_line("other.xlsx")
    assert read_workbook(folder / "other.xlsx")["sheet"].headings == ("station_m",)


def test_a_damaged_workbook_is_refused_whatever_its_reader_comes_to(folder):
    """A flipped byte ends in whatever error, and a sheet that is lost reads like one that nobody filled in."""
    book = openpyxl.Workbook()
    book.active.title = "line"
    book.active.append(["key", "value"])
    for number in range(400):
        book.active.append([f"key {number * number}", number])
    book.create_sheet("droppers").append(["span", "position_m"])
    book.save(folder / "whole.xlsx")
    whole, rng, refused = (folder / "whole.xlsx").read_bytes(), np.random.default_rng(1), 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[rng.integers(len(damaged))] ^= int(rng.integers(1, 256))
        (folder / "damaged.xlsx").write_bytes(damaged)
        try:
            read_workbook(folder / "damaged.xlsx")
        except InputError:
            refused += 1
    assert refused > 15
    with zipfile.ZipFile(folder / "whole.xlsx") as archive, zipfile.ZipFile(folder / "lost.xlsx", "w") as lost:
        for name in archive.namelist():
            if not name.endswith("sheet2.xml"):
                lost.writestr(name, archive.read(name))
    renamed = "workbook2.xml"  # as some programs name the part that lists the sheets
    with zipfile.ZipFile(folder / "whole.xlsx") as archive, zipfile.ZipFile(folder / "other.xlsx", "w") as other:
        for name in archive.namelist():
            content = archive.read(name).replace(b"xl/workbook.xml", f"xl/{renamed}".encode())
            other.writestr(name.replace("workbook.xml", renamed), content)
    assert read_workbook(folder / "other.xlsx").keys() == {"line", "droppers"}
    with pytest.raises(InputError, match=r"lost\.xlsx is damaged: it names xl/worksheets/sheet2\.xml"):
        read_workbook(folder / "lost.xlsx")
