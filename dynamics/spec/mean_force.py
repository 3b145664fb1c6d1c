"""Mean contact force that a line is designed for at a given speed, when none is asked for."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["SUPPLIES", "Supply", "reference_mean_force"]

Supply = Literal["ac", "dc_3kv", "dc_1_5kv"]
SUPPLIES: tuple[Supply, ...] = get_args(Supply)
SPEED_LIMIT_KMH = 200.0
# F = a v^2 + b [N], v in km/h: (a, b) up to 200 km/h, (a, b) above
PARABOLAS: dict[Supply, tuple[tuple[float, float], tuple[float, float]]] = {
    "ac": ((0.00047, 90.0), (0.00097, 70.0)),
    "dc_3kv": ((0.00097, 110.0), (0.00097, 110.0)),
    "dc_1_5kv": ((0.00228, 90.0), (0.00097, 140.0)),
}


def reference_mean_force(speed_kmh: float, supply: Supply = "ac") -> float:
    """Target mean contact force [N] of a supply system, a parabola in the speed [km/h] (EN 50367).

    AC above 200 km/h is 0.00097 v^2 + 70 N, the curve of the European interoperability rules that the 2015
    benchmark prescribes (seen in a public source). All others are recalled from the same rules: the standard's text
    is not at hand. AC has no jump at 200 km/h (108.8 N); DC 1.5 kV, as recalled, falls there from 181.2 to 178.8 N.
    """
    low, high = PARABOLAS[supply]
    a, b = high if speed_kmh > SPEED_LIMIT_KMH else low
    return a * speed_kmh**2 + b
