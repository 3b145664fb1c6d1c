"""Dropper lengths of a line that explain measured heights of the contact wire: every tension section by itself.

Sections share no wire, so that heights of the one say nothing about the lengths of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.layout.sections import Part, parts_of
from catenary.spec.line import CatenarySpec
from catenary.survey.measured_heights import MeasuredHeights
from catenary.survey.section_fit import FittedLengths, section_fit

__all__ = ["fitted_lengths"]

BY_DROPPER = ("design", "error", "uncertainty", "loose", "may_be_loose")


def fitted_lengths(spec: CatenarySpec, measured: MeasuredHeights, accuracy: float, spread: float) -> FittedLengths:
    """Find the lengths of a line's droppers from measured heights.

    Parameters
    ----------
    spec : CatenarySpec
        A line by stations, as it is designed; broken droppers and those of another stiffness are known.
    measured : MeasuredHeights
        Of a line in several tension sections with the section of each height.
    accuracy : float
        Standard deviation of a measured height [m].
    spread : float
        Standard deviation of the errors of cut lengths that is expected [m].

    Raises
    ------
    InputError
        If the line or the design cannot be, or heights are those of another datum.
    """
    _refuse_other_lines(spec)
    parts = parts_of(spec)
    if len(parts) == 1:
        return section_fit(parts[0], measured, accuracy, spread)
    if len(measured.section) != len(measured.station):
        raise ValueError("heights of a line in tension sections must name theirs, one a height")
    points = [np.flatnonzero([name == part.name for name in measured.section]) for part in parts]
    fits = [section_fit(part, measured.some(at), accuracy, spread) for part, at in zip(parts, points, strict=True)]
    return _joined(parts, fits, points)


def _joined(parts: Sequence[Part], fits: Sequence[FittedLengths], points: Sequence[NDArray[np.int64]]) -> FittedLengths:
    """Fits of all sections, droppers listed section by section, heights as they were measured."""
    before = accumulate((len(part.line.droppers.positions) for part in parts), initial=0)
    order = np.argsort(np.concatenate(points), kind="stable")
    listed: dict[str, Any] = {name: np.concatenate([getattr(fit, name) for fit in fits]) for name in BY_DROPPER}
    heights = {name: np.concatenate([getattr(fit, name) for fit in fits])[order] for name in ("designed", "found")}
    return FittedLengths(
        dropper=np.concatenate([fit.dropper + first for fit, first in zip(fits, before, strict=False)]),
        steps=max(fit.steps for fit in fits),
        **listed,
        **heights,
    )


def _refuse_other_lines(spec: CatenarySpec) -> None:
    problems = []
    if spec.section is None or spec.repeat is not None:
        problems.append(f"catenary must be a line by stations, of kind line: '{spec.name}' repeats")
    elif spec.temperature is not None:
        problems.append(
            "catenary.temperature must be left out where heights are measured, since lengths are sought at tensions "
            "that are given: give the wires those that they had on that day"
        )
    elif any(defect.kind in ("length", "loose") for defect in spec.section.defects):
        problems.append(
            "catenary must be the design where heights are measured: leave its defects of kind length and loose out, "
            "which are what is looked for"
        )
    if problems:
        raise InputError(problems)
