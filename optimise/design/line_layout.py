"""Another span, stitch or number of droppers: where the droppers then stand, and how high the wire is there.

Stations are carried over piece by piece, clamp by clamp: what stands on the stitch wire stays on it. Another
number of droppers lays out again those outside the stitch: the outermost two stay, the others follow the nominal
plan's own spacing (a monotone cubic through its stations over their rank). Heights are those of the nominal
height profile at the place that a station has there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from catenary.errors import InputError
from catenary.layout.sections import most_elements
from catenary.spec.line import CatenarySpec
from catenary.spec.mesh import LONGEST_ELEMENT, MOST_PER_BAY, MeshSpec
from optimise.design.dropper_space import DropperSpace
from optimise.design.unequal_spans import carried_over, difference_of
from optimise.spec.design import LINE_QUANTITIES

__all__ = ["least_droppers", "line_with", "mesh_of_designs", "quantity_of"]

# a bay that is longer than the nominal line's longest by this factor has more elements than that
ROOM_TO_GROW = 1.5


def quantity_of(line: CatenarySpec, key: str) -> float:
    """Value of a quantity of the line as a whole, in its own unit; the droppers are counted."""
    if key == "droppers":
        return float(len(line.droppers.positions) // len(line.spans))
    if key == "span_length":
        return line.mean_span
    if key == "span_difference":
        return difference_of(line)
    found: Any = line
    for name in LINE_QUANTITIES[key][0]:
        found = getattr(found, name)
        if found is None:
            raise InputError(
                [f"the line must have a {name.replace('_', ' ')} wire, whose {key} varies: {line.name} has none"]
            )
    return float(found)


def least_droppers(line: CatenarySpec) -> int:
    """Fewest droppers that a layout can have: those on the stitch and one outside it."""
    return 2 * _on_stitch(line) + 1


def line_with(nominal: DropperSpace, values: Mapping[str, float]) -> CatenarySpec:
    """Nominal line with other values of quantities of the line as a whole; itself where none differs.

    Parameters
    ----------
    nominal : DropperSpace
        The nominal line with its height profile.
    values : mapping
        Quantities by key, each in the unit of `LINE_QUANTITIES`; a difference of spans is not among them.

    Raises
    ------
    ValueError
        If the line would not be valid.
    """
    line = nominal.nominal
    changed = {key: value for key, value in values.items() if value != quantity_of(line, key)}
    if not changed:
        return line
    content = line.model_dump()
    for key, value in changed.items():
        if key != "droppers":
            *path, last = LINE_QUANTITIES[key][0]
            block = content
            for name in path:
                block = block[name]
            block[last] = value
    if not changed.keys().isdisjoint(("droppers", "span_length", "stitch_length")):
        x, z = _layout(nominal, content, round(changed.get("droppers", len(line.droppers.positions))))
        content["droppers"]["positions"] = tuple(x.tolist())
        content["droppers"]["contact_wire_heights"] = tuple(z.tolist())
    return CatenarySpec.model_validate(content)


def _layout(nominal: DropperSpace, content: dict[str, Any], count: int) -> tuple[NDArray[np.float64], ...]:
    """Stations and heights of all droppers [m]."""
    line = nominal.nominal
    x = np.asarray(line.droppers.positions)
    z = np.asarray(line.droppers.contact_wire_heights)
    if count != len(x):
        x = _laid_out_again(line, count)
        z = np.asarray(nominal.profile(x))
    half = (count + 1) // 2
    span = content["span_length"]
    stitch = (line.stitch.length, content["stitch"]["length"]) if line.stitch is not None else (0.0, 0.0)
    near = carried_over(x[:half], stitch, (line.span_length, span))
    return np.concatenate([near, (span - near)[: count // 2][::-1]]), z


def _laid_out_again(line: CatenarySpec, count: int) -> NDArray[np.float64]:
    """Stations of another number of droppers in the nominal span [m], symmetric."""
    x = np.asarray(line.droppers.positions)
    kept = _on_stitch(line)
    outer = x[kept : len(x) - kept]
    wanted = count - 2 * kept
    middle = 0.5 * line.span_length
    if wanted == 1 or len(outer) < 2:
        near = np.linspace(outer[0], middle, (wanted + 1) // 2 + 1)[:-1] if wanted > 1 else np.array([middle])
    else:
        rank = np.linspace(0.0, len(outer) - 1.0, wanted)[: (wanted + 1) // 2]
        near = np.asarray(PchipInterpolator(np.arange(len(outer)), outer)(rank))
    if wanted % 2:
        near[-1] = middle
    near = np.concatenate([x[:kept], near])
    return np.concatenate([near, (line.span_length - near)[: count // 2][::-1]])


def _on_stitch(line: CatenarySpec) -> int:
    """Droppers on the stitch wire at one support."""
    clamp = 0.5 * line.stitch.length if line.stitch is not None else 0.0
    return sum(x < clamp for x in line.droppers.positions)


def mesh_of_designs(nominal: CatenarySpec) -> MeshSpec:
    """Mesh for designs whose bays differ: in each as many elements as the nominal line's longest bay has.

    So no number changes between two designs, and one can start from the other's state. A bay that has grown beyond
    that longest one by half has more elements.
    """
    return MeshSpec(
        elements_per_bay=min(most_elements(nominal), MOST_PER_BAY),
        largest_element_length=min(ROOM_TO_GROW * nominal.mesh.largest_element_length, LONGEST_ELEMENT),
    )
