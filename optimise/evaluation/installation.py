"""A line as it is installed: heights and dropper lengths off by what a fitter leaves, the same draws for every design.

Errors are standard normal numbers times a standard deviation. The number that dropper k has in sample s depends on
the seed, s and k alone: two designs meet the same errors, also where one has more droppers. A line is periodic, so its
errors repeat from span to span.

Heights: the contact wire hangs off its prescribed height at each dropper. Lengths: form-finding gives the lengths to
which the line's droppers are to be cut; they are cut wrong, and the heights follow. With both, the line with wrong
heights is the one whose droppers are cut wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus, periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_heights, prescribed_by_lengths
from catenary.spec.line import CatenarySpec

__all__ = ["installed", "standard_errors"]

HEIGHTS, LENGTHS = 0, 1


def standard_errors(seed: int, sample: int, droppers: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standard normal errors of heights and of lengths, float arrays (dropper,) [-]."""
    draw = [np.random.default_rng([seed, sample, kind]).standard_normal(droppers) for kind in (HEIGHTS, LENGTHS)]
    return draw[0], draw[1]


def installed(line: Equilibrium, heights: Sequence[float] = (), lengths: Sequence[float] = ()) -> Equilibrium:
    """Form-finding of a line, found already as it should be, that is installed with errors [m] at its droppers.

    Where the line, or the one with wrong heights, has no equilibrium, that one comes back: there are no lengths to cut.

    Raises
    ------
    ValueError
        If a height or length leaves the range that a Spec allows.
    """
    found = line
    if len(heights) and _sound(found):
        by_heights = line.spec.droppers.prescribed == "heights"
        spec = line.spec if by_heights else prescribed_by_heights(line)
        found = periodic_equilibrium(_moved(spec, "contact_wire_heights", heights))
    if len(lengths) and _sound(found):
        found = periodic_equilibrium(_moved(prescribed_by_lengths(found), "lengths", lengths))
    return found


def _sound(found: Equilibrium) -> bool:
    return found.status is EquilibriumStatus.OK


def _moved(line: CatenarySpec, key: str, errors: Sequence[float]) -> CatenarySpec:
    content: dict[str, Any] = line.model_dump()
    values = content["droppers"][key]
    moved = tuple(float(value + error) for value, error in zip(values, errors, strict=True))
    return CatenarySpec.model_validate({**content, "droppers": {**content["droppers"], key: moved}})
