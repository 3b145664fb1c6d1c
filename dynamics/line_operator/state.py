"""A steady state that the operator found, with the equations that it solves."""

from __future__ import annotations

from dataclasses import dataclass

from dynamics.line_operator.answers import Answers, Contour
from dynamics.line_operator.contact import ContactSystem
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.poles import KnownPoles
from dynamics.line_operator.slack import SlackForces

__all__ = ["OperatorState"]


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
