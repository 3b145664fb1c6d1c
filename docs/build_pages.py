"""Hook of MkDocs: lists the pages that runs have written."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

LISTED = {"Results": "results", "Examples": "examples"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages that runs have written, each under its own title."""
    for section in config.nav or []:
        ((title, pages),) = section.items()
        if title in LISTED:
            folder = Path(config.docs_dir) / LISTED[title]
            pages += [f"{LISTED[title]}/{file.name}" for file in sorted(folder.glob("*.md")) if file.stem != "index"]
    return config
