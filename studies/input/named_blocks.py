"""Blocks of a line or a pantograph by name: a track, a wind, a head from conf, or from a user's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from catenary.errors import InputError
from catenary.spec.keys import did_you_mean, format_value
from catenary.storage.configuration import chosen_block, group_options
from catenary.storage.yaml_file import read_yaml_mapping

__all__ = ["BLOCKS", "named_block"]

# key of the block, and the group of conf that has samples of it
BLOCKS = {"catenary.track": "track", "catenary.wind": "wind", "pantograph.head": "head"}


def named_block(key: str, raw: str) -> dict[str, Any] | None:
    """Content of a block that is given by a name or a file; None where its keys are typed, or the key is another.

    Raises
    ------
    InputError
        If there is no such name, or the file cannot be read.
    """
    name = raw.strip().strip("'\"")
    if key not in BLOCKS or name in ("", "null") or name.startswith("{"):
        return None
    group = BLOCKS[key]
    options = group_options(group)
    if name in options:
        return chosen_block(group, name)
    if name.endswith((".yaml", ".yml")):
        return read_yaml_mapping(Path(name), group)
    raise InputError(
        [
            f"{key} must be one of {', '.join(options)}, the path of a YAML file or a block of keys: got "
            f"{format_value(name)} on the command line{did_you_mean(name, options)}"
        ]
    )
