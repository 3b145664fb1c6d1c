"""Pantographs of scenarios by their names in conf, or by the user's files, in place of blocks of keys."""

from __future__ import annotations

from typing import Any

from catenary.errors import InputError
from catenary.storage.configuration import chosen_block, chosen_file, group_options

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
    known = group_options("pantograph")
    if name not in known and chosen_file("pantograph", name) is None:
        problems.append(f"scenarios.pantographs must be of {', '.join(known)} or the path of a YAML file: got '{name}'")
        return None
    try:
        return chosen_block("pantograph", name)
    except InputError as error:
        problems += error.problems
        return None
