"""A contact force held against what the standards ask of it: EN 50367 and EN 50119, recalled, texts not at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from catenary.spec.line import Mark
from dynamics.contact_force.statistics import ContactStatistics
from dynamics.spec.mean_force import SPEED_LIMIT_KMH, Supply, reference_mean_force

__all__ = ["Criterion", "assess"]

# a held mean force is met to this [N]
MEAN_TOLERANCE = 0.1
LARGEST_RELATIVE_DEVIATION = 0.3
LOSS_SPEED_LIMIT_KMH = 250.0


@dataclass(frozen=True)
class Criterion:
    """One thing that a standard asks of a contact force.

    Attributes
    ----------
    name : str
        Statistic of summary.json that is assessed, unit included.
    value, limit : float
        In that unit.
    sense : str
        'at most' or 'above'.
    met : bool
        Whether the value keeps the limit.
    source : str
        Where the limit stands.
    provenance : str
        How the limit is known: s seen in a public source, r recalled.
    """

    name: str
    value: float
    limit: float
    sense: Literal["at most", "above"]
    met: bool
    source: str
    provenance: Mark


def assess(statistics: ContactStatistics, speed_kmh: float, supply: Supply) -> tuple[Criterion, ...]:
    """Assess the statistics of one pantograph at a speed [km/h] under a supply system.

    Mean at most the target, sigma at most 0.3 of the mean, maximum at most 300 N up to 200 km/h and above it 350 N (AC)
    or 400 N (DC), minimum above zero, loss at most 0.1 % up to 250 km/h and 0.2 % above. The rules limit measured
    arcing; computed loss of contact stands for it here.
    """
    mean = statistics.contact_force_mean_N
    fast = speed_kmh > SPEED_LIMIT_KMH
    target = reference_mean_force(speed_kmh, supply)
    largest = (350.0 if supply == "ac" else 400.0) if fast else 300.0
    loss = 0.2 if speed_kmh > LOSS_SPEED_LIMIT_KMH else 0.1
    known: Mark = "s" if supply == "ac" and fast else "r"

    def at_most(name: str, limit: float, source: str, provenance: Mark = "r", tolerance: float = 0.0) -> Criterion:
        value = float(getattr(statistics, name))
        return Criterion(name, value, limit, "at most", value <= limit + tolerance, source, provenance)

    low = statistics.contact_force_min_N
    return (
        at_most("contact_force_mean_N", target, "EN 50367, mean force", known, MEAN_TOLERANCE),
        at_most("contact_force_std_N", LARGEST_RELATIVE_DEVIATION * mean, "EN 50367, 0.3 of the mean"),
        at_most("contact_force_max_N", largest, "EN 50119, largest force"),
        Criterion("contact_force_min_N", low, 0.0, "above", low > 0.0, "EN 50119, smallest force", "r"),
        at_most("contact_loss_percent", loss, "EN 50367, arcing"),
    )
