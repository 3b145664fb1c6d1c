"""What README and documentation show is what happens: Python prints what stands below it, commands are understood."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from studies import cli

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
READMES = (
    "README.md",
    *(f"{name}/README.md" for name in ("catenary", "dynamics", "optimise", "studies", "examples", "outputs")),
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)|src=\"([^\":]+)\"")
INLINE = re.compile(r"`(make [a-z]+|catenary [^`]*(?:=|--help)[^`]*)`")
LARGEST_README = 6000
# the last digits of a steady state depend on the processor; what is printed to 0.1 may be rounded the other way
TOLERANCE = 0.01
LAST_DIGIT = 0.15


def blocks(language, page="README.md"):
    text = (ROOT / page).read_text(encoding="utf-8")
    return [content for kind, content in BLOCK.findall(text) if kind == language]


def commands(page="README.md"):
    lines = [line.split("#")[0].strip() for content in blocks("bash", page) for line in content.splitlines()]
    return [line for line in lines if line]


def inline_commands(page):
    """Commands within the sentences of a page; those with a placeholder are not commands."""
    text = BLOCK.sub("", (ROOT / page).read_text(encoding="utf-8"))
    placeholder = re.compile(r"…|<|NAME|NNN")
    return [line for line in INLINE.findall(text) if not placeholder.search(line)]


def every_command():
    """Each command of the README and of the documentation, once, with the page that shows it first."""
    pages = ["README.md", *sorted(file.relative_to(ROOT).as_posix() for file in DOCS.rglob("*.md"))]
    pages = [page for page in pages if not page.startswith(("docs/notebook/", "docs/results/validation"))]
    found = {}
    for page in pages:
        # test_tutorial.py follows the tutorial's steps
        for line in (*(commands(page) if page != "docs/tutorial.md" else ()), *inline_commands(page)):
            found.setdefault(line, page)
    return [pytest.param(line, id=f"{page}: {line}") for line, page in found.items()]


# keys whose values are files or folders that a command reads, and what each command leaves where
TAKEN = ("catenary", "pantograph", "droppers", "warm_start", "bundle", "report.limits", "prediction", "measured")
LEFT = {
    "new": ("name", "{}.yaml"),
    "optimise": ("campaign", "outputs/campaigns/{}"),
    "sweep": ("sweep.name", "outputs/sweeps/{}"),
    "export": ("name", "outputs/rig/{}"),
    "table": ("template", "{}"),
}


def keys_of(line):
    """Keys of a command with their values; what has no key stands under its own text."""
    return {word.partition("=")[0]: word.partition("=")[2] for word in shlex.split(line)[1:]}


def files_taken(line):
    """Files and folders that a command reads, as paths from where it is given."""
    keys = keys_of(line)
    taken = [value for key, value in keys.items() if key in TAKEN and ("/" in value or "." in value)]
    if "report" in keys:
        taken += [key for key, value in keys.items() if "/" in key and not value]
        taken += [keys["run_dir"]] if "run_dir" in keys else []
    return taken


def files_left(line):
    """Files and folders that a command writes, as paths from where it is given."""
    words, keys = shlex.split(line), keys_of(line)
    if words[0] == "cp":
        return [words[2]]
    if words[0] != "catenary" or words[1] == "report":
        return []
    found = [keys["run_dir"]] if "run_dir" in keys else []
    if words[1] in LEFT:
        key, place = LEFT[words[1]]
        found.append(place.format(keys.get(key) or keys.get("experiment") or keys.get("array")))
    return found


@pytest.mark.parametrize(
    "page", ["README.md", "docs/tutorial.md", *sorted(f"docs/how-to/{f.name}" for f in (DOCS / "how-to").glob("*.md"))]
)
def test_every_file_that_a_command_takes_is_in_the_clone_or_left_by_one_above_it(page):
    left = []
    for line in commands(page):
        for path in files_taken(line):
            there = (ROOT / path).exists() and not path.startswith("outputs/")
            assert there or any(Path(path).is_relative_to(place) for place in left), (
                f"{page}: nothing above leaves {path}: {line}"
            )
        left += files_left(line)


@pytest.mark.timeout(900)  # it is run with all that a first use compiles, along with other tests
def test_the_python_prints_what_the_readme_says(tmp_path):
    (code,) = blocks("python")
    (printed,) = blocks("text")
    assert len(code.splitlines()) <= 12
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert NUMBER.sub("#", done.stdout) == NUMBER.sub("#", printed)
    here, there = ([float(x) for x in NUMBER.findall(text)] for text in (done.stdout, printed))
    assert here == pytest.approx(there, rel=TOLERANCE, abs=LAST_DIGIT)


def test_there_are_commands_to_check():
    assert {"make demo", "make test"} <= set(commands())
    assert any(line.startswith("catenary simulate") for line in commands())


@pytest.mark.parametrize("line", every_command())
def test_every_command_is_understood(line, tmp_path, monkeypatch, capfd):
    words = shlex.split(line)
    if words[0] == "make":
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
        done = subprocess.run(
            ["make", "--dry-run", *words[1:]], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return
    if words[0] == "cp":
        assert (ROOT / words[1]).is_file()
        return
    assert words[0] == "catenary", f"a documented command must be make, cp or catenary: got {line}"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for needed in files_taken(line):  # what earlier commands of its page leave, by the test below
        if needed.endswith(".xlsx"):
            assert cli.main(["table", f"template={needed}", "line=examples/km12.yaml"]) == cli.DONE
        elif not (tmp_path / needed).exists():
            (tmp_path / needed).parent.mkdir(parents=True, exist_ok=True)
            like = "catenary/re330" if "campaigns" in needed else "catenary/bruni_2015"
            like = "pantograph/controlled" if needed.endswith(".pantograph.yaml") else like
            like = "standards/contact_force" if "limits" in needed else like
            shutil.copy(ROOT / "conf" / f"{like}.yaml", tmp_path / needed)
    before = sorted(tmp_path.rglob("*"))
    shown = [] if words[-2:] == ["--cfg", "job"] or "--help" in words else ["--cfg", "job"]
    assert cli.main([*words[1:], *shown]) == cli.DONE, capfd.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_the_readme_is_short_and_names_every_package():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.encode()) <= LARGEST_README
    assert all(f"({name}/README.md)" in text for name in ("catenary", "dynamics", "optimise", "studies"))


@pytest.mark.parametrize("page", READMES)
def test_every_file_that_a_page_points_to_is_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = [
        target
        for found in LINK.finditer(text)
        if not ((ROOT / page).parent / (target := found.group(1) or found.group(2))).exists()
    ]
    assert not missing, f"{page} points to: {', '.join(missing)}"
