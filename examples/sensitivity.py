"""Which inputs the standard deviation of the contact force depends on: shares of its variance by Sobol's indices."""

from typing import Any

from matplotlib.figure import Figure

import optimise

RANGES = {
    "contact.stiffness": {"low": 20e3, "high": 200e3, "spacing": "log"},  # N/m
    "catenary.damping.alpha": {"low": 0.01, "high": 0.1},  # 1/s
    "catenary.contact_wire.tension": {"low": 26.19e3, "high": 27.81e3},  # N
    "pantograph.masses.0": {"low": 6.4, "high": 7.8},  # kg
}


def main(samples: int = 256, **how: Any) -> str:
    """Evaluate the points and name the input with the largest share of the variance."""
    study = {"methods": ["sobol"], "sobol": {"samples": samples}}
    data = optimise.sensitivity("re330", "dsa380", 300, RANGES, study=study, **how)
    total = data.sobol_total.isel(output=0).assign_coords(input=data.input)
    for name, share in zip(total.input.values, total.values, strict=True):
        print(f"{name:<32} {100 * share:5.1f} %")
    figure = Figure(layout="constrained")
    figure.subplots().barh(total.input.values, 100 * total.values)
    figure.supxlabel("share of the variance, alone and with others [%]")
    figure.savefig("shares.png")
    return str(total.idxmax("input").item())


if __name__ == "__main__":
    main()
