"""Every problem of an input at once, one clear sentence each."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError

from catenary.spec.keys import KeyTree, did_you_mean, dotted, format_value, given_leaves, keys_named

__all__ = ["TYPED", "Path", "find_problems"]

Path = tuple[str | int, ...]
Where = Callable[[Path], str]
# where a value was typed; other places are files
TYPED = " on the command line"
MAX_ROUNDS = 5
# sentences on one input; nobody reads more, and each takes a look at every key
MAX_SHOWN = 40


def find_problems(
    spec: type[BaseModel],
    data: dict[str, Any],
    reference: dict[str, Any],
    where: Where,
) -> list[str]:
    """Validate and word every problem, those hidden behind others too.

    Checks across keys (a dropper inside its span) run only when the keys themselves are valid. So each bad
    value is replaced by its lowest and by its highest allowed one and the rest is checked again: a further
    problem is reported only if it stands, word for word, whichever of the two takes the place.

    Parameters
    ----------
    spec : type of BaseModel
        Spec to validate against.
    data : dict
        Input as composed.
    reference : dict
        Valid input from conf; its blocks stand in for blocks that contradict themselves.
    where : callable
        Says where the value at a path came from (' on the command line'), for the message.

    Returns
    -------
    list of str
        One sentence per problem; empty when the input is valid.
    """
    keys = KeyTree(spec)
    low, high = copy.deepcopy(data), copy.deepcopy(data)
    sentences: list[str] = []
    replaced: set[str] = set()
    for _ in range(MAX_ROUNDS):
        errors, other = _errors(spec, low), _errors(spec, high)
        if len(errors) > MAX_SHOWN:
            shown = [s for e in errors[:MAX_SHOWN] for s in _sentences(keys, e, data, where)]
            return _few([*sentences, *shown], len(errors) - MAX_SHOWN)
        found = {s: e for e in errors for s in _sentences(keys, e, data, where)}
        also = {s for e in other for s in _sentences(keys, e, data, where)}
        news = [s for s in found if s in also and s not in sentences and not _mentions(s, replaced)]
        sentences += news
        stations = _stations_outside(data, errors)
        sentences += [s for s in stations if s not in sentences]
        changed = [
            _repair(keys, candidate, found_here, reference, side)
            for candidate, found_here, side in ((low, errors, 0), (high, other, 1))
        ]
        replaced |= set().union(*changed)
        if not any(changed):
            break
    return _few(sentences)


def _few(sentences: list[str], more: int = 0) -> list[str]:
    """No more sentences than can be read; how many more there are."""
    more += max(0, len(sentences) - MAX_SHOWN)
    return [*sentences[:MAX_SHOWN], f"and {more} more problems: fix these first"] if more else sentences


def _errors(spec: type[BaseModel], data: dict[str, Any]) -> list[Any]:
    try:
        spec.model_validate(data)
    except ValidationError as error:
        return list(error.errors(include_url=False))
    return []


def _mentions(sentence: str, names: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", sentence) for name in names)


def _sentences(keys: KeyTree, error: Any, data: dict[str, Any], where: Where) -> list[str]:
    path: Path = tuple(error["loc"])
    name, place = dotted(path), where(path)
    kind, value = error["type"], error.get("input")
    unit, allowed = keys.unit(path), keys.allowed(path)
    if kind == "extra_forbidden":
        return [_unknown(keys, path, place)]
    if kind == "missing":
        meaning = keys.description(path)
        hint = ", ".join(part for part in (meaning, allowed) if part)
        return [f"{name} is missing{place}" + (f": give the {hint}" if hint else "")]
    if kind == "value_error":
        return _from_validator(keys, path, str(error["ctx"]["error"]), (data, where))
    if kind == "string_pattern_mismatch":
        wanted = _plain_name(error["ctx"]["pattern"]) or f"the {keys.description(path)}"
        return [f"{name} must be {wanted}: got {format_value(value)}{place}"]
    if kind in ("finite_number", "float_type", "float_parsing", "int_type", "int_parsing", "int_from_float"):
        what = "a whole number" if kind.startswith("int") else "a number"
        return [f"{name} must be {what}{_and(allowed, unit)}: got {format_value(value, unit)}{place}"]
    if kind in ("too_short", "too_long"):
        context = error["ctx"]
        if kind == "too_short" and isinstance(value, list | tuple) and len(value) >= context["min_length"]:
            return []  # values that are refused themselves were not counted
        limit = f"at least {context['min_length']}" if kind == "too_short" else f"at most {context['max_length']}"
        one = limit.endswith(" 1")
        return [f"{name} must list {limit} value{'' if one else 's'}: got {context['actual_length']}{place}"]
    if allowed:
        near = did_you_mean(value, map(str, (keys.node(path) or {}).get("enum", ())))
        return [f"{name} must be {allowed}: got {format_value(value, unit)}{place}{near}"]
    return [f"{name} must be {_type_of(keys, path)}: got {format_value(value, unit)}{place}"]


def _plain_name(pattern: str) -> str:
    """Say what the pattern of a name takes: one character of a class and some of another; empty of other patterns."""
    classes = re.fullmatch(r"\^\[([^]]+)\]\[([^]]+)\]\{0,(\d+)\}\$", pattern)
    if classes is None:
        return ""
    first, rest, more = classes.groups()
    marks = [f"'{mark}'" for mark in re.sub("A-Z|a-z|0-9", "", rest)]
    characters = " and ".join([", ".join(["letters", "digits", *marks[:-1]]), marks[-1]])
    begins = "" if "0-9" in first else f" that begins with a letter{' or ' + repr('_') if '_' in first else ''}"
    return f"a plain name{begins}: {characters}, at most {int(more) + 1}, no path"


def _and(allowed: str, unit: str) -> str:
    return f" {allowed}" if allowed else f" [{unit}]" if unit else ""


def _unknown(keys: KeyTree, path: Path, place: str) -> str:
    near = keys.nearest(".".join(str(p) for p in path))
    siblings = keys.children(path[:-1])
    if near:
        advice = f"did you mean {near}?"
    elif siblings:
        advice = f"known here: {', '.join(siblings)}"
    else:
        advice = "remove it"
    return f"{dotted(path)} is not a known key{place}; {advice}"


def _type_of(keys: KeyTree, path: Path) -> str:
    node = keys.node(path) or {}
    names = {
        "object": ": ".join(filter(None, ("a block of keys", ", ".join(node.get("properties", {}))))),
        "array": "a list",
        "boolean": "true or false",
        "string": "text",
        "number": "a number",
        "integer": "a whole number",
    }
    return names.get(str(node.get("type")), "of another type")


def _from_validator(keys: KeyTree, path: Path, text: str, given: tuple[dict[str, Any], Where]) -> list[str]:
    """Sentences of a Spec's own check, each with the full path of the key it starts with."""
    block = dotted(path)
    here = set(keys.children(path))
    sentences = []
    parts = text.split("; ")
    for part in _few(parts):
        first, place = re.match(r"\w+", part), _place_of(part, path, here, given)
        if block and first and first.group() in here:
            sentences.append(f"{block}.{part}{place}")
        else:
            sentences.append(f"{block}: {part}{place}" if block else f"{part}{place}")
    return sentences


