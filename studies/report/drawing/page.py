"""From a page's content to one HTML file and its figures as PNG; every chart is drawn once for both."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path

from jinja2 import BaseLoader, Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from catenary.storage.files import write_bytes_atomic, write_text_atomic
from dynamics.charts.drawing import charts_figure
from dynamics.charts.files import figure_png, figure_svg
from dynamics.charts.moving.animation import animation_data
from dynamics.charts.moving.film import still, write_film
from dynamics.charts.parts import Chart
from studies.report.drawing.hover import hover_data
from studies.report.drawing.parts import Page

__all__ = ["page_html", "write_overlay", "write_page"]


def page_html(page: Page) -> str:
    """Render a page as one self-contained HTML text: style, script and figures are inside it."""
    return _rendered(page, _figures(page))


def write_overlay(page: Page, path: Path) -> Path:
    """Write a page to ``path`` and its first chart next to it as PNG; return the path of the picture."""
    figures = _figures(page)
    text, picture = _rendered(page, figures), figure_png(figures[page.charts[0].name])
    write_bytes_atomic(path.with_suffix(".png"), picture)
    write_text_atomic(path, text)
    return path.with_suffix(".png")


def write_page(page: Page, folder: Path, say: Callable[[str], None] = print) -> Path:
    """Write ``report.html``, ``figures/*.png`` and moving pictures into a run folder; return the path of the page.

    What is to be said of a moving picture, as that there is no ffmpeg, is handed to ``say``.
    """
    figures = _figures(page)
    for name, figure in figures.items():
        write_bytes_atomic(folder / "figures" / f"{name}.png", figure_png(figure))
    for animation in page.animations:
        _, problem = write_film(animation, folder / "figures")
        if problem:
            say(problem)
    path = folder / "report.html"
    write_text_atomic(path, _rendered(page, figures))
    return path


def _figures(page: Page) -> dict[str, Figure]:
    """Draw every chart of a page, by name."""
    return {chart.name: charts_figure([chart]) for chart in page.charts}


def _rendered(page: Page, figures: dict[str, Figure]) -> str:
    style, scripts = _asset("page.css"), [_asset("hover.js"), *([_asset("player.js")] if page.animations else [])]

    def svg(chart: Chart) -> Markup:
        # to a reader of the screen a picture is its label alone
        curves = ", ".join(dict.fromkeys(curve.label for curve in chart.curves if curve.label))
        label = f"{chart.title}: {curves}" if curves else chart.title
        shown = {"role": "img", "tabindex": "0", "aria-label": label, "class": "chart"}
        return Markup(figure_svg(figures[chart.name], chart.name, shown))

    return (
        _environment()
        .from_string(_asset("page.html"))
        .render(
            page=page,
            style=Markup(style),
            scripts=[Markup(script) for script in scripts],
            # what is not of the page itself is neither run nor shown, wherever a text in it came from
            policy=f"default-src 'none'; style-src {_hash(style)}; "
            f"script-src {' '.join(map(_hash, scripts))}; img-src data:",
            still=lambda animation: Markup(still(animation)),
            film=animation_data,
            svg=svg,
            data=lambda chart: hover_data(chart, figures[chart.name]),
        )
    )


def _hash(text: str) -> str:
    """Name a style or a script in a content policy by what it is."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    # every text is escaped: names and messages come from files that others may have written
    return Environment(
        loader=BaseLoader(), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


@cache
def _asset(name: str) -> str:
    return resources.files("studies.report.drawing").joinpath("assets", name).read_text(encoding="utf-8")
