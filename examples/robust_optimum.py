"""A design that is good over a band of speeds, and not at one: the mean of three standard deviations is lowest."""

from typing import Any

import optimise

SPEEDS = [280.0, 300.0, 320.0]


def main(trials: int = 200, **how: Any) -> float:
    """Search over three speeds; returns the gain on the nominal line [%], negative."""
    found = optimise.campaign(
        "re330",
        "dsa380",
        speed_kmh=300,
        design="heights",
        trials=trials,
        scenarios={"speeds_kmh": SPEEDS, "combine": "mean"},
        **how,
    )
    print(found)
    print(found.best.line.droppers.contact_wire_heights)
    return found.gain_percent


if __name__ == "__main__":
    main()
