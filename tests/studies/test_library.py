"""Lines and pantographs that there are, as `catenary lines` and `catenary pantographs` list them; first words typed."""

import pytest
import yaml

from catenary.spec.marks import MARKS
from catenary.storage.configuration import CONF, group_options
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
        numbers = content["masses"] if group == "pantograph" else [content["span_length"]]
        assert all(f"{number:g}" in entry[1] for number in numbers), entry[1]
    assert "=PATH.yaml" in ended.out


def test_sources_are_counted_and_named():
    assert sources({"a": "p", "b": "c", "c": "c", "d": "t:re330"}) == (
        "4 values: 2 chosen here, 1 printed in a paper, 1 copied from another line"
    )
    assert set("psrdcut") == set(MARKS)


@pytest.mark.parametrize("command", ["lines", "pantographs"])
def test_a_list_takes_no_input(catenary, command):
    ended = catenary(command, "catenary=re330")
    assert ended.code == 2 and "takes no input" in ended.err


def test_the_version_is_said_with_and_without_dashes(catenary):
    assert catenary("version").out == catenary("--version").out
    assert catenary("version").out.startswith("catenary 0.")


def test_what_a_new_user_types_gets_the_right_hint(catenary):
    ended = catenary("list")
    assert ended.code == 2 and "did you mean 'lines'?" in ended.err
