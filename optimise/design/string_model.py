"""Contact wire as a taut string between supports: heights from dropper loads, to scale variables by.

Droppers at stations x lift the wire by F - W beyond its weight: T times the kink of the wire at each of them.
With independent heights almost every design would hang a dropper slack (20 mm of zigzag at 6 m spacing and 22
kN is 150 N, twice a dropper's load), so the variables change the loads, and the heights follow. Form-finding
has the last word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.spec.line import CatenarySpec

__all__ = ["height_per_load", "nominal_loads", "shortest_dropper"]

GRAVITY = 9.81


def height_per_load(line: CatenarySpec, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights of one half of the droppers for unit loads on symmetric pairs [m/N], shape (half, half).

    The half counts the dropper at mid-span, if there is one; it is a pair by itself.
    """
    n = len(x)
    half = (n + 1) // 2
    pairs = np.zeros((n, half))
    pairs[np.arange(half), np.arange(half)] = 1.0
    pairs[n - 1 - np.arange(half), np.arange(half)] = 1.0
    return np.asarray(np.linalg.solve(_stiffness(line, x), pairs), dtype=np.float64)[:half]


def nominal_loads(line: CatenarySpec) -> NDArray[np.float64]:
    """Static force of each dropper at its contact-wire clamp [N], shape (dropper,)."""
    droppers = line.droppers
    x, z = np.asarray(droppers.positions), np.asarray(droppers.contact_wire_heights)
    weight = GRAVITY * 0.5 * line.contact_wire.mass_per_length * np.sum(_gaps(line, x), axis=0)
    return weight + GRAVITY * droppers.clamp_mass_contact_wire + _stiffness(line, x) @ z


def shortest_dropper(line: CatenarySpec) -> float:
    """Length of the shortest dropper between the wires as taut strings [m]; a stitch wire is left out.

    The messenger wire carries its own weight and the droppers' loads; where a load would be negative, none.
    """
    droppers, messenger = line.droppers, line.messenger_wire
    x, z = np.asarray(droppers.positions), np.asarray(droppers.contact_wire_heights)
    weight = 0.5 * messenger.mass_per_length * np.sum(_gaps(line, x), axis=0) + droppers.clamp_mass_messenger_wire
    loads = np.maximum(nominal_loads(line), 0.0) + GRAVITY * weight
    sag = np.asarray(np.linalg.solve(_stiffness(line, x, messenger.tension), loads))
    return float(np.min(line.encumbrance - sag - z))


def _stiffness(line: CatenarySpec, x: NDArray[np.float64], tension: float | None = None) -> NDArray[np.float64]:
    """Loads at the droppers for unit heights [N/m]; the wire, if not said the contact wire, is held at the supports."""
    pull = tension or line.contact_wire.tension
    before, beyond = _gaps(line, x)
    inner = np.where(np.diff(np.searchsorted(line.supports, x)) == 0, pull / beyond[:-1], 0.0)
    return np.diag(pull / before + pull / beyond) - np.diag(inner, 1) - np.diag(inner, -1)


def _gaps(line: CatenarySpec, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distances from every dropper to the support or dropper before it, and to the one beyond it [m]."""
    points = np.sort(np.concatenate([line.supports, x]))
    at = np.searchsorted(points, x)
    return x - points[at - 1], points[at + 1] - x
