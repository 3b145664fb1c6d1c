"""Lines by name: those that the program ships, and the user's files."""

from __future__ import annotations

import os
from typing import Any, TypeVar

from catenary.errors import InputError
from catenary.spec.checked import checked
from catenary.spec.components import Spec
from catenary.spec.keys import KeyTree
from catenary.spec.line import CatenarySpec
from catenary.storage.configuration import chosen_block, conf_content, group_options

__all__ = ["line_names", "load_line", "load_named", "refuse_other_kind"]

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
        One of `line_names`, or a YAML file; of ``my60.yaml`` in the current folder ``my60`` is enough.

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
    content = chosen_block(group, name)
    refuse_other_kind(KeyTree(spec).children(()), content, group, name)
    reference = dict(conf_content(f"{group}/{group_options(group)[0]}"))

    def place(_: object) -> str:
        return f" in {os.fspath(name)}"

    return checked(spec, content, reference, place)


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
