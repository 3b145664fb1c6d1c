"""Lines as Python takes them: by name or file, changed by keys, refused in sentences, shown in a few words."""

import shutil

import numpy as np
import pytest

import catenary
from catenary.storage.configuration import CONF
from studies.input.compose import compose_job
from studies.jobs.simulation import SimulateJob

HEIGHTS = [0, -5, -8, -9, -8, -5, -3, -1, 0]


@pytest.fixture(scope="module")
def line():
    return catenary.load_line("re330")


def on_the_command_line(*typed):
    return compose_job("simulate", SimulateJob, list(typed)).job.catenary


@pytest.mark.parametrize("name", catenary.line_names())
def test_a_line_is_the_one_of_the_command_line(name):
    assert catenary.load_line(name) == on_the_command_line(f"catenary={name}")


def test_a_file_is_read_by_its_path_and_by_its_stem(line, tmp_path, monkeypatch):
    shutil.copy(CONF / "catenary" / "re330.yaml", tmp_path / "my60.yaml")
    monkeypatch.chdir(tmp_path)
    assert catenary.load_line(tmp_path / "my60.yaml") == catenary.load_line("my60") == line
    assert on_the_command_line("catenary=my60") == line


def test_changes_are_those_of_the_command_line(line):
    typed = ["catenary.contact_wire.tension=26e3", "catenary.further_spans=[60,50]", "catenary.name=mine"]
    positions = [*line.droppers.positions, *(70.0, 95.0, 120.0), *(130.0, 150.0, 170.0)]
    heights = [0.0] * len(positions)
    listed = [f"catenary.droppers.{k}={v}" for k, v in (("positions", positions), ("contact_wire_heights", heights))]
    changed = line.with_changes(
        contact_wire={"tension": 26e3},
        further_spans=np.array([60, 50]),
        name="mine",
        droppers={"positions": tuple(positions), "contact_wire_heights": heights},
    )
    assert changed == on_the_command_line("catenary=re330", *typed, *listed)
    assert changed.provenance["contact_wire.tension"] == "c" and line.contact_wire.tension == 27e3


def test_droppers_in_millimetres_are_heights_in_metres(line):
    metres = ",".join(str(z / 1000) for z in HEIGHTS)
    given = line.with_droppers(heights_mm=np.array(HEIGHTS))
    assert given == on_the_command_line(f"catenary.droppers.contact_wire_heights=[{metres}]")
    assert given.with_droppers(positions_m=line.droppers.positions).droppers == given.droppers


def test_other_droppers_without_values_are_refused(line):
    with pytest.raises(catenary.InputError, match=r"heights_mm.*positions_m.*lengths_mm"):
        line.with_droppers()


def test_a_key_is_found_by_one_of_its_words(line):
    with pytest.raises(catenary.InputError, match=r"hights.*did you mean .*contact_wire_heights"):
        line.with_changes(droppers={"hights": [0.0]})


def test_droppers_may_be_given_by_their_lengths(line):
    lengths = [1250, 1180, 1050, 960, 930, 960, 1050, 1180, 1250]
    cut = line.with_droppers(lengths_mm=lengths).droppers
    assert (cut.prescribed, cut.contact_wire_heights) == ("lengths", ())
    assert cut.lengths == pytest.approx([length / 1e3 for length in lengths])
    assert line.with_droppers(lengths_mm=lengths).with_droppers(heights_mm=HEIGHTS).droppers.lengths == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"contact_wier": {"tension": 26e3}}, ("contact_wier", "contact_wire")),
        ({"contact_wire": {"tensoin": 26e3}}, ("contact_wire.tensoin", "contact_wire.tension")),
        ({"contact_wire": {"tension": 26.0}}, ("contact_wire.tension", "26 N")),
        ({"droppers": {"positions": [1.0, 2.0]}}, ("2 positions", "9 heights")),
        ({"xyzzy": 1.0}, ("xyzzy", "span_length")),
    ],
)
def test_a_change_that_cannot_be_is_refused_by_its_key(line, change, said):
    with pytest.raises(catenary.InputError) as refused:
        line.with_changes(**change)
    assert all(word in str(refused.value) for word in said), refused.value


def test_a_copy_with_a_key_that_is_not_known_is_refused(line):
    assert line.model_copy(update={"span_length": 55.0}).span_length == 55.0
    assert line.model_copy() == line and line.model_copy(update={}) == line
    with pytest.raises(catenary.InputError, match=r"span_lenght is not .* did you mean span_length") as refused:
        line.model_copy(update={"span_lenght": 55.0, "name": "x"})
    assert len(refused.value.problems) == 1
    with pytest.raises(catenary.InputError, match="tensoin"):
        line.contact_wire.model_copy(update={"tensoin": 2e4})


@pytest.mark.parametrize(
    ("droppers", "said"),
    [({"heights_mm": [0, 1]}, "9 positions"), ({"heights_mm": HEIGHTS, "lengths_mm": HEIGHTS}, "lengths_mm")],
)
def test_droppers_that_cannot_be_are_refused(line, droppers, said):
    with pytest.raises(catenary.InputError, match=said):
        line.with_droppers(**droppers)


@pytest.mark.parametrize(
    ("name", "said"), [("re33", "re330"), ("none.yaml", "none.yaml"), (str(CONF / "pantograph/dsa380.yaml"), "masses")]
)
def test_what_is_not_a_line_is_refused_in_a_sentence(name, said):
    with pytest.raises(catenary.InputError, match=said) as refused:
        catenary.load_line(name)
    assert len(refused.value.problems) == 1


def test_completion_offers_the_line_and_not_its_library(line):
    offered = {name for name in dir(line) if not name.startswith("_")}
    assert {"with_changes", "with_droppers", *type(line).model_fields} <= offered
    assert not {"model_dump", "dict", "json", "model_fields"} & offered


def test_a_line_is_shown_in_a_few_words_and_as_a_table(line):
    assert repr(line) == "<line re330: stitched, span 65 m, 9 droppers, contact wire 27 kN, messenger wire 21 kN>"
    table = line.with_droppers(heights_mm=HEIGHTS)._repr_html_()
    assert all(f"<td>{z:g}</td>" in table for z in HEIGHTS) and "<td>60.5</td>" in table
