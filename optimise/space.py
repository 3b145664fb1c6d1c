"""Design variables and the lines they stand for: bounds, order and spacing hold at every point of the box.

Symbols: v move asked for [m] (the variable), d move made [m], x0 nominal stations [m], A d <= b the faces of
the set of stations that keep their distances, r = A v / b. The move made is

    d = v / (1 + sum_k max(0, r_k)^p)^(1/p),  p = 8

so that every face is kept (A d / b = r / (1 + ...)^(1/p) < 1), small moves are made as asked (d = v +
O(v^9)), the map is smooth, and its inverse is v = d / (1 - sum_k max(0, (A d / b)_k)^p)^(1/p).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from catenary.errors import InputError
from catenary.spec import CatenarySpec
from optimise.spec import DesignSpec

__all__ = ["DesignSpace", "Variable"]

POWER = 8
# A variable reaches at most this many times as far as the nearest face lets it go: farther gains no design.
OVERREACH = 2.0
SYMMETRY_TOLERANCE = 1e-6  # m


@dataclass(frozen=True)
class Variable:
    """One design variable: its name, range, value for the nominal line, and unit."""

    name: str
    low: float
    high: float
    nominal: float
    unit: str


@dataclass(frozen=True)
class DesignSpace:
    """Box of design variables around a nominal line, symmetric about mid-span.

    Heights are changes against the nominal height profile [m]; the profile runs through the nominal heights
    at the droppers (and zero at the supports) as a monotone cubic, so a dropper that moves follows it. Moves
    are positive towards mid-span [m]. The nominal line is the centre of the box, and is given back exactly
    there.
    """

    nominal: CatenarySpec
    design: DesignSpec

    def __post_init__(self) -> None:
        problems = self._asymmetries() or (self._lack_of_room() if self.moves else [])
        if problems:
            raise InputError(problems)

    @property
    def heights_free(self) -> bool:
        """Whether contact-wire heights are variables."""
        return self.design.kind in ("heights", "both")

    @property
    def half(self) -> int:
        """Droppers between a support and mid-span, without the one at mid-span."""
        return len(self.nominal.droppers.positions) // 2

    @property
    def moves(self) -> int:
        """Number of variables that move droppers; a dropper at mid-span stays there."""
        return 0 if self.design.kind == "heights" else self.half

    @property
    def rises(self) -> int:
        """Number of variables that change heights, the dropper at mid-span included."""
        return (len(self.nominal.droppers.positions) + 1) // 2 if self.heights_free else 0

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """Variables in their order: heights from the support to mid-span, then moves likewise."""
        rise = self.design.height_change
        heights = [Variable(f"height_{k + 1}", -rise, rise, 0.0, "m") for k in range(self.rises)]
        reach = self._reach if self.moves else []
        moves = [Variable(f"move_{k + 1}", -float(r), float(r), 0.0, "m") for k, r in enumerate(reach)]
        return (*heights, *moves)

    def spec_of(self, values: Sequence[float] | NDArray[np.float64]) -> CatenarySpec:
        """Line that a point of the box stands for.

        Parameters
        ----------
        values : float array (variable,)
            Values in the order of `variables` [m], inside their ranges.

        Raises
        ------
        InputError
            If the point is not in the box.
        """
        v = np.asarray(values, dtype=float)
        self._check_in_box(v)
        x, z = self._nominal_stations
        n, m = len(x), self.half
        made = self._moves_made(v[self.rises :]) if self.moves else np.zeros(m)
        shift = np.zeros(n)
        shift[:m], shift[n - m :] = made, -made[::-1]
        lift = np.zeros(n)
        lift[:m] = self._profile(x[:m] + made) - z[:m] if self.moves else 0.0
        if self.heights_free:
            lift[: self.rises] += v[: self.rises]
        lift[n - m :] = lift[:m][::-1]
        return self._with_droppers(x + shift, z + lift)

    def values_of(self, spec: CatenarySpec) -> NDArray[np.float64]:
        """Point of the box that stands for a line, the inverse of `spec_of` [m], shape (variable,).

        Raises
        ------
        InputError
            If no point of the space stands for the line.
        """
        x0, z0 = self._nominal_stations
        x = np.asarray(spec.droppers.positions)
        if len(x) != len(x0):
            raise InputError(
                [
                    f"the line must have {len(x0)} droppers as the nominal one: got {len(x)}; use its own "
                    f"nominal line"
                ]
            )
        m = self.half
        made = x[:m] - x0[:m]
        moves = self._moves_asked(made) if self.moves else np.zeros(0)
        rises = np.asarray(spec.droppers.contact_wire_heights[: self.rises]) - z0[: self.rises]
        if self.moves:
            rises[:m] -= (self._profile(x[:m]) - z0[:m])[: len(rises)]
        return np.concatenate([rises, moves])

    @cached_property
    def _nominal_stations(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        droppers = self.nominal.droppers
        return np.asarray(droppers.positions), np.asarray(droppers.contact_wire_heights)

    @cached_property
    def _profile(self) -> PchipInterpolator:
        x, z = self._nominal_stations
        ends = [0.0], [self.nominal.span_length]
        return PchipInterpolator(np.concatenate([ends[0], x, ends[1]]), np.concatenate([[0.0], z, [0.0]]))

    @cached_property
    def _faces(self) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
        """Matrix A (face, dropper) and right side b [m] of A d <= b, and what each face keeps."""
        x, m, d = self._nominal_stations[0], self.half, self.design
        unit = np.eye(m)
        rows: list[tuple[NDArray[np.float64], float, str]] = []
        if m:
            rows.append(
                (-unit[0], x[0] - d.support_clearance, "dropper 1 and the support (support_clearance)")
            )
            rows.append(
                (
                    -2.0 * unit[0],
                    2.0 * x[0] - d.minimum_spacing,
                    "the droppers beside a support (minimum_spacing)",
                )
            )
        for k in range(m - 1):
            gap = x[k + 1] - x[k] - d.minimum_spacing
            rows.append((unit[k] - unit[k + 1], gap, f"droppers {k + 1} and {k + 2} (minimum_spacing)"))
        if m:
            to_mirror = 1.0 if len(x) % 2 else 2.0
            gap = x[m] - x[m - 1] - d.minimum_spacing
            rows.append((to_mirror * unit[m - 1], gap, f"droppers {m} and {m + 1} (minimum_spacing)"))
        if self.nominal.stitch is not None:
            clamp = 0.5 * self.nominal.stitch.length
            for k in range(m):
                side = 1.0 if x[k] < clamp else -1.0
                room = abs(clamp - x[k]) - d.clamp_clearance
                rows.append((side * unit[k], room, f"dropper {k + 1} and the stitch clamp (clamp_clearance)"))
        return np.array([r[0] for r in rows]), np.array([r[1] for r in rows]), [r[2] for r in rows]

    @cached_property
    def _reach(self) -> NDArray[np.float64]:
        a, b, _ = self._faces
        with np.errstate(divide="ignore"):
            nearest = np.min(b[:, None] / np.abs(a), axis=0)
        return np.minimum(self.design.dropper_move, OVERREACH * nearest)

    def _moves_made(self, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        a, b, _ = self._faces
        r = np.maximum(0.0, a @ asked / b)
        return asked / (1.0 + np.sum(r**POWER)) ** (1.0 / POWER)

    def _moves_asked(self, made: NDArray[np.float64]) -> NDArray[np.float64]:
        a, b, names = self._faces
        r = np.maximum(0.0, a @ made / b)
        if np.sum(r**POWER) >= 1.0:
            raise InputError(
                [f"the line must be inside the design space: it has no room between {names[int(r.argmax())]}"]
            )
        return made / (1.0 - np.sum(r**POWER)) ** (1.0 / POWER)

    def _with_droppers(self, x: NDArray[np.float64], z: NDArray[np.float64]) -> CatenarySpec:
        content = self.nominal.model_dump()
        content["droppers"]["positions"] = tuple(x.tolist())
        content["droppers"]["contact_wire_heights"] = tuple(z.tolist())
        return CatenarySpec.model_validate(content)

    def _check_in_box(self, v: NDArray[np.float64]) -> None:
        if v.shape != (len(self.variables),):
            raise InputError(
                [f"values must have one number per variable: {len(self.variables)}, got shape {v.shape}"]
            )
        problems = [
            f"{w.name} must lie between {w.low:g} and {w.high:g} {w.unit}: got {value:g} {w.unit}"
            for w, value in zip(self.variables, v, strict=True)
            if not w.low <= value <= w.high
        ]
        if problems:
            raise InputError(problems)

    def _asymmetries(self) -> list[str]:
        x, z = self._nominal_stations
        mirrored = self.nominal.span_length - x[::-1]
        where = np.flatnonzero(np.maximum(abs(x - mirrored), abs(z - z[::-1])) > SYMMETRY_TOLERANCE)
        return [
            f"the nominal line must be symmetric about mid-span to be optimised: dropper {k + 1} stands at "
            f"{x[k]:g} m "
            f"at height {z[k]:g} m, its mirror image at {mirrored[k]:g} m at {z[::-1][k]:g} m; make them "
            f"equal"
            for k in where[: (len(where) + 1) // 2]
        ]

    def _lack_of_room(self) -> list[str]:
        _, b, names = self._faces
        return [
            f"the nominal line must leave room between {name}: {-room:.3g} m are missing; lower that distance"
            for room, name in zip(b, names, strict=True)
            if room < 1e-3
        ]
