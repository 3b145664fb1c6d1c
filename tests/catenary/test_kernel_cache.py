"""Compiled kernels are kept by the source of all that they are made from."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from catenary.kernels import kernel_cache
from catenary.kernels.compiled import kernel
from catenary.kernels.kernel_locators import kernel_sources, sources_hash
from catenary.lazy_names import lazy_names

ROOT = Path(__file__).resolve().parents[2]
SOLVE = """
import numpy as np
from scipy.sparse import csr_array
from dynamics.arnold_simeon.window import solve
from dynamics.linear_algebra.banded_ldl import banded_ldl

x = np.ones(6)
solve(banded_ldl(csr_array(4.0 * np.eye(6))), x, 0, 4)
print(x.tolist(), sum(solve.stats.cache_hits.values()))
"""


def solve_in(program):
    """Print what a compiled caller of the banded solver gives, and how many signatures came from the cache."""
    settings = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_CACHE")}
    settings["PYTHONPATH"] = str(program)
    done = subprocess.run(
        [sys.executable, "-c", SOLVE], cwd=program, env=settings, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_kernel_is_compiled_again_when_one_that_it_calls_has_changed(tmp_path):
    """The solver of one file is called by a kernel of another: as an update of the program changes it."""
    for package in ("catenary", "dynamics"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    assert solve_in(tmp_path) == f"{[0.25] * 6} 0"
    assert solve_in(tmp_path) == f"{[0.25] * 6} 1"
    solver = tmp_path / "dynamics" / "linear_algebra" / "banded_ldl.py"
    text = solver.read_text(encoding="utf-8")
    solver.write_text(text.replace("total = x[i] * inverse[i]", "total = 3.0 * x[i] * inverse[i]"), encoding="utf-8")
    assert solve_in(tmp_path) == f"{[0.75] * 6} 0"


def test_a_kernel_is_made_from_what_it_calls_and_from_the_constants_and_tuples_it_uses():
    kernel = ROOT / "dynamics" / "travelling_window" / "kernel.py"
    names = {str(file.relative_to(ROOT)) for file in kernel_sources(kernel)}
    assert {
        "dynamics/travelling_window/kernel.py",
        "dynamics/travelling_window/solve.py",
        "dynamics/travelling_window/layout.py",
        "dynamics/linear_algebra/vector_rows.py",
        "catenary/linearised/static_checks.py",
    } <= names
    assert not any(name.startswith("dynamics/open_line") for name in names)
    assert sources_hash(kernel) != sources_hash(kernel.with_name("solve.py"))


def test_a_loop_over_steps_is_made_from_every_method_that_a_table_names():
    """The table of integrators has no kernel of its own: it hands those of others to the loop."""
    names = {str(file.relative_to(ROOT)) for file in kernel_sources(ROOT / "dynamics" / "open_line" / "march.py")}
    methods = ("implicit", "runge_kutta", "controlled", "registry")
    assert {f"dynamics/open_line/integrators/{name}.py" for name in methods} <= names


ANSWERS = """
import hashlib
import numpy as np
from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.library.lines import load_line
from dynamics.line_operator.kernel import network_answers
from dynamics.line_operator.network import line_network

network = line_network(periodic_equilibrium(load_line("re330")))
omega, loads = np.linspace(1.0, 100.0, 20) - 0.7j, np.random.default_rng(0).normal(size=(network.n, 8))
answers, logs = network_answers(omega, *network.arguments(0.78), loads)
kept = sum(network_answers.stats.cache_hits.values())
print(kept, hashlib.sha256(answers.tobytes() + logs.tobytes()).hexdigest())
"""


def test_a_process_that_compiles_a_kernel_gets_the_last_digits_of_one_that_loads_it(tmp_path):
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", ANSWERS]
    done = [subprocess.run(command, env=settings, capture_output=True, text=True, check=True) for _ in range(2)]
    (compiled, first), (loaded, second) = (each.stdout.split() for each in done)
    assert (compiled, loaded) == ("0", "1") and first == second


def test_a_kernel_gives_python_and_other_kernels_the_same():
    """Python calls the program of a kernel; that of its caller has a part of it linked in."""
    x = np.linspace(0.1, 3.0, 40)
    direct = np.array([_root(each) for each in x])
    np.testing.assert_array_equal(_roots(x), direct)
    np.testing.assert_allclose(direct**2, 1.0 + x)
    with pytest.raises(ZeroDivisionError):
        _inverses(np.zeros(1))


@kernel()
def _root(x):
    return np.sqrt(1.0 + x)


@kernel()
def _roots(x):
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = _root(x[i])
    return out


@kernel()
def _inverse(x):
    return 1.0 / x


@kernel()
def _inverses(x):
    for i in range(x.size):
        x[i] = _inverse(x[i])


SAYING = """
from catenary.kernels.kernel_cache import say_when_compiling
say_when_compiling(lambda sentence: print("SAID", sentence, flush=True))
from catenary.kernels import kernel_locators
from numba.core.event import register
register("numba:compile", kernel_locators.Compiling(after_s=0.0, every_s=0.2))
"""


def test_a_person_hears_while_kernels_are_compiled_and_not_once_they_are_kept(tmp_path):
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)}
    settings.pop("NUMBA_CACHE_LOCATOR_CLASSES", None)
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", SAYING + SOLVE], env=settings, capture_output=True, text=True, check=True
        )
        said.append([line for line in done.stdout.splitlines() if line.startswith("SAID")])
    assert "SAID Compiling kernels of this kind of run, once per machine; this takes a minute or two." in said[0]
    assert any(" done, " in line for line in said[0])
    assert said[1] == []


def test_compiling_is_said_to_those_who_run_from_python_but_once(monkeypatch, capsys):
    monkeypatch.setattr(kernel_cache, "_listeners", [])
    kernel_cache.report_compiling("nobody asked")
    kernel_cache.print_when_compiling()
    kernel_cache.report_compiling("compiling")
    assert capsys.readouterr().err == "compiling\n"
    heard = []
    kernel_cache.say_when_compiling(heard.append)
    kernel_cache.print_when_compiling()
    kernel_cache.report_compiling("again")
    assert heard == ["again"] and capsys.readouterr().err == ""


def test_what_is_called_from_python_listens_before_its_module_is_imported(monkeypatch, capsys):
    monkeypatch.setattr(kernel_cache, "_listeners", [])
    find, _ = lazy_names("front", {"sqrt": "math"})
    assert find("sqrt")(4.0) == 2.0
    kernel_cache.report_compiling("compiling")
    assert capsys.readouterr().err == "compiling\n"
