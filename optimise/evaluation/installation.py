"""A line as it is installed: off by what a fitter leaves, with the same draws for every design.

Errors are standard normal numbers times a standard deviation. The number that dropper k has in sample s depends on
the seed, s and k alone: two designs meet the same errors, also where one has more droppers. A line is periodic, so its
errors repeat from span to span.

Heights: the contact wire hangs off its prescribed height at each dropper; where a dropper would have to push for that,
at the nearest height that hangs. Form-finding then gives the lengths to which the line's droppers are to be cut. These
lengths, the stations where droppers are clamped, and the height of the messenger wire over the contact wire at the
supports are wrong too, and the heights follow. A dropper may hang loose: it carries nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.defects import as_designed
from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus, periodic_equilibrium
from catenary.form_finding.nearest import nearest_heights
from catenary.form_finding.neighbours import neighbouring_equilibria
from catenary.form_finding.prescribed import prescribed_by_heights, prescribed_by_lengths
from catenary.spec.line import CatenarySpec
from optimise.spec.scenarios import InstallationSpec

__all__ = ["InstallationErrors", "drawn_errors", "installed", "installed_near", "standard_errors"]

Errors: TypeAlias = Sequence[float] | NDArray[np.float64]
HEIGHTS, LENGTHS, STATIONS, SUPPORT = range(4)


@dataclass(frozen=True)
class InstallationErrors:
    """Errors of one installed line [m].

    Attributes
    ----------
    heights, lengths, stations : sequence of float (dropper,)
        Of the contact wire at the droppers, of the droppers as cut, and of the places where they hang; empty without.
    support : float
        Of the encumbrance.
    """

    heights: Errors = ()
    lengths: Errors = ()
    stations: Errors = ()
    support: float = 0.0


def standard_errors(seed: int, sample: int, droppers: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standard normal errors of heights and of lengths, float arrays (dropper,) [-]."""
    return _normal(seed, sample, HEIGHTS, droppers), _normal(seed, sample, LENGTHS, droppers)


def _normal(seed: int, sample: int, kind: int, count: int) -> NDArray[np.float64]:
    return np.random.default_rng([seed, sample, kind]).standard_normal(count)


def drawn_errors(spec: InstallationSpec, sample: int, droppers: int) -> InstallationErrors:
    """Draw the errors of one sample, the first being 0."""

    def drawn(kind: int, sd_mm: float, count: int) -> NDArray[np.float64]:
        return 1e-3 * sd_mm * _normal(spec.seed, sample, kind, count)

    return InstallationErrors(
        heights=drawn(HEIGHTS, spec.height_sd_mm, droppers),
        lengths=drawn(LENGTHS, spec.length_sd_mm, droppers),
        stations=drawn(STATIONS, spec.station_sd_mm, droppers),
        support=float(drawn(SUPPORT, spec.support_sd_mm, 1)[0]),
    )


def installed(line: Equilibrium, errors: InstallationErrors) -> Equilibrium:
    """Form-finding of a line, found already as it should be, that is installed with errors.

    Where the line, or the one with wrong heights, has no equilibrium, that one comes back: there are no lengths to cut.

    Raises
    ------
    ValueError
        If a height, length or station leaves the range that a Spec allows.
    """
    found = line
    if np.any(errors.heights) and _sound(found):
        by_heights = line.spec.droppers.prescribed == "heights"
        spec = line.spec if by_heights else _by_heights(line)
        found = nearest_heights(periodic_equilibrium(_moved(spec, contact_wire_heights=errors.heights)))
    if (np.any(errors.lengths) or np.any(errors.stations) or errors.support) and _sound(found):
        # elements are counted by the metre: the line keeps those that it has without errors
        found = periodic_equilibrium(_cut(found, errors), like=line.mesh)
    return found


def installed_near(
    base: Equilibrium, near: Sequence[Equilibrium], errors: InstallationErrors
) -> tuple[Equilibrium, ...]:
    """Lines a small step from one that is known as it is installed (``base``), with its errors.

    In the plane to first order, as derivatives want them, where heights are right: of a wrong height that hangs no
    dropper the nearest one that does is taken, line by line.
    """
    if np.any(errors.heights):
        return tuple(installed(line, errors) for line in near)
    return neighbouring_equilibria(base, [_cut(line, errors) for line in near], first_order=True)


def _cut(line: Equilibrium, errors: InstallationErrors) -> CatenarySpec:
    """Line whose droppers are cut and clamped, and whose messenger wire hangs, with errors."""
    cut = _moved(prescribed_by_lengths(line), lengths=errors.lengths, positions=errors.stations)
    return cut.with_changes(encumbrance=cut.encumbrance + errors.support) if errors.support else cut


def _by_heights(line: Equilibrium) -> CatenarySpec:
    """Describe a line by the heights that its droppers are cut for: those of the new wire where it is worn."""
    section = line.spec.section
    if section is None or not section.wear:
        return prescribed_by_heights(line)
    new = prescribed_by_heights(periodic_equilibrium(as_designed(line.spec)))
    return new.model_copy(update={"section": section})


def _sound(found: Equilibrium) -> bool:
    return found.status is EquilibriumStatus.OK


def _moved(line: CatenarySpec, **errors: Errors) -> CatenarySpec:
    content: dict[str, Any] = line.model_dump()
    droppers = content["droppers"]
    for key, error in errors.items():
        if np.any(error):
            droppers[key] = tuple(float(value + e) for value, e in zip(droppers[key], error, strict=True))
    return CatenarySpec.model_validate(content)
