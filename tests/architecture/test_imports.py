"""Imports run one way, and each outside library is known to one place."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

LABELLED_FILES = (
    "catenary.storage.dataset",
    "dynamics.results.dataset",
    "dynamics.results.over_position",
    "dynamics.run",
    "catenary.storage.stored_result",
    "dynamics.rig.bundle",
    "optimise.entry",
    "optimise.parameter_study.dataset",
    "optimise.record.labelled",
    "optimise.search.dataset",
)

# Which modules may import a library, by the start of their dotted names.
ALLOWED = {
    "hydra": ("studies",),
    "omegaconf": ("studies",),
    "optuna": ("optimise",),
    "cmaes": ("optimise",),
    "dask": ("optimise",),
    "distributed": ("optimise",),
    "xarray": LABELLED_FILES,
    "netCDF4": LABELLED_FILES,
}


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The top-level name and line of every absolute import, those inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0], node.lineno


def may_import(module_name, library):
    places = ALLOWED.get(library)
    return places is None or any(module_name == place or module_name.startswith(f"{place}.") for place in places)


def test_layers_and_forbidden_imports_as_import_linter_sees_them(root):
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
    ]
    command += ["--no-cache"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 kept, 0 broken" in done.stdout, done.stdout


def test_outside_libraries_are_known_to_their_own_place_alone(modules):
    offenders = [
        f"{module.where}:{line} imports {library}, which belongs to {', '.join(ALLOWED[library])}"
        for module in modules
        for library, line in imported(module.tree)
        if not may_import(module.name, library)
    ]
    assert not offenders, "\n".join(offenders)


def test_the_configuration_holds_no_code(modules):
    code = [m.where for m in modules if m.name.split(".")[0] == "conf" and len(m.tree.body) > 1]
    assert not code, "conf is data; these modules hold code:\n" + "\n".join(code)


@pytest.mark.parametrize(
    ("source", "module_name", "allowed"),
    [
        ("import optuna.samplers as s", "optimise.search.campaign", True),
        ("def f():\n    from optuna import trial", "studies.commands.optimise", False),
        ("import xarray", "dynamics.results.dataset", True),
        ("import xarray", "dynamics.dataset_of_another_kind", False),
        ("from netCDF4 import Dataset", "dynamics.rig.bundle.write", True),
        ("from .hydra import x", "catenary.spec", True),
    ],
)
def test_the_rule_tells_allowed_from_forbidden(source, module_name, allowed):
    assert all(may_import(module_name, library) for library, _ in imported(ast.parse(source))) is allowed


def test_tests_import_no_private_name(modules_of_tests):
    """What a test needs has a name of its own, without the underscore that says: nobody else's."""
    offenders = [
        f"{module.where}:{node.lineno} {alias.name}"
        for module in modules_of_tests
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
        if alias.name.startswith("_")
    ]
    assert not offenders, "these tests import private names:\n" + "\n".join(offenders)
