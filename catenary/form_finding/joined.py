"""Equilibrium of a line whose tension sections were found each for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.form_finding.rest_state import Equilibrium, EquilibriumStatus
from catenary.layout.sections import joined_line, joined_mesh, parts_of
from catenary.spec.line import CatenarySpec

__all__ = ["joined"]

LISTED = ("elem_l0", "dropper_force", "dropper_gap", "dropper_length", "steady_arm_force", "steady_arm_side_force")
LISTED += ("messenger_support_force", "messenger_side_force", "horizontal_reaction")


def joined(spec: CatenarySpec, found: Sequence[Equilibrium]) -> Equilibrium:
    """Put the equilibria of a line's tension sections together.

    Sections whose droppers are prescribed by lengths, as those with a defect are, make all of them so.
    """
    good = all(eq.status is EquilibriumStatus.OK for eq in found)
    by_lengths = any(eq.spec.droppers.prescribed == "lengths" for eq in found) and good
    each = [
        replace(eq, spec=prescribed_by_lengths(eq)) if by_lengths and eq.spec.droppers.prescribed == "heights" else eq
        for eq in found
    ]
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
        **{name: np.concatenate([getattr(eq, name) for eq in each]) for name in LISTED},
    )
