"""Closed forms stand in modules next to the tests that use them; line files are written here."""

import sys
from pathlib import Path

import pytest
import yaml

from catenary.errors import InputError
from catenary.library.lines import load_line

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture
def write_line(tmp_path, monkeypatch):
    """Function that writes km12.yaml of the type bruni_2015, and tables, into a folder of its own, and reads it."""
    monkeypatch.chdir(tmp_path)

    def read(tables=None, **keys):
        for name, text in (tables or {}).items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        content = {"kind": "line", "type": "bruni_2015", **keys}
        (tmp_path / "km12.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        return load_line("km12.yaml")

    return read


@pytest.fixture
def refusals(write_line):
    """Function that writes a line file, on eleven supports from 1000 m, and returns what it is refused for."""

    def refused(tables=None, **keys):
        try:
            write_line(tables, **{"supports": [{"station_m": 1000 + 55 * k} for k in range(11)], **keys})
        except InputError as error:
            return error.problems
        return []

    return refused
