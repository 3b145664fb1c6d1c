"""A line of your own: from a dropper table to a commented file that runs, and tables that are refused."""

import io
import sys

import numpy as np
import pytest
import yaml

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from catenary.storage.configuration import group_options
from studies.writing.line_file import line_text

STATIONS = (5.0, 11.5, 18.0, 24.0, 30.0, 36.0, 42.0, 48.5, 55.0)
HEIGHTS_MM = (0, -20, -35, -45, -48, -45, -35, -20, 0)
ANSWERS = ("name=mine", "like=bruni_2015", "span_length=60", "encumbrance=1.4")


@pytest.fixture
def table(folder):
    """Write a dropper table and give the override that names it."""

    def write(text: str, name: str = "table.csv") -> str:
        (folder / name).write_text(text, encoding="utf-8")
        return f"droppers={name}"

    return write


def heights_table(separator=",", comma=False, heading="station_m{}height_mm"):
    rows = [heading.format(separator), *(f"{x}{separator}{z}" for x, z in zip(STATIONS, HEIGHTS_MM, strict=True))]
    text = "\n".join(rows) + "\n"
    return text.replace(".", ",") if comma else text


def read_line(path):
    return CatenarySpec.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "text",
    [
        heights_table(),
        heights_table(";", comma=True),
        heights_table("\t", comma=True, heading="Station [m]{}Height (mm)"),
        "\ufeff# surveyed\n\n" + heights_table(";"),
    ],
)
def test_every_kind_of_table_gives_the_same_line(catenary, folder, table, text):
    ended = catenary("new", table(text), *ANSWERS, "contact_wire.tension=20e3", "output=here.yaml")
    assert ended.code == 0, ended.err
    line = read_line(folder / "here.yaml")
    assert (line.name, line.span_length, line.encumbrance) == ("mine", 60.0, 1.4)
    assert line.droppers.positions == STATIONS
    assert line.droppers.contact_wire_heights == tuple(z / 1000 for z in HEIGHTS_MM)
    assert line.contact_wire.tension == 20e3
    assert line.messenger_wire.tension == 16e3
    assert "catenary simulate catenary=here.yaml" in ended.out
    assert "Every dropper is in tension at rest" in ended.out


def test_the_file_says_what_was_given_and_what_was_copied(catenary, folder, table):
    ended = catenary("new", table(heights_table()), *ANSWERS, "support.messenger_damping=900")
    text = (folder / "mine.yaml").read_text(encoding="utf-8")
    line = read_line(folder / "mine.yaml")
    given = {path for path, mark in line.provenance.items() if mark == "u"}
    assert given == {
        "span_length",
        "encumbrance",
        "droppers.positions",
        "droppers.contact_wire_heights",
        "support.messenger_damping",
    }
    rows = {row.strip().partition(":")[0]: row for row in text.splitlines() if "  # " in row and row.startswith("  ")}
    assert "; as bruni_2015" not in rows["positions"] + rows["contact_wire_heights"] + rows["messenger_damping"]
    assert all("; as bruni_2015" in rows[key] for key in ("stiffness", "steady_arm_mass", "alpha", "elements_per_bay"))
    assert "# N, EA; as bruni_2015" in rows["axial_stiffness"]
    assert "# m, stations from the support" in rows["positions"]
    assert "messenger_damping: 900" in text
    listed = ended.out.partition("Check the values that come from bruni_2015")[2].partition("\n")[0]
    assert "contact_wire.tension" in listed
    assert "support.messenger_damping" not in listed


def test_a_wire_by_name_has_its_own_values_but_for_those_that_are_typed(catenary, folder, table):
    named = ("contact_wire.wire=CuMg AC-120", "contact_wire.axial_stiffness=15e6", "contact_wire.tension=20e3")
    ended = catenary("new", table(heights_table()), *ANSWERS, *named)
    text, line = (folder / "mine.yaml").read_text(encoding="utf-8"), read_line(folder / "mine.yaml")
    wire = line.contact_wire
    assert (wire.mass_per_length, wire.bending_stiffness, wire.axial_stiffness) == (1.0668, 127.9, 15e6)
    rows = [row for row in text.splitlines() if "1.0668" in row or "127.9" in row or "15.0e+6" in row]
    assert len(rows) == 3 and not any("as bruni_2015" in row for row in rows)
    listed = ended.out.partition("Check the values that come from bruni_2015")[2].partition("\n")[0]
    assert "contact_wire." not in listed and "messenger_wire.mass_per_length" in listed
    refused = catenary("new", table(heights_table()), *ANSWERS, "contact_wire.wire=nonsense", "overwrite=true")
    assert refused.code == 2 and "'nonsense'" in refused.err


