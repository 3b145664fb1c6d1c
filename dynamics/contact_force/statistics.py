"""Statistics of the contact force as the standards define them."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.contact_force.filters import filter_periodic, filter_record
from dynamics.spec.case import SignalSpec

__all__ = [
    "ContactStatistics",
    "FilteredForce",
    "ForceStatistics",
    "contact_statistics",
    "filter_force",
    "force_statistics",
]


@dataclass(frozen=True)
class ForceStatistics:
    """Statistics of a contact force over whole spans; names carry their units.

    Forces are filtered (20 Hz unless the run says otherwise), the loss is that of the raw force, and statistical
    extremes are mean +- 3 sigma. The squares of the two bands' deviations add up to the whole's only roughly, since
    the filters overlap.
    """

    contact_force_mean_N: float
    contact_force_std_N: float
    contact_force_std_0_5Hz_N: float
    contact_force_std_5_20Hz_N: float
    contact_force_max_N: float
    contact_force_min_N: float
    contact_force_statistical_max_N: float
    contact_force_statistical_min_N: float
    contact_loss_percent: float

    def __repr__(self) -> str:
        """Say mean, standard deviation, range and loss."""
        return (
            f"<statistics: contact force {self.contact_force_mean_N:.2f} N, standard deviation "
            f"{self.contact_force_std_N:.2f} N, {self.contact_force_min_N:.1f} to {self.contact_force_max_N:.1f} N, "
            f"loss {self.contact_loss_percent:.2f} %>"
        )


@dataclass(frozen=True, repr=False)
class ContactStatistics(ForceStatistics):
    """Statistics over whole spans of what a solver knows; the uplift is relative to the static height."""

    max_uplift_at_supports_mm: float
    contact_point_range_mm: float


@dataclass(frozen=True)
class FilteredForce:
    """Contact force in the published bands, float arrays (time,) [N]."""

    whole: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def filter_force(force: NDArray[np.float64], dt: float, signal: SignalSpec, *, periodic: bool) -> FilteredForce:
    """Filter a raw contact force [N] into the whole band, 0 to 5 Hz and 5 Hz to the cut-off."""
    run = filter_periodic if periodic else filter_record
    top, kind = signal.cutoff_hz, signal.kind
    return FilteredForce(run(force, dt, 0.0, top, kind), run(force, dt, 0.0, 5.0, kind), run(force, dt, 5.0, top, kind))


def force_statistics(raw: NDArray[np.float64], filtered: FilteredForce) -> ForceStatistics:
    """Form the statistics of a raw contact force [N] and of the same force filtered."""
    force = filtered.whole
    mean, std = float(force.mean()), float(force.std())
    return ForceStatistics(
        contact_force_mean_N=mean,
        contact_force_std_N=std,
        contact_force_std_0_5Hz_N=float(filtered.low.std()),
        contact_force_std_5_20Hz_N=float(filtered.high.std()),
        contact_force_max_N=float(force.max()),
        contact_force_min_N=float(force.min()),
        contact_force_statistical_max_N=mean + 3.0 * std,
        contact_force_statistical_min_N=mean - 3.0 * std,
        contact_loss_percent=float(100.0 * np.mean(raw <= 0.0)),
    )


def contact_statistics(
    raw: NDArray[np.float64],
    filtered: FilteredForce,
    height: NDArray[np.float64],
    max_uplift: float,
) -> ContactStatistics:
    """Form the statistics of evaluated spans.

    Parameters
    ----------
    raw, height : float array (time,)
        Raw contact force [N] and contact-point height [m].
    filtered : FilteredForce
        The same times.
    max_uplift : float
        Largest uplift at the supports of the evaluated spans [m].
    """
    return ContactStatistics(
        **asdict(force_statistics(raw, filtered)),
        max_uplift_at_supports_mm=float(1e3 * max_uplift),
        contact_point_range_mm=float(1e3 * (height.max() - height.min())),
    )
