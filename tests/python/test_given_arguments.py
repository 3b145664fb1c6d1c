"""Arguments of a wrong kind from Python: each is refused by what must be what, and by what was given."""

import re

import numpy as np
import pytest

import catenary
import dynamics
import optimise

BRUNI = "bruni_2015"
SPEEDS = [200, 210]


@pytest.fixture(scope="module")
def line():
    return catenary.load_line(BRUNI)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (-5, r"heights_mm must be a list of numbers \[mm\]: got -5"),
        ("abc", r"heights_mm must be a list of numbers \[mm\]: got 'abc'"),
        ([0, "a", None], r"heights_mm\[1\] must be a number \[mm\]: got 'a'\nheights_mm\[2\] must be .*: got null"),
        (np.zeros((9, 2)), r"heights_mm\[0\] must be a number \[mm\]: got \[0.0, 0.0\]"),
        ([True] * 9, r"heights_mm\[0\] must be a number \[mm\]: got true"),
        ([1.0, 2.0], "one height per dropper: 9 positions, 2 heights"),
    ],
)
def test_droppers_are_lists_of_numbers(line, values, sentence):
    with pytest.raises(catenary.InputError) as refused:
        line.with_droppers(heights_mm=values)
    assert re.search(sentence, str(refused.value)), refused.value


def test_whatever_gives_numbers_makes_droppers(line):
    heights = [0.0, -1.0, -2.0, -3.0, -4.0, -3.0, -2.0, -1.0, 0.0]
    wanted = line.with_droppers(heights_mm=heights)
    for given in (tuple(heights), np.array(heights), (np.float32(h) for h in heights), map(int, heights)):
        assert line.with_droppers(heights_mm=given) == wanted
    with pytest.raises(catenary.InputError, match=r"positions_m must be a list of numbers \[m\]: got 3"):
        line.with_droppers(positions_m=3)


@pytest.mark.parametrize("given", [None, 3, ["re330"], b"re330"])
def test_a_line_and_a_pantograph_are_named_or_files(line, given):
    for call in (
        lambda: catenary.load_line(given),
        lambda: dynamics.load_pantograph(given),
        lambda: dynamics.simulate(line, pantograph=given, speed_kmh=200),
        lambda: dynamics.simulate(given, BRUNI, speed_kmh=200),
    ):
        with pytest.raises(catenary.InputError, match=r"must be one of .*bruni_2015.* or the path of a YAML file: got"):
            call()


def test_a_table_in_the_place_of_a_line_says_how_it_becomes_one(tmp_path):
    table = tmp_path / "table.csv"
    for call in (lambda: catenary.load_line(table), lambda: catenary.load_line(str(table))):
        with pytest.raises(catenary.InputError, match=r"table.csv does not exist"):
            call()
    table.write_text("position,height\n1,2\n", encoding="utf-8")
    with pytest.raises(catenary.InputError, match=r"catenary new droppers=\S*table.csv like=NAME .*with_droppers"):
        catenary.load_line(table)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"speed_kmh": []}, "^speed_kmh must list at least one value: got none$"),
        ({"speed_kmh": iter(())}, "^speed_kmh must list at least one value: got none$"),
        ({"speed_kmh": 200}, "^a sweep must have an axis: .* give speed_kmh a list, or axes="),
        ({"speed_kmh": "fast"}, "^speed_kmh must be a number between 5 and 600 km/h: got 'fast'$"),
        ({"speed_kmh": None}, "^speed_kmh must be a number between 5 and 600 km/h: got null$"),
        ({"speed_kmh": 200, "axes": 3}, "^axes must be a mapping of keys with values: got 3$"),
        ({"speed_kmh": SPEEDS, "folder": 3}, "^folder must be a path, .*: got 3$"),
    ],
)
def test_a_sweep_says_what_it_lacks_and_nothing_else(line, given, sentence):
    with pytest.raises(catenary.InputError, match=sentence):
        optimise.sweep(line, BRUNI, **given, cluster="serial")


def test_a_folder_with_other_content_is_refused_and_left(line, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sweep.yaml").write_text("a: 1\n", encoding="utf-8")
    for call, kind in (
        (lambda at: optimise.sweep(line, BRUNI, SPEEDS, folder=at, cluster="serial"), "sweep"),
        (lambda at: optimise.campaign(line, BRUNI, speed_kmh=200, folder=at, trials=2), "campaign"),
    ):
        with pytest.raises(catenary.InputError, match=rf"folder\) must be a new, empty or {kind} folder: "):
            call(tmp_path / "full")
        with pytest.raises(catenary.InputError, match=r"x.txt is a file"):
            call(tmp_path / "full" / "x.txt")
    with pytest.raises(catenary.InputError, match=r"sweep.yaml must be that of a sweep: it has no hash"):
        optimise.sweep(line, BRUNI, SPEEDS, folder=tmp_path / "other", cluster="serial")
    assert [p.name for p in (tmp_path / "full").iterdir()] == ["x.txt"]
    with pytest.raises(catenary.InputError, match=r"folder must be a path, .*: got 3"):
        optimise.load_campaign(3)
