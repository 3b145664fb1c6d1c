"""Runs in space from the command line: samples of track, wind and head by name, their file, their page and films."""

import json

import numpy as np
import pytest
import yaml
from small_runs import BRUNI, SMALL_SEARCH, SMALL_WINDOW

from catenary.layout.track import head_offset
from catenary.spec.surroundings.track import TrackSpec
from catenary.spec.surroundings.wind import WindSpec
from catenary.storage.configuration import group_options
from catenary.storage.stored_result import read_result
from dynamics.charts.in_space import cross_sections
from dynamics.spec.case import case_of
from dynamics.spec.mechanics.head import HeadSpec
from studies.cli import main
from studies.commands.simulate import compose
from studies.input.named_blocks import BLOCKS
from studies.report.content.line_film import ACROSS, line_animation

SPECS = {"track": TrackSpec, "wind": WindSpec, "head": HeadSpec}
COARSE = ("dimension=spatial", "catenary.mesh.elements_per_bay=3", "catenary.mesh.largest_element_length=9")
ON_CURVE = (
    *BRUNI,
    *SMALL_WINDOW,
    "transient.spans_evaluated=4",
    *COARSE,
    "track=curve_r3000",
    "head=two_strips",
    "run_dir=run",
)
SHORT = ("open_line.spans=6", "open_line.first_evaluated=4", "open_line.last_evaluated=5", "open_line.spans_after=1")
ON_PLAN = (
    *BRUNI,
    *COARSE,
    *SHORT,
    "solver=open_line",
    "histories.animation=true",
    "histories.frames_per_second=10",
    "dt=4e-3",
    "error_estimate=false",
)
R, CANT_PUTS_HEAD = 3000.0, 5.3 * 0.1 / 1.5


@pytest.fixture(scope="module")
def in_folder(tmp_path_factory):
    """Run commands in a folder of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("space"))
        yield patch


@pytest.fixture(scope="module")
def curve(in_folder, tmp_path_factory):
    """Folder, values and case of a run on a curve with a head that rolls."""
    folder = tmp_path_factory.mktemp("curve") / "run"
    assert main(["simulate", *ON_CURVE[:-1], f"run_dir={folder}"]) == 0
    return folder, read_result(folder / "result.nc").values, case_of(compose(list(ON_CURVE)).job)


@pytest.mark.parametrize("key", BLOCKS)
def test_every_sample_is_a_valid_block_and_is_taken_by_its_name(key, conf):
    group = BLOCKS[key]
    for name in group_options(group):
        said = SPECS[group].model_validate(yaml.safe_load((conf / group / f"{name}.yaml").read_text(encoding="utf-8")))
        case = case_of(compose([*BRUNI, "dimension=spatial", "solver=open_line", f"{group}={name}"]).job)
        block, field = key.split(".")
        assert getattr(getattr(case, block), field) == said


def test_a_key_behind_a_name_and_a_file_of_the_user_count(tmp_path):
    (tmp_path / "own.yaml").write_text("radius: -900.0\ncant: 0.05\n", encoding="utf-8")
    line = case_of(compose([*BRUNI, "dimension=spatial", f"track={tmp_path / 'own.yaml'}", "track.cant=0.12"]).job)
    assert (line.catenary.track.radius, line.catenary.track.cant) == (-900.0, 0.12)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("track=curve_r300", "catenary.track must be one of curve_r3000, transition_r3000"),
        ("head=nowhere.yaml", "nowhere.yaml"),
    ],
)
def test_other_names_are_refused(typed, said, capfd, in_folder):
    assert main(["simulate", *BRUNI, "dimension=spatial", typed]) == 2
    assert said in capfd.readouterr().err


def test_arms_that_curve_and_wind_make_too_steep_are_refused_by_support(capfd, in_folder):
    """A support of a whole line, whose number is larger than that of the spans that repeat."""
    assert main(["simulate", *ON_PLAN, "track=transition_r3000", "wind=gusts_20"]) in (1, 2)
    said = "".join(capfd.readouterr())
    assert "steady arm at support" in said and "error of the program" not in said


def test_the_file_holds_what_the_head_does(curve):
    """Over a period the roll's moment is that of the force: k mean(roll) = -mean(F y), whatever inertia and damper."""
    _, values, case = curve
    head, place = case.pantograph.head, values["head_place"][:, 0]
    moment = (values["contact_force"] * place).mean()
    assert head.roll_stiffness * values["head_roll"][:, 0].mean() == pytest.approx(-moment, rel=5e-3)
    assert values["strip_force"][:, 0].sum(axis=1) == pytest.approx(values["contact_force_filtered"], rel=1e-12)
    assert values["wear_share"].sum() == pytest.approx(1.0)
    middle = 0.5 * (values["wear_edge"][1:, 0] + values["wear_edge"][:-1, 0])
    weighted = (values["contact_force_filtered"] * place).sum() / values["contact_force_filtered"].sum()
    assert (values["wear_share"][:, 0] * middle).sum() == pytest.approx(weighted, abs=0.5 * (middle[1] - middle[0]))


def test_the_file_holds_the_line_in_space(curve):
    """Stagger to the outside from where cant puts the head; arms as long as they are, and outside the left curve."""
    _, values, case = curve
    arm = values["space_arm_end"][0]
    assert arm[0, 1] == pytest.approx(CANT_PUTS_HEAD - 0.2, abs=1e-9)
    assert np.linalg.norm(arm[1] - arm[0]) == pytest.approx(case.catenary.support.steady_arm.length)
    assert arm[1, 1] < arm[0, 1] and arm[1, 2] > arm[0, 2]
    contact = values["space_wire_end"][values["space_wire"] == 0]
    # the wire's own versine, and what droppers to the messenger wire on the inside add to it
    versine = contact[:, 0, 1].max() - arm[0, 1]
    assert 55.0**2 / (8.0 * R) < versine < 1.5 * 55.0**2 / (8.0 * R)


