"""Constraints of a design: normalised violations g, feasible when every g <= 0.

Uplift: g = u / (f u_nominal) - 1. Static dropper force: g = 1 - F_min / F_limit. Contact loss: g = (l -
l_limit) / 1 %. Blow-off, where that is limited: g = y / y_limit - 1. Standard deviation in each scenario s, where that
is limited: g = max_s (sigma_s / sigma_nominal,s) - 1 - change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimise.spec.campaign import LimitsSpec

__all__ = [
    "BLOWN",
    "BLOW_OFF",
    "CONSTRAINTS",
    "SCENARIO_SIGMA",
    "Reference",
    "constraints_of",
    "feasible",
    "force_of_share",
    "force_violation",
    "sampler_value",
    "scenario_changes",
    "total_violation",
    "violations",
]

CONSTRAINTS = {
    "g_uplift": "uplift at the supports over its limit, less one",
    "g_static_dropper_force": "one less the smallest static dropper force over its limit",
    "g_contact_loss": "contact loss above its limit, per percentage point",
}
# of campaigns that limit them
BLOW_OFF = "blow_off_m"
BLOWN = "g_blow_off"
BLOWN_TEXT = "farthest place of the contact wire on the head in gusts over its limit, less one"
SCENARIO_SIGMA = "g_scenario_sigma"
SCENARIO_SIGMA_TEXT = "largest change of sigma against the nominal line in the same scenario, less its limit"


@dataclass(frozen=True)
class Reference:
    """What the nominal line gives: standard deviation [N] and largest uplift at the supports [mm].

    ``scenario_sigma_N`` is the standard deviation in each scenario, none where there is one case.
    """

    sigma_N: float
    uplift_mm: float
    scenario_sigma_N: tuple[float, ...] = ()


def constraints_of(limits: LimitsSpec) -> dict[str, str]:
    """Names of the violations under these limits, and what each is in words."""
    more = {} if limits.blow_off_m is None else {BLOWN: BLOWN_TEXT}
    if limits.scenario_change_percent is not None:
        more[SCENARIO_SIGMA] = SCENARIO_SIGMA_TEXT
    return CONSTRAINTS | more


def scenario_changes(sigma: Sequence[float], reference: Reference) -> NDArray[np.float64]:
    """Change of sigma against the nominal line in each scenario [-], float array (scenario,)."""
    nominal = np.array(reference.scenario_sigma_N or sigma)
    return np.array(sigma) / nominal - 1.0


def force_violation(smallest_force: float, limits: LimitsSpec) -> float:
    """Violation of the limit on the static dropper force [-]; beyond 1 a dropper is slack at rest."""
    return 1.0 - smallest_force / limits.static_dropper_force


def force_of_share(forces: NDArray[np.float64], share: float) -> float:
    """Largest force [N] that at least a share [-] of the lines hold, from the least force of each (line,)."""
    needed = math.ceil(share * forces.size - 1.0e-9)
    return float(np.sort(forces)[forces.size - needed])


def violations(
    statistics: Mapping[str, float],
    smallest_force: float,
    limits: LimitsSpec,
    reference: Reference,
    scenario_sigma: Sequence[float] = (),
) -> dict[str, float]:
    """Every violation by name [-], in the order of `constraints_of`.

    ``scenario_sigma`` is the standard deviation in each scenario [N].
    """
    uplift_limit = limits.uplift_factor * reference.uplift_mm
    change = limits.scenario_change_percent
    of_scenarios: dict[str, float] = {}
    if limits.blow_off_m is not None:
        of_scenarios[BLOWN] = statistics[BLOW_OFF] / limits.blow_off_m - 1.0
    if change is not None:
        of_scenarios[SCENARIO_SIGMA] = float(scenario_changes(scenario_sigma, reference).max()) - 1.0e-2 * change
    return {
        "g_uplift": statistics["max_uplift_at_supports_mm"] / uplift_limit - 1.0,
        "g_static_dropper_force": force_violation(smallest_force, limits),
        "g_contact_loss": statistics["contact_loss_percent"] - limits.contact_loss_percent,
        **of_scenarios,
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
