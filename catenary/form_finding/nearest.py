"""The nearest heights that hang: where prescribed heights would need a dropper to push, the wire hangs higher there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equations import FormFindingProblem
from catenary.form_finding.equilibrium import LOOSE, Equilibrium, EquilibriumStatus, newton, result_of
from catenary.form_finding.joined import joined
from catenary.form_finding.prescribed import prescribed_by_lengths

__all__ = ["nearest_heights"]

MAX_CHANGES = 50


def nearest_heights(eq: Equilibrium) -> Equilibrium:
    """Find the heights nearest to prescribed ones at which no dropper pushes.

    At every dropper the height z and the force F satisfy F >= 0, z >= prescribed z, and one of both is an equality: a
    dropper that would have to push carries nothing, and the contact wire hangs where it hangs. The line that comes
    back prescribes lengths; a dropper that carries nothing is cut to the distance between its clamps.

    Parameters
    ----------
    eq : Equilibrium
        Equilibrium of a line that prescribes heights; one without a pushing dropper comes back as it is.

    Returns
    -------
    Equilibrium
        Its status says so where Newton's method fails, or the droppers that carry nothing are not found.
    """
    if eq.status is not EquilibriumStatus.OK or eq.dropper_force.min() >= 0.0:
        return eq
    if eq.parts:
        return joined(eq.spec, [nearest_heights(part) for part in eq.parts])
    prescribed = np.array(eq.mesh.layout.dropper_height)
    found, loose = eq, np.zeros(len(prescribed), dtype=np.bool_)
    for _ in range(MAX_CHANGES):
        low = loose & (_heights(found) < prescribed - 1.0e-9)
        now = (loose & ~low) | (found.dropper_force < 0.0)
        if (now == loose).all():
            return _by_lengths(found, loose)
        loose = now
        problem = FormFindingProblem(eq.spec, eq.mesh, np.where(loose, LOOSE, np.nan))
        found = result_of(problem, *newton(problem, problem.start()))
        if found.status is not EquilibriumStatus.OK:
            return found
    return replace(found, status=EquilibriumStatus.NOT_CONVERGED)


def _heights(eq: Equilibrium) -> NDArray[np.float64]:
    return np.asarray(eq.q[eq.mesh.dropper_bottom, 2], dtype=np.float64)


def _by_lengths(eq: Equilibrium, loose: NDArray[np.bool_]) -> Equilibrium:
    """The same equilibrium with the lengths of its droppers prescribed."""
    taut = replace(eq, dropper_gap=np.where(loose, 0.0, eq.dropper_gap))
    return replace(taut, spec=prescribed_by_lengths(taut))
