"""Constraints of a design: normalised violations g, feasible when every g <= 0.

Uplift: g = u / (f u_nominal) - 1. Static dropper force: g = 1 - F_min / F_limit. Contact loss: g = (l -
l_limit) / 1 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimise.spec.campaign import LimitsSpec

__all__ = [
    "CONSTRAINTS",
    "Reference",
    "feasible",
    "force_of_share",
    "force_violation",
    "sampler_value",
    "total_violation",
    "violations",
]

CONSTRAINTS = {
    "g_uplift": "uplift at the supports over its limit, less one",
    "g_static_dropper_force": "one less the smallest static dropper force over its limit",
    "g_contact_loss": "contact loss above its limit, per percentage point",
}


@dataclass(frozen=True)
class Reference:
    """What the nominal line gives: standard deviation [N] and largest uplift at the supports [mm]."""

    sigma_N: float
    uplift_mm: float


def force_violation(smallest_force: float, limits: LimitsSpec) -> float:
    """Violation of the limit on the static dropper force [-]; beyond 1 a dropper is slack at rest."""
    return 1.0 - smallest_force / limits.static_dropper_force


def force_of_share(forces: NDArray[np.float64], share: float) -> float:
    """Largest force [N] that at least a share [-] of the lines hold, from the least force of each (line,)."""
    needed = math.ceil(share * forces.size - 1.0e-9)
    return float(np.sort(forces)[forces.size - needed])


def violations(
    statistics: Mapping[str, float], smallest_force: float, limits: LimitsSpec, reference: Reference
) -> dict[str, float]:
    """Every violation by name [-], in the order of `CONSTRAINTS`."""
    uplift_limit = limits.uplift_factor * reference.uplift_mm
    return {
        "g_uplift": statistics["max_uplift_at_supports_mm"] / uplift_limit - 1.0,
        "g_static_dropper_force": force_violation(smallest_force, limits),
        "g_contact_loss": statistics["contact_loss_percent"] - limits.contact_loss_percent,
    }


def feasible(g: Mapping[str, float]) -> bool:
    """Whether a design holds every limit."""
    return all(value <= 0.0 for value in g.values())


def total_violation(g: Mapping[str, float]) -> float:
    """Sum of what a design breaks its limits by [-], zero when it is feasible."""
    return sum(max(0.0, value) for value in g.values())


def sampler_value(sigma: float | None, g: Mapping[str, float], sigma_reference: float) -> float:
    """Standard deviation as given to a sampler that ignores constraints [N].

    The standard deviation itself when the design is feasible, else sigma_ref (1 + sum max(0, g)): the same
    scale, rising with the violation, defined where a dropper is slack at rest and nothing was run.
    """
    if sigma is not None and feasible(g):
        return sigma
    return sigma_reference * (1.0 + total_violation(g))
