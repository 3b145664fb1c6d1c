"""Compare the device that a bundle's recommendation was judged with, and the one on the rig now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dynamics.spec.case import PantographSpec

__all__ = ["RECOMMENDATION", "recommendation_mismatch"]

# added to a bundle by whoever judges the loop
RECOMMENDATION = "recommendation.json"
# of the contact stiffness and of every number of the pantograph: what is written out in a file comes back the same
APART = 1.0e-6


def recommendation_mismatch(
    recommendation: Mapping[str, Any], pantograph: PantographSpec, contact_stiffness: float
) -> list[str]:
    """List how a device differs from the one that a recommendation was judged with; empty if it does not.

    Parameters
    ----------
    recommendation : mapping
        Content of recommendation.json; one of an earlier version knows name and contact stiffness alone.
    pantograph : PantographSpec
        What stands on the rig.
    contact_stiffness : float
        Of its head on the actuator [N/m].

    Returns
    -------
    list of str
        One sentence for each difference.
    """
    found = []
    judged = str(recommendation.get("device", "?"))
    if judged != pantograph.name:
        found.append(f"the recommendation was judged with the pantograph {judged}, not with {pantograph.name}")
    for key, values, unit in (
        ("masses", pantograph.masses, "kg"),
        ("stiffnesses", pantograph.stiffnesses, "N/m"),
        ("dampings", pantograph.dampings, "N s/m"),
    ):
        stored = recommendation.get(f"device_{key}")
        if stored is not None and not _same(stored, values):
            found.append(
                f"the recommendation was judged with {key} of {_listed(stored)} {unit} from the head down, not with "
                f"{_listed(values)} {unit}"
            )
    stiffness = recommendation.get("contact_stiffness")
    if stiffness is not None and not _same([stiffness], [contact_stiffness]):
        found.append(
            f"the recommendation was judged with a contact stiffness of {float(stiffness) / 1e3:g} kN/m, not with "
            f"{contact_stiffness / 1e3:g} kN/m"
        )
    return found


def _same(stored: Sequence[float], values: Sequence[float]) -> bool:
    return len(stored) == len(values) and all(
        abs(a - b) <= APART * max(abs(a), abs(b)) for a, b in zip(stored, values, strict=True)
    )


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
