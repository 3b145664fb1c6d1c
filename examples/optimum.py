"""Heights and stations of a line's droppers that even out the contact force, within the limits of a campaign."""

from typing import Any

import dynamics
import optimise


def main(trials: int = 100, **how: Any) -> float:
    """Search, or resume the search; returns the gain on the nominal line [%], negative."""
    found = optimise.campaign("re330", "dsa380", speed_kmh=300, design="both", trials=trials, **how)
    print(found)
    found.best.save("best.yaml")
    run = dynamics.simulate(found.best.line, "dsa380", speed_kmh=300, error_estimate=False)
    print(f"by the numerics of a single run: {run}")
    run.plot().savefig("best.png")
    return found.gain_percent


if __name__ == "__main__":
    main()
