"""A steady state that the operator found, with the equations that it solves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.answers import Answers, Contour, applied
from dynamics.line_operator.contact import ContactSystem, station_phases
from dynamics.line_operator.local_time import LocalTime
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.poles.known import KnownPoles
from dynamics.line_operator.slack_forces import SlackForces

__all__ = ["OperatorState"]

Floats = NDArray[np.float64]


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
