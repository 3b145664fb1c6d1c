"""Pages of results: what they report of their run, and rows that no text can break."""

import os
import time

from catenary.storage.provenance import commit, machine
from studies.writing.result_page import ResultTable, write_result_page


def test_a_page_names_its_command_date_machine_load_and_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getloadavg", lambda: (2.04, 1.96, 0.25))
    file = tmp_path / "results" / "speed.md"
    write_result_page(
        file, "Speed", "make bench", [ResultTable(("what", "here"), (("a run", "1 s"),), "Times")], ["Said."]
    )
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Speed" and lines[2] == "`make bench` wrote this page; do not edit it."
    assert f"| {time.strftime('%Y-%m-%d')} | {machine()} | 2.0, 2.0, 0.2 | `{commit()}` |" in lines
    assert lines[-5:] == ["## Times", "", "| what | here |", "| --- | --- |", "| a run | 1 s |"]
    assert "Said." in lines


def test_text_stays_in_its_cell(tmp_path):
    write_result_page(tmp_path / "page.md", "T", "make bench", [ResultTable(("a|b",), (("x\ny *z* `q` <b>",),))])
    *_, head, _, row = (tmp_path / "page.md").read_text(encoding="utf-8").splitlines()
    assert head == r"| a\|b |" and row == r"| x y \*z\* \`q\` \<b> |"


def test_a_machine_is_named_by_its_cores_system_and_python():
    assert "core" in machine() and "Python 3." in machine() and "\n" not in machine()


def test_a_system_without_a_load_is_named_as_such(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "getloadavg")
    write_result_page(tmp_path / "page.md", "T", "make bench", [])
    assert " | not known | `" in (tmp_path / "page.md").read_text(encoding="utf-8")
