"""Contact wire as a taut string between supports: heights from dropper loads, to scale variables by.

Droppers at stations x lift the wire by F - W beyond its weight: T times the kink of the wire at each of them.
With independent heights almost every design would hang a dropper slack (20 mm of zigzag at 6 m spacing and 22
kN is 150 N, twice a dropper's load), so the variables change the loads, and the heights follow. Form-finding
has the last word.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catenary.spec.line import CatenarySpec

__all__ = ["height_per_load", "nominal_loads", "shortest_dropper"]

GRAVITY = 9.81
# clamps of droppers nearer to each other than this are one [m]
ONE_CLAMP = 1.0e-6


def height_per_load(line: CatenarySpec, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights of one half of the droppers for unit loads on symmetric pairs [m/N], shape (half, half).

    The half counts the dropper at mid-span, if there is one; it is a pair by itself.
    """
    n = len(x)
    half = (n + 1) // 2
    pairs = np.zeros((n, half))
    pairs[np.arange(half), np.arange(half)] = 1.0
    pairs[n - 1 - np.arange(half), np.arange(half)] = 1.0
    return np.asarray(np.linalg.solve(_of_contact_wire(line, x), pairs), dtype=np.float64)[:half]


def nominal_loads(line: CatenarySpec) -> NDArray[np.float64]:
    """Static force of each dropper at its contact-wire clamp [N], shape (dropper,)."""
    droppers = line.droppers
    x, z = np.asarray(droppers.positions), np.asarray(droppers.contact_wire_heights)
    weight = GRAVITY * 0.5 * line.contact_wire.together.mass_per_length * np.sum(_gaps(line.supports, x), axis=0)
    return weight + GRAVITY * droppers.clamp_mass_contact_wire + _of_contact_wire(line, x) @ z


def shortest_dropper(line: CatenarySpec) -> float:
    """Length of the shortest dropper between the wires as taut strings [m]; a stitch wire is left out.

    The wire above carries its own weight and the droppers' loads; where a load would be negative, none. An auxiliary
    wire is held where its main droppers stand.
    """
    droppers, own, above = line.droppers, line.auxiliary_wire, line.messenger_wire.together
    x, z, loads = np.asarray(droppers.positions), np.asarray(droppers.contact_wire_heights), nominal_loads(line)
    wire, held, height = above, line.supports, line.encumbrance
    if own is not None:
        main = own.droppers.positions
        wire, held, height = own, (main[-1] - line.period, *main, main[0] + line.period), own.encumbrance
        apart = np.abs(x[:, None] - np.asarray(main)).min(axis=1) > ONE_CLAMP
        if not apart.any():
            return float(np.min(height - z))
        x, z, loads = x[apart], z[apart], loads[apart]
    weight = 0.5 * wire.mass_per_length * np.sum(_gaps(held, x), axis=0) + droppers.clamp_mass_messenger_wire
    loads = np.maximum(loads, 0.0) + GRAVITY * weight
    # heights are those of the line as strung, and so are the tensions, whatever the line's temperature
    sag = np.asarray(np.linalg.solve(_stiffness(held, x, wire.tension), loads))
    return float(np.min(height - sag - z))


def _of_contact_wire(line: CatenarySpec, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Loads at the droppers for unit heights of the contact wire [N/m], which supports hold."""
    return _stiffness(line.supports, x, line.contact_wire.together.tension)


def _stiffness(held: Sequence[float], x: NDArray[np.float64], pull: float) -> NDArray[np.float64]:
    """Loads at the droppers for unit heights [N/m] of a wire of a tension [N] that is held at stations [m]."""
    before, beyond = _gaps(held, x)
    inner = np.where(np.diff(np.searchsorted(held, x)) == 0, pull / beyond[:-1], 0.0)
    return np.diag(pull / before + pull / beyond) - np.diag(inner, 1) - np.diag(inner, -1)


def _gaps(held: Sequence[float], x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distances from every dropper to the dropper or held station before it, and to the one beyond it [m]."""
    points = np.sort(np.concatenate([held, x]))
    at = np.searchsorted(points, x)
    return x - points[at - 1], points[at + 1] - x