def test_the_page_shows_plan_head_and_cross_sections(curve):
    folder, values, case = curve
    text = (folder / "report.html").read_text(encoding="utf-8")
    for name in ("track_plan", "line_plan", "head_place", "head_roll", "strip_force", "head_wear", "cross_section_9"):
        assert f'<figure id="{name}">' in text and (folder / "figures" / f"{name}.png").is_file()
    assert text.count('type="radio"') == 9 and text.count(" checked>") == 1
    drawn = cross_sections(values, case, np.array([0.0, 55.0]))
    for chart in drawn:
        curves = {c.label: c for c in chart.curves}
        head, wire = curves["head"], curves["contact wire on the head"]
        at = np.interp(wire.x, np.sort(head.x), head.y[np.argsort(head.x)])
        assert at == pytest.approx(wire.y, abs=2e-3)  # the head touches the wire
        assert chart.exaggeration == 1.0
    # in a left curve cant lowers the head's left side, more than the wire to the right of the middle raises it
    left, right = curves["head"].y[np.argmin(curves["head"].x)], curves["head"].y[np.argmax(curves["head"].x)]
    assert left < right


def test_an_open_line_moves_in_two_views(in_folder, tmp_path):
    folder = tmp_path / "run"
    assert main(["simulate", *ON_PLAN, "track=transition_r3000", "head=two_strips", f"run_dir={folder}"]) == 0
    values = read_result(folder / "result.nc").values
    case = case_of(compose([*ON_PLAN, "track=transition_r3000", "head=two_strips"]).job)
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert 'id="animation"' in text and 'id="animation_above"' in text
    film = line_animation(values, case, ACROSS)
    # the head's middle does not move; the wire stands off it by its stagger and by how far it has swung
    across, swung = (float(word.rstrip(",")) for word in (film.note.split()[2], film.note.split()[5]))
    frame = int(np.argmin(np.abs(values["frame_pantograph_position"][:, 0] - film.frames[0].pantographs[0][0])))
    (_, (middle,)), (_, first, tenths) = film.frames[0].pantographs[0], film.frames[0].heights[0]
    stations = film.wires[0][1][first : first + tenths.size]
    off = (middle - tenths[np.argmin(np.abs(stations - 165.0))]) / (10.0 * film.scale * across)
    contact = np.flatnonzero(values["node_wire"] == 0)
    node = contact[np.argmin(np.abs(values["node_rest"][contact, 0] - 165.0))]
    middles = head_offset(case.catenary.track, np.array([film.frames[0].pantographs[0][0]]))
    moved = values["frame_displacement"][frame, node, 1] * swung / across
    assert off == pytest.approx(values["node_rest"][node, 1] + moved - middles[0], abs=5e-3)
    assert abs(values["node_rest"][node, 1]) == pytest.approx(0.2, abs=0.04)


def test_a_campaign_on_a_curve_gives_the_line_that_simulate_has(in_folder, tmp_path):
    """Its best design, run by its file with the campaign's conditions, head and track among them."""
    camp, again = tmp_path / "camp", tmp_path / "again"
    searched = (*BRUNI, *SMALL_SEARCH, *COARSE, "track=curve_r3000", "head=two_strips", "learned_directions=false")
    few = ("trust.contact_stiffness=[]", "trust.damping_factors=[]", "trust.height_errors_mm=[]")
    assert main(["optimise", *searched, *few, "campaign=curve", f"run_dir={camp}"]) == 0
    rows = json.loads((camp / "trust.json").read_text("utf-8"))["rows"]
    assert rows and {row["kind"] for row in rows} == {"speed"}
    line = camp / "best_design.yaml"
    assert main(["simulate", f"catenary={line}", "error_estimate=false", f"run_dir={again}"]) == 0
    found, best = (json.loads((f / "summary.json").read_text("utf-8")) for f in (again, camp / "best"))
    sigma, of_campaign = (each["pantographs"][0]["contact_force_std_N"] for each in (found, best))
    assert sigma == pytest.approx(of_campaign, rel=2e-3)
    assert found["on_head"][0]["roll_max_mrad"] > 10.0


def test_a_campaign_in_wind_holds_its_limit_and_gives_lengths_to_cut(in_folder, tmp_path):
    """A period of two spans, since staggers change sides and the wind does not."""
    searched = (
        *BRUNI,
        *SMALL_SEARCH,
        *COARSE,
        "wind=gust_limit_26",
        "limits.blow_off_m=0.40",
        "learned_directions=false",
    )
    line = ("catenary.support.stagger=0.3", "catenary.repeat.spans=2")
    few = ("trust.contact_stiffness=[]", "trust.damping_factors=[]", "trust.height_errors_mm=[]")
    assert main(["optimise", *searched, *line, *few, "campaign=wind", f"run_dir={tmp_path / 'camp'}"]) == 0
    schedule = json.loads((tmp_path / "camp" / "fitter_schedule.json").read_text("utf-8"))
    assert len(schedule["length_m"]) == 18
    assert all(run["contact_force_std_N"] > 0.0 for run in (*schedule["runs"], *schedule["stations_rounded"]))
