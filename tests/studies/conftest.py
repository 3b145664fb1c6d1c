"""A folder of its own for each test, and the command run in it."""

import errno
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from dynamics.charts import files
from studies.cli import main

ROOT = Path(__file__).resolve().parents[2]
# small inputs and what a refusal is stand in modules next to the tests that use them
sys.path.insert(0, str(Path(__file__).resolve().parent))


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit code and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def small_pictures(monkeypatch):
    """Pictures are a quarter as wide as those for people, and drawn in a third of the time."""
    monkeypatch.setattr(files, "PNG_WIDTH", min(files.PNG_WIDTH, 400))


@pytest.fixture
def broken(monkeypatch):
    """Function that lets no file be brought to the disk whose name holds a word; '' heals the disk."""
    fsync, held = os.fsync, {}

    def failing(handle):
        name = Path(os.readlink(f"/proc/self/fd/{handle}")).name
        if held and held["word"] in name:
            raise OSError(held["reason"], os.strerror(held["reason"]))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", failing)

    def breaks(word, reason=errno.ENOSPC):
        held.clear()
        held.update({"word": word, "reason": reason} if word else {})

    return breaks


@pytest.fixture
def catenary(folder, capfd):
    """The command, run in this process in an empty folder."""

    def run(*arguments: str) -> Ended:
        code = main(list(arguments))
        printed = capfd.readouterr()
        return Ended(code, printed.out, printed.err)

    return run


@pytest.fixture
def interrupted(monkeypatch):
    """Campaigns are interrupted once their nominal line is on record, and cost nothing until then."""
    from cheap_evaluation import bowl_until_interrupted, prepare_nothing

    monkeypatch.setattr("optimise.search.campaign.evaluate_design", bowl_until_interrupted)
    monkeypatch.setattr("optimise.search.campaign.prepare_start", prepare_nothing)


@pytest.fixture
def console(folder):
    """The command, run as a process of its own in an empty folder."""

    def run(*arguments: str, **kwargs) -> Ended:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as installed: the second run compiles nothing
        command = [sys.executable, "-m", "studies.cli", *arguments]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, **kwargs
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def conf():
    """The folder of the configuration."""
    return ROOT / "conf"


@pytest.fixture
def line_file(folder, conf):
    """Write a line of the user's own: a copy of bruni_2015 with changed top-level keys."""

    def write(file_name: str = "my_line.yaml", **changes) -> Path:
        content = yaml.safe_load((conf / "catenary" / "bruni_2015.yaml").read_text(encoding="utf-8"))
        path = folder / file_name
        path.write_text(yaml.safe_dump({**content, **changes}), encoding="utf-8")
        return path

    return write


@pytest.fixture
def listing():
    """Function that lists a folder: every file with its content, every folder."""
    return _listing


def _listing(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content, and every folder."""
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in folder.rglob("*")}


@pytest.fixture(scope="session")
def bundle(influence, tmp_path_factory):
    """A small rig bundle that tests share and leave as it is."""
    from dynamics.rig.bundle import write_bundle

    return write_bundle(tmp_path_factory.mktemp("rig") / "bundle", influence, influence.case)


@pytest.fixture
def own_bundle(bundle, folder):
    """A copy of it that a test may change."""
    return shutil.copytree(bundle, folder / "bundle")
