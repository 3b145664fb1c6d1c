"""From a page's content to one HTML file and its figures as PNG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from pathlib import Path

from jinja2 import BaseLoader, Environment, StrictUndefined
from markupsafe import Markup

from catenary.storage.files import write_bytes_atomic, write_text_atomic
from studies.report.drawing.animation import animation_data, animation_svg
from studies.report.drawing.film_file import write_film
from studies.report.drawing.frame import COLOURS, DASHES
from studies.report.drawing.parts import Chart, Page
from studies.report.drawing.png import chart_png
from studies.report.drawing.svg import chart_svg, hover_data

__all__ = ["page_html", "write_overlay", "write_page"]

SWATCHES = {
    "line": '<path d="M1 7H25" stroke-width="2"/>',
    "step": '<path d="M1 10H13V4H25" stroke-width="2"/>',
    "segments": '<path d="M13 1V13" stroke-width="2"/>',
    "bars": '<path d="M2 7H24" stroke-width="8"/>',
    "dots": '<circle cx="13" cy="7" r="3.4" fill="currentColor" stroke="none"/>',
    "rings": '<circle cx="13" cy="7" r="3.2" stroke-width="1.4"/>',
    "crosses": '<path d="M10 4L16 10M10 10L16 4" stroke-width="1.5"/>',
    "station": '<path d="M13 3V11" stroke-width="1.4"/>',
    "level": '<path d="M1 7H25" stroke-width="1" stroke-dasharray="1 3"/>',
    "support": '<path d="M13 0V14" stroke-width="1" stroke-dasharray="2 2"/>',
}


@dataclass(frozen=True)
class _Swatch:
    label: str
    drawing: Markup


def page_html(page: Page) -> str:
    """Render a page as one self-contained HTML text: style, script and figures are inside it."""
    return (
        _environment()
        .from_string(_asset("page.html"))
        .render(
            page=page,
            style=Markup(_asset("page.css")),
            script=Markup(_asset("hover.js")),
            player=Markup(_asset("player.js")),
            still=lambda animation: Markup(animation_svg(animation)),
            film=animation_data,
            svg=lambda chart: Markup(chart_svg(chart)),
            legend=_legend,
            data=hover_data,
        )
    )


def write_overlay(page: Page, path: Path) -> Path:
    """Write a page to ``path`` and its first chart beside it as PNG; return the path of the picture."""
    text, picture = page_html(page), chart_png(page.charts[0])
    write_bytes_atomic(path.with_suffix(".png"), picture)
    write_text_atomic(path, text)
    return path.with_suffix(".png")


def write_page(page: Page, folder: Path, say: Callable[[str], None] = print) -> Path:
    """Write ``report.html``, ``figures/*.png`` and moving pictures into a run folder; return the path of the page.

    What is to be said of a moving picture, as that there is no ffmpeg, is handed to ``say``.
    """
    for chart in page.charts:
        write_bytes_atomic(folder / "figures" / f"{chart.name}.png", chart_png(chart))
    for animation in page.animations:
        _, problem = write_film(animation, folder / "figures")
        if problem:
            say(problem)
    path = folder / "report.html"
    write_text_atomic(path, page_html(page))
    return path


def _legend(chart: Chart) -> list[_Swatch]:
    """One swatch per label: curves, then what is marked along the track, then levels."""
    entries: dict[str, Markup] = {}
    for curve in chart.curves:
        if curve.label and curve.label not in entries:
            strokes = DASHES.get(curve.role, ()) if curve.mark == "line" else ()
            entries[curve.label] = _swatch(curve.mark, COLOURS[curve.role], strokes)
    for stations in chart.stations:
        kind = "support" if stations.full_height else "station"
        entries.setdefault(stations.label, _swatch(kind, COLOURS[stations.role]))
    for level in chart.levels:
        entries.setdefault(level.label, _swatch("level", "#595959"))
    return [_Swatch(label, drawing) for label, drawing in entries.items()]


def _swatch(kind: str, colour: str, strokes: tuple[int, ...] = ()) -> Markup:
    dash = f' stroke-dasharray="{" ".join(map(str, strokes))}"' if strokes else ""
    return Markup(
        f'<svg width="26" height="14" aria-hidden="true" fill="none" stroke="{escape(colour)}" '
        f'color="{escape(colour)}"{dash}>{SWATCHES[kind]}</svg>'
    )


@cache
def _environment() -> Environment:
    # every text is escaped: names and messages come from files that others may have written
    return Environment(
        loader=BaseLoader(), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


@cache
def _asset(name: str) -> str:
    return resources.files("studies.report.drawing").joinpath("assets", name).read_text(encoding="utf-8")
