"""Lines and pantographs that there are, as `catenary lines` and `catenary pantographs` list them; first words typed."""

import re

import pytest
import yaml

from catenary.spec.marks import MARKS
from catenary.storage.configuration import CONF, group_options
from catenary.wires.makes import MAKES
from studies.writing.library_table import sources


@pytest.mark.parametrize(("command", "group"), [("lines", "catenary"), ("pantographs", "pantograph")])
def test_everything_that_there_is_is_listed_with_data_and_sources(catenary, command, group):
    ended = catenary(command)
    assert ended.code == 0
    for name in group_options(group):
        file = CONF / group / f"{name}.yaml"
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        entry = ended.out[ended.out.index(f"{name}\n") :].splitlines()
        assert entry[2:4] == [f"  {content['description']}", f"  {file}"]
        assert entry[4] == f"  {sources(content['provenance'])}"
        masses = content.get("masses") or content.get("articulated", {}).get("head", {}).get("masses")
        numbers = masses if group == "pantograph" else [content["span_length"]]
        assert all(f"{number:g}" in entry[1] for number in numbers), entry[1]
    assert "=PATH.yaml" in ended.out


def test_sources_are_counted_and_named():
    assert sources({"a": "p", "b": "c", "c": "c", "d": "t:re330"}) == (
        "4 values: 2 chosen here, 1 printed in a paper, 1 copied from another line"
    )
    assert set("psrdcut") == set(MARKS)


@pytest.mark.parametrize(("command", "name", "near"), [("lines", "re330", "re33o"), ("pantographs", "dsa380", "dsa38")])
def test_a_list_takes_names_and_refuses_others_with_the_nearest(catenary, command, name, near):
    ended = catenary(command, name)
    assert ended.code == 0 and ended.out.startswith(f"{name}\n") and ended.out.count("values: ") == 1
    refused = catenary(command, near)
    assert refused.code == 2 and f"'{near}'; did you mean {name}?" in refused.err
    assert catenary(command, f"catenary={name}").code == 2


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        (["simulate", "solver=perodic"], "solver must be one of .*'perodic'.*did you mean periodic"),
        (["validate", "only=stedy"], "only.* must be one of .*'stedy'.*did you mean steady"),
        (["new", "like=bruni_215"], "like must be one of .*'bruni_215'.*did you mean bruni_2015"),
        (["simulate", "solver=x"], "solver must be one of periodic, transient, open_line: got 'x'[^;]*$"),
    ],
)
def test_a_misspelt_choice_is_refused_with_the_nearest(catenary, typed, near):
    ended = catenary(*typed)
    assert ended.code == 2 and re.search(near, ended.err, re.MULTILINE), ended.err


def test_the_version_is_said_with_and_without_dashes(catenary):
    assert catenary("version").out == catenary("--version").out
    assert catenary("version").out.startswith("catenary 0.")


def test_what_a_new_user_types_gets_the_right_hint(catenary):
    ended = catenary("list")
    assert ended.code == 2 and "did you mean 'lines'?" in ended.err


def test_wires_are_listed_with_data_and_sources_and_others_refused(catenary):
    every = catenary("wires")
    assert every.code == 0 and all(f"  {name} " in every.out for name in MAKES)
    one = catenary("wires", "cumg ac-120")
    assert "CuMg AC-120" in one.out and "1.0668 kg/m (d), EA 14.88 MN (d)" in one.out and "57.0 kN (r)" in one.out
    assert one.out.count("EN 50149") == 1
    refused = catenary("wires", "AC-121")
    assert refused.code == 2 and "did you mean" in refused.err


def test_a_wire_that_is_typed_takes_the_place_of_the_lines_values(catenary):
    shown = catenary("simulate", "catenary=re330", "catenary.contact_wire.wire=CuMg AC-150", "--cfg", "job")
    assert shown.code == 0
    line = yaml.safe_load(shown.out)["catenary"]
    assert line["contact_wire"] == {"wire": "CuMg AC-150", "tension": 27e3, **MAKES["CuMg AC-150"].values}
    assert line["provenance"]["contact_wire.bending_stiffness"] == "c"
