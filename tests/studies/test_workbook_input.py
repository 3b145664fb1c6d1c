"""Workbooks of lines: what comes back of one that was written, and `catenary new` from one."""

import openpyxl

from catenary.library.lines import load_line

SUPPORTS = (1200, 1255, 1303.7, 1360, 1415)
TEXT = "kind: line\nname: mine\ntype: bruni_2015\nsupports:\n" + "".join(f"- {{station_m: {x}}}\n" for x in SUPPORTS)
TEXT += "defects: [{span: 2, dropper: 3, kind: broken}]\n"


def test_lists_of_numbers_and_texts_that_look_like_numbers_come_back(catenary, folder):
    rows = "".join(f"- {{station_m: {x}}}\n" for x in SUPPORTS)
    heights = "[0, -0.01, -0.015, -0.02, -0.02, -0.02, -0.015, -0.01, 0]"
    text = "kind: line\nname: '0012'\ntype: bruni_2015\n"
    text += f"changes: {{droppers: {{contact_wire_heights: {heights}}}}}\n"
    text += "irregularity: {rms: 0.0005, source: '5'}\nsupports:\n" + rows
    (folder / "list.yaml").write_text(text, encoding="utf-8")
    assert catenary("table", "template=list.xlsx", "line=list.yaml").code == 0
    here, there = load_line("list.xlsx"), load_line("list.yaml")
    assert here.droppers == there.droppers and here.droppers.contact_wire_heights[4] == -0.02
    assert here.name == "0012" and here.section.irregularity.source == "5"
    book = openpyxl.load_workbook("list.xlsx")
    cells = {row[0].value: row[1] for row in book["line"].iter_rows()}
    cells["droppers.contact_wire_heights"].value = "0; -0,01; -0,015; -0,02; -0,02; -0,02; -0,015; -0,01; 0"
    book.save("list.xlsx")
    assert load_line("list.xlsx").droppers == there.droppers


def test_a_new_line_comes_from_a_workbook(catenary, folder):
    (folder / "mine.yaml").write_text(TEXT, encoding="utf-8")
    assert catenary("table", "template=mine.xlsx", "line=mine.yaml").code == 0
    ended = catenary("new", "droppers=mine.xlsx", "output=plan.yaml", "name=km1")
    assert ended.code == 0, ended.err
    assert "Wrote plan.yaml" in ended.out and "catenary simulate catenary=plan.yaml" in ended.out
    here, there = load_line("plan.yaml"), load_line("mine.xlsx")
    assert here.name == "km1"
    assert here.model_copy(update={"name": there.name, "provenance": there.provenance}) == there
    again = catenary("new", "droppers=mine.xlsx", "output=plan.yaml", "span_length=60")
    assert again.code == 2
    assert "span_length must be left out" in again.err and "plan.yaml exists already" in again.err


def test_a_dropper_table_may_be_a_sheet(catenary, folder):
    book = openpyxl.Workbook()
    rows = (("station [m]", "height [mm]"), (5, 0), (18, -20), (30, "-30,5"), (42, -20), (55, 0))
    for row in rows:
        book.active.append(row)
    book.save("table.xlsx")
    answers = ("name=sheet", "like=bruni_2015", "span_length=60", "encumbrance=1.4")
    assert catenary("new", "droppers=table.xlsx", *answers).code == 0
    assert load_line("sheet").droppers.contact_wire_heights == (0.0, -0.02, -0.0305, -0.02, 0.0)
    book.active.append((52, 0))
    book.save("table.xlsx")
    ended = catenary("new", "droppers=table.xlsx", *answers, "overwrite=true")
    assert ended.code == 2 and "row 7: station must be beyond" in ended.err
