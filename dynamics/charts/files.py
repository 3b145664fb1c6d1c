"""A figure as text and as bytes: SVG that stands inside a page under a strict content policy, and PNG."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Mapping
from html import escape
from xml.etree import ElementTree

from matplotlib.figure import Figure

from dynamics.charts.style import house_style

__all__ = ["figure_png", "figure_svg", "notebook_picture"]

PNG_WIDTH = 1600  # pixels
RASTER_DPI = 144  # of colours inside an SVG
SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
# what XML cannot hold, though a name in a file may
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LONG_DECIMALS = re.compile(r"-?\d+\.\d{3,}")
REFERENCE = re.compile(r"#([\w.:-]+)")
GEOMETRY = ("d", "x", "y", "width", "height", "transform")


def figure_png(figure: Figure) -> bytes:
    """Draw a figure as PNG, 1600 pixels wide; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    with house_style():
        dpi = PNG_WIDTH / figure.get_figwidth()
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()


def figure_svg(figure: Figure, name: str, attributes: Mapping[str, str] | None = None) -> str:
    """Draw a figure as an SVG element of a page; a drawing unit is a point of the figure.

    It has no style sheet, no inline style and no date; its ids begin with ``name``, so that several stand in one page.
    An artist's gid of the form ``class:NAME`` becomes a class, ``title:TEXT`` a title that a pointer shows.

    Parameters
    ----------
    figure : Figure
        What to draw.
    name : str
        A name that no other figure of the page has.
    attributes : mapping of str to str, optional
        Attributes of the element.
    """
    buffer = io.StringIO()
    with house_style():
        shown = figure.patch.get_visible()
        figure.patch.set_visible(False)
        figure.savefig(buffer, format="svg", dpi=RASTER_DPI)
        figure.patch.set_visible(shown)
    root = ElementTree.fromstring(NO_XML.sub("\N{REPLACEMENT CHARACTER}", buffer.getvalue()))
    for part in (f"{SVG}metadata", f"{SVG}defs[{SVG}style]"):
        for found in root.findall(part):
            root.remove(found)
    # colours begin with the same sign as references do: only what is an id is referred to
    known = {e.attrib["id"] for e in root.iter() if "id" in e.attrib}
    referred = (ref for e in root.iter() for v in e.attrib.values() for ref in REFERENCE.findall(v))
    ids = {old: f"{name}-{k}" for k, old in enumerate(dict.fromkeys(r for r in referred if r in known), 1)}
    for element in root.iter():
        _clean(element, ids)
    _unwrap(root)
    # what the style sheet said of every element
    root.attrib = {"viewBox": root.attrib["viewBox"], "stroke-linejoin": "round", **(attributes or {})}
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element, ids: Mapping[str, str]) -> None:
    """Make presentation attributes of a style, short ids, few decimals; tags and references without a namespace."""
    element.tag = element.tag.removeprefix(SVG)
    element.tail = None
    if element.tag not in ("text", "title"):
        element.text = None
    old = element.attrib
    style = dict(part.split(": ", 1) for part in old.pop("style", "").split("; ") if part)
    style.pop("font-family", None)  # a page has its own
    own = old.pop("id", "")
    new = {"id": ids[own]} if own in ids else {}
    kind, _, content = own.partition(":")
    if kind == "class":
        new["class"] = content
    elif kind == "title":
        title = ElementTree.Element("title")
        title.text = content
        element.insert(0, title)
    for key, value in {**old, **style}.items():
        text = value
        if key in GEOMETRY:
            text = LONG_DECIMALS.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), value)
            text = re.sub(r"\s*([MLCQz])\s*", r"\1", text.strip()) if key == "d" else text
        elif value.startswith(("#", "url(#")):
            text = REFERENCE.sub(lambda m: "#" + ids.get(m[1], m[1]), value)
        if not (key == "transform" and text.startswith("rotate(-0 ")):
            new[key.removeprefix(XLINK)] = text
    element.attrib = new


def _unwrap(parent: ElementTree.Element) -> None:
    """Take groups away that say nothing."""
    children = []
    for child in parent:
        _unwrap(child)
        plain = child.tag == "g" and not child.attrib and not any(c.tag == "title" for c in child)
        children += list(child) if plain else [child]
    parent[:] = children


def notebook_picture(words: str, figure: Figure | None) -> str:
    """Words above a figure, as a notebook shows an object; several of them in one notebook share no id."""
    text = f"<p>{escape(words)}</p>"
    if figure is None:
        return text
    name = f"figure-{zlib.crc32(text.encode()):x}"
    return text + figure_svg(figure, name, {"width": "760", "style": "background: white"})
