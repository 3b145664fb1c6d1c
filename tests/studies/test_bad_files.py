"""Files that are no input: one clear sentence, exit code 2, nothing written."""

from pathlib import Path

import pytest
from refusal import refused

FOREIGN = {
    "a pantograph": ("masses: [1.0]\nstiffnesses: [1.0]\ndampings: [1.0]\n", "does not describe a catenary"),
    "a list": ("- 1\n- 2\n", "must hold keys with values"),
    "nothing": ("", "must hold keys with values"),
    "half a mapping": ("name: x\n  kind: [simple\n", "is not plain YAML data (line 2"),
    "a Python tag": ("name: !!python/object/apply:os.system ['true']\n", "is not plain YAML data (line 1"),
    "an anchor": ("droppers: &d {positions: [1.0]}\nsupport: *d\n", "anchors and aliases are not allowed"),
    "a key twice": ("span_length: 50.0\nspan_length: 60.0\n", "the key 'span_length' stands twice"),
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

    read_text = Path.read_text

    def refuse(self, **options):
        if self == path:
            raise PermissionError(13, "Permission denied", str(self))
        return read_text(self, **options)

    monkeypatch.setattr(Path, "read_text", refuse)
    refused(catenary("simulate", f"catenary={path}"), ["cannot be read: Permission denied"])
