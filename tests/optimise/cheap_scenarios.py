"""Figures of a design in scenarios that cost next to nothing, in a module that worker processes can import."""

import numpy as np
from cheap_evaluation import bowl

from dynamics.contact_force.statistics import ContactStatistics
from optimise.evaluation.outcome import Outcome
from optimise.evaluation.robust import combined


def bowl_in_scenarios(task, setting):
    """Its bowl, at each speed with another place of its lowest point: what is good at one is not at another."""
    plain, scenarios = bowl(task, setting), setting.scenarios
    heights = np.array(task.catenary.droppers.contact_wire_heights)
    found = []
    for number in range(len(scenarios.labels)):
        condition = scenarios.conditions[number // scenarios.samples]
        lowest = 0.01 * (condition.case.speed_kmh - 290.0) / 30.0
        sigma = 30.0 + float(((1e2 * (heights - lowest)) ** 2).sum()) + 0.1 * (number % scenarios.samples)
        statistics = ContactStatistics(
            contact_force_mean_N=157.3,
            contact_force_std_N=sigma,
            contact_force_std_0_5Hz_N=0.8 * sigma,
            contact_force_std_5_20Hz_N=0.6 * sigma,
            contact_force_max_N=157.3 + 2.5 * sigma,
            contact_force_min_N=157.3 - 2.0 * sigma,
            contact_force_statistical_max_N=157.3 + 3.0 * sigma,
            contact_force_statistical_min_N=157.3 - 3.0 * sigma,
            contact_loss_percent=0.0,
            max_uplift_at_supports_mm=plain.statistics["max_uplift_at_supports_mm"],
            contact_point_range_mm=50.0,
        )
        found.append((dict(vars(statistics)), 150.0))
    assert isinstance(plain, Outcome)
    return combined(task.number, found, (20.0, 20.0), setting)
