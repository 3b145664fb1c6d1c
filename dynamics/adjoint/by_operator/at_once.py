"""Pairings of all figures of a steady state, and their derivatives, formed in one pass over the frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.adjoint.by_operator.fields import Multiplied, Nodes, acting_on, multipliers_at, nodes_of
from dynamics.adjoint.by_operator.near_lines import slopes_by_numbers
from dynamics.adjoint.by_operator.network_slopes import network_slopes
from dynamics.adjoint.by_operator.pairings import Acting, Multipliers, pairings
from dynamics.adjoint.by_operator.stages import Stage
from dynamics.line_operator.answers import Contour
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.state import OperatorState

__all__ = ["FiguresAtOnce"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


class FiguresAtOnce:
    """Figures of one state; when one asks for its derivatives, those of all that were added are formed with them.

    Parameters
    ----------
    state : OperatorState
    stages : tuple of Stage
    """

    def __init__(self, state: OperatorState, stages: tuple[Stage, ...]) -> None:
        self._state, self._stages = state, stages
        self._figures: list[Multiplied] = []
        self._slopes: list[Floats] = []

    def add(self, figure: Multiplied) -> int:
        """Add a figure; returns its number."""
        self._figures.append(figure)
        return len(self._figures) - 1

    def slopes(self, figure: int) -> Floats:
        """Derivatives of a figure's pairing by all numbers of its line (`NearLine.numbers`)."""
        if figure >= len(self._slopes):
            self._slopes += self._formed(self._figures[len(self._slopes) :])
        return self._slopes[figure]

    def _formed(self, figures: Sequence[Multiplied]) -> list[Floats]:
        """Derivatives of figures by all numbers of the line."""
        state, count = self._state, len(self._stages)
        network, T = state.network, state.contour.T
        nodes, acting, multipliers, along = self._fields((network, state.contour), state.poles.felt.omega, figures)
        of, to = np.tile(np.arange(count), len(figures)), np.repeat(np.arange(len(figures)), count)
        slopes, (by_left, by_right), (stretched, squeezed) = network_slopes(
            (nodes.omega, nodes.weight), *network.arguments(T), network.ports, (acting, multipliers, of), to
        )  # fmt: skip
        moved = by_left[:, :, of] * along[1] + by_right * along[0][:, :, of]
        # the time of a dropper that moves along the track begins later
        later = 1j / state.contour.speed * nodes.omega[:, None, None]
        of_droppers = later * (stretched[:, :, of] * multipliers.dropper - squeezed * acting.dropper[:, :, of])
        for d, station in enumerate(network.station_of):
            moved[:, station] += of_droppers[:, d]
        moved = 2.0 * np.tensordot(nodes.weight, moved, 1).real.reshape(-1, len(figures), count).sum(axis=2)
        ends = np.stack([network.points.bottom, network.points.top])
        for k, figure in enumerate(figures):
            for stage, one in zip(self._stages, figure.multipliers, strict=True):
                beyond = stage.beyond_slopes(one)
                slopes.dropper[k] += beyond[0]
                np.add.at(slopes.mass[k], ends, beyond[1:3])
                np.add.at(slopes.drag[k], ends, beyond[3:])
        return [slopes_by_numbers(slopes, k, moved[:, k]) for k in range(len(figures))]

    def paired(self, figure: int, line: tuple[LineNetwork, Contour], poles: Complexes) -> float:
        """Pairing of a figure on a line whose poles are known, with those of droppers beyond the contour's end."""
        network, contour = line
        one = self._figures[figure]
        nodes, acting, multipliers, _ = self._fields(line, poles, [one])
        both = acting, multipliers, np.arange(len(self._stages))
        found = pairings(nodes.omega, *network.arguments(contour.T), network.ports, both)
        beyond = (stage.beyond(line, m) for stage, m in zip(self._stages, one.multipliers, strict=True))
        return 2.0 * float((nodes.weight @ found).sum().real) + sum(beyond)

    def _fields(
        self, line: tuple[LineNetwork, Contour], poles: Complexes, figures: Sequence[Multiplied]
    ) -> tuple[Nodes, Acting, Multipliers, tuple[Complexes, Complexes]]:
        """What acts and multiplies at all frequencies, and how both change with the stations' places."""
        nodes = nodes_of(line, poles, self._stages)
        force = np.array([stage.slack.force for stage in self._stages])
        acting, by_place = acting_on(nodes, line, self._stages, force)
        multipliers, along = multipliers_at(nodes, line, self._stages, figures)
        return nodes, acting, multipliers, (by_place, along)
