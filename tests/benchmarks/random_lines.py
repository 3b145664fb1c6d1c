"""Random designs near a line, the same at every call."""

import numpy as np

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from dynamics.spec.static_status import static_status
from dynamics.spec.status import Status

SEED = 2015
SPACING_SD, HEIGHT_SD, LEAST_SPACING = 0.6, 0.012, 2.0


def random_designs(nominal, count):
    """Lines with droppers moved and heights changed at random, symmetric about mid-span, none slack at rest."""
    rng = np.random.default_rng(SEED)
    x, z = np.array(nominal.droppers.positions), np.array(nominal.droppers.contact_wire_heights)
    half = len(x) // 2
    found, drawn = [], 0
    while len(found) < count:
        drawn += 1
        move, lift = np.zeros(len(x)), rng.normal(0.0, HEIGHT_SD, len(x))
        move[:half] = rng.normal(0.0, SPACING_SD, half)
        move[-half:] = -move[:half][::-1]
        lift[-half:] = lift[:half][::-1]
        line = nominal.model_dump()
        stations = x + move
        around = np.concatenate([[stations[-1] - nominal.span_length], stations])
        if np.diff(around).min() < LEAST_SPACING:
            continue
        line["droppers"] |= {"positions": tuple(stations), "contact_wire_heights": tuple(z + lift)}
        design = CatenarySpec.model_validate(line)
        if static_status(periodic_equilibrium(design)) is Status.OK:
            found.append(design)
    return found, drawn
