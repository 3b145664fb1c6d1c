"""What a run keeps over time: in its file, on its page, moving in a browser and as a film."""

import json
import os
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from line_run import GAP, LINE, bump, line_run
from PIL import Image
from test_browser import WIDTHS, open_page

from catenary.storage.files import write_json_atomic
from dynamics.charts.moving.animation import animation_data, polylines
from dynamics.charts.moving.film import NO_FFMPEG, still, write_film
from dynamics.results.dataset import read_result, write_result
from dynamics.results.figures import draw_run
from studies.report.drawing.page import page_html
from studies.report.pages.simulation_page import simulation_page
from studies.report.readers.simulation_folder import read_simulation
from studies.writing.summary import summarise

KEPT = {"contact_wire_m": [137.5, 165.0], "messenger_wire_m": [165.0], "animation": True}


@pytest.fixture(scope="module")
def solution(build_case):
    case = build_case("bruni_2015", 275.0, applied_force_N=160.0, solver="open_line", open_line=LINE, histories=KEPT)
    return line_run(case)


@pytest.fixture(scope="module")
def run_folder(solution, tmp_path_factory):
    """The folder of a run with two pantographs, as simulate writes it."""
    folder = tmp_path_factory.mktemp("run")
    write_result(folder / "result.nc", solution, solution.case)
    summary = summarise(solution.case, solution, 1.0, "0" * 64)
    write_json_atomic(folder / "summary.json", summary)
    return folder


@pytest.fixture(scope="module")
def content(run_folder):
    return read_simulation(run_folder)


@pytest.fixture(scope="module")
def short_film(content):
    """The first moments, as a file takes some time to draw."""
    film = content.histories.animation
    return replace(film, frames=film.frames[:12])


@pytest.fixture(scope="module")
def page(content):
    return simulation_page(content)


def test_the_file_has_every_history_with_unit_and_name(run_folder, solution):
    stored, kept = read_result(run_folder / "result.nc"), solution.histories
    for name, about in stored.variable_attributes.items():
        assert about.get("units") and about.get("long_name"), name
    values = stored.values
    for name in ("position", "contact_force", "contact_force_filtered", "contact_height"):
        np.testing.assert_array_equal(values[f"pantograph_{name}"], getattr(kept, name))
        np.testing.assert_array_equal(values[name], getattr(kept, name)[:, 0])
    for name in ("mass_height", "mass_velocity", "mass_acceleration"):
        np.testing.assert_array_equal(values[name], getattr(kept, name))
    for name in ("point_displacement", "point_velocity", "point_acceleration"):
        np.testing.assert_array_equal(values[name], getattr(kept, name))
    np.testing.assert_allclose(values["line_dropper_force"], kept.dropper_force, atol=1e-5)
    np.testing.assert_array_equal(values["line_support_uplift"], kept.support_uplift)
    position = values["node_rest"] + values["frame_displacement"]
    np.testing.assert_allclose(position, kept.frames.position, atol=1e-7)


def test_losses_of_the_file_and_of_the_summary_agree(run_folder, solution):
    values = read_result(run_folder / "result.nc").values
    span = solution.case.catenary.span_length
    np.testing.assert_array_equal(values["loss_pantograph"], 0)
    np.testing.assert_allclose(values["loss_start_position"], [2.2 * span, 3.5 * span], atol=0.2)
    np.testing.assert_allclose(values["loss_length"], [0.03 * span, 0.01 * span], atol=0.2)
    summary = json.loads((run_folder / "summary.json").read_text(encoding="utf-8"))
    losses = summary["pantographs"][0]["losses"]
    assert losses["count"] == 2
    assert losses["longest_s"] == values["loss_duration"].max()
    assert losses["total_percent"] == pytest.approx(summary["pantographs"][0]["contact_loss_percent"])


def test_the_page_has_a_picture_of_everything_for_every_pantograph(page):
    names = {chart.name for chart in page.charts}
    each = {f"{name}_{p}" for p in (1, 2) for name in ("force_history", "force_rms", "mass_height", "mass_velocity")}
    assert each | {"mass_acceleration_1", "force_histogram", "force_spectrum", "dropper_history"} <= names
    assert {"dropper_extremes", "support_uplift", "point_displacement", "point_velocity", "point_acceleration"} <= names
    histogram = next(chart for chart in page.charts if chart.name == "force_histogram")
    assert [curve.y.sum() for curve in histogram.curves] == pytest.approx([100.0, 100.0])
    tables = {table.title: table for section in page.sections for table in section.tables}
    assert tables["Losses of contact"].rows[0][:2] == ("leading pantograph", "2")
    assert len(tables["Each loss"].rows) == 2
    html = page_html(page)
    assert "leading pantograph" in html and "trailing pantograph" in html
    assert len(html) < 3.0e6


