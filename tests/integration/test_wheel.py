"""A wheel holds all that an installation needs: built, installed into an empty environment, used from elsewhere."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pydantic
import pytest

import dynamics

ROOT = Path(__file__).resolve().parents[2]
# what a wheel puts next to the packages of others
SHIPPED = {"catenary", "dynamics", "optimise", "studies", "conf"}
KERNELS = ("catenary", "dynamics")
# the plainest line on a short window
USED = """
from pathlib import Path
import catenary, dynamics
assert Path(catenary.__file__).is_relative_to(Path({environment!r})), catenary.__file__
assert not Path(dynamics.__file__).is_relative_to(Path({root!r})), dynamics.__file__
line = catenary.load_line("bruni_2015")
run = dynamics.simulate(line, "bruni_2015", 275, error_estimate=False, **{small!r})
print(repr(run.contact_force_std_N))
"""
SMALL = {"dt": 2e-3, "periodic": {"spans_behind": 6, "spans_ahead": 8, "tolerance": 1e-3}}


def lend_kernels(packages):
    """Lay what this checkout has compiled next to the same sources of an installation, which else takes minutes.

    Kernels of `linear_algebra` stay behind: an installation must be able to compile and to keep its own.
    """
    for ending in ("nbi", "nbc"):  # an index names code that is there already, while others compile
        for kept in (file for package in KERNELS for file in (ROOT / package).rglob(f"*.{ending}")):
            place = packages / kept.relative_to(ROOT)
            if "linear_algebra" not in place.parts:
                place.parent.mkdir(exist_ok=True)
                shutil.copy2(kept, place)


def environment_without_paths():
    return {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of the tracked files, built with the tools of the lock and no network."""
    source, place = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE", *SHIPPED):
        of = ROOT / name
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(of, source / name, ignore=ignore) if of.is_dir() else shutil.copy(of, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(place)]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = place.glob("*.whl")
    return found


def test_a_wheel_holds_the_five_packages_and_the_configuration(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == SHIPPED
    for folder in SHIPPED:
        files = {f.relative_to(ROOT).as_posix() for f in (ROOT / folder).rglob("*") if f.suffix in (".py", ".yaml")}
        assert files <= set(names), sorted(files - set(names))
    assert not [name for name in names if "/tests/" in name or name.endswith((".pyc", ".nc"))]


@pytest.mark.timeout(900)
def test_an_installed_wheel_runs_from_another_folder(wheel, tmp_path):
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True, env=environment_without_paths())
    (packages,) = (environment / "lib").glob("python3.*/site-packages")
    # the libraries that the wheel depends on are those of this environment, without its own installed project
    (packages / "libraries.pth").write_text(f"{Path(pydantic.__file__).parents[1]}\n", encoding="utf-8")
    lend_kernels(packages)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "conf").mkdir(parents=True)
    (elsewhere / "conf" / "__init__.py").write_text("", encoding="utf-8")  # of somebody's own, and not in the way
    code = USED.format(environment=str(environment), root=str(ROOT), small=SMALL)
    how = {"cwd": elsewhere, "env": environment_without_paths(), "capture_output": True, "text": True}
    ran = subprocess.run([python, "-c", code], check=False, **how)
    assert ran.returncode == 0, ran.stderr
    assert list((packages / "dynamics" / "linear_algebra").rglob("*.nbi")), "it keeps what it has compiled"
    here = dynamics.simulate("bruni_2015", "bruni_2015", 275, error_estimate=False, **SMALL)
    assert float(ran.stdout) == here.contact_force_std_N
    command = [environment / "bin" / "catenary", "simulate", "catenary=bruni_2015", "--cfg", "job"]
    shown = subprocess.run(command, check=False, **how)
    assert shown.returncode == 0 and "name: bruni_2015" in shown.stdout, shown.stderr
