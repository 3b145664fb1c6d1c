"""Files that are not input: one clear sentence, exit code 2, nothing written."""

import os
import time

import pytest
from netCDF4 import Dataset
from refusal import refused

from catenary.storage.files import parsed_json

FOREIGN = {
    "a pantograph": ("masses: [1.0]\nstiffnesses: [1.0]\ndampings: [1.0]\n", "does not describe a catenary"),
    "a list": ("- 1\n- 2\n", "must hold keys with values"),
    "nothing": ("", "must hold keys with values"),
    "half a mapping": ("name: x\n  kind: [simple\n", "is not plain YAML data (line 2"),
    "a Python tag": ("name: !!python/object/apply:os.system ['true']\n", "is not plain YAML data (line 1"),
    "an anchor": ("droppers: &d {positions: [1.0]}\nsupport: *d\n", "anchors and aliases are not allowed"),
    "a key twice": ("span_length: 50.0\nspan_length: 60.0\n", "the key 'span_length' stands twice"),
    "a template": ("span_length: {{ span }}\n", "a key must be a name: got a list or a block of keys"),
    "a list as a key": ("? [1, 2]\n: 3\n", "a key must be a name: got a list or a block of keys"),
    "a date by its tag": ("span_length: !!timestamp 'x'\n", "tags such as !!timestamp are not allowed"),
    "401 digits": ("span_length: " + "9" * 401, "a number must have at most 330 digits: got 401"),
    "5000 digits": ("span_length: 0x" + "f" * 4998, "a number must have at most 330 digits: got 5000"),
    "brackets 2000 deep": ("x: " + "[" * 2000 + "]" * 2000, "must not be nested deeper than 40"),
    "blocks 2000 deep": ("x: " + "{a: " * 2000, "must not be nested deeper than 40"),
    "half a character": ('name: "\\ud800"\n', "invalid Unicode character escape code"),
    "a zero byte": ("name: \0\n", "is not plain YAML data"),
    "two documents": ("name: x\n---\nname: y\n", "found another document"),
    "20001 numbers": ("x: [" + "1.5, " * 20_000 + "1]\n", "it holds more than 20000 values"),
    "400 kB of keys": ("".join(f"key_{k}: 3\n" for k in range(30_000)), "it holds more than 20000 values"),
    "laughs": (
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        "anchors and aliases are not allowed",
    ),
    "an environment variable": ("span_length: ${oc.env:HOME}\n", "interpolation '${...}' is not allowed"),
}


@pytest.mark.parametrize("content", FOREIGN)
def test_foreign_files_are_refused_in_one_sentence(catenary, folder, listing, content):
    text, sentence = FOREIGN[content]
    (folder / "line.yaml").write_text(text, encoding="utf-8")
    before = listing(folder)
    ended = catenary("simulate", "catenary=line.yaml")
    refused(ended, ["catenary file line.yaml", sentence])
    assert ended.err.count("\n  - ") == 1
    assert listing(folder) == before


def test_unreadable_files_are_refused(catenary, folder):
    (folder / "binary.yaml").write_bytes(bytes(range(256)))
    (folder / "folder.yaml").mkdir()
    os.mkfifo(folder / "pipe.yaml")
    (folder / "endless.yaml").symlink_to("/dev/zero")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    (folder / "long.yaml").write_bytes(b"#" * 1_000_001)
    refused(catenary("simulate", "catenary=pipe.yaml"), ["must be a regular file: it is a device, a pipe or a socket"])
    refused(catenary("simulate", "catenary=endless.yaml"), ["must be a regular file"])
    refused(catenary("simulate", "catenary=/dev/zero"), ["must be a regular file"])
    refused(catenary("simulate", "catenary=/proc/self/mem.yaml"), ["does not exist"])
    refused(catenary("simulate", "catenary=loop.yaml"), ["cannot be read: Too many levels of symbolic links"])
    refused(catenary("simulate", "catenary=long.yaml"), ["must be at most 1 MB: it is larger"])
    refused(catenary("simulate", f"catenary={'x' * 5000}.yaml"), ["cannot be read: File name too long"])
    refused(catenary("simulate", "catenary=binary.yaml"), ["is not text in UTF-8"])
    refused(catenary("simulate", "pantograph=folder.yaml"), ["pantograph file folder.yaml is a folder"])


