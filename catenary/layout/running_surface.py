"""Heights of a contact wire's running surface on an even grid: measured and drawn profiles and kinks, added up.

A drawn profile is h(x) = sum_k sqrt(2 G(n_k) dn) cos(2 pi n_k x + phi_k) with wavenumbers n_k, spaced by dn, from the
longest to the shortest wave, and phases phi_k even in 0 to 2 pi: its density is G, and its mean square the integral.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from catenary.layout.along_contact_wire import worn_depth
from catenary.spec.attached.wear import WearSpec
from catenary.spec.components import WireSpec
from catenary.spec.running_surface.surface import IrregularitySpec, KinkSpec, ProfileSpec, at_both_ends
from catenary.spec.section import SectionSpec

__all__ = ["STEP", "drawn_heights", "spectral_density", "surface_of", "surface_of_period"]

RAMP = 1.0  # from the full wire to the worn one [m]
EASED = 5.0  # beyond the ends of a measured profile, over which its surface comes back to the smooth wire's [m]
STEP = 0.02  # of the grid, at most [m]; a fifth of the shortest wave that may be asked for


def surface_of(
    section: SectionSpec | None, contact_wire: WireSpec, wire: int, ends: tuple[float, float]
) -> NDArray[np.float64]:
    """Heights of the running surface of a line's contact wire over the smooth wire on a grid (station,) [m].

    Parameters
    ----------
    section : SectionSpec or None
    contact_wire : WireSpec
        What the wire is made of: how deep a share of its section reaches.
    wire : int
        Number of its tension section.
    ends : (float, float)
        Stations of its ends, where the grid begins and ends [m].

    Returns
    -------
    float array
        Empty where the surface is smooth.
    """
    begin, end = ends
    if section is None or not (section.profiles or section.kinks or section.irregularity or section.wear):
        return np.zeros(0)
    names = [own.name for own in section.tension_sections]
    name = names[wire] if names else None
    x = np.linspace(begin, end, math.ceil((end - begin) / STEP) + 1)
    found = np.zeros(len(x))
    for profile in section.profiles:
        if profile.section == name:
            found += _measured(profile, x)
    for kink in section.kinks:
        if kink.section in (None, name):
            found += _bend(kink, x)
    found += _worn([wear for wear in section.wear if wear.section == name], contact_wire, x)
    if section.irregularity is not None:
        found += drawn_heights(section.irregularity, wire, x)
    return found


def surface_of_period(
    section: SectionSpec | None, contact_wire: WireSpec, period: float, x: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Heights of the running surface of a line that repeats over the smooth wire at stations (station,) [m].

    A bend near a support where the period [m] ends reaches into the next one, and one that is given at both ends is one
    bend; a wire that is worn everywhere has no ramps.
    """
    found = np.zeros(len(x))
    if section is None:
        return found
    again = {end for _, end in at_both_ends(section.kinks, period)}
    for kink in (each for k, each in enumerate(section.kinks) if k not in again):
        found += _bend(kink, kink.station + np.remainder(x - kink.station + 0.5 * period, period) - 0.5 * period)
    return found + _worn(section.wear, contact_wire, np.remainder(x, period), period)


def _measured(profile: ProfileSpec, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cubic spline through the points; beyond them half a cosine back to zero: a step would be a blow to the head."""
    first, last = profile.stations[0], profile.stations[-1]
    heights = CubicSpline(profile.stations, profile.heights)(np.clip(x, first, last))
    beyond = np.clip(np.maximum(first - x, x - last) / EASED, 0.0, 1.0)
    return np.asarray(heights * 0.5 * (1.0 + np.cos(np.pi * beyond)))


def _bend(kink: KinkSpec, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Raised cosine over the length of a kink."""
    s = np.clip((x - kink.station) / kink.length, -0.5, 0.5)
    return 0.5 * kink.height * (1.0 + np.cos(2.0 * np.pi * s))


def _worn(
    stretches: Sequence[WearSpec], contact_wire: WireSpec, x: NDArray[np.float64], period: float = math.inf
) -> NDArray[np.float64]:
    """Depth of worn stretches of a wire (station,) [m]: half a cosine to either end, over 1 m or a third of a stretch.

    Where another stretch follows, in the same period [m] or from one to the next, to the depth of the shallower one.
    """
    found, depths = np.zeros(len(x)), [worn_depth(wear, contact_wire) for wear in stretches]

    def beyond(end: float, others: list[float], own: float) -> float:
        there = [d for other, d in zip(others, depths, strict=True) if abs(math.remainder(end - other, period)) < 1e-9]
        return min(there[0], own) if there else 0.0

    for wear, depth in zip(stretches, depths, strict=True):
        ends = (
            beyond(wear.begin, [other.end for other in stretches], depth),
            beyond(wear.end, [other.begin for other in stretches], depth),
        )
        ramp, own = min(RAMP, (wear.end - wear.begin) / 3.0), np.full(len(x), depth)
        for s, there in zip((x - wear.begin, wear.end - x), ends, strict=True):
            own -= 0.5 * (depth - there) * (1.0 + np.cos(np.pi * np.clip(s / ramp, 0.0, 1.0)))
        found += np.where((x >= wear.begin) & (x < wear.end), own, 0.0)
    return found


def spectral_density(spec: IrregularitySpec, n: NDArray[np.float64]) -> NDArray[np.float64]:
    """One-sided density of the heights [m^3] at wavenumbers [1/m]; its integral over all of them is rms^2."""
    low, high, w = 1.0 / spec.longest, 1.0 / spec.shortest, spec.exponent
    whole = math.log(high / low) if w == 1.0 else (high ** (1.0 - w) - low ** (1.0 - w)) / (1.0 - w)
    inside = (n >= low) & (n <= high)
    return np.where(inside, spec.rms**2 / whole * np.where(inside, n, 1.0) ** -w, 0.0)


def drawn_heights(spec: IrregularitySpec, wire: int, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights that a spectrum and a seed give on an even grid [m]; each wire has its own.

    The waves repeat after twice the grid, of which it is the first half.
    """
    count, step = 2 * len(x), float(x[1] - x[0])
    n = np.asarray(np.fft.rfftfreq(count, step), dtype=np.float64)
    phase = np.random.default_rng([spec.seed, wire]).uniform(0.0, 2.0 * np.pi, len(n))
    amplitude = np.sqrt(2.0 * spectral_density(spec, n) * n[1])
    return np.fft.irfft(0.5 * count * amplitude * np.exp(1j * phase), count)[: len(x)]
