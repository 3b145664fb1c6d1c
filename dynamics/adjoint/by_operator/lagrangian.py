"""A figure of a steady state that the operator found, to first order in whatever line, pantograph and contact are.

With contact force, slack and multipliers frozen, the sum of the figure and of all equations times their multipliers is
a plain function of the line's network and shape at rest and of the pantograph's numbers; its change is that of the
figure. What a small change of the network does follows from its derivatives by all of the network's numbers, formed
once. Where the waves on the bare contact wire change (its tension and mass, damping, speed), the pairings of forces and
multipliers are formed again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from dynamics.adjoint.by_operator.at_once import FiguresAtOnce
from dynamics.adjoint.by_operator.fields import Multiplied
from dynamics.adjoint.by_operator.near_lines import NearLines
from dynamics.adjoint.by_operator.stages import Stage
from dynamics.line_operator.answers import Contour
from dynamics.line_operator.contact import bare_heights, own_answers
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.poles.follow import follow_poles
from dynamics.line_operator.state import OperatorState
from dynamics.spec.case import CaseSpec

__all__ = ["OperatorFigure", "OperatorLagrangian"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class OperatorFigure:
    """A figure, what answers to it, and what it depends on beyond the state.

    Attributes
    ----------
    multiplied : Multiplied
        What answers to it.
    mean : float array (pantograph,)
        Derivatives by the mean forces that are held [figure / N], all equations included.
    of_case : callable or None
        What a case makes of the same contact force.
    """

    multiplied: Multiplied
    mean: Floats
    of_case: Callable[[CaseSpec], float] | None


class OperatorLagrangian:
    """Value of a figure plus all equations times their multipliers, near the case that was solved.

    Parameters
    ----------
    solved : tuple of CaseSpec, Equilibrium and OperatorState
        What was solved, and its state.
    stages : tuple of Stage
    figure : OperatorFigure
    shared : tuple of NearLines and FiguresAtOnce
        Shared by all figures of the state.

    Attributes
    ----------
    by_mean : float array (pantograph,)
        Derivatives by the mean forces [figure / N].
    refusal : str or None
        Why there are no derivatives: none.
    """

    refusal: str | None = None

    def __init__(
        self,
        solved: tuple[CaseSpec, Equilibrium, OperatorState],
        stages: tuple[Stage, ...],
        figure: OperatorFigure,
        shared: tuple[NearLines, FiguresAtOnce],
    ) -> None:
        self.case, self.equilibrium, self._state = solved
        self._figure, self.by_mean, (self._lines, self._at_once) = figure, figure.mean, shared
        self._number = self._at_once.add(figure.multiplied)
        self._network, self._contour = self._state.network, self._state.contour
        multipliers, slacks = figure.multiplied.multipliers, [stage.slack for stage in stages]
        P = self._contour.pantographs
        contacts = [one.contact.reshape(P, -1) for one in multipliers]
        self._contact = sum((each.sum(axis=0) for each in contacts), np.zeros(contacts[0].shape[1], np.complex128))
        k = self._network.points.dropper
        dropper = [one.dropper / k for one in multipliers]
        way, rest = self._network.way, self.equilibrium.dropper_spring_force
        self._rest = way * sum((m.sum(axis=0) for m in dropper), np.zeros_like(rest))
        stretch = [(s.tension - s.squeeze - way * rest) / k for s in slacks]
        self._stretched = sum(((m * e).sum(axis=0) for m, e in zip(dropper, stretch, strict=True)), np.zeros_like(rest))
        forces = [s.force.reshape(P, -1) for s in slacks]
        # pairs of multipliers of one pantograph and forces of another (pantograph, pantograph, harmonic)
        self._pushed = np.einsum("aqk,apk->qpk", np.array(contacts), np.array(forces))

    def value(self, case: CaseSpec, equilibrium: Equilibrium) -> float:
        """Value for a line found on the same mesh; only differences mean something. NaN where its poles get lost."""
        near = self._lines.of(equilibrium)
        delays = tuple(distance / case.speed for distance in case.distances)
        contour = replace(self._contour, T=near.period / case.speed, speed=case.speed, delays=delays)
        by_line = contour == self._contour and case.model_copy(update={"catenary": self.case.catenary}) == self.case
        total = self._own_beside if by_line else self._beside(case, contour)
        total += float((self._contact @ near.static).real)
        total += float(self._rest @ equilibrium.dropper_spring_force + self._stretched @ equilibrium.dropper_stiffness)
        if _waves(near.like or near.network, contour) == _waves(self._network, self._contour):
            own = self._lines.of(self.equilibrium)
            return total + float(self._at_once.slopes(self._number) @ (near.numbers - own.numbers))
        poles = follow_poles(self._state.poles.felt, near.network, contour.T)
        if poles is None:
            return float("nan")
        return total + self._paired(near.network, contour, poles.omega) - self._own_pairing

    def _beside(self, case: CaseSpec, contour: Contour) -> float:
        """What the value has of pantograph, contact, filter and mean force."""
        total = 0.0 if self._figure.of_case is None else self._figure.of_case(case)
        own = np.einsum("ppk->pk", self._pushed).ravel()
        total += float((own @ own_answers(case, contour)).real)
        held = case.mean_force_N
        return total if held is None else total + float(self.by_mean @ (held - self._state.contact.mean))

    @cached_property
    def _own_beside(self) -> float:
        return self._beside(self.case, self._contour)

    def _paired(self, network: LineNetwork, contour: Contour, poles: Complexes) -> float:
        """Pairings of a line, with those of its bare wire."""
        bare = float((self._pushed * bare_heights(network, contour)).sum().real)
        return bare + self._at_once.paired(self._number, (network, contour), poles)

    @cached_property
    def _own_pairing(self) -> float:
        return self._paired(self._network, self._contour, self._state.poles.felt.omega)


def _waves(network: LineNetwork, contour: Contour) -> tuple[object, ...]:
    """What the waves on a bare contact wire depend on, and all damping, by which there are no slopes."""
    factors = network.bays.alpha.tobytes(), network.bays.beta.tobytes()
    return network.bare, network.damping, factors, contour
