"""YAML read as plain data: names with texts, numbers, switches, lists and blocks; no tags, no anchors, no repeated key.

What is read is built from the parser's events one by one, so that neither the depth nor the size of what a stranger
wrote can end the program, and nothing is made that is refused afterwards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import yaml

from catenary.storage.user_file import MOST_DIGITS

__all__ = ["PlainYamlError", "parse_plain_yaml"]

# blocks inside blocks; the deepest record of this program has eight
MOST_DEPTH = 40
Block = list[object] | dict[str, object]
"""A list or a block of keys."""
TAGS = "tag:yaml.org,2002:"
# 22e3 and 22.0e3, which YAML 1.1 takes for texts
EXPONENT = re.compile(r"^[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)[eE][-+]?[0-9]+$")


class PlainYamlError(ValueError):
    """Fault of a text that should be plain YAML, with line and column where they are known."""


if TYPE_CHECKING:
    from yaml import SafeLoader as _Loader
else:  # the compiled parser, where PyYAML has it: the other takes ten times as long
    _Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Reader(_Loader):
    """Events of a text, and what a plain scalar means."""


_Reader.yaml_implicit_resolvers = {k: list(v) for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}
_Reader.add_implicit_resolver(f"{TAGS}float", EXPONENT, list("-+0123456789."))


@dataclass
class _Open:
    """A list or block that is being filled; ``name`` is the key whose value comes next."""

    content: Block
    name: str | None = None

    @property
    def awaits_name(self) -> bool:
        return isinstance(self.content, dict) and self.name is None


@dataclass
class _Builder:
    """Data of one document, from the events of a parser."""

    most_values: int
    found: object = None
    values: int = 0
    documents: int = 0
    stack: list[_Open] = field(default_factory=list)

    def take(self, reader: _Reader, event: yaml.Event) -> None:
        """Take one event."""
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            _stop(event, "anchors and aliases are not allowed")
        tag = getattr(event, "tag", None)
        if tag is not None:
            _stop(event, f"tags such as {_shown(tag)} are not allowed")
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                _stop(event, "but found another document")
        elif isinstance(event, yaml.ScalarEvent):
            self._take_scalar(reader, event)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            self._open(event, [] if isinstance(event, yaml.SequenceStartEvent) else {})
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            self.stack.pop()

    def _take_scalar(self, reader: _Reader, event: yaml.ScalarEvent) -> None:
        block = self.stack[-1] if self.stack else None
        if block is not None and block.awaits_name:
            if event.value in block.content:
                _stop(event, f"the key '{_shown(event.value)}' stands twice")
            block.name = event.value
        else:
            self._put(event, _value(reader, event))

    def _open(self, event: yaml.Event, content: Block) -> None:
        if self.stack and self.stack[-1].awaits_name:
            _stop(event, "a key must be a name: got a list or a block of keys ({{ ... }} is not a value)")
        if len(self.stack) >= MOST_DEPTH:
            _stop(event, f"lists and blocks must not be nested deeper than {MOST_DEPTH}")
        self._put(event, content)
        self.stack.append(_Open(content))

    def _put(self, event: yaml.Event, value: object) -> None:
        """Put a value where it belongs: into the list or block that is open, or as the whole document."""
        self.values += 1
        if self.values > self.most_values:
            _stop(event, f"it holds more than {self.most_values} values")
        if not self.stack:
            self.found = value
            return
        parent = self.stack[-1]
        if isinstance(parent.content, list):
            parent.content.append(value)
        elif parent.name is not None:
            parent.content[parent.name] = value
            parent.name = None


def parse_plain_yaml(text: str, most_values: int) -> Any:
    """Parse one document of plain data; None where there is none.

    A key is its text, whatever it looks like; a date is a text.

    Parameters
    ----------
    text : str
        What to read.
    most_values : int
        Most texts, numbers, lists and blocks that it may hold.

    Raises
    ------
    PlainYamlError
        If it is not YAML, or anything but plain data.
    """
    builder = _Builder(most_values)
    try:
        reader = _Reader(text)
        try:
            while (event := reader.get_event()) is not None and not isinstance(event, yaml.StreamEndEvent):
                builder.take(reader, event)
        finally:
            reader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise PlainYamlError(f"{place}: {error.problem}") from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise PlainYamlError(f": {str(error).splitlines()[0]}") from None
    return builder.found


def _value(reader: _Reader, event: yaml.ScalarEvent) -> object:
    """Value of a scalar: null, a switch, a number, or its own text."""
    text = event.value
    node = yaml.ScalarNode("", text)
    meant = reader.resolve(yaml.ScalarNode, text, event.implicit).removeprefix(TAGS)
    if meant in ("int", "float") and len(text) > MOST_DIGITS:
        _stop(event, f"a number must have at most {MOST_DIGITS} digits: got {len(text)}")
    try:
        if meant == "null":
            return None
        if meant == "bool":
            return reader.construct_yaml_bool(node)
        if meant == "int":
            return reader.construct_yaml_int(node)
        if meant == "float":
            return reader.construct_yaml_float(node)
    except ValueError:  # as 0x_, which the pattern of a number takes and no number is
        return text
    return text


def _shown(text: str) -> str:
    text = text.replace(TAGS, "!!")
    return text if len(text) <= 40 else f"{text[:40]}..."


def _stop(event: yaml.Event, problem: str) -> NoReturn:
    # stubs tell the compiled parser's marks from the other's
    raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)  # pyright: ignore[reportArgumentType]
