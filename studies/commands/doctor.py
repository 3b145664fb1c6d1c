"""Check versions, paths, threads and cores, and run a 5-second self-test.

Fails when a package of this program is shadowed by another of the same name, or when the self-test is wrong.
"""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from catenary.errors import InputError
from catenary.storage.configuration import conf_content
from catenary.storage.provenance import commit, versions
from studies.input.compose import Composed
from studies.jobs.simulation import NoJob

if TYPE_CHECKING:
    from catenary.spec.line import CatenarySpec

__all__ = ["JOB", "compose", "run"]

JOB = NoJob
PACKAGES = ("catenary", "dynamics", "optimise", "studies", "conf")
GRAVITY = 9.81
BALANCE_TOLERANCE = 1.0e-4


def compose(overrides: list[str]) -> Composed[NoJob]:
    """Refuse any input; the configuration is not read, since it may be what is wrong."""
    if overrides:
        raise InputError([f"doctor takes no input: got {' '.join(overrides)}"])
    return Composed(NoJob(), ())


def run(composed: Composed[NoJob]) -> int:
    """Print what this installation is made of and test it; 1 when something is wrong."""
    del composed
    problems = _packages()
    shadowed = bool(problems)
    problems += _environment()
    problems += [] if shadowed else _self_test()
    for problem in problems:
        print(f"  wrong: {problem}")
    print("doctor: all is well" if not problems else f"doctor: {len(problems)} thing(s) to fix")
    return 1 if problems else 0


def _packages() -> list[str]:
    """Origin of each package; all must come from one place."""
    problems = []
    root = Path(__file__).resolve().parents[2]
    print("Packages")
    for name in PACKAGES:
        file = import_module(name).__file__
        place = Path(file).resolve().parent if file else None
        print(f"  {name:<10} {place}")
        if place != root / name:
            problems.append(
                f"package '{name}' comes from {place}, not from {root / name}: another package of this name "
                "stands earlier on the path; check PYTHONPATH and the current folder"
            )
    if not conf_content("simulate"):
        problems.append("conf holds no simulate.yaml: the configuration is not the one of this program")
    return problems


def _environment() -> list[str]:
    print("Versions")
    for name, version in versions().items():
        print(f"  {name:<22} {version}")
    print(f"  {'commit':<22} {commit()}")
    print("Machine")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"  cores                  {cores}")
    print(f"  interpreter            {sys.executable}")
    print(f"  working folder         {Path.cwd()}")
    threads = {n: os.environ.get(n, "not set") for n in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")}
    print("  threads per process    " + ", ".join(f"{name}={value}" for name, value in threads.items()))
    missing = [name for name, version in versions().items() if version == "not installed"]
    return [f"{name} is not installed; run make venv" for name in missing]


def _self_test() -> list[str]:
    """Weight of a line against the forces that carry it, and a short run through the dynamics."""
    from dynamics.solution import solve
    from studies.commands.simulate import case_of
    from studies.commands.simulate import compose as compose_simulation

    print("Self-test")
    begin = time.perf_counter()
    case = case_of(compose_simulation(["catenary=bruni_2015", "pantograph=bruni_2015", "speed_kmh=275"]).job)
    problems = _balance_problems(case.catenary)
    solution = solve(case)
    statistics = solution.statistics
    if solution.status.value != "ok" or statistics is None:
        problems.append(f"the periodic solution failed: {solution.status.value} {solution.message}".strip())
    else:
        mean, wanted = statistics.contact_force_mean_N, case.mean_force_N or 0.0
        print(f"  mean contact force {mean:.2f} N, asked for {wanted:.2f} N")
        if abs(mean - wanted) > 0.1:
            problems.append(f"the mean contact force must be {wanted:.2f} N within 0.1 N: got {mean:.2f} N")
    print(f"  took {time.perf_counter() - begin:.1f} s, compilation included")
    return problems


def _balance_problems(line: CatenarySpec) -> list[str]:
    """Weight of one span of a simple line against the forces at its support."""
    from catenary.form_finding.equilibrium import periodic_equilibrium

    found = periodic_equilibrium(line)
    masses = (line.contact_wire.together.mass_per_length, line.messenger_wire.together.mass_per_length)
    weight = sum(masses[w] * length for w, length in zip(found.mesh.elem_wire, found.elem_l0, strict=True))
    droppers = line.droppers
    clamps = droppers.clamp_mass_contact_wire + droppers.clamp_mass_messenger_wire
    weight += len(droppers.positions) * clamps + droppers.mass_per_length * found.dropper_length.sum()
    carried = found.steady_arm_force.sum() + found.messenger_support_force.sum()
    print(f"  weight of a span of {line.name} {GRAVITY * weight:.4f} N, carried {carried:.4f} N")
    if abs(GRAVITY * weight - carried) > BALANCE_TOLERANCE:
        return [f"the support must carry {GRAVITY * weight:.4f} N: it carries {carried:.4f} N"]
    return []
