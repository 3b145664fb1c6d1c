"""A design that is good over a band of speeds, and not at one: the mean of three standard deviations is lowest."""

from typing import Any

from matplotlib.figure import Figure

import catenary
import optimise

SPEEDS = [280.0, 300.0, 320.0]


def main(trials: int = 60, **how: Any) -> float:
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
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    for label, line in (("as published", catenary.load_line("re330")), ("best", found.best.line)):
        axes.plot(line.droppers.positions, [1e3 * h for h in line.droppers.contact_wire_heights], "o-", label=label)
    axes.set(xlabel="station [m]", ylabel="contact-wire height [mm]")
    axes.legend()
    figure.savefig("heights.png")
    return found.gain_percent


if __name__ == "__main__":
    main()