def test_lengths_from_a_table_hang_as_the_heights_that_they_were_cut_for(catenary, folder, table):
    assert catenary("new", table(heights_table()), *ANSWERS).code == 0
    first = periodic_equilibrium(read_line(folder / "mine.yaml"))
    rows = zip(STATIONS, first.dropper_unstretched_length, strict=True)
    text = "station;length_mm\n" + "".join(f"{x};{1e3 * c:.6f}\n" for x, c in rows)
    ended = catenary("new", table(text), *ANSWERS, "overwrite=true")
    assert ended.code == 0, ended.err
    line = read_line(folder / "mine.yaml")
    assert line.droppers.prescribed == "lengths"
    eq = periodic_equilibrium(line)
    np.testing.assert_allclose(eq.q[eq.mesh.dropper_bottom, 2], 1e-3 * np.array(HEIGHTS_MM), rtol=0, atol=1e-8)
    shown = [float(row.split()[2]) for row in ended.out.splitlines() if row.strip()[:1].isdigit()]
    np.testing.assert_allclose(shown, HEIGHTS_MM, atol=0.051)


def test_the_new_line_is_simulated(catenary, folder, table):
    assert catenary("new", table(heights_table()), *ANSWERS).code == 0
    ended = catenary(
        "simulate", "catenary=mine.yaml", "pantograph=bruni_2015", "dt=2e-3", "error_estimate=false", "run_dir=run"
    )
    assert ended.code == 0, ended.err
    assert "given by the user" in (folder / "run" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("beta", [1.23456789e-7, 5e-324])
@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_the_file_is_read_back_as_the_line_that_was_written(build_line, name, beta):
    changes = {"damping": {"alpha": 1.0 / 3.0, "beta": beta}, "description": 'with "quotes": and # more'}
    line = build_line(name, **changes, contact_wire={"axial_stiffness": 17123456.789})
    again = CatenarySpec.model_validate(yaml.safe_load(line_text(line, "table.csv", name)))
    assert again == line


def test_a_slack_dropper_is_shown_and_named(catenary, folder, table):
    text = heights_table().replace("30.0,-48", "30.0,0")
    ended = catenary("new", table(text), *ANSWERS)
    assert ended.code == 1
    assert (folder / "mine.yaml").exists()
    for k in (3, 5):
        assert f"The other commands refuse this line: droppers.contact_wire_heights[{k}] = " in ended.err
        assert f"slackens dropper {k + 1} (at " in ended.err


def test_an_existing_file_is_never_replaced_unasked(catenary, folder, table, listing):
    given = table(heights_table())
    (folder / "mine.yaml").write_text("precious", encoding="utf-8")
    before = listing(folder)
    ended = catenary("new", given, *ANSWERS)
    assert ended.code == 2
    assert "output mine.yaml exists already: give another output=... or overwrite=true" in ended.err
    assert listing(folder) == before
    assert catenary("new", given, *ANSWERS, "overwrite=true").code == 0
    assert read_line(folder / "mine.yaml").name == "mine"


REFUSED = {
    "nothing": ([], None, [f"{key} is missing" for key in ("droppers", "name", "like", "span_length", "encumbrance")]),
    "unknown keys": (
        [*ANSWERS, "contact_wire.tensoin=1", "provenance.span_length=p", "droppers.positions=[1]"],
        heights_table(),
        [
            "contact_wire.tensoin is not a known key; did you mean contact_wire.tension?",
            "provenance.span_length is not a known key",
            "droppers.positions comes from the dropper table",
        ],
    ),
    "bad values": (
        ["name=a/b", "like=bruni", "span_length=wide", "encumbrance=9", "output=mine.csv"],
        heights_table(),
        [
            "name must be a plain name",
            f"like must be one of {', '.join(group_options('catenary'))}: got 'bruni'",
            "span_length must be a number between 15 and 120 m: got 'wide'",
            "encumbrance must be between 0.3 and 3 m: got 9 m on the command line",
            "output must be a file that ends in .yaml: got 'mine.csv'",
        ],
    ),
    "every bad row": (
        ANSWERS,
        "station_m,height_m\n5,0\n4,x\n61,24\n7,0,1\nnan,0\n",
        [
            "table.csv line 3: station must be beyond that of the row before, 5 m: got 4 m",
            "table.csv line 3: height must be a number: got 'x'",
            "table.csv line 4: station must be at least 0.5 m and at most 59.5 m, inside the span: got 61 m",
            "table.csv line 4: height must be between -0.5 and 0.5 m: got 24 m; a column in millimetres is named",
            "table.csv line 5: must have 2 values as the heading: got 3; numbers with a decimal comma need semicolons",
            "table.csv line 6: station must be a number: got 'nan'",
        ],
    ),
    "a mistyped heading": (ANSWERS, "station_m,hieght_mm\n5,0\n", ["did you mean height_mm?"]),
    "both interpretations": (
        ANSWERS,
        "station_m,height_m,length_m\n5,0,1\n",
        ["table.csv must give either heights or lengths of the droppers"],
    ),
    "a unit of its own": (
        ANSWERS,
        "station [ft],height_m\n5,0\n",
        ["the unit of 'station [ft]' must be one of m, mm, cm: got 'ft'"],
    ),
    "the same column twice": (
        ANSWERS,
        "station_m,position,height\n5,5,0\n",
        ["only one column may hold the station: got 'station_m', 'position'"],
    ),
    "no rows": (ANSWERS, "station_m,height_m\n", ["dropper table table.csv must have a line that names its columns"]),
    "a dropper at the stitch clamp": (
        ["name=mine", "like=re330", "span_length=65", "encumbrance=1.8"],
        "station_m,height_m\n4.5,0\n9.1,0\n32.5,0\n60.5,0\n",
        ["droppers.positions[1] = 9.1 m must stay 0.3 m clear of the stitch clamp at 9 m from the support"],
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_with_every_problem_and_nothing_is_written(catenary, folder, table, listing, case):
    answers, text, sentences = REFUSED[case]
    given = [] if text is None else [table(text)]
    before = listing(folder)
    ended = catenary("new", *given, *answers)
    assert ended.code == 2
    assert "Traceback" not in ended.err
    for sentence in sentences:
        assert sentence in ended.err, ended.err
    assert ended.err.count("\n  - ") == len(sentences), ended.err
    assert listing(folder) == before


def test_help_offers_what_may_be_typed_and_nothing_else(catenary):
    text = catenary("new", "--help").out
    keys = {line.split()[0].rstrip(":") for line in text.partition("Keys (")[2].splitlines()[1:]}
    assert {"like", "output", "overwrite", "span_length", "contact_wire.tension", "droppers"} <= keys
    assert not keys & {"table", "provenance", "schema_version", "droppers.positions", "droppers.lengths"}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_is_asked_for_what_is_missing(catenary, folder, table, monkeypatch):
    given = table(heights_table())
    monkeypatch.setattr(sys, "stdin", Terminal("mine\nbruni_2015\n60\n"))
    ended = catenary("new", given, "encumbrance=1.4")
    assert ended.code == 0, ended.err
    assert "span, support to support [m]: " in ended.out
    assert "encumbrance" not in ended.out.partition("Wrote")[0]
    assert read_line(folder / "mine.yaml").span_length == 60.0


def test_an_unanswered_question_is_a_missing_key(catenary, folder, table, listing, monkeypatch):
    given = table(heights_table())
    before = listing(folder)
    monkeypatch.setattr(sys, "stdin", Terminal("mine\n"))
    ended = catenary("new", given, "encumbrance=1.4", "span_length=60")
    assert ended.code == 2
    assert "like is missing" in ended.err
    assert listing(folder) == before
