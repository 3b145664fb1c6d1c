"""Writes docs/reference/commands.md from the help texts of the program: ``python docs/commands_page.py``."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from studies import rig
from studies.cli import STUDIES, main

PAGE = Path(__file__).resolve().parent / "reference" / "commands.md"


def page_of_commands() -> str:
    """All help texts, one heading a command."""
    parts = [
        "# Commands",
        "`python docs/commands_page.py` wrote this page from the help texts of the program; do not edit it.",
    ]
    for words in ((), *every_command()):
        parts += [f"## {' '.join(('catenary', *words))}", f"```text\n{help_of(*words).rstrip()}\n```"]
    return "\n\n".join(parts) + "\n"


def every_command() -> list[tuple[str, ...]]:
    """Every command and subcommand, as words."""
    return [*((name,) for name in STUDIES), *(("rig", name) for name in rig.COMMANDS)]


def help_of(*words: str) -> str:
    """What ``catenary <words> --help`` prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = main([*words, "--help"])
    if code:
        raise RuntimeError(f"catenary {' '.join(words)} --help must end with code 0: got {code}")
    return said.getvalue()


if __name__ == "__main__":
    PAGE.write_text(page_of_commands(), encoding="utf-8")