def test_a_hydra_block_in_a_file_is_an_unknown_key(catenary, line_file):
    path = line_file(hydra={"run": {"dir": "elsewhere"}})
    refused(catenary("simulate", f"catenary={path}"), [f"catenary.hydra is not a known key in {path}"])


def test_a_value_in_a_file_is_named_with_its_file(catenary, line_file):
    path = line_file(span_length=500.0)
    refused(
        catenary("simulate", f"catenary={path}"),
        [f"catenary.span_length must be between 15 and 120 m: got 500 m in {path}"],
    )


def test_a_file_that_cannot_be_opened_is_refused(catenary, line_file, monkeypatch):
    path = line_file()
    opened = os.open

    def refuse(name, *options, **named):
        if name == path:
            raise PermissionError(13, "Permission denied", str(name))
        return opened(name, *options, **named)

    monkeypatch.setattr(os, "open", refuse)
    refused(catenary("simulate", f"catenary={path}"), ["cannot be read: Permission denied"])


def test_no_more_problems_are_listed_than_can_be_read(catenary, folder, line_file):
    path = line_file(**{f"key_{k}": k for k in range(9_000)})
    ended = catenary("simulate", f"catenary={path}")
    refused(ended, ["41 problems", "catenary.key_1007 is not a known key", "and 8960 more problems: fix these first"])
    assert len(ended.err) < 30_000


def test_a_sentence_does_not_steer_the_terminal(catenary, folder):
    (folder / "line.yaml").write_text('span_length: "\\e[2J\\a \\u202e"\n', encoding="utf-8")
    ended = catenary("simulate", "catenary=line.yaml", "speed_kmh=\x1b[31m")
    refused(ended, ["catenary.span_length must be a number", "\\x1b[2J\\x07 \\u202e"])
    assert "\x1b" not in ended.err and "\u202e" not in ended.err


def test_a_list_of_20000_numbers_is_refused_by_its_length(catenary):
    began = time.process_time()
    ended = catenary("simulate", "catenary.droppers.positions=[" + ",".join(["1.5"] * 20_000) + "]")
    refused(ended, ["catenary.droppers.positions must list at most 480 values: got 20000"])
    assert time.process_time() - began < 2.0


def test_an_argument_that_is_not_text_is_refused(catenary):
    refused(catenary("simulate", "run_dir=\udcff"), ["is not text in UTF-8"])


def test_a_result_that_stands_for_terabytes_is_not_read(catenary, folder):
    with Dataset("vast.nc", "w") as file:
        for name in ("time", "other"):
            file.createDimension(name, 1_000_000)
        file.createVariable("force", "f8", ("time", "other"), zlib=True, chunksizes=(1000, 1000))
    assert os.path.getsize("vast.nc") < 100_000
    os.mkfifo("pipe.nc")
    os.mkfifo("pipe.tdms")
    for name, why in (
        ("vast.nc", "its arrays take 8e+03 GB, and at most 4 GB are read"),
        ("pipe.nc", "must be a regular file"),
        ("pipe.tdms", "must be a regular file"),
    ):
        command = ("report", name, "other.csv", "record.speed_kmh=275", "record.span_length=55")
        refused(catenary(*command), [f"force record {name}", why])


@pytest.mark.parametrize("text", ['{"a": 1e999}', '{"a": NaN}', "[" * 100_000, '{"a": ' + "9" * 5000 + "}"])
def test_numbers_without_end_and_brackets_without_end_are_not_json(text):
    with pytest.raises(ValueError):
        parsed_json(text)
