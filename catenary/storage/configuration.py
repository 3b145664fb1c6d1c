"""The configuration that the program ships: its files by name, and the choices of each of their groups.

The folder ``conf`` lies next to this package, in a checkout and in a wheel. It is found by that place
and not by its name, so that another package called ``conf`` is never taken for it.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from catenary.errors import InputError
from catenary.spec.keys import did_you_mean, format_value
from catenary.storage.yaml_file import read_yaml_mapping

__all__ = [
    "CONF",
    "FILE_GROUPS",
    "chosen_block",
    "chosen_file",
    "conf_content",
    "group_options",
    "read_choice",
    "unknown_choice",
]

CONF = Path(__file__).resolve().parents[2] / "conf"
# groups of which a user may have a file of his own
FILE_GROUPS = ("catenary", "pantograph")
SUFFIXES = (".yaml", ".yml")
TABLES = (".csv", ".xlsx")


@cache
def conf_content(name: str) -> Mapping[str, Any]:
    """Content of a file of the package's own configuration, empty where there is none; read once, not to be changed."""
    file = CONF / f"{name}.yaml"
    if not file.is_file():
        return {}
    # the compiled reader, where PyYAML has it: help is to answer at once
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(file.read_text(encoding="utf-8"), Loader=loader) or {}


def group_options(group: str) -> list[str]:
    """Names of the choices of a config group, such as the lines under ``catenary``."""
    return sorted(file.stem for file in (CONF / group).glob("*.yaml"))


def chosen_file(group: str, name: str) -> Path | None:
    """User's file that a choice names, None where it names no file.

    A name without a suffix names a file in the current folder, too: ``my60`` names ``my60.yaml``.
    """
    if group not in FILE_GROUPS or not name:
        return None
    if name.lower().endswith((*SUFFIXES, *TABLES)) or "/" in name or os.sep in name or os.path.exists(name):
        return Path(name)
    return next((Path(f"{name}{suffix}") for suffix in SUFFIXES if os.path.isfile(f"{name}{suffix}")), None)


def unknown_choice(group: str, name: object, place: str = "") -> str:
    """Sentence that refuses a choice which is neither in conf nor a file.

    Parameters
    ----------
    group : str
        Group that the choice is of.
    name : object
        What was given.
    place : str
        Where it was given, with a space before (' on the command line').
    """
    options = group_options(group)
    choices = ", ".join(options) + (" or the path of a YAML file" if group in FILE_GROUPS else "")
    return f"{group} must be one of {choices}: got {format_value(name)}{place}{did_you_mean(name, options)}"


def chosen_block(group: str, name: str | os.PathLike[str]) -> dict[str, Any]:
    """Content of a choice: a name in conf, or for a line or a pantograph the path of a YAML file.

    Raises
    ------
    InputError
        If there is no such choice, or the file holds anything but plain data.
    """
    if not isinstance(name, str | os.PathLike):
        raise InputError([unknown_choice(group, name)])
    name = os.fspath(name)
    if name in group_options(group):
        return copy.deepcopy(dict(conf_content(f"{group}/{name}")))
    path = chosen_file(group, name)
    if path is None:
        raise InputError([unknown_choice(group, name)])
    return read_choice(group, path)


def read_choice(group: str, path: Path) -> dict[str, Any]:
    """Content of a user's file of a line or a pantograph.

    Raises
    ------
    InputError
        If it cannot be read, or is a table: it then says how a table becomes a line.
    """
    if group == "catenary" and path.suffix.lower() in TABLES and path.exists():
        raise InputError(
            [
                f"catenary file {path} must be YAML, and is a table: catenary new droppers={path} like=NAME makes a "
                "line of a dropper table, in Python load_line(NAME).with_droppers(positions_m=..., heights_mm=...)"
            ]
        )
    content = read_yaml_mapping(path, group)
    if group == "pantograph":
        _place_files(content, path.parent)
    return content


def _place_files(content: dict[str, Any], folder: Path) -> None:
    """A supplier's file, or a controller's, lies next to the YAML that names it."""
    for block in content.values():
        if isinstance(block, dict):
            if isinstance(block.get("file"), str):
                block["file"] = str(folder / block["file"])
            _place_files(block, folder)
