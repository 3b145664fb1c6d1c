"""A line by stations as it is built: droppers cut as the design says, but for those with a defect."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.spec.line import CatenarySpec
from catenary.spec.section import DROPPER_MAKES, LONGEST_ERROR, DefectSpec, PointMassSpec, SectionSpec

__all__ = ["as_built", "as_designed", "gaps_at_rest", "place_of", "places_of"]

SHARE = 0.5  # of a broken dropper's own mass that stays on either wire
SPARE = 2.0 * LONGEST_ERROR  # m: a dropper cut longer by as much carries nothing, whatever its wires do


def as_designed(spec: CatenarySpec) -> CatenarySpec:
    """The same line without its defects, its contact wire not worn."""
    return spec.model_copy(update={"section": _section(spec).model_copy(update={"defects": (), "wear": ()})})


def as_built(
    spec: CatenarySpec, cut: NDArray[np.float64], heights: NDArray[np.float64]
) -> tuple[CatenarySpec, NDArray[np.float64]]:
    """Line whose droppers have the lengths that they were cut to, and the design's heights at those that are left.

    A broken dropper is no more: its clamps and half of its mass stay on each wire. One cut too long or too short, or
    of another stiffness, stays where it is. One that hangs loose is long enough to carry nothing: its gap, and with it
    its length, is known once the line hangs (`gaps_at_rest`).

    Parameters
    ----------
    spec : CatenarySpec
        With defects.
    cut : float array (dropper,)
        Lengths to which the design cuts all droppers [m], main droppers of an auxiliary wire last.
    heights : float array (dropper,)
        Heights of their lower ends in the design [m].
    """
    own, count = _section(spec), len(spec.droppers.positions)
    lengths, main = cut[:count].copy(), cut[count:]
    makes = {name: list(spec.dropper_makes(name)[:count]) for name in DROPPER_MAKES}
    broken: list[int] = []
    for defect in own.defects:
        k = place_of(spec, defect)
        if defect.kind == "broken":
            broken.append(k)
        elif defect.kind == "length":
            lengths[k] += defect.by or 0.0
        elif defect.kind == "loose":
            lengths[k] += SPARE
        elif defect.stiffness is not None:
            makes["stiffness"][k] = defect.stiffness
    kept = np.setdiff1d(np.arange(count), broken)
    changes = {DROPPER_MAKES[name]: tuple(values[k] for k in kept) for name, values in makes.items()}
    masses = (*own.masses, *(mass for k in broken for mass in _left_hanging(spec, k, float(lengths[k]))))
    droppers = spec.droppers.model_copy(
        update={
            "positions": tuple(spec.droppers.positions[k] for k in kept),
            "prescribed": "lengths",
            "lengths": tuple(lengths[kept].tolist()),
            "contact_wire_heights": (),
        }
    )
    section = own.model_copy(update={**changes, "masses": masses, "defects": ()})
    changed: dict[str, Any] = {"droppers": droppers, "section": section}
    if spec.auxiliary_wire is not None:
        as_cut = {"prescribed": "lengths", "lengths": tuple(main.tolist()), "auxiliary_wire_heights": ()}
        hung = spec.auxiliary_wire.droppers.model_copy(update=as_cut)
        changed["auxiliary_wire"] = spec.auxiliary_wire.model_copy(update={"droppers": hung})
    return spec.model_copy(update=changed), np.concatenate([heights[kept], heights[count:]])


def gaps_at_rest(spec: CatenarySpec) -> NDArray[np.float64]:
    """Gap by which each dropper that is not broken hangs loose by a defect, 0 of others (dropper,) [m]."""
    gaps = np.zeros(len(spec.droppers.positions))
    for defect in _section(spec).defects:
        if defect.kind == "loose":
            gaps[place_of(spec, defect)] = defect.by or 0.0
    return np.delete(gaps, places_of(spec, "broken"))


def _section(spec: CatenarySpec) -> SectionSpec:
    if spec.section is None:
        raise ValueError("defects of droppers need a line that names every dropper")
    return spec.section


def place_of(spec: CatenarySpec, defect: DefectSpec) -> int:
    """Number of a defect's dropper among all that the line names."""
    begin, end = list(pairwise(spec.supports))[defect.span - 1]
    inside = [k for k, x in enumerate(spec.droppers.positions) if begin < x < end]
    return inside[defect.dropper - 1]


def places_of(spec: CatenarySpec, kind: str) -> list[int]:
    """Numbers of the droppers that have defects of a kind, among all that the line names."""
    return [place_of(spec, defect) for defect in _section(spec).defects if defect.kind == kind]


def _left_hanging(spec: CatenarySpec, k: int, length: float) -> list[PointMassSpec]:
    """Clamps of a broken dropper, with half of its mass each; none where a wire keeps no mass there."""
    x, half = spec.droppers.positions[k], SHARE * spec.droppers.mass_per_length * length
    reach = 0.5 * spec.stitch.length if spec.stitch is not None else 0.0
    stitched = spec.supports[1:-1] if spec.ends else spec.supports
    hung_from = "messenger" if spec.auxiliary_wire is None else "auxiliary"
    above = "stitch" if any(abs(x - support) < reach for support in stitched) else hung_from
    clamps = [
        ("contact", spec.dropper_makes("clamp_mass_contact_wire")[k] + half),
        (above, spec.dropper_makes("clamp_mass_messenger_wire")[k] + half),
    ]
    return [PointMassSpec.model_construct(station=x, wire=wire, mass=mass) for wire, mass in clamps if mass > 0.0]
