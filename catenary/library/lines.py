"""Lines by name: those that the program ships, and the user's files, a line by stations among them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

from catenary.errors import InputError
from catenary.library.line_file import LineFile, is_line_file, read_line_file, read_line_workbook
from catenary.spec.checked import checked
from catenary.spec.components import Spec
from catenary.spec.keys import KeyTree
from catenary.spec.line import CatenarySpec
from catenary.storage.configuration import (
    chosen_block,
    chosen_file,
    conf_content,
    group_options,
    read_choice,
)

__all__ = ["line_file_of", "line_names", "load_line", "load_named", "read_file", "refuse_other_kind"]

SpecT = TypeVar("SpecT", bound=Spec)
# keys that a file of any kind has
SHARED = {"schema_version", "name", "description", "provenance"}


def line_names() -> list[str]:
    """Names of the lines that `load_line` knows in addition to files."""
    return group_options("catenary")


def load_line(name: str | os.PathLike[str]) -> CatenarySpec:
    """Read an overhead contact line.

    Parameters
    ----------
    name : str or path
        One of `line_names`, or a file: YAML, or the workbook of a line by stations. Of ``my60.yaml`` in the current
        folder ``my60`` is enough.

    Raises
    ------
    InputError
        If there is no such line, or its file cannot be used.
    """
    return load_named(CatenarySpec, "catenary", name)


def load_named(spec: type[SpecT], group: str, name: str | os.PathLike[str]) -> SpecT:
    """Read a line or a pantograph by its name in conf, or from a file.

    Raises
    ------
    InputError
        If there is no such choice, or the file holds something else.
    """
    text = os.fspath(name) if isinstance(name, str | os.PathLike) else ""
    path = None if text in group_options(group) else chosen_file(group, text)
    content = chosen_block(group, name) if path is None else read_file(group, path)
    refuse_other_kind(KeyTree(spec).children(()), content, group, name)
    reference = dict(conf_content(f"{group}/{group_options(group)[0]}"))

    def place(_: object) -> str:
        return f" in {os.fspath(name)}"

    return checked(spec, content, reference, place)


def read_file(group: str, path: Path) -> dict[str, Any]:
    """Content of a user's file of a line or a pantograph; that of a line by stations is laid over its type.

    Raises
    ------
    InputError
        If it cannot be read; of a line by stations with a sentence for every row that cannot be.
    """
    if group == "catenary" and path.suffix.lower() == ".xlsx":
        return _by_stations(read_line_workbook(path))
    content = read_choice(group, path)
    return _by_stations(read_line_file(content, path)) if group == "catenary" and is_line_file(content) else content


def line_file_of(path: Path) -> LineFile:
    """Keys and tables of a line file or workbook, before they are laid over a type.

    Raises
    ------
    InputError
        If it cannot be read, or is not a line by stations.
    """
    if path.suffix.lower() == ".xlsx":
        return read_line_workbook(path).sound()
    content = read_choice("catenary", path)
    if not is_line_file(content):
        raise InputError([f"{path} must be a line by stations, with kind: line: got kind {content.get('kind')}"])
    return read_line_file(content, path).sound()


def _by_stations(file: LineFile) -> dict[str, Any]:
    """Lay a line file over its type, a name of the library or a file next to it."""
    from catenary.library.line_content import changed_line, line_content

    try:
        if "type" in file.unread:
            raise InputError([])  # its own key is named
        line = _type_of(file)
    except InputError as error:
        lines = [load_line(name) for name in line_names()]
        strange = [changed_line(file, line)[1] for line in lines]
        # a change that no line takes is wrong whatever the type
        common = [each for each in strange[0] if all(each in other for other in strange)]
        return line_content(file, lines[0], [*error.problems, *common])
    return line_content(file, line)


def _type_of(file: LineFile) -> CatenarySpec:
    """Type of a line file.

    Raises
    ------
    InputError
        If there is no such line, or it is one by stations itself.
    """
    if file.type in line_names():
        return load_line(file.type)
    beside = file.path.parent / file.type
    if not beside.is_file():
        known = f"{', '.join(line_names())}, or a file next to this one"
        raise InputError([f"{file.type_at}: type must be one of {known}: got '{file.type}'"])
    if beside.suffix.lower() == ".xlsx" or is_line_file(read_choice("catenary", beside)):
        raise InputError([f"{file.type_at}: type must be a line that repeats: '{file.type}' is a line by stations"])
    return load_line(beside)


def refuse_other_kind(known: list[str], content: dict[str, Any], group: str, file: object) -> None:
    """Refuse in one sentence a file that describes something else than a line, or than a pantograph.

    Raises
    ------
    InputError
        If it has none of the keys that are known.
    """
    if not (set(known) & set(content)) - SHARED:
        raise InputError(
            [
                f"{group} file {os.fspath(file) if isinstance(file, os.PathLike) else file} does not describe a "
                f"{group}: it holds {', '.join(list(content)[:6]) or 'nothing'}; expected {', '.join(sorted(known))}"
            ]
        )
