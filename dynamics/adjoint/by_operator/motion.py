"""A steady state that the operator found, from which derivatives of its figures are formed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from dynamics.adjoint.by_operator.at_once import FiguresAtOnce
from dynamics.adjoint.by_operator.fields import Multiplied
from dynamics.adjoint.by_operator.lagrangian import OperatorFigure, OperatorLagrangian
from dynamics.adjoint.by_operator.near_lines import NearLines
from dynamics.adjoint.by_operator.pressed import PressedFigure
from dynamics.adjoint.by_operator.stages import Cause, Stage, StageMultipliers, stages_of
from dynamics.adjoint.figures import filtered_deviation, soft_extreme
from dynamics.line_operator.state import OperatorState
from dynamics.pantograph.linear import linear_pantograph
from dynamics.spec.case import CaseSpec

__all__ = ["OperatorMotion"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]
OfForce = Callable[[NDArray[np.float64], CaseSpec], tuple[float, NDArray[np.float64]]]


class OperatorMotion:
    """One period of a steady state that the operator found.

    Parameters
    ----------
    case, equilibrium : CaseSpec, Equilibrium
    state : OperatorState
    forces : sequence of tuple of float and float array (step,)
        Of every pantograph the place of the period's first time step [m] and the contact force at the end of each [N].
    near : sequence of Equilibrium
        Lines next to this one whose figures are asked for; in one pass they take less time.
    """

    def __init__(
        self,
        case: CaseSpec,
        equilibrium: Equilibrium,
        state: OperatorState,
        forces: Sequence[tuple[float, Floats]],
        near: Sequence[Equilibrium] = (),
    ) -> None:
        self.case, self.equilibrium, self.state, self.forces = case, equilibrium, state, forces
        self.stages = stages_of(state)
        lines = NearLines(equilibrium, state.network, state.contour.harmonics, near)
        self._shared = lines, FiguresAtOnce(state, self.stages)

    def sigma(self) -> OperatorLagrangian | PressedFigure:
        """Standard deviation of the filtered contact force [N], to first order."""
        return self._of_force(filtered_deviation, 1.0)

    def force_max(self) -> OperatorLagrangian | PressedFigure:
        """Smooth largest filtered contact force [N], to first order."""
        return self._of_force(lambda force, case: soft_extreme(force, case, 1.0), 1.0)

    def force_min(self) -> OperatorLagrangian | PressedFigure:
        """Smooth smallest filtered contact force [N], to first order."""
        return self._of_force(lambda force, case: soft_extreme(force, case, -1.0), -1.0)

    def uplift(self) -> OperatorLagrangian | PressedFigure:
        """Largest uplift at the supports [m], to first order, at the support and the moment of the largest."""
        stage, a = self.stages[0], self.state.answers
        times, rise = self.state.rise()
        sample, support = np.unravel_index(int(rise.argmax()), rise.shape)
        when = float(times[sample])
        turned = np.exp(1j * a.omega * when)[:, None]
        force = stage.by_force(turned * a.lift[:, support])
        squeeze = np.zeros(self.state.slack.squeeze.shape)
        squeeze[stage.rows] = stage.onto_rows(turned * a.lift_by_squeeze[:, support])
        station = int(self.state.network.ports.support[support])
        return self._figure(self._lagrangian(force, squeeze, (station, when / self.state.contour.T), None))

    def _of_force(self, figure: OfForce, worse: float) -> OperatorLagrangian | PressedFigure:
        """A figure of the pantograph that has the worst: the largest (1), or the smallest (-1)."""
        worst = max(range(len(self.forces)), key=lambda p: worse * figure(self.forces[p][1], self.case)[0])
        begin, force = self.forces[worst]
        _, cause = figure(force, self.case)
        cause = np.where(force > 0.0, cause, 0.0)  # where contact is lost the force stays none
        N, K = len(force), self.state.contour.harmonics
        k, by_harmonic = np.arange(-K, K + 1), np.zeros((len(self.forces), 2 * K + 1), np.complex128)
        later = 2.0 * np.pi * begin / self.state.network.period  # phase at which the first step ends
        by_harmonic[worst] = np.fft.ifft(cause, norm="forward")[k % N] * np.exp(1j * later * k)
        none = np.zeros(self.state.slack.squeeze.shape)
        return self._figure(self._lagrangian(by_harmonic.ravel(), none, None, lambda case: figure(force, case)[0]))

    def _figure(self, held: OperatorLagrangian) -> OperatorLagrangian | PressedFigure:
        """A figure by what the case holds, the mean forces or the applied ones."""
        return held if self.case.mean_force_N is not None else PressedFigure(held, self._applied)

    @cached_property
    def _applied(self) -> tuple[OperatorLagrangian, ...]:
        """Applied forces [N] that go with the mean forces, to first order, by the heads' mean heights."""
        return tuple(self._applied_by(p) for p in range(len(self.forces)))

    def _applied_by(self, pantograph: int) -> OperatorLagrangian:
        contact, found, stage = self.state.contact, self.state.slack, self.stages[0]
        by_head, by_force = linear_pantograph(self.case.pantograph, self.case.pressed_N).pressing
        middle, mean, yields = contact.middle[pantograph], contact.mean[pantograph], 1.0 / self.case.contact.stiffness
        wire = contact.static + contact.line @ found.force + found.lifted
        head = float(wire[middle].real + yields * mean)
        mean_height = np.zeros(len(contact.static))
        mean_height[middle] = by_head
        squeeze = np.zeros(found.squeeze.shape)
        squeeze[stage.rows] = stage.by_squeezes(mean_height)

        def of_case(case: CaseSpec) -> float:
            height, force = linear_pantograph(case.pantograph, case.pressed_N).pressing
            return height * head + force * float(mean)

        along, by_mean = mean_height @ contact.line, np.zeros(len(contact.mean))
        by_mean[pantograph] = by_force + yields * by_head
        return self._lagrangian(along, squeeze, None, of_case, (mean_height, by_mean))

    def _lagrangian(
        self,
        force: Complexes,
        squeeze: Floats,
        lifted: tuple[int, float] | None,
        of_case: Callable[[CaseSpec], float] | None,
        beside: tuple[Floats, Floats] | None = None,
    ) -> OperatorLagrangian:
        """Lagrangian of a figure by what it changes by with the force's harmonics and with squeezes.

        ``beside`` are multipliers of the contact that are known from the start (contact,), and what the mean forces
        do to the figure by themselves (pantograph,).
        """
        causes, found = [Cause(force, squeeze)], []
        for k, stage in enumerate(self.stages):
            found.append(stage.multipliers(causes[k]))
            if k + 1 < len(self.stages):
                causes.append(stage.cause_of_coarse(self.stages[k + 1], causes[k], found[k]))
        parts = zip(self.stages, causes, found, strict=True)
        mean = sum((self._by_mean(*each) for each in parts), np.zeros(len(self.forces)))
        if beside is not None:
            found[0] = replace(found[0], contact=found[0].contact + beside[0])
            mean = mean + beside[1]
        figure = OperatorFigure(Multiplied(tuple(found), lifted), mean, of_case)
        return OperatorLagrangian((self.case, self.equilibrium, self.state), self.stages, figure, self._shared)

    def _by_mean(self, stage: Stage, cause: Cause, found: StageMultipliers) -> Floats:
        """What the mean forces do to the figure through one stage's equations (pantograph,)."""
        contact = self.state.contact
        stretched = stage.by_force(np.einsum("nd,nds->ns", stage.spectra(found.dropper), self.state.answers.stretch))
        by_force = cause.force + stretched
        along = by_force + found.contact @ contact.line
        # where contact is lost, other harmonics take the mean force away again
        return (along[contact.middle] + by_force[contact.varying] @ contact.opened).real
