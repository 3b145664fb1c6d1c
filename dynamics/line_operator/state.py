"""A steady state that the operator found, with the equations that it solves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.answers import Answers, Contour, applied
from dynamics.line_operator.contact import ContactSystem, station_phases
from dynamics.line_operator.local_time import LocalTime
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.poles.known import KnownPoles

__all__ = ["OperatorState", "SlackForces"]

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

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Where a squeeze is that of ``coarse`` (sample, dropper)."""
        return (self.squeeze > 0.0) & ~self.sought


@dataclass(frozen=True, repr=False)
class OperatorState:
    """A steady state that the operator found; its derivatives are formed from it (`dynamics.adjoint.by_operator`).

    Attributes
    ----------
    network : LineNetwork
    contour : Contour
    poles : KnownPoles
    answers : Answers
    contact : ContactSystem
    slack : SlackForces
    """

    network: LineNetwork
    contour: Contour
    poles: KnownPoles
    answers: Answers
    contact: ContactSystem
    slack: SlackForces

    @property
    def local(self) -> LocalTime:
        """Samples of a dropper's own time on which slack was found."""
        return LocalTime(self.contour, self.slack.samples, self.answers)

    def rise(self) -> tuple[Floats, Floats]:
        """Time since the first support was passed (sample,) [s]; rise of the wire at supports (sample, support) [m]."""
        contour, a, local = self.contour, self.answers, self.local
        field = (a.wave * (a.weight / contour.speed)[:, None] * self.slack.force) @ station_phases(
            self.network, contour
        ).T
        spectrum = local.spectrum(local.sums(self.slack.squeeze), self.slack.smooth) * a.weight[:, None]
        lifts = applied(a.lift, field) + applied(a.lift_by_squeeze, spectrum)
        return local.time, local.series(lifts, local.sample)
