"""Every input key of a Spec with its unit, range and meaning, read from the JSON schema that pydantic makes of it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any

from pydantic import BaseModel

__all__ = ["KeyTree", "did_you_mean", "dotted", "format_value", "given_leaves", "keys_named"]

Node = dict[str, Any]
LONGEST_PATH = 200  # to look for what a longer one is near takes long, and is in vain
LARGEST = 10**300  # a larger whole number may not fit a float


class KeyTree:
    """Input keys of a Spec, addressed by dotted path such as ``catenary.linearised.contact_wire.tension``."""

    def __init__(self, spec: type[BaseModel]) -> None:
        self._schema = _schema(spec)

    def node(self, path: Sequence[str | int]) -> Node | None:
        """Schema node at a path, or None where the Spec has no such key."""
        node: Node | None = self._schema
        for part in path:
            node = self._child(node, part)
            if node is None:
                return None
        found = self._resolve(node)
        return {**found, "enum": [found["const"]]} if "const" in found else found

    def children(self, path: Sequence[str | int]) -> list[str]:
        """Names of the keys directly under a path."""
        node = self.node(path)
        return list(node.get("properties", {})) if node else []

    @cached_property
    def paths(self) -> list[str]:
        """Dotted paths of all keys, blocks included, in the order of the Spec."""
        return [".".join(path) for path in self._walk(())]

    def nearest(self, path: str) -> str | None:
        """Known key that a mistyped one most likely meant, or None."""
        if len(path) > LONGEST_PATH:
            return None
        block, dot, last = path.rpartition(".")
        sibling = _by_words(last, self.children(block.split("."))) if block else None
        if sibling is not None:
            return f"{block}{dot}{sibling}"
        found = difflib.get_close_matches(path, self.paths, n=1, cutoff=0.75)
        if found and not path.startswith(f"{found[0]}."):  # a block is not what one of its keys meant
            return found[0]
        by_last: dict[str, str] = {}
        for known in self.paths:
            by_last.setdefault(known.rpartition(".")[2], known)
        found = difflib.get_close_matches(path.rpartition(".")[2], list(by_last), n=1, cutoff=0.7)
        return by_last[found[0]] if found else None

    def unit(self, path: Sequence[str | int]) -> str:
        """Unit that the key's description gives in brackets, or nothing."""
        match = re.search(r"\[([^\]]+)\]", self.description(path))
        return match.group(1) if match and match.group(1) != "-" else ""

    def description(self, path: Sequence[str | int]) -> str:
        """What the key means; an item of a list has the description of its list, a block that of its Spec."""
        while path and isinstance(path[-1], int):
            path = path[:-1]
        parent = self.node(path[:-1]) if path else None
        own = (parent or {}).get("properties", {}).get(path[-1], {}) if path else {}
        block = self.node(path) or {}
        return str(own.get("description") or block.get("description", "")).partition("\n")[0]

    def bounds(self, path: Sequence[str | int]) -> tuple[float | None, float | None]:
        """Smallest and largest allowed number, None where there is no limit."""
        node = self.node(path) or {}
        return node.get("minimum", node.get("exclusiveMinimum")), node.get("maximum", node.get("exclusiveMaximum"))

    def allowed(self, path: Sequence[str | int]) -> str:
        """Allowed values in words, with the unit; nothing when everything of the right type is allowed."""
        node = self.node(path) or {}
        choices = node.get("enum", [])
        if choices:
            return ("one of " if len(choices) > 1 else "") + ", ".join(str(c) for c in choices)
        return _range(node, self.unit(path))

    def default(self, path: Sequence[str | int]) -> Any:
        """Default of a key that may be left out, None otherwise."""
        parent = self.node(path[:-1])
        return (parent or {}).get("properties", {}).get(path[-1], {}).get("default")

    def _walk(self, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for name in self.children(path):
            yield (*path, name)
            yield from self._walk((*path, name))

    def _child(self, node: Node | None, part: str | int) -> Node | None:
        node = self._resolve(node)
        if isinstance(part, int):
            prefixed = node.get("prefixItems", [])
            return prefixed[part] if part < len(prefixed) else node.get("items")
        known = node.get("properties", {}).get(part)
        if known is not None:
            return known
        extra = node.get("additionalProperties")
        return extra if isinstance(extra, dict) else None

    def _resolve(self, node: Node | None) -> Node:
        """Follow references, and take of a choice the first side that is not null."""
        found = node or {}
        while "$ref" in found or "anyOf" in found:
            if "$ref" in found:
                found = self._schema["$defs"][found["$ref"].rpartition("/")[2]]
            else:
                found = next((side for side in found["anyOf"] if side.get("type") != "null"), {})
        return found


@cache
def _schema(spec: type[BaseModel]) -> Node:
    """JSON schema of a Spec, made once in a process: pydantic builds every validator for it."""
    return spec.model_json_schema()


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """End of a sentence that refuses a name: the nearest one that there is, empty where none is near."""
    near = difflib.get_close_matches(str(given)[:LONGEST_PATH], list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def dotted(path: Sequence[str | int]) -> str:
    """Path as it is typed and printed: ``catenary.droppers.positions[2]``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def given_leaves(given: object, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Paths of the values, not null, of a block that stands at a path; its own where it is a value."""
    if isinstance(given, dict):
        for key, value in given.items():
            yield from given_leaves(value, (*path, key))
    elif given is not None:
        yield path


def keys_named(sentence: str, known: Iterable[str]) -> list[str]:
    """Known keys that a sentence names, each once, with what follows them as in ``wind.speed``.

    A word behind an article is one of plain English: the support is where a wire is held.
    """
    words = re.findall(r"(?<!\bthe )(?<!\ba )\b[a-z]\w*(?:\.[a-z]\w*)*", sentence)
    here = set(known)
    return [word for word in dict.fromkeys(words) if word.partition(".")[0] in here]


def _by_words(given: str, names: Iterable[str]) -> str | None:
    """Name that is nearest as a whole or by one of its words, ``heights`` of ``contact_wire_heights``."""
    known = list(names)
    words = {word: name for name in reversed(known) for word in name.split("_")} | {name: name for name in known}
    near = difflib.get_close_matches(given, list(words), n=1, cutoff=0.8)
    return words[near[0]] if near else None


def _range(node: Node, unit: str) -> str:
    tail = f" {unit}" if unit else ""
    low, high = node.get("minimum"), node.get("maximum")
    above, below = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f"between {low:.12g} and {high:.12g}{tail}"
    parts = []
    if low is not None or above is not None:
        parts.append(f"at least {low:.12g}" if low is not None else f"above {above:.12g}")
    if high is not None or below is not None:
        parts.append(f"at most {high:.12g}" if high is not None else f"below {below:.12g}")
    return " and ".join(parts) + tail if parts else ""


def format_value(value: object, unit: str = "") -> str:
    """Value as an error message shows it: short, numbers with their unit."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < LARGEST):
        return f"{value:.12g} {unit}".rstrip()
    if isinstance(value, dict):
        return "a block of keys"
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else text[:77] + "..."
