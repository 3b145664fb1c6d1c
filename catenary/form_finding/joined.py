"""Equilibrium of a line whose tension sections were found each for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.form_finding.rest_state import Equilibrium, EquilibriumStatus
from catenary.layout.sections import dropper_order, joined_line, joined_mesh, parts_of
from catenary.spec.line import CatenarySpec

__all__ = ["joined"]

BY_DROPPER = ("dropper_force", "dropper_gap", "dropper_length")
LISTED = ("elem_l0", "steady_arm_force", "steady_arm_side_force")
LISTED += ("messenger_support_force", "messenger_side_force", "auxiliary_side_force", "horizontal_reaction")


def joined(spec: CatenarySpec, found: Sequence[Equilibrium]) -> Equilibrium:
    """Put the equilibria of a line's tension sections together.

    Sections whose droppers are prescribed by lengths, as those with a defect are, make all of them so.
    """
    good = all(eq.status is EquilibriumStatus.OK for eq in found)
    unlike = good and len({_prescribed(eq) for eq in found}) > 1
    each = [
        replace(eq, spec=prescribed_by_lengths(eq)) if unlike and "heights" in _prescribed(eq) else eq for eq in found
    ]
    order = dropper_order([eq.mesh.layout for eq in each])
    moved: list[NDArray[Any]] = []
    for eq, part in zip(each, parts_of(spec), strict=True):
        q = eq.q.copy()
        q[:, 0] += part.begin
        moved.append(q)
    return Equilibrium(
        spec=joined_line(spec, [eq.spec for eq in each]),
        mesh=joined_mesh(spec, [eq.mesh for eq in each]),
        q=np.concatenate(moved),
        residual=max(eq.residual for eq in each),
        iterations=sum(eq.iterations for eq in each),
        status=EquilibriumStatus.OK if good else EquilibriumStatus.NOT_CONVERGED,
        parts=tuple(each),
        **{name: np.concatenate([getattr(eq, name) for eq in each])[order] for name in BY_DROPPER},
        **{name: np.concatenate([getattr(eq, name) for eq in each]) for name in LISTED},
    )


def _prescribed(eq: Equilibrium) -> tuple[str, ...]:
    """What is prescribed of a line's droppers, and of its main droppers."""
    own = eq.spec.auxiliary_wire
    return (eq.spec.droppers.prescribed, *(() if own is None else (own.droppers.prescribed,)))
