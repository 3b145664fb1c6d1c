"""Validated settings of the mesh of the wires."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["COARSE", "LONGEST_ELEMENT", "MOST_PER_BAY", "MeshSpec", "default_mesh", "per_bay"]

# the standard deviation of the force is then within 0.5 % on three lines at 230 to 320 km/h (docs/notebook) [m]
LARGEST_ELEMENT = 0.4
# a bay of the longest span has at least two elements: this length asks for no more [m]
LONGEST_ELEMENT = 60.0
MOST_PER_BAY = 40


class MeshSpec(Spec):
    """Finite-element mesh of the wires."""

    elements_per_bay: Annotated[int, Field(ge=2, le=MOST_PER_BAY)] = Field(
        default=6, description="least number of elements between neighbouring droppers, supports or clamps of one wire"
    )
    largest_element_length: Annotated[float, Field(ge=0.05, le=LONGEST_ELEMENT)] = Field(
        default=LARGEST_ELEMENT, description="longest element [m]; a bay that it makes too short has more of them"
    )


def per_bay(elements: int) -> MeshSpec:
    """Mesh with so many elements in every bay, however long the bay is."""
    return MeshSpec.model_construct(elements_per_bay=elements, largest_element_length=LONGEST_ELEMENT)


def default_mesh(mesh: MeshSpec) -> MeshSpec:
    """The mesh with elements no longer than those of a line that says nothing about them."""
    return mesh.model_copy(update={"largest_element_length": LARGEST_ELEMENT})


# of whole lines that are run many times, to be compared with each other: a third of the time of the usual mesh, and
# sigma within 1 %
COARSE = MeshSpec(elements_per_bay=2, largest_element_length=1.0)
