"""Droppers cut to whole steps of the shop: lengths are prescribed, and heights are those at which the line hangs."""

from __future__ import annotations

import numpy as np

from catenary.errors import InputError
from catenary.form_finding.equilibrium import (
    Equilibrium,
    EquilibriumStatus,
    equilibrium_at_rest,
    periodic_equilibrium,
)
from catenary.form_finding.nearest import nearest_heights
from catenary.form_finding.prescribed import prescribed_by_heights, prescribed_by_lengths
from catenary.linearised.contact_wire import static_height
from catenary.spec.line import CatenarySpec

__all__ = ["cut_to_step", "heights_at_rest", "lengths_in_steps", "no_lengths", "with_lengths"]

# of a step: lengths in whole micrometres stay decimal fractions
DIGITS = 6


def cut_to_step(line: CatenarySpec, step: float) -> CatenarySpec:
    """Line with its droppers cut to the nearest whole steps [m], as the lengths that its heights need.

    Where a dropper would have to push, the lengths are those of the nearest heights that hang.

    Raises
    ------
    InputError
        If form-finding fails; as a ValueError also where a length is outside the range that a line may have.
    """
    exact = nearest_heights(_found(line))
    if exact.status is not EquilibriumStatus.OK:
        raise InputError([no_lengths(line, exact.status)])
    cut = prescribed_by_lengths(exact)
    return with_lengths(cut, lengths_in_steps(cut.droppers.lengths, step))


def no_lengths(line: CatenarySpec, status: EquilibriumStatus) -> str:
    """Say that a line has no equilibrium, from which alone lengths to cut follow."""
    return (
        f"{line.name} must have an equilibrium at rest, so that its droppers can be cut: {status.value}; change its "
        "dropper heights, dropper lengths or tensions"
    )


def lengths_in_steps(lengths: tuple[float, ...], step: float) -> tuple[float, ...]:
    """Lengths to the nearest whole steps [m]."""
    return tuple(round(step * round(length / step), DIGITS) for length in lengths)


def with_lengths(line: CatenarySpec, lengths: tuple[float, ...]) -> CatenarySpec:
    """Line whose droppers are cut to lengths [m]; their heights follow.

    Raises
    ------
    ValueError
        If a length is outside the range that a line may have.
    """
    content = line.model_dump()
    content["droppers"] |= {"prescribed": "lengths", "contact_wire_heights": (), "lengths": lengths}
    return CatenarySpec.model_validate(content)


def heights_at_rest(line: CatenarySpec) -> tuple[float, ...]:
    """Contact-wire heights of a line at its droppers [m]: the prescribed ones, or those at which it hangs.

    Of a line by stations where a dropper is broken: the wire's there.

    Raises
    ------
    InputError
        If form-finding fails.
    """
    if line.droppers.prescribed == "heights":
        return line.droppers.contact_wire_heights
    if not line.ends:
        return prescribed_by_heights(_found(line)).droppers.contact_wire_heights
    found = _hung(line, equilibrium_at_rest(line))
    heights = np.asarray(static_height(found, np.array(line.droppers.positions)), dtype=np.float64)
    hung = iter(zip(found.mesh.layout.dropper_x, found.q[found.mesh.dropper_bottom, 2], strict=True))
    x, height = next(hung, (np.nan, np.nan))
    for k, station in enumerate(line.droppers.positions):  # in the line's order, without those that are broken
        if x == station:
            heights[k] = height
            x, height = next(hung, (np.nan, np.nan))
    return tuple(heights.tolist())


def _found(line: CatenarySpec) -> Equilibrium:
    return _hung(line, periodic_equilibrium(line))


def _hung(line: CatenarySpec, found: Equilibrium) -> Equilibrium:
    if found.status is not EquilibriumStatus.OK:
        raise InputError([no_lengths(line, found.status)])
    return found
