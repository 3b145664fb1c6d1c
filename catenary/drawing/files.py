"""Drawings as files: DXF for a drawing office, SVG for a browser."""

from __future__ import annotations

from html import escape
from pathlib import Path

from catenary.drawing.sheet import LAYERS, Point, Sheet
from catenary.storage.files import whole_file, write_text_atomic

__all__ = ["SUFFIXES", "write_drawing"]

SUFFIXES = (".dxf", ".svg")
# of an SVG: room around it, and width of a stroke [m]
MARGIN, STROKE = 3.0, 0.08
METRES = 6  # $INSUNITS
DASHES = ' stroke-dasharray="0.6 0.4"'


def write_drawing(path: Path, sheet: Sheet) -> None:
    """Write a drawing as the kind of file that its name ends in, whole or not at all."""
    if path.suffix.lower() == ".dxf":
        _write_dxf(path, sheet)
    else:
        write_text_atomic(path, _svg(sheet))


def _write_dxf(path: Path, sheet: Sheet) -> None:
    """DXF of 2010: every layer with its colour, polylines, straight lines and texts in model space, in metres."""
    from ezdxf.filemanagement import new

    document = new("R2010", setup=["linetypes"])
    document.header["$INSUNITS"] = METRES
    for name, (colour, _) in LAYERS.items():
        document.layers.add(name, color=colour)
    space = document.modelspace()
    for stroke in sheet.strokes:
        how = {"layer": stroke.layer, "linetype": "DASHED" if stroke.dashed else "BYLAYER"}
        if len(stroke.points) == 2:
            space.add_line(*stroke.points, dxfattribs=how)
        else:
            space.add_lwpolyline(stroke.points, dxfattribs=how)
    for word in sheet.words:
        text = space.add_text(word.text, height=word.height, rotation=word.angle, dxfattribs={"layer": word.layer})
        text.set_placement(word.at)
    with whole_file(path) as place:
        document.saveas(place)


def _svg(sheet: Sheet) -> str:
    """SVG whose unit is a metre; each layer is a group by its name."""
    (left, low), (right, high) = sheet.corners
    body = []
    for name, (_, colour) in LAYERS.items():
        strokes = [
            f'<polyline points="{" ".join(map(_at, stroke.points))}"{DASHES if stroke.dashed else ""}/>'
            for stroke in sheet.strokes
            if stroke.layer == name
        ]
        words = [
            f'<text transform="translate({_at(word.at).replace(",", " ")}) rotate({-word.angle:g})" '
            f'font-size="{word.height:g}">{escape(word.text)}</text>'
            for word in sheet.words
            if word.layer == name
        ]
        if strokes or words:
            body.append(f'<g id="{name}" stroke="{colour}">')
            body += [*strokes, f'<g stroke="none" fill="{colour}">', *words, "</g>", "</g>"]
    box = f"{left - MARGIN:g} {-high - MARGIN:g} {right - left + 2 * MARGIN:g} {high - low + 2 * MARGIN:g}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" fill="none" stroke-width="{STROKE:g}" '
        f'font-family="sans-serif"><title>{escape(sheet.title)}</title>'
    )
    return "\n".join([head, *body, "</svg>"]) + "\n"


def _at(point: Point) -> str:
    """Place in an SVG, whose second axis points downwards."""
    return f"{point[0]:.4f},{-point[1]:.4f}"
