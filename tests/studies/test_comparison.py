"""Runs and force records side by side, as the command lays them; files that it refuses."""

import json
import shutil
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from refusal import refused

from dynamics.results.dataset import read_result
from studies.cli import main

SPEEDS = (275, 300)
FAST = (
    "dt=2e-3",
    "periodic.spans_behind=6",
    "periodic.spans_ahead=8",
    "periodic.tolerance=1e-2",
    "error_estimate=false",
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of one line at two speeds."""
    place = tmp_path_factory.mktemp("runs")
    for speed in SPEEDS:
        case = ("catenary=bruni_2015", "pantograph=bruni_2015", f"speed_kmh={speed}", f"run_dir={place / str(speed)}")
        assert main(["simulate", *case, *FAST]) == 0
    return [str(place / str(speed)) for speed in SPEEDS]


@pytest.fixture(scope="module")
def passage(runs):
    """Time [s], position [m] and raw force [N] of 14 spans of the first run, one sample in ten missing."""
    values = read_result_of(runs[0])
    speed, period = SPEEDS[0] / 3.6, len(values["contact_force"])
    force = np.tile(values["contact_force"], 14)
    time = np.arange(len(force)) * 55.0 / speed / period
    keep = np.sort(np.random.default_rng(4).choice(len(force), int(0.9 * len(force)), replace=False))
    first = float(values["position"][0] % 55.0)
    return time[keep], first + speed * time[keep], force[keep]


def read_result_of(folder):
    return read_result(Path(folder) / "result.nc").values


def figures(folder):
    return json.loads((Path(folder) / "summary.json").read_text(encoding="utf-8"))["pantographs"][0]


def cells(html, name):
    """Cells of the row of a table that starts with a name."""
    row = html.partition(f">{name}</td>")[2].partition("</tr>")[0]
    return [part.partition("</td>")[0].replace("−", "-") for part in row.split('">')[1:]]


def test_two_runs_side_by_side(catenary, folder, runs, listing):
    ended = catenary("report", *runs, "output=cmp.html")
    assert ended.code == 0, ended.err
    assert set(listing(folder)) == {"cmp.html", "cmp.png"}
    html = (folder / "cmp.html").read_text(encoding="utf-8")
    one, two = (figures(run)["contact_force_std_N"] for run in runs)
    row = cells(html, "standard deviation σ")
    assert row[:2] == [f"{one:.2f}", f"{two:.2f}"]
    assert row[2].startswith(f"+{two - one:.2f}")
    assert f"A: bruni_2015, 275 km/h, σ {one:.1f} N" in html
    assert f"B: bruni_2015, 300 km/h, σ {two:.1f} N" in html
    differences = html.partition("What differs in the input")[2].partition("Where they come from")[0]
    assert cells(differences, "run, speed") == ["275", "300", "km/h"]
    assert differences.count("<tr>") == 3, "the heads, speed and mean force"


def test_runs_of_one_line_and_speed_are_distinguished(catenary, folder, runs):
    line = ("catenary=bruni_2015", "pantograph=bruni_2015", "speed_kmh=275", *FAST)
    assert catenary("simulate", *line, "dimension=spatial", "run_dir=wide").code == 0
    assert catenary("simulate", *line, "contact.stiffness=200e3", "run_dir=stiff").code == 0
    assert catenary("simulate", *line, "run_dir=again").code == 0
    assert catenary("report", runs[0], "wide", "output=two.html").code == 0
    html = (folder / "two.html").read_text(encoding="utf-8")
    assert "A: bruni_2015, 275 km/h, in the plane, σ" in html
    assert "B: bruni_2015, 275 km/h, in space, σ" in html
    assert catenary("report", runs[0], runs[1], "wide", "stiff", "output=four.html").code == 0
    html = (folder / "four.html").read_text(encoding="utf-8")
    for label in ("A: bruni_2015, 275 km/h, in the plane, contact 50 kN/m, σ", "B: bruni_2015, 300 km/h, σ",
                  "C: bruni_2015, 275 km/h, in space, contact 50 kN/m, σ",
                  "D: bruni_2015, 275 km/h, in the plane, contact 200 kN/m, σ"):  # fmt: skip
        assert label in html
    assert catenary("report", runs[0], "again", "output=same.html").code == 0
    html = (folder / "same.html").read_text(encoding="utf-8")
    assert "A: bruni_2015, 275 km/h, 275, σ" in html and "B: bruni_2015, 275 km/h, again, σ" in html


def test_one_folder_is_drawn_again_as_before(catenary, folder, runs):
    page = Path(runs[0]) / "report.html"
    page.unlink()
    assert catenary("report", runs[0]).code == 0
    assert "Static elasticity" in page.read_text(encoding="utf-8")


def write_csv(path, text, columns, comma=False):
    rows = ["{:.6f};{:.6f}".format(*row) for row in zip(*columns, strict=True)]
    body = "\n".join(rows)
    path.write_text(text + "\n" + (body.replace(".", ",") if comma else body) + "\n", encoding="utf-8")


def write_netcdf(path, columns, since=""):
    with netCDF4.Dataset(str(path), "w") as data:
        data.createDimension("sample", len(columns[0]))
        for name, unit, values in zip(("time", "force"), (since or "s", "kN"), columns, strict=True):
            variable = data.createVariable(name, "f8", ("sample",))
            variable.units = unit
            variable[:] = values


RECORDS = ("position in m", "time, decimal commas, kN", "time in netCDF", "dates in netCDF")


@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_of_the_run_itself_has_its_statistics(catenary, folder, runs, passage, kind):
    """The uneven samples of a run's own force, whatever the file: sigma, extremes and trace within 1 %."""
    time, position, force = passage
    options = ["record.speed_kmh=275"]
    if kind == "position in m":
        write_csv(folder / "record.csv", "position_m;force_N", (position, force))
    else:
        options.append("record.align=true")
        if kind == "time, decimal commas, kN":
            write_csv(folder / "record.csv", "Time [s];Contact force [kN]", (time + 7.0, force / 1e3), comma=True)
        else:
            since = "seconds since 2026-01-01" if kind == "dates in netCDF" else ""
            write_netcdf(folder / "record.nc", (time, force / 1e3), since)
    name = "record.nc" if "netCDF" in kind else "record.csv"
    ended = catenary("report", runs[0], name, *options, "output=cmp.html")
    assert ended.code == 0, ended.err
    html = (folder / "cmp.html").read_text(encoding="utf-8")
    for quantity in ("standard deviation σ", "σ, 0 to 5 Hz", "mean", "maximum", "minimum"):
        own, other = (float(cell) for cell in cells(html, quantity)[:2])
        assert other == pytest.approx(own, rel=0.01), quantity
    assert cells(html, "largest uplift at supports")[1:3] == ["–", "–"]
    drawn = json.loads(html.partition('<script type="application/json">')[2].partition("</script>")[0])["curves"]
    one, two = (np.interp(np.linspace(1, 54, 200), c["x"], c["y"]) for c in drawn)
    assert np.abs(one - two).max() < 0.05 * (one.max() - one.min())
    assert "12 whole spans of 55 m" in html or "13 whole spans of 55 m" in html


BAD_FILES = {
    "no force": ("time_s;speed_kmh\n" + "0;1\n1;2\n", ["must have a column 'force' with its unit"]),
    "neither time nor position": ("force_N;b\n1;2\n", ["must have a column 'time' or 'position'"]),
    "text and missing cells": (
        "time_s;force_N\n0;100\n0,002;high\n0,004\n",
        ["bad.csv line 3: force must be a number: got 'high'", "bad.csv line 4: must have 2 values as the heading"],
    ),
    "time runs back": (
        "time_s;force_N\n" + "".join(f"{0.002 * (k % 60)};100\n" for k in range(100)),
        ["bad.csv: time must increase from sample to sample: sample 61 is at 0 s, the one before at 0.118 s"],
    ),
    "pounds": ("time_s;force [lbf]\n0;1\n", ["the unit of 'force [lbf]' must be one of N, kN, daN: got 'lbf'"]),
    "too short": (
        "time_s;force_N\n" + "".join(f"{0.002 * k};100\n" for k in range(300)),
        ["bad.csv must cover at least one span of 55 m"],
    ),
    "too few": ("time_s;force_N\n0;100\n0,1;101\n", ["bad.csv must hold at least 50 samples: got 2"]),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_record_is_refused_and_nothing_is_written(catenary, folder, runs, listing, case):
    text, sentences = BAD_FILES[case]
    (folder / "bad.csv").write_text(text, encoding="utf-8")
    before = listing(folder)
    refused(catenary("report", runs[0], "bad.csv", "record.speed_kmh=275", "output=cmp.html"), sentences)
    assert listing(folder) == before


def test_a_broken_netcdf_file_is_refused(catenary, folder, runs):
    (folder / "bad.nc").write_bytes(b"not a file of that kind")
    refused(catenary("report", runs[0], "bad.nc"), ["force record bad.nc is not a netCDF file"])


def test_what_is_not_a_record_is_refused(catenary, folder, runs):
    refused(catenary("report", runs[0], f"{runs[0]}/summary.json"), ["must be a CSV, netCDF or TDMS file with a force"])
    (folder / "alone.csv").write_text("time_s;force_N\n0;1\n", encoding="utf-8")
    refused(catenary("report", "alone.csv"), ["alone.csv is a file: give a run folder too"])


def test_a_result_of_this_program_is_a_record_too(catenary, folder, runs, passage):
    """Its netCDF file holds stations of the line next to the positions of the pantograph, and more."""
    refused(catenary("report", runs[0], f"{runs[0]}/result.nc"), ["result.nc must cover at least one span of 55 m"])


BAD_INPUT = {
    "nothing": ([], ["run_dir is missing: give the folder of a run"]),
    "both ways": (["A", "B", "run_dir=C"], ["run_dir must be left out where runs are compared"]),
    "a picture for a page": (["A", "B", "output=cmp.png"], ["output must be a file that ends in .html: got 'cmp.png'"]),
    "paths that are not there": (["A", "b.csv"], ["A does not exist", "b.csv does not exist"]),
    "an unknown option": (["A", "B", "record.sped_kmh=3"], ["did you mean record.speed_kmh?"]),
    "placed in two ways": (
        ["A", "B", "record.align=true", "record.offset_m=2"],
        ["record.offset_m must be left out where align is true"],
    ),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_refused(catenary, folder, listing, case):
    arguments, sentences = BAD_INPUT[case]
    refused(catenary("report", *arguments), sentences)
    assert listing(folder) == {}


def test_a_record_needs_its_speed_its_span_and_something_along_with_it(catenary, folder, runs, passage):
    write_csv(folder / "record.csv", "time_s;force_N", (passage[0], passage[2]))
    refused(catenary("report", runs[0], "record.csv"), ["record.speed_kmh is missing: record.csv has time alone"])
    alone = ("record.csv", "record.csv", "record.speed_kmh=275")
    refused(catenary("report", *alone), ["record.span_length is missing"])
    refused(
        catenary("report", *alone, "record.span_length=55", "record.align=true"),
        ["record.align=true needs a run to align record.csv with"],
    )
    assert catenary("report", *alone, "record.span_length=55").code == 0


def test_more_forces_than_colours_are_refused(catenary, folder, runs, listing):
    refused(catenary("report", *(4 * runs)), ["a comparison must have 2 to 6 forces", "got 8"])
    assert listing(folder) == {}


def test_errors_of_the_runs_stand_on_the_page(catenary, folder, runs):
    places = [folder / name for name in ("one", "two")]
    for place, run, size in zip(places, runs, (0.03, 0.2), strict=True):
        shutil.copytree(run, place)
        summary = json.loads((place / "summary.json").read_text(encoding="utf-8"))
        summary["numerical_error"] = {"pantograph": 1, "total_N": size, "others": {"max_uplift_at_supports_mm": 0.5}}
        (place / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    assert catenary("report", "one", "two", "output=cmp.html").code == 0
    html = (folder / "cmp.html").read_text(encoding="utf-8")
    row = cells(html, "standard deviation σ")
    assert row[0].endswith(" ± 0.030") and row[1].endswith(" ± 0.20") and " ± 0.20 (" in row[2]
    assert cells(html, "largest uplift at supports")[0].endswith(" ± 0.50")
