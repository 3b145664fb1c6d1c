"""Drawings of a line at rest: what a program that reads DXF finds in them, and what is refused."""

import xml.etree.ElementTree as ET
from pathlib import Path

import ezdxf
import numpy as np
import pytest
import yaml
from refusal import refused

from catenary.form_finding.equilibrium import equilibrium_at_rest
from catenary.library.lines import load_line

MESH = {"mesh": {"elements_per_bay": 2, "largest_element_length": 3.0}}
STATIONS = (0, 55, 110, 160, 215, 270)


@pytest.fixture
def km12(folder):
    content = {
        "kind": "line",
        "type": "bruni_2015",
        "changes": MESH,
        "supports": [{"station_m": x, "stagger_mm": 10 * k - 100} for k, x in enumerate(STATIONS)],
        "defects": [
            {"span": 3, "dropper": 2, "kind": "broken"},
            {"span": 4, "dropper": 5, "kind": "length", "by": -0.02},
        ],
    }
    (folder / "km12.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return folder / "km12.yaml"


def texts(space, layer):
    """Texts of a layer with the places where they begin."""
    return {(round(t.dxf.insert.x, 6), t.dxf.text) for t in space.query(f'TEXT[layer=="{layer}"]')}


def test_a_drawing_office_reads_stations_lengths_and_defects(catenary, folder, km12):
    """Heights are exaggerated, stations and the lengths in words are not."""
    ended = catenary("draw", "catenary=km12.yaml", "file=km12.dxf", "heights=4", "sides=10")
    assert ended.code == 0, ended
    space = ezdxf.readfile(folder / "km12.dxf").modelspace()
    rest = equilibrium_at_rest(load_line(km12))
    drawn = sorted(
        (line.dxf.start.x, line.dxf.end.x, line.dxf.end.y - line.dxf.start.y)
        for line in space.query('LINE[layer=="DROPPERS"]')
    )
    begin, end, high = np.array(drawn).T
    np.testing.assert_allclose(begin, rest.mesh.layout.dropper_x, atol=1e-9)
    np.testing.assert_allclose(end, begin, atol=1e-9)
    np.testing.assert_allclose(high, 4.0 * rest.dropper_length, rtol=1e-9)
    lengths = sorted(texts(space, "DROPPER_LENGTHS"))
    assert [text for _, text in lengths] == [f"{1e3 * x:.0f}" for x in rest.dropper_unstretched_length]
    assert texts(space, "STATIONS") == {(x, f"{k + 1}: {x:.3f}") for k, x in enumerate(STATIONS)}
    assert texts(space, "STAGGER") == {(x, f"{10 * k - 100:+d}") for k, x in enumerate(STATIONS)}
    marks = sorted(line.dxf.start.x for line in space.query('LINE[layer=="DEFECTS"]'))
    assert marks == pytest.approx([110.0 + 10.25 * 50 / 55, 160.0 + 27.5], abs=0.1)
    assert {text for _, text in texts(space, "DEFECTS")} == {"broken", "-20 mm"}
    (contact,) = space.query('LWPOLYLINE[layer=="CONTACT_WIRE"]')
    x, z = np.array(contact.get_points("xy")).T
    assert (x[0], x[-1]) == pytest.approx((0.0, 270.0)) and (np.diff(x) > 0.0).all()
    assert z.min() == pytest.approx(4.0 * rest.q[rest.mesh.node_wire == 0, 2].min())
    (plan,) = space.query('LWPOLYLINE[layer=="PLAN_CONTACT_WIRE"]')
    sides = np.array(plan.get_points("xy"))[:, 1]
    np.testing.assert_allclose(np.diff(sides), -10.0 * 0.01, atol=1e-9)
    (title,) = space.query('TEXT[layer=="TITLE"]')
    assert "heights x 4, sides x 10" in title.dxf.text


def test_a_browser_shows_the_same_of_a_period_with_a_defect(catenary, folder):
    repeat = "catenary.repeat.defects=[{span: 2, dropper: 1, kind: broken}]"
    typed = ("catenary=re330", "catenary.mesh.elements_per_bay=2", "catenary.repeat.spans=2", repeat)
    ended = catenary("draw", *typed, "file=re330.svg")
    assert ended.code == 0, ended
    root = ET.parse(folder / "re330.svg").getroot()
    groups = {g.get("id"): g for g in root if g.get("id")}
    line = load_line("re330")
    count = 2 * len(line.droppers.positions)
    drawn = [p.get("points").split() for p in groups["DROPPERS"] if p.tag.endswith("polyline")]
    assert len(drawn) == count - 1
    x = sorted(float(points[0].partition(",")[0]) for points in drawn)
    expected = [*line.droppers.positions, *(line.period + s for s in line.droppers.positions[1:])]
    assert x == pytest.approx(expected, abs=1e-4)
    assert len([p for p in groups["STITCH_WIRE"] if p.tag.endswith("polyline")]) == 2
    (mark,) = [p for p in groups["DEFECTS"] if p.tag.endswith("polyline")]
    assert float(mark.get("points").partition(",")[0]) == pytest.approx(
        line.period + line.droppers.positions[0], abs=1e-4
    )


def test_what_cannot_be_drawn_is_refused(catenary, folder):
    refused(catenary("draw", "catenary=re330", "file=re330.pdf"), ["file must end in .dxf or .svg", "re330.pdf"])
    (folder / "there.svg").write_text("mine", encoding="utf-8")
    refused(catenary("draw", "catenary=re330", "file=there.svg"), ["there.svg exists already"])
    assert (folder / "there.svg").read_text(encoding="utf-8") == "mine"
    refused(catenary("draw", "catenary=re330", "file=a.svg", "heights=0"), ["heights", "0.1"])


def test_wires_of_sections_that_overlap_are_drawn_each(catenary, folder):
    """A wire run and a plan for each section, a station for each support."""
    place = Path(__file__).resolve().parents[2] / "examples" / "overlap.yaml"
    coarse = ("catenary.mesh.elements_per_bay=2", "catenary.mesh.largest_element_length=3")
    ended = catenary("draw", f"catenary={place}", *coarse, "file=overlap.dxf")
    assert ended.code == 0, ended
    line = load_line(place)
    space = ezdxf.readfile(folder / "overlap.dxf").modelspace()
    own = line.section.tension_sections
    assert len(own) > 1
    begun = [(line.supports[each.first_support], line.supports[each.last_support]) for each in own]
    for layer in ("CONTACT_WIRE", "MESSENGER_WIRE", "PLAN_CONTACT_WIRE", "PLAN_MESSENGER_WIRE"):
        runs = [np.array(run.get_points("xy"))[[0, -1], 0] for run in space.query(f'LWPOLYLINE[layer=="{layer}"]')]
        np.testing.assert_allclose(runs, begun, atol=1e-6)
    assert len(texts(space, "STATIONS")) == len(line.supports)
    assert len(space.query('LINE[layer=="DROPPERS"]')) == len(line.droppers.positions)


def test_a_line_at_another_temperature_says_of_which_the_tensions_are(catenary, folder):
    coarse = ("catenary.mesh.elements_per_bay=2", "catenary.mesh.largest_element_length=3")
    ended = catenary("draw", "catenary=bruni_2015", *coarse, "catenary.temperature.now_C=30", "file=warm.dxf")
    assert ended.code == 0, ended
    ((_, title),) = texts(ezdxf.readfile(folder / "warm.dxf").modelspace(), "TITLE")
    assert "messenger wire 16 kN as strung at 10 C, drawn at 30 C; stations" in title


def test_a_stagger_on_a_curve_is_that_of_the_line_file(catenary, folder):
    """Cant moves the head, and the wire with it; what a fitter sets at the arm is the stagger."""
    content = {
        "kind": "line",
        "type": "bruni_2015",
        "changes": {
            **MESH, "dimension": "spatial",
            "track": {"radius": 1500.0, "cant": 0.1, "outside_below": 2000.0, "arms": "any", "arm_push": 500.0},
        },
        "supports": [{"station_m": 50 * k, "stagger_mm": by} for k, by in enumerate((-200, 0, -200, -150, -200))],
    }  # fmt: skip
    (folder / "curve.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    ended = catenary("draw", "catenary=curve.yaml", "file=curve.dxf")
    assert ended.code == 0, ended
    space = ezdxf.readfile(folder / "curve.dxf").modelspace()
    assert texts(space, "STAGGER") == {(0, "-200"), (50, "0"), (100, "-200"), (150, "-150"), (200, "-200")}
