"""Static configuration of a line or cell, as form-finding leaves it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equations import dropper_property
from catenary.layout.mesh import Mesh
from catenary.spec.line import CatenarySpec

__all__ = ["Equilibrium", "EquilibriumStatus"]


class EquilibriumStatus(Enum):
    """Outcome of form-finding."""

    OK = "ok"
    NOT_CONVERGED = "form-finding did not converge"


@dataclass(frozen=True)
class Equilibrium:
    """Static configuration of a line or cell.

    What says so in its docstring takes many lines on one mesh as well, whose arrays have an axis in front (line, ...).

    Attributes
    ----------
    q : float array (node, 6)
        Positions [m] and slopes [-].
    elem_l0 : float array (elem,)
        Unstretched lengths [m].
    dropper_force : float array (dropper,)
        Axial forces, tension positive [N]. One is zero where a dropper of prescribed length hangs loose, and negative
        where prescribed heights would need it to push.
    dropper_gap : float array (dropper,)
        How much longer a dropper that hangs loose is than the distance between its clamps [m]; zero for taut ones.
    dropper_length : float array (dropper,)
        Stretched lengths [m].
    steady_arm_force, messenger_support_force : float array (support,)
        Vertical forces on the wires, upwards positive [N].
    steady_arm_side_force : float array (support,)
        Sideways force of the arms on the contact wire, towards +y [N]; zero in the plane.
    messenger_side_force : float array (support,)
        That of the supports on the messenger wire [N].
    auxiliary_side_force : float array (support or 0,)
        That of the supports on the auxiliary wire [N]; empty of a line without one.
    horizontal_reaction : float array
        Reaction of the constraints that only remove the translation of a periodic cell [N]; must vanish.
    residual : float
        Largest out-of-balance force [N].
    iterations : int
        Newton iterations, those towards the first shape included.
    status : EquilibriumStatus
    parts : tuple of Equilibrium
        Of every tension section for itself, where there are several. At another temperature than that of stringing
        each has the tensions found in its own spec, and the line's spec those as strung, with the temperature.
    """

    spec: CatenarySpec
    mesh: Mesh
    q: NDArray[np.float64]
    elem_l0: NDArray[np.float64]
    dropper_force: NDArray[np.float64]
    dropper_gap: NDArray[np.float64]
    dropper_length: NDArray[np.float64]
    steady_arm_force: NDArray[np.float64]
    steady_arm_side_force: NDArray[np.float64]
    messenger_support_force: NDArray[np.float64]
    messenger_side_force: NDArray[np.float64]
    auxiliary_side_force: NDArray[np.float64]
    horizontal_reaction: NDArray[np.float64]
    residual: float
    iterations: int
    status: EquilibriumStatus
    parts: tuple[Equilibrium, ...] = ()

    @property
    def section_specs(self) -> tuple[CatenarySpec, ...]:
        """Spec of every tension section, with the tensions that its wires have; of a line without, the line's."""
        return tuple(part.spec for part in self.parts) or (self.spec,)

    @property
    def dropper_direction(self) -> NDArray[np.float64]:
        """Unit vectors (..., dropper, 3) from the lower end of every dropper to its upper end."""
        mesh = self.mesh
        span = self.q[..., mesh.dropper_top, :3] - self.q[..., mesh.dropper_bottom, :3]
        span[..., 0] = 0.0
        return np.asarray(span / self.dropper_length[..., None])

    @property
    def dropper_stiffness(self) -> NDArray[np.float64]:
        """Axial stiffness of every dropper in tension (dropper,) [N/m]."""
        return dropper_property(self.spec, self.mesh, "stiffness")

    @property
    def dropper_unstretched_length(self) -> NDArray[np.float64]:
        """Lengths to cut the droppers to [m], unloaded, from wire axis to wire axis, clamps included."""
        return self.dropper_length + self.dropper_gap - self.dropper_force / self.dropper_stiffness

    @property
    def dropper_spring_force(self) -> NDArray[np.float64]:
        """Forces at rest of springs that pull and push alike (dropper,) [N]: stiffness x (length - cut length).

        A dropper carries max(0, this + stiffness x stretch) in motion: one that hangs loose first takes up its gap.
        """
        return self.dropper_force - self.dropper_stiffness * self.dropper_gap
