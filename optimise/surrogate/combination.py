"""How an objective is made of the standard deviation in several scenarios, for models of its logarithm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimise.evaluation.scenarios import ScenarioSet
from optimise.spec.objective_names import name_parts

__all__ = ["Combination"]

Floats = NDArray[np.float64]

# of scenarios that are all alike [N]
LEAST_SPREAD = 1.0e-9


@dataclass(frozen=True)
class Combination:
    """How the objective is made of sigma in the scenarios.

    Attributes
    ----------
    shares : float array (scenario,)
        Weight of each scenario; 0 where the objective is not of it [-].
    how : str
        "mean", "worst" or "mean_plus_std".
    deviations : float
        Deviations that are added to the mean [-].
    """

    shares: Floats
    how: str = "mean"
    deviations: float = 0.0

    @classmethod
    def of(cls, name: str, scenarios: ScenarioSet | None) -> Combination:
        """That of an objective by its name."""
        if scenarios is None:
            return cls(np.ones(1))
        parts = name_parts(name)
        shares = np.where(scenarios.under(parts.marks), scenarios.weights, 0.0)
        return cls(shares, parts.combine or scenarios.spec.combine, scenarios.spec.std_factor)

    def logs(self, mean: Floats, deviation: Floats) -> tuple[Floats, Floats, Floats]:
        """Logarithm of the objective, its deviation, and the share of each scenario in a change of it.

        Of sigma's logarithm and its deviation, of all scenarios at once, (point, scenario).
        """
        sigma, share = np.exp(mean), self.shares / self.shares.sum()
        if self.how == "worst":
            rates = np.zeros_like(sigma)
            rates[np.arange(len(sigma)), np.where(self.shares > 0.0, sigma, -np.inf).argmax(1)] = 1.0
            value = (rates * sigma).sum(1)
        else:
            value, rates = sigma @ share, np.tile(share, (len(sigma), 1))
            if self.how == "mean_plus_std":
                away = sigma - value[:, None]
                spread = np.sqrt(away**2 @ share)[:, None]
                rates = rates * (1.0 + self.deviations * away / np.maximum(spread, LEAST_SPREAD))
                value = value + self.deviations * spread[:, 0]
        part = rates * sigma / value[:, None]
        return np.log(value), np.abs(part * deviation).sum(1), part
