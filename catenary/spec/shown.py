"""Input as a notebook shows it: tables."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from catenary.spec.components import DropperSpec

__all__ = ["dropper_table", "html_table"]


def dropper_table(caption: str, droppers: DropperSpec) -> str:
    """Table of a line's droppers: stations, and heights or lengths, whichever are prescribed."""
    heights = droppers.prescribed == "heights"
    given = droppers.contact_wire_heights if heights else droppers.lengths
    rows = {
        "dropper": [str(k) for k in range(1, len(given) + 1)],
        "station [m]": [f"{x:g}" for x in droppers.positions],
        f"{'contact-wire height' if heights else 'length as cut'} [mm]": [f"{1e3 * value:g}" for value in given],
    }
    return html_table(caption, rows)


def html_table(caption: str, rows: dict[str, list[str]]) -> str:
    """A table with a heading before each row."""
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(value)}</td>' for value in values)}</tr>"
        for name, values in rows.items()
    )
    return f"<table><caption>{escape(caption)}</caption>{body}</table>"
