"""The programs that lie in a bundle, run as a laboratory would: C compiled by gcc, GNU Octave, Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dynamics.rig.bundle.pfem import STRATEGIES
from dynamics.rig.loop.engine import LoopEngine
from dynamics.rig.loop.spec import LoopSettings

FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Wvla", "-Werror")
OCTAVE = ("octave", "--quiet", "--no-gui", "--no-init-file")


def needed(program: str, package: str) -> str:
    """Path of a program; where it is missing the test fails in CI and is skipped elsewhere."""
    found = shutil.which(program)
    if found is None:
        message = f"{program} is missing; on Debian or Ubuntu run: apt-get install {package}"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(message)
    return str(found)


def heights_of_loop(model, force, settings, strategy):
    """Heights by the loop that is emulated and served, to given forces, by the strategy of that number."""
    loop = {
        "strategy": STRATEGIES[strategy],
        "delay_steps": settings.delay,
        "contact_relaxation": settings.relaxation,
        "height_harmonics": settings.harmonics,
        "dropper_harmonics": settings.dropper_harmonics,
        "ramp_s": settings.ramp_steps * model.dt,
    }
    engine = LoopEngine(model, LoopSettings.model_validate(loop))
    return np.array([engine.step(f) for f in force])


def run(command, folder, given=None):
    return subprocess.run(command, cwd=folder, input=given, capture_output=True, check=False, timeout=300)


def compiled(folder: Path, into: Path) -> Path:
    """The bundle's C program, compiled without a warning."""
    needed("gcc", "gcc")
    program = into / "pfem_run"
    sources = [str(folder / name) for name in ("pfem_run.c", "pfem.c")]
    done = run(["gcc", *FLAGS, "-o", str(program), *sources, "-lm"], folder)
    assert done.returncode == 0, done.stderr.decode()
    return program


def heights_of_c(program: Path, folder: Path, force, strategy, settings) -> np.ndarray:
    words = [
        strategy,
        settings.delay,
        repr(settings.relaxation),
        settings.ramp_steps,
        settings.harmonics,
        settings.dropper_harmonics,
    ]
    done = run([str(program), "pfem.bin", *map(str, words)], folder, force.tobytes())
    assert done.returncode == 0, done.stderr.decode()
    return np.frombuffer(done.stdout)


def heights_of_octave(folder: Path, force, settings, place: Path) -> np.ndarray:
    """Heights by both strategies (strategy, step)."""
    force.astype("<f8").tofile(place / "force.bin")
    script = f"""
    addpath ('{folder}'); b = load_bundle ('{folder}');
    file = fopen ('{place / "force.bin"}', 'r', 'ieee-le'); force = fread (file, Inf, 'double'); fclose (file);
    file = fopen ('{place / "height.bin"}', 'w', 'ieee-le');
    for strategy = 0:1
      s = pfem_start (b, struct ('strategy', strategy, 'delay', {settings.delay}, 'harmonics', {settings.harmonics}, ...
                                 'dropper_harmonics', {settings.dropper_harmonics}, ...
                                 'relaxation', {settings.relaxation!r}, 'ramp_steps', {settings.ramp_steps}));
      for i = 1:numel (force), [height, s] = pfem_step (s, force(i)); fwrite (file, height, 'double'); end
    end
    fclose (file);"""
    done = octave(script, folder)
    assert done.returncode == 0, done.stderr.decode()
    return np.fromfile(place / "height.bin", "<f8").reshape(2, -1)


def octave(script: str, folder: Path):
    needed("octave", "octave")
    return run([*OCTAVE, "--eval", script], folder)


def python(folder: Path):
    """The bundle's Python program, in an interpreter that does not know this project."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [sys.executable, "-I", "pfem.py", "pfem.bin"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=300)
