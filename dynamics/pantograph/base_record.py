"""Motion of the train's roof over a run: as recorded, or drawn by a seed from the spectrum of a body on its springs.

Legend: f frequency [Hz], f0 the body's own, zeta its damping ratio, S one-sided spectrum of the motion [m2/Hz].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.spec.case import CaseSpec
from dynamics.spec.train import RockingSpec

__all__ = ["BaseRecord", "base_record", "drawn_motion", "rocking_spectrum"]

Array = NDArray[np.float64]
STEP = 0.01  # s, between drawn samples
LONGER = 2.0  # what is drawn is cut out of a record so many times as long, which repeats


class BaseRecord(NamedTuple):
    """Times [s], heights and places to the left [m] (time,); no times of a smooth ride."""

    time: Array
    height: Array
    side: Array


def rocking_spectrum(rocking: RockingSpec, f: Array) -> Array:
    """Spectrum of the motion at frequencies f [Hz], one-sided; its integral is the variance [m2/Hz].

    S = sd^2 4 zeta f0^3 / pi / ((f0^2 - f^2)^2 + (2 zeta f0 f)^2), of an oscillator under white noise.
    """
    own, zeta = rocking.frequency_hz, rocking.damping_ratio
    least = (own**2 - f**2) ** 2 + (2.0 * zeta * own * f) ** 2
    return rocking.deviation_m**2 * 4.0 * zeta * own**3 / np.pi / least


def base_record(case: CaseSpec) -> BaseRecord:
    """Motion of the base of a case, for as long as its train runs."""
    wanted, none = case.base_motion, np.zeros(0)
    if wanted is None:
        return BaseRecord(none, none, none)
    if not wanted.drawn:
        time = np.array(wanted.time_s)
        height, side = (
            np.array(values) if values else np.zeros(len(time)) for values in (wanted.height_m, wanted.side_m)
        )
        return BaseRecord(time, height, side)
    time = STEP * np.arange(int(np.ceil(case.run_time / STEP)) + 2, dtype=np.float64)
    rng = np.random.default_rng(wanted.seed)
    return BaseRecord(time, *(drawn_motion(each, len(time), rng) for each in (wanted.drawn_height, wanted.drawn_side)))


def drawn_motion(rocking: RockingSpec | None, samples: int, rng: np.random.Generator) -> Array:
    """Draw samples of one motion [m]; each takes its own numbers from the generator, wanted or not."""
    whole = int(2 ** np.ceil(np.log2(LONGER * samples)))
    f = np.arange(1, whole // 2) / (whole * STEP)
    phases = rng.standard_normal((len(f), 2)) @ np.array([1.0, 1.0j])
    if rocking is None:
        return np.zeros(samples)
    lines = np.zeros(whole // 2 + 1, dtype=np.complex128)
    lines[1 : whole // 2] = 0.5 * whole * np.sqrt(rocking_spectrum(rocking, f) / (whole * STEP)) * phases
    return np.fft.irfft(lines, whole)[:samples]
