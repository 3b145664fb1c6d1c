"""Which values of a run its user gave, and which are defaults of conf or a Spec, by the record of its folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from catenary.errors import InputError
from catenary.spec.changes import key_parts, plain, typed_keys
from catenary.spec.keys import KeyTree
from catenary.storage.configuration import conf_content
from dynamics.spec.case import CaseSpec
from dynamics.spec.held_force import is_reference_force
from optimise.spec.jobs import OptimiseJob, SensitivityJob, SweepJob
from studies.input.compose import SHORT_KEYS
from studies.input.typed_text import typed_value
from studies.input.usage import default_value, written_keys
from studies.jobs.simulation import SimulateJob
from studies.report.readers.stored import read_mapping

__all__ = ["input_origins"]

JOBS: dict[str, type[BaseModel]] = {
    "simulate": SimulateJob, "optimise": OptimiseJob, "sweep": SweepJob, "sensitivity": SensitivityJob
}  # fmt: skip
GIVEN, DEFAULT = "set for this run", "default of the program"
REFERENCE = "target for this supply and speed"


def input_origins(folder: Path, study: str, case: CaseSpec) -> dict[str, str]:
    """Where each value of a run's own keys comes from, in words, by its dotted path.

    What was typed is on record; where nothing is, as of a run from Python, what differs from the defaults was given.
    """
    record = read_mapping(folder / ".hydra" / "overrides.yaml").get("overrides") or []
    tree, written = KeyTree(JOBS[study]), written_keys(study, None)
    typed = {path for text in record for path in _typed_paths(tree, str(text))}
    chosen = [str(text).partition("=")[2] for text in record if str(text).startswith("experiment=")]
    experiment = _leaves(conf_content(f"experiment/{chosen[-1]}")) if chosen else {}
    content = case.model_dump(exclude={"catenary", "pantograph"})
    found = {}
    for path, value in _leaves(content).items():
        default = default_value(tree, written, path.split("."))
        if path in typed:
            found[path] = GIVEN
        elif path in experiment:
            found[path] = f"set by experiment={chosen[-1]}"
        elif path == "mean_force_N" and is_reference_force(content):
            found[path] = REFERENCE
        else:
            found[path] = DEFAULT if plain(value) == plain(default) else GIVEN
    return found


def _typed_paths(tree: KeyTree, text: str) -> list[str]:
    """Dotted paths of everything that one override sets."""
    key, _, raw = text.partition("=")
    key = SHORT_KEYS.get(key.lstrip("+").strip(), key.lstrip("+").strip())
    try:
        value = typed_value(key, raw)
    except InputError:
        return [key]
    if isinstance(value, dict) and tree.children(key_parts(key)):
        return [path for path, _ in typed_keys(tree, value, f"{key}.")]
    return [key]


def _leaves(content: Mapping[str, Any], inside: str = "") -> dict[str, Any]:
    """Values by their dotted paths."""
    found: dict[str, Any] = {}
    for key, value in content.items():
        found |= _leaves(value, f"{inside}{key}.") if isinstance(value, dict) else {f"{inside}{key}": value}
    return found
