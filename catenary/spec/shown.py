"""Input as a notebook shows it: tables."""

from __future__ import annotations

from html import escape

__all__ = ["html_table"]


def html_table(caption: str, rows: dict[str, list[str]]) -> str:
    """A table with a heading before each row."""
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(value)}</td>' for value in values)}</tr>"
        for name, values in rows.items()
    )
    return f"<table><caption>{escape(caption)}</caption>{body}</table>"