def test_droppers_and_supports_are_shown_where_the_pantographs_pass(content, solution):
    droppers, uplifts = content.histories.droppers, content.histories.uplifts
    span = solution.case.catenary.span_length
    assert (droppers.x.min() > 2 * span) and (droppers.x.max() < 4 * span)
    expected = np.maximum(0.0, 80.0 - 1600.0 * (bump(droppers.past) + bump(droppers.past - GAP)))
    for row in droppers.force:
        known = np.isfinite(row)
        np.testing.assert_allclose(row[known], expected[known], atol=2.0)
    assert droppers.least.max() == 0.0
    np.testing.assert_allclose(uplifts.x, [2 * span, 3 * span, 4 * span])
    middle = np.nan_to_num(uplifts.uplift[1])
    first, second = (np.where(near, middle, 0.0).argmax() for near in (uplifts.past < 20.0, uplifts.past > 20.0))
    peaks = uplifts.past[[first, second]]
    np.testing.assert_allclose(peaks, [0.0, GAP], atol=0.6)


def test_a_picture_of_an_open_line_has_both_pantographs_and_a_bar_for_every_span(solution):
    above, below = draw_run(solution).axes
    labels = [curve.get_label() for curve in above.get_lines()]
    assert [f"filtered at 20 Hz, pantograph {k}" in labels for k in (1, 2, 3)] == [True, True, False]
    curves = {curve.get_label(): curve.get_xdata() for curve in above.get_lines()}
    assert curves["as computed"][0] == solution.position[solution.leading.evaluated.start - 1]
    (bars,) = below.get_lines()
    np.testing.assert_allclose(bars.get_ydata()[1::3], 1e3 * solution.support_uplift)
    assert below.get_xlim() == (0.5, len(solution.support_uplift) + 0.5)


def test_the_film_and_its_pictures_have_the_auxiliary_wire(build_case, tmp_path):
    kept = {"animation": True}
    case = build_case("shinkansen_compound", 270.0, applied_force_N=140.0, solver="open_line", open_line=LINE,
                      histories=kept)  # fmt: skip
    run = line_run(case)
    write_result(tmp_path / "result.nc", run, run.case)
    write_json_atomic(tmp_path / "summary.json", summarise(run.case, run, 1.0, "0" * 64))
    film = read_simulation(tmp_path).histories.animation
    few = replace(film, frames=film.frames[:3])
    drawn = polylines(few, few.frames[1])
    above, below = (np.vstack(drawn[wire])[:, 1].mean() for wire in ("wire1", "wire0"))
    assert above < np.vstack(drawn["wire3"])[:, 1].mean() < below  # as drawn, downwards
    assert write_film(few, tmp_path)[0].stat().st_size > 1000
    assert "wire3" in still(few)