def _place_of(text: str, path: Path, here: set[str], given: tuple[dict[str, Any], Where]) -> str:
    """Place of a sentence on several keys of a block: its file, with those keys that were typed, or these alone."""
    data, where = given
    place = where(path)
    if not place or place == TYPED:
        return place
    typed, everything = [], True
    for name in keys_named(text, here):
        full = (*path, *name.split("."))
        leaves = list(given_leaves(_get(data, full), full))
        found = [leaf for leaf in leaves if where(leaf) == TYPED]
        everything = everything and len(found) == len(leaves)
        typed += [full] if leaves and len(found) == len(leaves) else found
    if typed and everything:
        return f" ({TYPED.strip()})"
    return f"{place}, with {' and '.join(dict.fromkeys(map(dotted, typed)))}{TYPED}" if typed else place


def _stations_outside(data: dict[str, Any], errors: list[Any]) -> list[str]:
    """Droppers outside the span, when the list of droppers is refused for another reason already."""
    if not any(e["loc"] == ("catenary", "droppers") and e["type"] == "value_error" for e in errors):
        return []
    line = data["catenary"]
    further, positions = line.get("further_spans") or [], line["droppers"]["positions"]
    spans = [line.get("span_length"), *(further if isinstance(further, list | tuple) else [None])]
    if not all(_is_length(s) for s in spans) or not isinstance(positions, list | tuple) or sum(spans) <= 1.0:
        return []
    span = sum(spans)
    inside = "span" if len(spans) == 1 else f"{len(spans)} spans before the line repeats"
    return [
        f"catenary.droppers.positions[{k}] must lie between 0.5 and {span - 0.5:g} m, inside the {inside}: got {x:g} m"
        for k, x in enumerate(positions)
        if _is_length(x) and not 0.5 <= x <= span - 0.5
    ]


