"""Standard deviation of the contact force over speed and contact stiffness, as an array with labels."""

from typing import Any

from matplotlib.figure import Figure

import optimise


def main(speeds: range = range(200, 341, 20), **how: Any) -> float:
    """Sweep, keep, and find the worst speed; returns it [km/h]."""
    data = optimise.sweep("re330", "dsa380", speed_kmh=speeds, contact={"stiffness": [50e3, 200e3]}, **how)
    sigma = data.contact_force_std_N
    print(sigma.to_pandas().round(2))
    figure = Figure(layout="constrained")
    sigma.plot.line(x="speed_kmh", marker="o", ax=figure.subplots())
    figure.savefig("sweep.png")
    data.drop_vars(["status", "message"]).to_netcdf("sweep.nc")
    return float(sigma.sel(contact_stiffness=50e3).idxmax("speed_kmh"))


if __name__ == "__main__":
    main()
