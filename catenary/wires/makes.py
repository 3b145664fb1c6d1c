"""Contact wires, stranded wires and dropper ropes that are made to a standard: section, mass, stiffness, strength (SI).

Marks say where a value comes from, as those of a line do: s seen in a public data sheet, r recalled from the
literature, d derived from other values, c chosen here.

Contact wires have the nominal sections of EN 50149. Mass is that of the section, 8890 kg/m^3 (d), which is the mean of
the least and the largest mass that the standard allows; E is 120 GPa for copper and copper-silver, 124 GPa for
copper-magnesium (r); EI is 0.9 of that of a solid round of the same area, since the grooves take what lies farthest out
(c: 195 N m^2 are given for a wire of 150 mm^2 of copper, 0.9 of 215). Breaking loads are the least ones of normal
strength copper and high strength copper-silver (s), and 0.97 of tensile strength times section for CuMg0.5 (r).

Stranded wires follow DIN 48201: part 1 of copper (masses and breaking loads: s), part 2 of bronze Bz II in the same
sections (587 N/mm^2: r). E is 120 GPa for copper, 113 GPa for bronze (r). EI is that of a solid round of the same
area, an upper bound, since the wires slide (d).

Droppers hang from a flexible rope of Bz II, 10 mm^2 (7 x 7 x 0.5 mm) or 16 mm^2 (7 x 7 x 0.65 mm). The stiffness of a
dropper is that of the benchmark of 2015, 200 kN/m (c): 1 m of the rope alone would have 1.1 MN/m or more, its loops
less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["MAKES", "Make", "Role"]

Role: TypeAlias = Literal["contact wire", "stranded wire", "dropper rope"]
DENSITY = 8890.0  # kg/m^3
GROOVED = 0.9  # EI of a grooved wire over that of a solid round of its area

# least breaking loads [kN] by nominal section [mm^2] of EN 50149
COPPER = {80: 27.5, 100: 34.5, 107: 36.3, 120: 38.4, 150: 45.1}
COPPER_SILVER = {80: 29.1, 100: 36.4, 107: 37.4, 120: 41.9, 150: 52.2}
# tensile strength [N/mm^2] of CuMg0.5
COPPER_MAGNESIUM = {80: 520.0, 100: 510.0, 107: 500.0, 120: 490.0, 150: 470.0}

# DIN 48201: section [mm^2] and mass [kg/m] by nominal section; breaking load of copper [kN]
STRANDED = {
    16: (15.89, 0.143, 6.37), 25: (24.25, 0.218, 9.72), 35: (34.36, 0.310, 13.77), 50: (49.48, 0.446, 19.84),
    70: (65.81, 0.596, 26.38), 95: (93.27, 0.845, 37.39), 120: (116.99, 1.060, 46.90), 150: (147.11, 1.337, 58.98),
}  # fmt: skip
BRONZE = 587.0  # N/mm^2, Bz II
# section [mm^2] and mass [kg/m] of ropes
ROPES = {10: (9.62, 0.089), 16: (16.26, 0.150)}
DROPPER_STIFFNESS = 200.0e3  # N/m


@dataclass(frozen=True)
class Make:
    """A wire or rope by the name that it is ordered under.

    Attributes
    ----------
    name, standard : str
    role : str
        What it serves as.
    area : float
        Cross-section [m^2].
    strength : float
        Least breaking load [N].
    strength_mark : str
        Where the breaking load comes from.
    values, marks : dict
        Value of each key of a line's block in SI units, and where it comes from.
    """

    name: str
    standard: str
    role: Role
    area: float
    strength: float
    strength_mark: str
    values: dict[str, float]
    marks: dict[str, str]


def _bending(area: float, modulus: float) -> float:
    """EI of a solid round [N m^2] by its area [m^2] and E [Pa]: E A^2 / 4 pi."""
    return modulus * area**2 / (4.0 * math.pi)


def _contact_wires() -> list[Make]:
    made = []
    for material, loads, modulus, mark in (
        ("Cu", COPPER, 120.0e9, "s"),
        ("CuAg", COPPER_SILVER, 120.0e9, "s"),
        ("CuMg", {n: 0.97 * 1e-3 * rm * n for n, rm in COPPER_MAGNESIUM.items()}, 124.0e9, "r"),
    ):
        for nominal, load in loads.items():
            area = 1e-6 * nominal
            values = {
                "mass_per_length": round(DENSITY * area, 4),
                "axial_stiffness": round(modulus * area, 1),
                "bending_stiffness": round(GROOVED * _bending(area, modulus), 1),
            }
            marks = {"mass_per_length": "d", "axial_stiffness": "d", "bending_stiffness": "c"}
            name = f"{material} AC-{nominal}"
            made.append(Make(name, "EN 50149", "contact wire", area, 1e3 * load, mark, values, marks))
    return made


def _stranded() -> list[Make]:
    made = []
    for material, modulus, part in (("BzII", 113.0e9, 2), ("Cu", 120.0e9, 1)):
        for nominal, (section, mass, load) in STRANDED.items():
            area = 1e-6 * section
            values = {
                "mass_per_length": mass,
                "axial_stiffness": round(modulus * area, 0),
                "bending_stiffness": round(_bending(area, modulus), 1),
            }
            marks = {"mass_per_length": "s", "axial_stiffness": "d", "bending_stiffness": "d"}
            strength, mark = (1e3 * load, "s") if material == "Cu" else (BRONZE * section, "r")
            standard = f"DIN 48201-{part}"
            made.append(Make(f"{material} {nominal}", standard, "stranded wire", area, strength, mark, values, marks))
    return made


def _ropes() -> list[Make]:
    marks = {"mass_per_length": "r", "stiffness": "c"}
    return [
        Make(
            f"BzII {nominal} flexible", "DIN 43138", "dropper rope", 1e-6 * section, BRONZE * section, "r",
            {"mass_per_length": mass, "stiffness": DROPPER_STIFFNESS}, marks,
        )
        for nominal, (section, mass) in ROPES.items()
    ]  # fmt: skip


MAKES = {make.name: make for make in (*_contact_wires(), *_stranded(), *_ropes())}
