"""A user's YAML file read as data and nothing else, and data written as YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from catenary.errors import InputError
from catenary.storage.plain_yaml import PlainYamlError, parse_plain_yaml
from catenary.storage.user_file import read_user_text

__all__ = ["dump_yaml", "read_yaml_mapping"]

MAX_BYTES = 1_000_000
# the longest line has some 500 droppers with a station and a height each
MAX_VALUES = 20_000


def read_yaml_mapping(path: Path, what: str) -> dict[str, Any]:
    """Read a mapping from a YAML file that may come from anyone.

    Parameters
    ----------
    path : Path
        File to read.
    what : str
        What the file should describe, for the error message ('catenary').

    Raises
    ------
    InputError
        If the file cannot be read, is not YAML, or holds anything but plain data.
    """
    text = read_user_text(path, f"{what} file", MAX_BYTES)
    try:
        content = parse_plain_yaml(text, MAX_VALUES)
    except PlainYamlError as error:
        raise InputError([f"{what} file {path} is not plain YAML data{error}"]) from None
    if not isinstance(content, dict):
        raise InputError([f"{what} file {path} must hold keys with values, as the files in conf/{what}/ do"])
    places = [place for place, value in _strings(content, "") if "${" in value]
    if places:
        raise InputError(
            [f"{what} file {path}: interpolation '${{...}}' is not allowed, found at {place}" for place in places]
        )
    return content


def _strings(value: object, place: str) -> list[tuple[str, str]]:
    if isinstance(value, str):
        return [(place, value)]
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    found = []
    for key, item in items:
        inner = f"{place}.{key}" if place else str(key)
        if isinstance(key, str) and "${" in key:
            found.append((inner, key))
        found.extend(_strings(item, inner))
    return found


def dump_yaml(content: dict[str, Any]) -> str:
    """Mapping as YAML text with the order of its keys kept and short lists on one line."""
    # the compiled writer, where PyYAML has it: a base motion has hundreds of thousands of numbers
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return yaml.dump(content, Dumper=dumper, sort_keys=False, default_flow_style=None, allow_unicode=True, width=110)
