"""Mean contact force that a line is designed for at a given speed, when none is asked for."""

from __future__ import annotations

__all__ = ["reference_mean_force"]

SPEED_LIMIT_KMH = 200.0


def reference_mean_force(speed_kmh: float) -> float:
    """Target mean contact force of an AC line [N], a parabola in the speed [km/h].

    Above 200 km/h it is 0.00097 v^2 + 70 N, the curve of the European interoperability rules that the 2015
    benchmark prescribes (seen in a public source); up to 200 km/h 0.00047 v^2 + 90 N (recalled from the same
    rules). Both give 108.8 N at 200 km/h.
    """
    if speed_kmh > SPEED_LIMIT_KMH:
        return 0.00097 * speed_kmh**2 + 70.0
    return 0.00047 * speed_kmh**2 + 90.0
