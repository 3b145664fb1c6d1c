"""Contact forces and squeezes that were found, on one grid of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.contact import ContactSystem

__all__ = ["SlackForces"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class SlackForces:
    """What was found of slack droppers.

    Attributes
    ----------
    force : complex array (harmonic,)
        Contact force [N].
    lifted : complex array (harmonic,)
        Rise of the wire under the pantograph by slack droppers [m].
    squeeze, tension : float array (sample, dropper)
        s and S [N] (`dynamics.line_operator.slack`).
    contact : ContactSystem
        Equations of the contact, with the instants at which it is lost.
    gap : float array (instant,)
        Between head and wire where contact is lost [m].
    samples : int
        Of a dropper's own time, a period.
    sought : bool array (sample, dropper)
        Where slack was sought; elsewhere it is that of ``coarse``.
    coarse : SlackForces or None
        What was found on coarser samples before.
    problem : str
        Why it cannot be relied on; empty where it can.
    """

    force: Complexes
    lifted: Complexes
    squeeze: Floats
    tension: Floats
    contact: ContactSystem
    gap: Floats
    samples: int
    sought: NDArray[np.bool_]
    coarse: SlackForces | None = None
    problem: str = ""

    @property
    def smooth(self) -> bool:
        """Whether squeezes are cubics between samples, and not hats."""
        return self.coarse is not None
