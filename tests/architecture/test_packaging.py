"""What is installed is what the packages hold, and nothing tracked belongs to one machine."""

import re
import subprocess
from importlib import resources
from pathlib import Path

import pytest
from setuptools import Distribution

# A folder that exists on some developer's machine alone; an address such as example.org/work is not.
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work|root|opt|tmp/pv)/")


def tracked_files(root):
    if not (root / ".git").exists():
        pytest.skip("not a git checkout, so there is no list of tracked files")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    return [root / name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


def text_of(file: Path) -> str:
    # a figure or another binary file is read for whatever text it holds
    return file.read_bytes().decode("utf-8", errors="ignore")


def data_files(root, package, *suffixes):
    return {f.relative_to(root).as_posix() for f in (root / package).rglob("*") if f.suffix in suffixes}


@pytest.fixture
def distribution(root, monkeypatch):
    """What setuptools reads from pyproject.toml, without building anything."""
    monkeypatch.chdir(root)
    distribution = Distribution()
    distribution.parse_config_files(["pyproject.toml"])
    return distribution


@pytest.fixture
def packaged_data(distribution):
    """The data files that an installation would hold, as paths from the root."""
    command = distribution.get_command_obj("build_py")
    command.ensure_finalized()
    return {f"{source}/{name}" for _, source, _, names in command.data_files for name in names}


def test_no_tracked_file_names_a_machine_path(root):
    offenders = [
        f"{file.relative_to(root)}:{number}: {line.strip()[:100]}"
        for file in tracked_files(root)
        for number, line in enumerate(text_of(file).splitlines(), start=1)
        if MACHINE_PATH.search(line)
    ]
    assert not offenders, "these lines name a path of one machine:\n" + "\n".join(offenders)


@pytest.mark.parametrize(("before", "found"), [("", True), ("file://", True), ("example.org", False)])
@pytest.mark.parametrize("folder", ["work/main", "tmp/pv/bin", "opt/wheels", "root/.cache"])
def test_machine_paths_are_recognised(before, folder, found):
    assert bool(MACHINE_PATH.search(f"{before}/{folder}")) is found


def test_the_lock_names_no_index(root):
    lines = (root / "requirements.lock").read_text(encoding="utf-8").splitlines()
    offenders = [line for line in lines if re.search(r"https?:|file:|^-", line)]
    assert not offenders, "\n".join(offenders)


def test_every_folder_with_modules_is_a_package_that_is_installed(root, packages, distribution):
    folders = {f.parent for package in packages for f in (root / package).rglob("*.py")}
    bare = [folder.relative_to(root).as_posix() for folder in folders if not (folder / "__init__.py").is_file()]
    assert not bare, "these folders have no __init__.py:\n" + "\n".join(bare)
    assert set(distribution.packages) == {".".join(f.relative_to(root).parts) for f in folders}


def test_data_files_are_installed(root, packaged_data):
    wanted = data_files(root, "conf", ".yaml", ".yml") | data_files(root, "studies", ".html", ".css", ".js")
    programs = (root / "dynamics" / "rig" / "bundle" / "files").iterdir()
    wanted |= {f.relative_to(root).as_posix() for f in programs}
    missing = sorted(wanted - packaged_data)
    assert not missing, "pyproject.toml leaves these out of [tool.setuptools.package-data]:\n" + "\n".join(missing)


def test_configuration_is_found_as_a_package_resource(root):
    conf = resources.files("conf")
    unseen = [f for f in data_files(root, "conf", ".yaml") if not conf.joinpath(*Path(f).parts[1:]).is_file()]
    assert not unseen, "conf is not the package of this checkout:\n" + "\n".join(unseen)
