"""A user's YAML file read as data and nothing else: no tags, no interpolation, no anchors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from catenary.errors import InputError

__all__ = ["conf_content", "dump_yaml", "read_yaml_mapping"]

MAX_BYTES = 1_000_000


class _DataLoader(yaml.SafeLoader):
    """Safe loader that also reads 22e3 and 22.0e3 as numbers, and refuses anchors and repeated keys."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not allowed", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                problem = f"the key '{key.value}' stands twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            if isinstance(key.value, str):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


_DataLoader.yaml_implicit_resolvers = {k: list(v) for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}
_DataLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)[eE][-+]?[0-9]+$"),
    list("-+0123456789."),
)


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
    text = _read_text(path, what)
    try:
        content = yaml.load(text, Loader=_DataLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise InputError([f"{what} file {path} is not plain YAML data{place}: {error.problem}"]) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError([f"{what} file {path} is not plain YAML data: {str(error).splitlines()[0]}"]) from None
    if not isinstance(content, dict):
        raise InputError([f"{what} file {path} must hold keys with values, as the files in conf/{what}/ do"])
    places = [place for place, value in _strings(content, "") if "${" in value]
    if places:
        raise InputError(
            [f"{what} file {path}: interpolation '${{...}}' is not allowed, found at {place}" for place in places]
        )
    not_text = [key for key in content if not isinstance(key, str)]
    if not_text:
        raise InputError([f"{what} file {path}: keys must be names, got {key!r}" for key in not_text])
    return content


def _read_text(path: Path, what: str) -> str:
    try:
        if path.is_dir():
            raise InputError([f"{what} file {path} is a folder; give the YAML file itself"])
        if path.stat().st_size > MAX_BYTES:
            raise InputError([f"{what} file {path} is larger than 1 MB and so not the description of a {what}"])
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError([f"{what} file {path} does not exist"]) from None
    except OSError as error:
        raise InputError([f"{what} file {path} cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise InputError([f"{what} file {path} is not text in UTF-8"]) from None


def _strings(value: Any, place: str) -> list[tuple[str, str]]:
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
    return yaml.safe_dump(content, sort_keys=False, default_flow_style=None, allow_unicode=True, width=110)


@cache
def conf_content(name: str) -> Mapping[str, Any]:
    """Content of a file of the package's own configuration, empty where there is none; read once, not to be changed."""
    file = resources.files("conf").joinpath(f"{name}.yaml")
    if not file.is_file():
        return {}
    # the compiled reader, where PyYAML has it: help is to answer at once
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(file.read_text(encoding="utf-8"), Loader=loader) or {}
