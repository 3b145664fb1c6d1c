"""Heights and stations of the droppers of one line as design variables: bounds, order and spacing always hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from catenary.errors import InputError
from catenary.spec.line import CatenarySpec
from optimise.design.convex_set import ConvexSet
from optimise.design.station_grid import DIGITS, stations_on_grid
from optimise.design.string_model import height_per_load, nominal_loads
from optimise.spec.design import DesignSpec

__all__ = ["LEAST_ROOM", "DropperSpace", "Variable"]

SYMMETRY_TOLERANCE = 1e-6  # m
LEAST_LOAD = 1.0  # N
LEAST_ROOM = 1e-3  # m


@dataclass(frozen=True)
class Variable:
    """One design variable; whether it is a count, and whether it shifts something along the track."""

    name: str
    low: float
    high: float
    nominal: float
    unit: str
    description: str
    integer: bool = False
    along: bool = False

    @property
    def label(self) -> str:
        """Name as pages write it, for a variable of a dropper after the quantity that it changes."""
        if "." in self.name:  # a key of the input
            key, _, number = self.name.rpartition(".")
            return f"distance of pantograph {int(number) + 2}" if key == "trailing.distances_m" else self.name
        kind, _, number = self.name.partition("_")
        quantity = {"lift": "height", "move": "station"}.get(kind)
        return self.name.replace("_", " ") if quantity is None else f"{quantity} of dropper {number}"


@dataclass(frozen=True)
class DropperSpace:
    """Box of dropper variables around a nominal line: changes that are symmetric about mid-span.

    A lift is the height that a dropper gains by a change of its own load, the other loads held [m]; the
    heights of all droppers follow from all lifts, and stay within their bound. A move is positive towards
    mid-span [m]. Heights are changes against the nominal height profile, a monotone cubic through the nominal
    heights at the droppers and zero at the supports, so a dropper that moves follows it. The nominal line is
    the centre of the box, and is given back exactly there.

    A line that is itself a design (`derived`) may leave a dropper without load: its lifts then have next to no
    range, and its limits judge it.
    """

    nominal: CatenarySpec
    design: DesignSpec
    derived: bool = False

    def __post_init__(self) -> None:
        if self.derived:
            return
        if self.nominal.droppers.prescribed == "lengths":
            raise InputError(
                [
                    f"the nominal line must prescribe heights to be optimised: {self.nominal.name} has "
                    "droppers.prescribed 'lengths'; give its droppers.contact_wire_heights in place of lengths"
                ]
            )
        if self.nominal.further_spans and not (self.moves or self.lifts):
            return
        problems = self._asymmetries()
        if not problems:
            problems = [
                *(self._lack_of_room() if self.moves else []),
                *(self._lack_of_load() if self.lifts else []),
            ]
        if problems:
            raise InputError(problems)

    @property
    def half(self) -> int:
        """Droppers between a support and mid-span, without the one at mid-span."""
        return len(self.nominal.droppers.positions) // 2

    @property
    def moves(self) -> int:
        """Number of variables that move droppers; a dropper at mid-span stays there."""
        return self.half if self.design.kind in ("spacing", "both") else 0

    @property
    def lifts(self) -> int:
        """Number of variables that change heights, the dropper at mid-span included."""
        return (len(self.nominal.droppers.positions) + 1) // 2 if self.design.kind in ("heights", "both") else 0

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """Variables in their order: lifts from the support to mid-span, then moves likewise."""
        meaning = {"lift": "height gained by a change of its own load", "move": "move towards mid-span"}
        ranges = {
            "lift": self._lift_reach if self.lifts else (),
            "move": self._move_reach if self.moves else (),
        }
        return tuple(
            Variable(
                f"{kind}_{k}", -float(r), float(r), 0.0, "m", f"dropper {k}: {meaning[kind]}", along=kind == "move"
            )
            for kind, reach in ranges.items()
            for k, r in enumerate(reach, start=1)
        )

    @cached_property
    def reach(self) -> NDArray[np.float64]:
        """Largest value of each variable, the least being its negative [m], shape (variable,)."""
        return np.array([v.high for v in self.variables])

    def spec_of(self, v: NDArray[np.float64]) -> CatenarySpec:
        """Line that a point stands for, valid even where the point is not in the box.

        Parameters
        ----------
        v : float array (variable,)
            Values in the order of `variables` [m].
        """
        x, z = (array.copy() for array in self._nominal_stations)
        n, m, h = len(x), self.half, (len(x) + 1) // 2
        if self.moves:
            made = self._move_set.into(v[self.lifts :])
            x[:m] += made
            x[n - m :] -= made[::-1]
        if self._on_grid:
            x[:m] = stations_on_grid(self.nominal, x, self.design)[:m]
            x[n - m :] = np.round(self.nominal.span_length - x[:m][::-1], DIGITS)
        if self.moves or self._on_grid:
            z[:m] += self.profile(x[:m]) - z[:m]
            z[n - m :] += self.profile(x[n - m :]) - z[n - m :]
        gained = np.zeros(h)
        if self.lifts:
            gained = self._heights_per_lift(x) @ self._lift_set(x).into(v[: self.lifts])
        z[:h] += gained
        z[n - m :] = z[:m][::-1] if self._even else z[n - m :] + gained[:m][::-1]
        return self._with_droppers(x, z)

    def values_of(self, spec: CatenarySpec) -> NDArray[np.float64]:
        """Point that stands for a line, the inverse of `spec_of` [m], shape (variable,).

        Raises
        ------
        InputError
            If no point of the space stands for the line.
        """
        x0, z0 = self._nominal_stations
        x, z = np.asarray(spec.droppers.positions), np.asarray(spec.droppers.contact_wire_heights)
        if len(x) != len(x0):
            raise InputError(
                [f"the line must have {len(x0)} droppers as the nominal one: got {len(x)}; use its own nominal line"]
            )
        m, h = self.half, (len(x) + 1) // 2
        moves, lifts = np.zeros(0), np.zeros(0)
        try:
            if self.moves:
                made = x[:m] - x0[:m]
                moves = self._move_set.back(self._move_set.kept_inside(made) if self._on_grid else made)
            if self.lifts:
                gained = z[:h] - (self.profile(x[:h]) if self.moves or self._on_grid else z0[:h])
                made = np.asarray(np.linalg.solve(self._heights_per_lift(x), gained), dtype=np.float64)
                lifts = self._lift_set(x).back(made)
        except ValueError as error:
            raise InputError([f"the line must be inside the design space: it leaves no room for {error}"]) from error
        return np.concatenate([lifts, moves])

    @cached_property
    def _even(self) -> bool:
        """Whether heights are their own mirror image, as those of every design then are."""
        z = self._nominal_stations[1]
        return not bool((abs(z - z[::-1]) > SYMMETRY_TOLERANCE).any())

    @property
    def _on_grid(self) -> bool:
        """Whether stations have a grid here; those of a line that names several spans are put on it as a whole."""
        return self.design.station_grid is not None and not self.nominal.further_spans

    @cached_property
    def _nominal_stations(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        droppers = self.nominal.droppers
        return np.asarray(droppers.positions), np.asarray(droppers.contact_wire_heights)

    @cached_property
    def profile(self) -> PchipInterpolator:
        """Nominal contact-wire height over the station [m]."""
        x, z = self._nominal_stations
        ends = [0.0], [self.nominal.span_length]
        return PchipInterpolator(np.concatenate([ends[0], x, ends[1]]), np.concatenate([[0.0], z, [0.0]]))

    @cached_property
    def _own_height_per_load(self) -> NDArray[np.float64]:
        return np.diag(height_per_load(self.nominal, self._nominal_stations[0])).copy()

    def _heights_per_lift(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return height_per_load(self.nominal, x) / self._own_height_per_load

    def _lift_set(self, x: NDArray[np.float64]) -> ConvexSet:
        """Bounds of the heights, as half-spaces of the lifts."""
        heights = self._heights_per_lift(x)
        names = tuple(f"the height of dropper {k + 1} (height_change)" for k in range(len(heights)))
        bound = np.full(2 * len(heights), self.design.height_change)
        return ConvexSet(np.vstack([heights, -heights]), bound, names + names)

    @cached_property
    def _lift_reach(self) -> NDArray[np.float64]:
        loads = nominal_loads(self.nominal)
        if not self._even:  # the lesser of each pair
            loads = np.minimum(loads, loads[::-1])
        loads = np.maximum(loads[: self.lifts], LEAST_LOAD)
        limit = self.design.load_change * loads * self._own_height_per_load
        return self._lift_set(self._nominal_stations[0]).reach(limit)

    @cached_property
    def _move_set(self) -> ConvexSet:
        """Distances to keep, as half-spaces of the moves."""
        x, m, d = self._nominal_stations[0], self.half, self.design
        if m == 0:
            return ConvexSet(np.zeros((0, 0)), np.zeros(0), ())
        unit = np.eye(m)
        rows = [
            (-unit[0], x[0] - d.support_clearance, "dropper 1 next to the support (support_clearance)"),
            (
                -2.0 * unit[0],
                2.0 * x[0] - d.minimum_spacing,
                "the droppers next to a support (minimum_spacing)",
            ),
        ]
        for k in range(m):
            across = unit[k] - unit[k + 1] if k + 1 < m else (1.0 if len(x) % 2 else 2.0) * unit[k]
            gap = x[k + 1] - x[k] - d.minimum_spacing
            rows.append((across, gap, f"droppers {k + 1} and {k + 2} (minimum_spacing)"))
        if self.nominal.stitch is not None:
            clamp = 0.5 * self.nominal.stitch.length
            for k in range(m):
                side = 1.0 if x[k] < clamp else -1.0
                room = abs(clamp - x[k]) - d.clamp_clearance
                rows.append((side * unit[k], room, f"dropper {k + 1} next to the stitch clamp (clamp_clearance)"))
        a, b, names = zip(*rows, strict=True)
        return ConvexSet(np.array(a), np.array(b), names)

    @cached_property
    def _move_reach(self) -> NDArray[np.float64]:
        return self._move_set.reach(np.full(self.moves, self.design.dropper_move))

    def _with_droppers(self, x: NDArray[np.float64], z: NDArray[np.float64]) -> CatenarySpec:
        content = self.nominal.model_dump()
        content["droppers"]["positions"] = tuple(x.tolist())
        content["droppers"]["contact_wire_heights"] = tuple(z.tolist())
        return CatenarySpec.model_validate(content)

    def _asymmetries(self) -> list[str]:
        """Say which droppers are not placed as their mirror images are; their heights may differ."""
        x, span = self._nominal_stations[0], self.nominal.span_length
        where = np.flatnonzero(abs(x + x[::-1] - span) > SYMMETRY_TOLERANCE)
        problems = []
        for k in where[: (len(where) + 1) // 2].tolist():
            other = len(x) - 1 - k
            said = f"dropper {k + 1} is the middle one and stands at {x[k]:.7g} m; move it to {0.5 * span:.7g} m"
            if k != other:
                said = (
                    f"dropper {k + 1} stands at {x[k]:.7g} m, dropper {other + 1} at {x[other]:.7g} m; place them at "
                    "equal distances from mid-span"
                )
            problems.append(f"the droppers of the nominal line must stand symmetrically about mid-span: {said}")
        return problems

    def tight_distances(self, least: float) -> list[str]:
        """Name the distances for which the line leaves less room than a least one [m]."""
        distances = self._move_set
        return [name for room, name in zip(distances.b, distances.names, strict=True) if room < least]

    def _lack_of_room(self) -> list[str]:
        distances = self._move_set
        return [
            f"the nominal line must leave room for {name}: {-room:.3g} m are missing; lower that distance"
            for room, name in zip(distances.b, distances.names, strict=True)
            if name in self.tight_distances(LEAST_ROOM)
        ]

    def _lack_of_load(self) -> list[str]:
        return [
            f"dropper {k + 1} of the nominal line must carry load: it would carry about {load:.0f} N at "
            f"contact_wire_heights[{k}]; change the heights around it"
            for k, load in enumerate(nominal_loads(self.nominal))
            if load < LEAST_LOAD
        ]
