"""Prescribe the droppers of a line by contact-wire heights, or by the lengths to which droppers are cut."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from catenary.form_finding.rest_state import Equilibrium
from catenary.spec.line import CatenarySpec

__all__ = ["prescribed_by_heights", "prescribed_by_lengths"]


def prescribed_by_heights(equilibrium: Equilibrium) -> CatenarySpec:
    """Describe a line by the contact-wire heights [m] that it has at rest at the droppers of its first span.

    Raises
    ------
    ValueError
        If a height is outside the range that a Spec allows.
    """
    heights = equilibrium.q[equilibrium.mesh.dropper_bottom, 2]
    return _with(equilibrium, "heights", "contact_wire_heights", heights)


def prescribed_by_lengths(equilibrium: Equilibrium) -> CatenarySpec:
    """Describe a line by the lengths [m] to which the droppers of its first span are cut.

    Raises
    ------
    ValueError
        If a length is outside the range that a Spec allows.
    """
    return _with(equilibrium, "lengths", "lengths", equilibrium.dropper_unstretched_length)


def _with(equilibrium: Equilibrium, prescribed: str, key: str, values: NDArray[Any]) -> CatenarySpec:
    """Copy the spec with one prescribed quantity in place of the other; its mark of provenance becomes 'derived'."""
    spec = equilibrium.spec
    content = spec.model_dump()
    droppers = {k: v for k, v in content["droppers"].items() if k not in ("contact_wire_heights", "lengths")}
    own = values[: len(spec.droppers.positions)]
    content["droppers"] = {**droppers, "prescribed": prescribed, key: tuple(own.tolist())}
    marks = dict(content["provenance"])
    if prescribed != spec.droppers.prescribed and marks:
        marks.pop("droppers.contact_wire_heights", None)
        marks.pop("droppers.lengths", None)
        marks[f"droppers.{key}"] = "d"
    return CatenarySpec.model_validate({**content, "provenance": marks})