def _is_length(value: object) -> bool:
    """Whether a value is a number that a line could be measured with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1.0e6


def _repair(keys: KeyTree, data: dict[str, Any], errors: list[Any], reference: dict[str, Any], side: int) -> set[str]:
    """Put an allowed value in the place of each bad one; say which blocks the reference gave."""
    replaced = set()
    for error in errors:
        path: Path = tuple(error["loc"])
        if error["type"] == "extra_forbidden":
            _set(data, path, None, remove=True)
            replaced.add("\0")  # something changed, no block was taken from the reference
        elif error["type"] == "value_error":
            replaced |= _take_reference(data, reference, path, str(error["ctx"]["error"]))
        else:
            allowed = _allowed_value(keys, path, side)
            if allowed is not None and _set(data, path, allowed):
                replaced.add("\0")
    return replaced


def _take_reference(data: dict[str, Any], reference: dict[str, Any], path: Path, text: str) -> set[str]:
    """Replace what a contradicting block's message names by the reference's values."""
    if not path:
        return set()
    source = _get(reference, path)
    if isinstance(source, list):
        return {str(path[-1])} if _set(data, path, copy.deepcopy(source)) else set()
    if not isinstance(source, dict) or not isinstance(_get(data, path), dict):
        return set()
    named = [k for k in source if re.search(rf"\b{re.escape(k)}\b", text)] if len(path) == 1 else []
    if not named:
        _set(data, path, copy.deepcopy(source))
        return {str(path[-1])}
    for name in named:
        _set(data, (*path, name), copy.deepcopy(source[name]))
    return set(named)


def _allowed_value(keys: KeyTree, path: Path, side: int) -> Any:
    node = keys.node(path) or {}
    if node.get("enum"):
        return node["enum"][-side]
    if node.get("pattern"):
        return "name"
    low, high = keys.bounds(path)
    if low is None and high is None:
        return None
    low = low if low is not None else float(high or 0.0) - 1.0
    high = high if high is not None else low + 1000.0
    inside = 1.0e-6 * (high - low)  # clear of a bound that is itself excluded
    value = low + inside if side == 0 else high - inside
    return round(value) if node.get("type") == "integer" else value


def _get(data: Any, path: Path) -> Any:
    for part in path:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _set(data: dict[str, Any], path: Path, value: object, remove: bool = False) -> bool:
    parent = _get(data, path[:-1])
    if not isinstance(parent, dict | list):
        return False
    if remove:
        if isinstance(parent, dict):
            parent.pop(path[-1], None)
        return True
    try:
        parent[path[-1]] = value  # type: ignore[index]
    except (IndexError, TypeError):  # of a choice that is not an item of a list
        return False
    return True
