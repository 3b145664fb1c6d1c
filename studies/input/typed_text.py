"""The value behind ``key=`` as a person types it, in the grammar of Hydra's overrides but for its functions.

A value is null, a switch, a number, a text, a list or a block. It is read here in one pass whatever its length, where
Hydra's own parser takes a time that grows with the square of a list's length and follows brackets by recursion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from catenary.errors import InputError
from catenary.spec.keys import format_value
from catenary.storage.user_file import MOST_DIGITS

__all__ = ["free_text", "quoted", "typed_value"]

TEXT_KEYS = ("run_dir", "resume", "campaign", "name", "output", "bundle", "prediction", "measured")
MOST_DEPTH = 20
TOKENS = re.compile(
    r"""(?P<quoted>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|(?P<mark>[][{},:])|(?P<space>\s+)"""
    r"""|(?P<plain>(?:\\[\\()\[\]{}:=,\ \t]|[^][{},:'"\s])+)|(?P<open_quote>['"])""",
    re.DOTALL,
)
ESCAPED = re.compile(r"\\([\\()\[\]{}:=, \t])")
DIGITS = r"[0-9](?:_?[0-9])*"
UNSIGNED = r"(?:0|[1-9](?:_?[0-9])*)"
POINTED = rf"(?:{UNSIGNED}\.(?:{DIGITS})?|\.{DIGITS})"
WHOLE = re.compile(rf"[+-]?{UNSIGNED}")
BROKEN = re.compile(rf"[+-]?(?:(?:{POINTED}|{UNSIGNED})[eE][+-]?{DIGITS}|{POINTED}|inf|nan)", re.IGNORECASE)
WORDS = {"null": None, "true": True, "false": False}


class _UnreadableError(ValueError):
    """Reason why a text is not a value."""


@dataclass
class _Tokens:
    """Tokens of a text, taken one after another; behind the last one the kind is empty."""

    found: list[tuple[str, str]]
    at: int = 0

    @property
    def kind(self) -> str:
        return self.found[self.at][0]

    @property
    def text(self) -> str:
        return self.found[self.at][1]

    def take(self) -> str:
        self.at += 1
        return self.found[self.at - 1][1]

    def skip_space(self) -> None:
        if self.kind == "space":
            self.at += 1


def typed_value(key: str, raw: str) -> Any:
    """Value of ``key=raw`` as typed: a number, text, switch, null, list or block.

    Raises
    ------
    InputError
        In one sentence that says what is wrong.
    """
    if key in TEXT_KEYS and raw not in ("null", ""):
        return raw.strip("'\"")  # a path may hold any character
    tokens = _tokens(raw)
    try:
        value = _element(tokens, 0)
        tokens.skip_space()
        if tokens.text == ",":
            raise InputError([f"{key} must be one value: got {format_value(raw)} (a list is written [1,2,3])"])
        if tokens.kind:
            raise _UnreadableError(f"{_shown(tokens)} stands behind its end")
    except _UnreadableError as error:
        advice = f"quote text with special characters as \"{key}='...'\""
        raise InputError([f"{key}: the value {format_value(raw)} cannot be read, {error}; {advice}"]) from None
    return value


def free_text(raw: str) -> str:
    """Text as it was typed, commas and all, without quotes that enclose all of it."""
    text = raw.strip()
    enclosed = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if enclosed else text


def quoted(text: str) -> str:
    """Text between quotes, as `typed_value` reads it back whatever stands in it."""
    return "'" + re.sub(r"(\\*)('|$)", lambda m: 2 * m[1] + (f"\\{m[2]}" if m[2] else ""), text) + "'"


def _tokens(raw: str) -> _Tokens:
    found: list[tuple[str, str]] = []
    for match in TOKENS.finditer(raw):
        found.append((str(match.lastgroup), match.group()))
        if match.lastgroup == "open_quote":
            break  # never a value, and to look for the end of each of many takes long
    return _Tokens([*found, ("", "")])


def _element(tokens: _Tokens, depth: int) -> Any:
    """One value, up to the comma or bracket that ends it."""
    tokens.skip_space()
    if depth > MOST_DEPTH:
        raise _UnreadableError(f"brackets are nested deeper than {MOST_DEPTH}")
    if tokens.text == "[":
        return _list(tokens, depth + 1)
    if tokens.text == "{":
        return _block(tokens, depth + 1)
    if tokens.kind == "quoted":
        return _unquoted(tokens.take())
    return _plain(tokens, depth)


def _list(tokens: _Tokens, depth: int) -> list[Any]:
    tokens.take()
    values: list[Any] = []
    tokens.skip_space()
    while tokens.text != "]":
        values.append(_element(tokens, depth))
        _next(tokens, "]")
    tokens.take()
    return values


def _block(tokens: _Tokens, depth: int) -> dict[str, Any]:
    tokens.take()
    block: dict[str, Any] = {}
    tokens.skip_space()
    while tokens.text != "}":
        name = _name(tokens)
        if name in block:
            raise _UnreadableError(f"the key {format_value(name)} stands twice")
        block[name] = _element(tokens, depth)
        _next(tokens, "}")
    tokens.take()
    return block


def _next(tokens: _Tokens, end: str) -> None:
    """Continue after a comma, which a value must follow, or stop before the closing bracket."""
    tokens.skip_space()
    if tokens.text == ",":
        tokens.take()
        tokens.skip_space()
        if tokens.text != end:
            return
        raise _UnreadableError(f"a value is missing before '{end}'")
    if tokens.text != end:
        raise _UnreadableError(f"'{end}' is missing before {_shown(tokens)}")


def _name(tokens: _Tokens) -> str:
    """Key of a block, which is its text whatever it looks like."""
    tokens.skip_space()
    if tokens.kind == "quoted":
        name = _unquoted(tokens.take())
        tokens.skip_space()
    else:
        name = _text(tokens, ("plain", "space"))
    if not name or tokens.text != ":":
        raise _UnreadableError(f"a key and ':' are missing before {_shown(tokens)}")
    tokens.take()
    return name


def _unquoted(text: str) -> str:
    """Text between quotes; of backslashes before a quote, or before the end, every second one stands."""
    return re.sub(rf"\\+(?={text[0]}|$)", lambda m: "\\" * (len(m.group()) // 2), text[1:-1])


def _plain(tokens: _Tokens, depth: int) -> Any:
    """A text without quotes, or what it stands for."""
    text = _text(tokens, ("plain", "space"), colons=True)
    if not text and (depth or tokens.kind not in ("", "mark")):
        raise _UnreadableError(f"a value is missing before {_shown(tokens)}")
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if len(text) > MOST_DIGITS and (WHOLE.fullmatch(text) or BROKEN.fullmatch(text)):
        raise _UnreadableError(f"a number must have at most {MOST_DIGITS} digits and has {len(text)}")
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if BROKEN.fullmatch(text) else ESCAPED.sub(r"\1", text)


def _text(tokens: _Tokens, kinds: tuple[str, ...], colons: bool = False) -> str:
    """Plain tokens one behind another, as they stand."""
    parts: list[str] = []
    tokens.skip_space()
    while tokens.kind in kinds or (colons and tokens.text == ":"):
        if tokens.kind == "plain" and (found := re.search(r"[()=]", ESCAPED.sub("", tokens.text))):
            raise _UnreadableError(f"'{found.group()}' must not stand in it")
        parts.append(tokens.take())
    if parts and parts[-1].isspace():
        parts.pop()
    return "".join(parts)


def _shown(tokens: _Tokens) -> str:
    return format_value(tokens.text) if tokens.kind else "the end"
