"""Hook of MkDocs: writes the page of commands from their help texts and lists the pages that runs have written."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from studies import rig
from studies.cli import STUDIES, main

LISTED = {"Results": "results", "Examples": "examples"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages that runs have written, each under its own title."""
    for section in config.nav or []:
        ((title, pages),) = section.items()
        if title in LISTED:
            folder = Path(config.docs_dir) / LISTED[title]
            pages += [f"{LISTED[title]}/{file.name}" for file in sorted(folder.glob("*.md")) if file.stem != "index"]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page of commands."""
    files.append(File.generated(config, "commands.md", content=page_of_commands()))
    return files


def page_of_commands() -> str:
    """All help texts, one heading a command."""
    parts = [
        "# Commands",
        "The build of this documentation wrote this page from the help texts of the program.",
        "## catenary",
        _block(help_of()),
    ]
    for words in every_command():
        parts += [f"## catenary {' '.join(words)}", _block(help_of(*words))]
    return "\n\n".join(parts) + "\n"


def every_command() -> list[tuple[str, ...]]:
    """Every command and subcommand, as words."""
    found = [(name,) for name in STUDIES]
    return [*found, *(("rig", name) for name in rig.COMMANDS)]


def help_of(*words: str) -> str:
    """What ``catenary <words> --help`` prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = main([*words, "--help"])
    if code:
        raise RuntimeError(f"catenary {' '.join(words)} --help must end with code 0: got {code}")
    return said.getvalue()


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
