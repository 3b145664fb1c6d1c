"""Changes of input by its keys: laid over what is there, marked as chosen, validated, and refused where no key is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from catenary.errors import InputError
from catenary.spec.checked import checked
from catenary.spec.keys import KeyTree
from catenary.wires.names import BLOCKS, KEY, KEYS

__all__ = [
    "changed",
    "key_parts",
    "lay_over",
    "lay_typed",
    "let_go",
    "mark_chosen",
    "plain",
    "refuse_unknown",
    "typed_keys",
]

SpecT = TypeVar("SpecT", bound=BaseModel)
CHOSEN = "c"


def changed(spec: SpecT, changes: Mapping[str, object]) -> SpecT:
    """Spec with some of its values changed, each number or list marked as chosen here where the Spec keeps marks.

    Parameters
    ----------
    spec : Spec
        A line, a pantograph, or any block of them.
    changes : mapping
        Values by key; that of a block is a mapping of what changes inside it.

    Raises
    ------
    InputError
        If a key is not known, with the nearest one that is, or a value cannot be.
    """
    data, given = spec.model_dump(), plain(changes)
    keys = KeyTree(type(spec))
    typed = dict(typed_keys(keys, given))
    strange = _unknown(keys, typed)
    typed = {path: value for path, value in typed.items() if path not in strange}
    marks = data.get("provenance")
    for path, value in typed.items():
        let_go(data, marks, path, value)
    for path, value in typed.items():
        lay_over(data, path, value)
        mark_chosen(data, path, value)
    try:
        found = checked(type(spec), data, spec.model_dump())
    except InputError as error:
        raise InputError([*strange.values(), *error.problems]) from None
    if strange:
        raise InputError(list(strange.values()))
    return found


def plain(value: Any) -> Any:
    """Value as YAML would hold it: blocks, lists, numbers and texts, whatever arrays, ranges or Specs it came in."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # arrays of numpy, and its numbers
        return plain(value.tolist())
    listed = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    return [plain(item) for item in value] if listed else value


def typed_keys(keys: KeyTree, given: Mapping[str, Any], inside: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted path and value of everything that blocks of changes hold."""
    for key, value in given.items():
        path = f"{inside}{key}"
        if isinstance(value, dict) and keys.children(key_parts(path)):
            yield from typed_keys(keys, value, f"{path}.")
        else:
            yield path, value


def refuse_unknown(keys: KeyTree, paths: Iterable[str]) -> None:
    """Refuse paths that no key has.

    Raises
    ------
    InputError
        With a sentence each, which names the nearest key that there is.
    """
    strange = _unknown(keys, paths)
    if strange:
        raise InputError(list(strange.values()))


def _unknown(keys: KeyTree, paths: Iterable[str]) -> dict[str, str]:
    """Sentence for every path that no key has."""
    found = {}
    for path in paths:
        if keys.node(key_parts(path)) is None:
            near = keys.nearest(path)
            here = keys.children(key_parts(path)[:-1])
            advice = f"did you mean {near}?" if near else f"known here: {', '.join(here)}" if here else "leave it out"
            found[path] = f"{path} is not a known key; {advice}"
    return found


def key_parts(path: str) -> list[str]:
    """Keys along a dotted path; below ``provenance`` the rest of the path is one key."""
    head, separator, mark = f".{path}".partition(".provenance.")
    parts = head.split(".")[1:]
    return [*parts, "provenance", mark] if separator else path.split(".")


def lay_over(data: dict[str, Any], path: str, value: object) -> None:
    """Set one value by its dotted path; blocks that are not there are made."""
    parts = key_parts(path)
    block = data
    for part in parts[:-1]:
        if not isinstance(block.get(part), dict):
            block[part] = {}
        block = block[part]
    block[parts[-1]] = value


def let_go(data: dict[str, Any], marks: object, path: str, value: object) -> None:
    """Take from a block what the wire that is named there now gives: only what is typed with the name goes before it.

    Parameters
    ----------
    data : dict
        A line, or one of its blocks.
    marks : object
        The line's marks, where it keeps any.
    path, value
        What is typed.
    """
    head, _, key = path.rpartition(".")
    if key != KEY or value is None or head not in ("", *BLOCKS):
        return
    block = data.get(head) if head else data
    for name in KEYS:
        if isinstance(block, dict):
            block.pop(name, None)
        if isinstance(marks, dict):
            marks.pop(f"{head}.{name}", None)


def lay_typed(data: dict[str, Any], typed: Mapping[str, Any], owners: Iterable[str]) -> None:
    """Set values by their dotted paths; those inside an owner of marks, a line or a pantograph, are marked there."""
    for path, value in typed.items():
        owner, _, inner = path.partition(".")
        if owner in owners and isinstance(data.get(owner), dict):
            let_go(data[owner], data[owner].get("provenance"), inner, value)
    for path, value in typed.items():
        lay_over(data, path, value)
        owner, _, inner = path.partition(".")
        if owner in owners and inner:
            data[owner].setdefault("provenance", {})
            mark_chosen(data[owner], inner, value)


def mark_chosen(block: dict[str, Any], path: str, value: object) -> None:
    """Mark a number or a list of a line or pantograph as chosen here; a block without marks stays without."""
    marks = block.get("provenance")
    if isinstance(marks, dict) and "provenance" not in key_parts(path) and isinstance(value, int | float | list):
        marks[path] = CHOSEN
