"""Pantographs of scenarios by their names in conf, or by files of one's own, in the place of blocks of keys."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from catenary.errors import InputError
from studies.input.safe_yaml import read_yaml_mapping

__all__ = ["name_pantographs"]


def name_pantographs(data: dict[str, Any]) -> list[str]:
    """Put the pantographs that scenarios name in their place; returns a sentence for each that is not found."""
    scenarios = data.get("scenarios")
    listed = scenarios.get("pantographs") if isinstance(scenarios, dict) else None
    if not isinstance(scenarios, dict) or not isinstance(listed, list):
        return []
    problems: list[str] = []
    scenarios["pantographs"] = [_found(item, problems) if isinstance(item, str) else item for item in listed]
    if problems:
        scenarios["pantographs"] = []  # said here, once
    return problems


def _found(name: str, problems: list[str]) -> Any:
    folder = resources.files("conf").joinpath("pantograph")
    known = sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml"))
    if name in known:
        return yaml.safe_load(folder.joinpath(f"{name}.yaml").read_text(encoding="utf-8"))
    if name.endswith((".yaml", ".yml")):
        try:
            return read_yaml_mapping(Path(name), "pantograph")
        except InputError as error:
            problems += error.problems
            return None
    problems.append(f"scenarios.pantographs must be of {', '.join(known)} or the path of a YAML file: got '{name}'")
    return None