def test_the_film_shows_the_head_against_the_wire_and_slack_droppers_above_it(content):
    film = content.histories.animation
    assert len(film.frames) > 30 and len(json.dumps(animation_data(film))) < 2.0e6
    for moment in film.frames[:: len(film.frames) // 6]:
        drawn = polylines(film, moment)
        (contact,) = drawn["wire0"]
        assert len(drawn["masses"]) == 6 and len(drawn["springs"]) == 2
        assert contact[0, 0] <= 0.0 and contact[-1, 0] >= film.size[0]  # the wire runs from edge to edge
        for (x, _), box in zip(moment.pantographs, drawn["masses"][::3], strict=True):
            at = (x - moment.left) * film.scale
            assert 0.0 < at < film.size[0]
            # between two drawn nodes the wire is a chord of the bump
            assert box[0, 1] == pytest.approx(np.interp(at, *contact.T), abs=2.0)
        assert len(drawn["slack"]) > 0
        inside = np.concatenate([*drawn["wire0"], *drawn["wire1"], *drawn["slack"]])
        assert inside[:, 1].min() >= 0.0 and inside[:, 1].max() <= film.size[1]
        ahead = moment.left * film.scale + np.array(drawn["slack"])[:, 0, 0]
        near = [abs(ahead - x * film.scale) for x, _ in moment.pantographs]
        assert np.min(near, axis=0).max() < 14.0 * film.scale


def test_the_exaggeration_that_is_said_is_the_one_drawn(content, solution):
    film = content.histories.animation
    heights, moves = (float(w.split(" x ")[1]) for w in film.note.split(", "))
    assert f"exaggerated {heights:g} times" in film.caption and f"rest {moves:g} times" in film.caption
    moment = film.frames[len(film.frames) // 2]
    contact, messenger = (polylines(film, moment)[name][0] for name in ("wire0", "wire1"))
    rise = (contact[:, 1].max() - contact[:, 1].min()) / film.scale / moves
    assert rise == pytest.approx(bump(0.0), rel=0.05)
    support = 3 * solution.case.catenary.span_length
    at = (support - moment.left) * film.scale
    apart = (np.interp(at, *contact.T) - np.interp(at, *messenger.T)) / film.scale / heights
    assert apart == pytest.approx(solution.case.catenary.encumbrance, rel=0.01)


def test_without_ffmpeg_there_is_a_gif_and_a_sentence(short_film, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    path, problem = write_film(short_film, tmp_path)
    assert (path.name, problem) == ("animation.gif", NO_FFMPEG)
    with Image.open(path) as film:
        assert film.n_frames == 12
        film.seek(film.n_frames - 1)
        last = np.asarray(film.convert("RGB"), dtype=int)
        film.seek(0)
        first = np.asarray(film.convert("RGB"), dtype=int)
    assert (np.abs(last - first).max(axis=2) > 60).mean() > 0.005, "the picture does not move"


def test_an_ffmpeg_that_fails_is_reported(short_film, tmp_path, monkeypatch):
    broken = tmp_path / "ffmpeg"
    broken.write_text("#!/bin/sh\necho Unknown encoder >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    path, problem = write_film(short_film, tmp_path)
    assert path.suffix == ".gif" and "Unknown encoder" in problem
    assert not list(tmp_path.glob("*.mp4")) and not list(tmp_path.glob(".*"))


def test_with_ffmpeg_there_is_an_mp4_that_every_player_knows(short_film, tmp_path):
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        pytest.skip("no ffmpeg; on Debian or Ubuntu run: apt-get install ffmpeg")
    path, problem = write_film(short_film, tmp_path)
    assert (path.name, problem) == ("animation.mp4", "")
    asked = ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,pix_fmt,nb_frames", "-of", "csv=p=0", path]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    assert said == "h264,yuv420p,12"


PLAY = """
const film = document.querySelector(".film"), wire = film.querySelector(".wire0 path");
const slider = film.querySelector("input"), button = film.querySelector("button");
const still = wire.getAttribute("d"), said = film.querySelector("output").textContent;
slider.value = "3";
slider.dispatchEvent(new Event("input"));
const moved = wire.getAttribute("d") !== still, heard = film.querySelector("output").textContent !== said;
button.click();
const playing = button.textContent;
button.click();
const heat = document.querySelector("#dropper_history svg.chart"), box = heat.getBoundingClientRect();
const where = { clientX: box.left + 0.7 * box.width, clientY: box.top + 0.5 * box.height, bubbles: true };
heat.dispatchEvent(new PointerEvent("pointermove", where));
const read = [document.querySelector("#dropper_history .reading").textContent];
for (const key of ["ArrowUp", "ArrowLeft"]) {
  heat.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  read.push(document.querySelector("#dropper_history .reading").textContent);
}
const wide = [...document.querySelectorAll(".scroll")].filter((b) => b.scrollWidth > b.clientWidth).length;
const hidden = film.querySelector(".controls").hidden;
return { moved, heard, playing, paused: button.textContent, hidden, read, wide };
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_the_line_moves_and_the_heat_map_is_read_in_a_browser(page, width, tmp_path):
    seen = open_page(page_html(page), width, tmp_path, PLAY)
    assert seen["errors"] == []
    assert seen["scroll"] <= seen["client"]
    acted = seen["acted"]
    assert acted["moved"] and acted["heard"] and not acted["hidden"] and acted["wide"] == 0
    assert (acted["playing"], acted["paused"]) == ("Pause", "Play")
    assert all("dropper force:" in text and " N" in text for text in acted["read"])
    assert len(set(acted["read"])) == 3, "the arrow keys do not move the reading"


def test_a_page_without_script_shows_one_still(page):
    html = page_html(page)
    still = html.split('class="moving"')[1].split("</svg>")[0]
    assert still.count("<path") == 8 and 'd=""' not in still.replace('class="wire2" d=""', "")
    assert '<div class="controls" hidden>' in html


def test_a_run_without_shapes_has_no_film(solution, run_folder, tmp_path):
    plain = replace(solution, histories=replace(solution.histories, frames=None))
    write_result(tmp_path / "result.nc", plain, plain.case)
    shutil.copy(run_folder / "summary.json", tmp_path)
    page = simulation_page(read_simulation(tmp_path))
    assert page.animations == () and "setInterval" not in page_html(page)
