"""Prescribe the droppers of a line by contact-wire heights, or by the lengths to which droppers are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.rest_state import Equilibrium
from catenary.spec.line import CatenarySpec

__all__ = ["lengths_of", "prescribed_by_heights", "prescribed_by_lengths"]


def lengths_of(spec: CatenarySpec) -> NDArray[np.float64]:
    """Length to which every dropper that a line names is cut [m], NaN where heights are prescribed (dropper,)."""
    blocks = [spec.droppers] if spec.auxiliary_wire is None else [spec.droppers, spec.auxiliary_wire.droppers]
    each = [block.lengths or (np.nan,) * len(block.positions) for block in blocks]
    return np.array([length for lengths in each for length in lengths])


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
    if spec.auxiliary_wire is not None:
        marks = {k: v for k, v in marks.items() if k != "auxiliary_wire.droppers.auxiliary_wire_heights"}
        content["auxiliary_wire"]["droppers"] |= _main(equilibrium, prescribed, values)
    return CatenarySpec.model_validate({**content, "provenance": marks})


def _main(equilibrium: Equilibrium, prescribed: str, values: NDArray[Any]) -> dict[str, Any]:
    """What is prescribed of the main droppers of the first period."""
    own, layout = equilibrium.spec.auxiliary_wire, equilibrium.mesh.layout
    assert own is not None
    main = np.flatnonzero(layout.dropper_is_main)[: len(own.droppers.positions)]
    found: dict[str, Any] = {"prescribed": prescribed, "lengths": (), "auxiliary_wire_heights": ()}
    if prescribed == "lengths":
        return {**found, "lengths": tuple(values[main].tolist())}
    level = [*layout.auxiliary_height, layout.auxiliary_height[0]][: len(layout.supports)]
    heights = values[main] - np.interp(np.array(layout.dropper_x)[main], layout.supports, level)
    return {**found, "auxiliary_wire_heights": tuple(heights.tolist())}
