"""Your own line from a table of its droppers (stations, contact-wire heights); the rest as bruni_2015 has it."""

from pathlib import Path
from typing import Any

import numpy as np

import catenary
import dynamics

TABLE = Path(__file__).with_name("table.csv")


def main(speed_kmh: float = 250.0, **how: Any) -> float:
    """Run the line, draw and keep it; returns the standard deviation of the contact force [N]."""
    table = np.genfromtxt(TABLE, delimiter=",", names=True)
    line = catenary.load_line("bruni_2015").with_changes(
        name="my60",
        span_length=60.0,
        encumbrance=1.4,
        droppers={"positions": table["station_m"], "contact_wire_heights": 1e-3 * table["height_mm"]},
    )
    run = dynamics.simulate(line, "dsa380", speed_kmh, **how)
    print(run)
    print(f"dropper lengths to cut [m]: {run.solution.equilibrium.dropper_unstretched_length.round(3)}")
    run.plot().savefig("my60.png")
    run.save("my60.nc")
    return run.contact_force_std_N


if __name__ == "__main__":
    main()
