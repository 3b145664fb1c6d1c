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
from dynamics.adjoint.by_operator.fields import Nodes, acting_on, multipliers_at, nodes_of
from dynamics.adjoint.by_operator.pairings import Acting, Multipliers, NetworkSlopes, network_slopes, pairings
from dynamics.adjoint.by_operator.stages import Stage, StageMultipliers
from dynamics.line_operator.answers import Contour, bare_wire
from dynamics.line_operator.contact import own_answers, static_harmonics
from dynamics.line_operator.local_time import LocalTime
from dynamics.line_operator.network import LineNetwork, line_network
from dynamics.line_operator.poles import follow_poles
from dynamics.line_operator.state import OperatorState
from dynamics.spec.case import CaseSpec

__all__ = ["NearLines", "OperatorFigure", "OperatorLagrangian"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

SHARE, TINY = 1.0e-5, 1.0e-9  # steps of stiffness and masses of droppers, relative and at least


@dataclass(frozen=True)
class OperatorFigure:
    """A figure, what answers to it, and what it depends on beyond the state.

    Attributes
    ----------
    multipliers : tuple of StageMultipliers
        Of every stage.
    mean : float
        Derivative by the mean force that is held [figure / N], all equations included.
    lifted : tuple of int and float, or None
        Station of the contact wire whose height at a time [s] is itself the figure.
    of_case : callable or None
        What a case makes of the same contact force.
    """

    multipliers: tuple[StageMultipliers, ...]
    mean: float
    lifted: tuple[int, float] | None
    of_case: Callable[[CaseSpec], float] | None


class NearLines:
    """Networks and heights at rest of lines near the one that was solved, formed once for all figures.

    Parameters
    ----------
    harmonics : int
        Of the height at rest.
    """

    def __init__(self, harmonics: int) -> None:
        self._harmonics = harmonics
        self._known: dict[int, tuple[Equilibrium, LineNetwork, Complexes]] = {}

    def of(self, equilibrium: Equilibrium) -> tuple[LineNetwork, Complexes]:
        """Network, and harmonics of the height at rest [m]; the line stays, since its place in memory is its key."""
        found = self._known.get(id(equilibrium))
        if found is None:
            network = line_network(equilibrium)
            found = equilibrium, network, static_harmonics(equilibrium, self._harmonics, network.period)
            self._known[id(equilibrium)] = found
        return found[1:]


class OperatorLagrangian:
    """Value of a figure plus all equations times their multipliers, near the case that was solved.

    Parameters
    ----------
    case, equilibrium : CaseSpec, Equilibrium
        What was solved.
    state : OperatorState
    stages : tuple of Stage
    figure : OperatorFigure
    lines : NearLines
        Shared by all figures of the state.

    Attributes
    ----------
    refusal : str or None
        Why there are no derivatives: none.
    """

    refusal: str | None = None

    def __init__(
        self,
        solved: tuple[CaseSpec, Equilibrium, OperatorState],
        stages: tuple[Stage, ...],
        figure: OperatorFigure,
        lines: NearLines,
    ) -> None:
        self._lines = lines
        self.case, self.equilibrium, self._state = solved
        self._stages, self._figure = stages, figure
        self._network, self._contour = self._state.network, self._state.contour
        self._contact = sum(one.contact for one in figure.multipliers)
        slacks = [stage.slack for stage in stages]
        k = self._network.points.dropper
        dropper = [one.dropper / k for one in figure.multipliers]
        rest = self.equilibrium.dropper_spring_force
        self._rest = sum((m.sum(axis=0) for m in dropper), np.zeros_like(rest))
        stretch = [(s.tension - s.squeeze - rest) / k for s in slacks]
        self._stretched = sum(((m * e).sum(axis=0) for m, e in zip(dropper, stretch, strict=True)), np.zeros_like(rest))
        self._pushed = sum(
            (one.contact * s.force for one, s in zip(figure.multipliers, slacks, strict=True)),
            np.zeros_like(self._contact),
        )

    def value(self, case: CaseSpec, equilibrium: Equilibrium) -> float:
        """Value for a line found on the same mesh; only differences mean something. NaN where its poles get lost."""
        network, static = self._lines.of(equilibrium)
        T = network.period / case.speed
        contour = Contour(T, case.speed, self._contour.harmonics)
        figure, state = self._figure, self._state
        total = 0.0 if figure.of_case is None else figure.of_case(case)
        total += float((self._contact @ static).real)
        total += float((self._pushed @ own_answers(case, contour)).real)
        total += float(self._rest @ equilibrium.dropper_spring_force + self._stretched @ network.points.dropper)
        total += figure.mean * ((case.mean_force_N or 0.0) - state.contact.mean)
        return total + self._by_network(network, contour)

    def _by_network(self, network: LineNetwork, contour: Contour) -> float:
        """Change of the pairings from the line that was solved to another one."""
        own = self._network
        if _waves(network, contour) == _waves(own, self._contour):
            return self._first_order(network)
        poles = follow_poles(self._state.poles, network, contour.T)
        return float("nan") if poles is None else self._paired(network, contour, poles.omega) - self._own_pairing

    def _first_order(self, network: LineNetwork) -> float:
        """Change by the derivatives of the pairings."""
        slopes, along = self._slopes
        own, total = self._network, 0.0
        changed = [
            getattr(network.bays, n) - getattr(own.bays, n)
            for n in ("length", "tension", "bending", "mass", "curvature")
        ]
        numbers = np.column_stack(
            [*changed, network.bays.slope - own.bays.slope, network.bays.compliance - own.bays.compliance]
        )
        total += float((slopes.bay.sum(axis=0) * numbers).sum())
        for name in ("mass", "stiffness", "held", "dashpot", "dropper"):
            change = getattr(network.points, name) - getattr(own.points, name)
            total += float(getattr(slopes, name).sum(axis=0) @ change)
        low, high = own.points.bottom, own.points.top
        more = (
            network.points.dropper - own.points.dropper,
            *((network.points.mass - own.points.mass)[ends] for ends in (low, high)),
        )
        total += float((self._own_beyond * np.array(more)).sum())
        return total + float(along @ (network.stations - own.stations))

    @cached_property
    def _own_beyond(self) -> Floats:
        """Derivatives of what droppers answer to themselves beyond the contour's end, by `_beyond_slopes`."""
        line, found = (self._network, self._contour), self._figure.multipliers
        return np.sum([_beyond_slopes(line, *pair) for pair in zip(self._stages, found, strict=True)], axis=0)

    @cached_property
    def _slopes(self) -> tuple[NetworkSlopes, Floats]:
        """Derivatives of the pairings by the network's numbers, and by the stations' places (station,)."""
        network = self._network
        nodes, acting, multipliers, along = self._fields(network, self._contour, self._state.poles.omega)
        both = acting, multipliers, np.arange(len(self._stages))
        ports = network.ports, network.station_dof
        slopes, by_left, by_right = network_slopes(
            (nodes.omega, nodes.weight), *network.arguments(self._contour.T), ports, both
        )
        moved = by_left * along[1] + by_right * along[0]
        return slopes, np.asarray(2.0 * np.einsum("n,nsc->s", nodes.weight, moved).real)

    def _fields(
        self, network: LineNetwork, contour: Contour, poles: Complexes
    ) -> tuple[Nodes, Acting, Multipliers, tuple[Complexes, Complexes]]:
        """What acts and multiplies at all frequencies, and how both change with the stations' places."""
        nodes = nodes_of(network, contour, poles)
        force = np.array([stage.slack.force for stage in self._stages])
        acting, by_place = acting_on(nodes, (network, contour), self._stages, force)
        whole, along = multipliers_at(nodes, (network, contour), self._stages, self._figure.multipliers)
        if self._figure.lifted is not None:
            station, when = self._figure.lifted
            whole.lifted[:, station, 0] = np.exp(1j * nodes.omega * when * contour.T / self._contour.T)
        return nodes, acting, whole, (by_place, along)

    def _paired(self, network: LineNetwork, contour: Contour, poles: Complexes) -> float:
        """Pairings of a line, with those of its bare wire and of droppers beyond the contour's end."""
        nodes, acting, multipliers, _ = self._fields(network, contour, poles)
        both = acting, multipliers, np.arange(len(self._stages))
        ports = network.ports, network.station_dof
        found = pairings(nodes.omega, *network.arguments(contour.T), ports, both)
        total = 2.0 * float((nodes.weight @ found).sum().real)
        total += float((self._pushed @ bare_wire(network, contour)).real)
        for stage, one in zip(self._stages, self._figure.multipliers, strict=True):
            total += float(_beyond(network, contour, stage, one).sum())
        return total

    @cached_property
    def _own_pairing(self) -> float:
        return self._paired(self._network, self._contour, self._state.poles.omega)


def _waves(network: LineNetwork, contour: Contour) -> tuple[object, ...]:
    """What the waves on a bare contact wire depend on."""
    return network.wire, network.alpha, network.beta, contour


def _beyond(network: LineNetwork, contour: Contour, stage: Stage, found: StageMultipliers) -> Floats:
    """What droppers answer to their own squeezes beyond the contour's end, times its multipliers (dropper,)."""
    squeeze, out = stage.slack.squeeze, np.zeros(len(network.points.dropper))
    droppers = np.flatnonzero(squeeze.any(axis=0) & found.dropper.any(axis=0))
    if len(droppers):
        from scipy.signal import fftconvolve  # slow to load, and few processes differentiate

        time = LocalTime(contour, stage.slack.samples, stage.state.answers)
        lagged = fftconvolve(found.dropper[:, droppers], squeeze[::-1, droppers], axes=0)
        out[droppers] = (lagged * time.tails(network, droppers)).sum(axis=0)
    return out


def _beyond_slopes(line: tuple[LineNetwork, Contour], stage: Stage, found: StageMultipliers) -> Floats:
    """Derivatives of that by the dropper's stiffness and by the masses at its lower and upper end (3, dropper)."""
    network, contour = line
    points = network.points
    low, high = points.bottom, points.top
    here, slopes = _beyond(network, contour, stage, found), []
    sizes = points.dropper, points.mass[low], points.mass[high]
    for k, size in enumerate(sizes):
        step = SHARE * size + TINY
        mass = points.mass.copy()
        if k > 0:
            mass[(low, high)[k - 1]] += step
        moved = points._replace(mass=mass, dropper=points.dropper + step if k == 0 else points.dropper)
        slopes.append((_beyond(replace(network, points=moved), contour, stage, found) - here) / step)
    return np.array(slopes)
