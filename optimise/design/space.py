"""Design variables and the lines they stand for: bounds, order and spacing hold at every point of the box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from catenary.errors import InputError, sentences_of
from catenary.spec.components import SHORTEST
from catenary.spec.line import CatenarySpec
from optimise.design.cut_lengths import cut_to_step
from optimise.design.dropper_space import LEAST_ROOM, DropperSpace, Variable
from optimise.design.line_layout import least_droppers, line_with, mesh_of_designs, quantity_of
from optimise.design.shares import ROUNDING, from_shares, shares
from optimise.design.station_grid import line_on_grid, stations_on_grid
from optimise.design.string_model import shortest_dropper
from optimise.design.unequal_spans import SAME_PLACE, repeated, shorter_alone, with_longer
from optimise.spec.design import LINE_QUANTITIES, DesignSpec
from optimise.spec.station_design import misfits_of

__all__ = ["DesignSpace", "Variable"]

AS_BUILT = ("span_length", "further_spans", "droppers", "mesh", "provenance")
GEOMETRIC = ("droppers", "span_length", "span_difference", "stitch_length")


@dataclass(frozen=True)
class DesignSpace:
    """Box of design variables around a nominal line, symmetric about mid-span.

    First come the dropper variables of the nominal line (`DropperSpace`), then quantities of the line as a whole,
    each with its range. These make the line on which the dropper variables then act: a lift or move counts as its
    share of what that line's own droppers allow. A line with another number of droppers takes the shares of the
    nominal's, interpolated over the rank of a dropper between support and mid-span. The nominal line is given
    back exactly, but for what `typical_of` says: where spans may differ every line, it too, is written as two spans,
    and where stations have a grid or lengths a step it too is built to them.
    """

    nominal: CatenarySpec
    design: DesignSpec

    def __post_init__(self) -> None:
        problems = self._unfit_ranges() or self._unfit_corners(self.droppers)
        if problems:
            raise InputError(problems)

    @cached_property
    def droppers(self) -> DropperSpace:
        """Heights and stations on the nominal line."""
        return DropperSpace(self.nominal, self.design)

    @property
    def moves(self) -> int:
        """Number of variables that move droppers; a dropper at mid-span stays there."""
        return self.droppers.moves

    @property
    def lifts(self) -> int:
        """Number of variables that change heights, the dropper at mid-span included."""
        return self.droppers.lifts

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """Variables in their order: lifts, moves, quantities of the line as a whole."""
        whole = tuple(
            Variable(
                key, float(low), float(high), quantity_of(self.nominal, key), LINE_QUANTITIES[key][1],
                "number of droppers in a span" if key == "droppers" else key.replace("_", " "), key == "droppers",
            )
            for key, (low, high) in self.design.line_ranges.items()
        )  # fmt: skip
        return (*self.droppers.variables, *whole)

    @cached_property
    def ranges(self) -> NDArray[np.float64]:
        """Width of every variable's range, in its unit, shape (variable,)."""
        return np.array([v.high - v.low for v in self.variables])

    def spec_of(self, values: Sequence[float] | NDArray[np.float64]) -> CatenarySpec:
        """Line that a point of the box stands for, as it is built and evaluated.

        Parameters
        ----------
        values : float array (variable,)
            Values in the order of `variables`, each in its unit and inside its range.

        Raises
        ------
        InputError
            If the point is not in the box, or the line has no place on the grid or no lengths to cut.
        """
        line = self.as_drawn(values)
        return line if self.design.length_step is None else cut_to_step(line, self.design.length_step)

    def as_drawn(self, values: Sequence[float] | NDArray[np.float64]) -> CatenarySpec:
        """Line of a point by its contact-wire heights, before its droppers are cut to whole steps.

        Raises
        ------
        InputError
            If the point is not in the box, or a dropper has no place on the grid.
        """
        v = np.asarray(values, dtype=float)
        self._check_in_box(v)
        n = len(self.droppers.variables)
        whole, difference = self._shorter_span(dict(zip(self.design.line_ranges, v[n:].tolist(), strict=True)))
        droppers = self._droppers_of(line_with(self.droppers, whole))
        if droppers is self.droppers:
            return self._as_designed(droppers.spec_of(v[:n]), difference)
        line = droppers.spec_of(droppers.reach * (shares(self.droppers, droppers) @ (v[:n] / self.droppers.reach)))
        return self._as_designed(line, difference)

    def values_of(self, spec: CatenarySpec) -> NDArray[np.float64]:
        """Point of the box that stands for a line, the inverse of `as_drawn`, shape (variable,).

        With fewer droppers than the nominal line many points stand for one line; this is one of them.

        Raises
        ------
        InputError
            If no point of the space stands for the line.
        """
        whole = {key: quantity_of(spec, key) for key in self.design.line_ranges}
        if "span_difference" in whole:
            spec = shorter_alone(spec, self._with_longer)
        given, wanted = len(spec.droppers.positions), len(self.nominal.droppers.positions)
        if "droppers" not in whole and given != wanted:
            raise InputError(
                [f"the line must have {wanted} droppers as the nominal one: got {given}; use its own nominal line"]
            )
        try:
            droppers = self._droppers_of(line_with(self.droppers, self._shorter_span(whole)[0]))
        except ValueError as error:
            raise InputError([f"the line must be inside the design space: {error}"]) from error
        values = droppers.values_of(spec)
        if droppers is not self.droppers:
            values = self.droppers.reach * from_shares(self.droppers, droppers, values / droppers.reach)
        found = np.concatenate([values, list(whole.values())])
        low, high = np.array([[v.low, v.high] for v in self.variables]).reshape(-1, 2).T
        inside = np.clip(found, low, high)
        found = np.where(np.abs(found - inside) < ROUNDING * self.ranges, inside, found)
        self._check_in_box(found)
        return found

    def typical_of(self, line: CatenarySpec) -> CatenarySpec:
        """A line as designs are written: on their mesh, and as two spans where these may differ, for own errors.

        Where stations have a grid or lengths a step it is built to them, as every design is.

        Raises
        ------
        InputError
            If it then has no place on the grid or no lengths to cut.
        """
        if self.design.as_built:
            made = self.spec_of(self.values_of(line))
            return line.model_copy(update={name: getattr(made, name) for name in AS_BUILT})
        twice = self.design.span_difference is not None and not line.further_spans
        return self._meshed(repeated(line, 2) if twice else line)

    def _as_designed(self, line: CatenarySpec, difference: float) -> CatenarySpec:
        whole = line if self.design.span_difference is None else self._with_longer(line, difference)
        return self._meshed(line_on_grid(whole, self.design))

    def _with_longer(self, line: CatenarySpec, difference: float) -> CatenarySpec:
        return line_on_grid(with_longer(line, difference), self.design)

    @property
    def exact(self) -> DesignSpace:
        """The same space with stations and lengths as the variables give them."""
        free = self.design.model_copy(update={"station_grid": None, "length_step": None})
        return replace(self, design=free) if self.design.as_built else self

    def _meshed(self, line: CatenarySpec) -> CatenarySpec:
        """Put a line on the mesh that all designs share, where stations may change."""
        if not self.moves and not any(key in self.design.line_ranges for key in GEOMETRIC):
            return line
        return line.model_copy(update={"mesh": mesh_of_designs(self.nominal)})

    def _shorter_span(self, whole: Mapping[str, float]) -> tuple[dict[str, float], float]:
        """Quantities of the line of the shorter span alone, and how much longer the other one is [m]."""
        rest = dict(whole)
        difference = rest.pop("span_difference", 0.0)
        if difference < SAME_PLACE:
            difference = 0.0
        else:
            rest["span_length"] = rest.get("span_length", self.nominal.span_length) - 0.5 * difference
        return rest, difference

    def _droppers_of(self, line: CatenarySpec) -> DropperSpace:
        return self.droppers if line is self.nominal else DropperSpace(line, self.design, derived=True)

    def _check_in_box(self, v: NDArray[np.float64]) -> None:
        if v.shape != (len(self.variables),):
            raise InputError([f"values must have one number per variable: {len(self.variables)}, got shape {v.shape}"])
        problems = [
            f"{w.name} must lie between {w.low:g} and {w.high:g} {w.unit}: got {value:g} {w.unit}"
            for w, value in zip(self.variables, v, strict=True)
            if not w.low <= value <= w.high
        ]
        problems += [
            f"{w.name} must be a whole number: got {value:g}"
            for w, value in zip(self.variables, v, strict=True)
            if w.integer and value != round(value)
        ]
        if problems:
            raise InputError(problems)

    def _unfit_ranges(self) -> list[str]:
        """Say which ranges do not fit the nominal line."""
        problems = [*misfits_of(self.nominal, self.design), *self._spans_already_unequal()]
        for key, (low, high) in self.design.line_ranges.items():
            if key.startswith("stitch_") and self.nominal.stitch is None:
                problems.append(f"design.{key} must be left out (or null): {self.nominal.name} has no stitch wire")
                continue
            if key == "span_difference" and low > 0.0:
                problems.append(f"design.span_difference must begin with 0, all spans alike: got {low:g} to {high:g} m")
                continue
            own, unit = quantity_of(self.nominal, key), LINE_QUANTITIES[key][1]
            unit = "" if unit == "1" else f" {unit}"
            if not low <= own <= high:
                problems.append(
                    f"design.{key} must hold the {own:g}{unit} of {self.nominal.name}: got {low:g} to {high:g}{unit}; "
                    "widen it, or give the line another value"
                )
            fewest = least_droppers(self.nominal)
            if key == "droppers" and low < fewest:
                problems.append(
                    f"design.droppers must be at least {fewest} on {self.nominal.name}, those on the stitch wire and "
                    f"one between: got {low:g}"
                )
        return problems

    def _spans_already_unequal(self) -> list[str]:
        """Say what cannot vary on a line that names several spans itself."""
        if not self.nominal.further_spans:
            return []
        kind = [f"design.kind must be 'line', not '{self.design.kind}',"] if self.design.kind != "line" else []
        keys = [f"design.{key} must be left out (or null)" for key in GEOMETRIC if key in self.design.line_ranges]
        return [
            f"{what} on {self.nominal.name}, which names {len(self.nominal.spans)} spans: the search varies stations "
            "and heights only on a line whose spans are alike; remove further_spans from the line, and give "
            "design.span_difference a range"
            for what in (*kind, *keys)
        ]

    def _unfit_corners(self, droppers: DropperSpace) -> list[str]:
        """Say which ranges leave no valid line, no distance between droppers, or no dropper, at one of their ends.

        Distances are linear in span and stitch length, so the ends are the worst; every number of droppers is tried.
        Droppers are shortest where the messenger wire hangs low and slack.
        """
        d, ranges = self.design, self.design.line_ranges
        lowest = {key: ranges[key][0] for key in ("encumbrance", "messenger_wire_tension") if key in ranges}
        ranges = {k: v for k, v in ranges.items() if k in GEOMETRIC}
        # what a corner leaves is left between corners too, whichever way whole steps are rounded there
        spare = 2 if ranges.keys() - {"droppers"} else 0
        choices = [range(int(v[0]), int(v[1]) + 1) if k == "droppers" else v for k, v in ranges.items()]
        for corner in product(*choices):
            values: Mapping[str, float] = dict(zip(ranges, corner, strict=True)) | lowest
            where = ", ".join(f"{key} {value:g}" for key, value in values.items())
            whole, difference = self._shorter_span(values)
            try:
                line = line_with(droppers, whole)
                both = self._as_designed(line, difference)
                if d.station_grid is not None:
                    stations_on_grid(both, np.asarray(both.droppers.positions), d, spare)
            except ValueError as error:
                reasons = sentences_of(error) if isinstance(error, ValidationError) else [str(error)]
                if not where:
                    return reasons
                if difference:
                    where += f" (a shorter span of {whole['span_length']:g} m)"
                return [f"every line of the design space must be valid: with {where}, {'; '.join(reasons)}"]
            as_named = line is self.nominal or line.further_spans
            distances = [] if as_named else self._droppers_of(line).tight_distances(LEAST_ROOM)
            if distances:
                return [
                    f"every line of the design space must leave room for {distances[0]}: it does not with {where}; "
                    "narrow that range, or lower that distance"
                ]
            least = shortest_dropper(both) - (d.height_change if self.lifts else 0.0)
            if line is not self.nominal and least < SHORTEST:
                return [
                    f"every line of the design space must have droppers of at least {SHORTEST:g} m: with {where} the "
                    f"shortest would be about {least:.2f} m; narrow that range"
                ]
        return []
