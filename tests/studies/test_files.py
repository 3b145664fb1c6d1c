"""Files are written whole or not at all."""

import json

import pytest

from catenary.storage.files import whole_file, write_json_atomic, write_text_atomic


def test_a_file_takes_the_place_of_the_old_one(tmp_path):
    target = tmp_path / "new" / "file.txt"
    write_text_atomic(target, "first")
    write_text_atomic(target, "second")
    assert target.read_text(encoding="utf-8") == "second"
    assert [p.name for p in target.parent.iterdir()] == ["file.txt"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "file.txt"
    write_text_atomic(target, "old")
    with pytest.raises(RuntimeError), whole_file(target) as temporary:
        temporary.write_text("half of the", encoding="utf-8")
        raise RuntimeError
    assert target.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_temporary_file_keeps_the_suffix_and_is_hidden(tmp_path):
    with whole_file(tmp_path / "result.nc") as temporary:
        assert temporary.suffix == ".nc"
        assert temporary.name.startswith(".")
        temporary.touch()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_json_holds_no_number_that_json_has_not(tmp_path, number):
    target = tmp_path / "summary.json"
    write_json_atomic(target, {"value": 1.0})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json_atomic(target, {"value": number})
    assert json.loads(target.read_text(encoding="utf-8")) == {"value": 1.0}
