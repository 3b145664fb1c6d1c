"""Gains of a pantograph's controller as design variables, behind those of the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from catenary.errors import InputError, sentences_of
from catenary.spec.line import CatenarySpec
from dynamics.spec.case import CaseSpec
from dynamics.spec.pantograph import PantographSpec
from optimise.design.dropper_space import DropperSpace, Variable
from optimise.design.space import DesignSpace
from optimise.design.station_space import space_of
from optimise.spec.design import DesignSpec

__all__ = ["ControlledSpace", "Gains", "gains_of", "space_of_case", "with_carried_gains", "with_gains"]

# values by their path inside pantograph.control
Gains = tuple[tuple[str, float], ...]
Values = Sequence[float] | NDArray[np.float64]

# P, I and D in SI by what they act on: contact force, height or acceleration of the head
UNITS = {
    "pid.proportional": {"force": "1", "height": "N/m", "acceleration": "kg"},
    "pid.integral": {"force": "1/s", "height": "N/m/s", "acceleration": "kg/s"},
    "pid.derivative": {"force": "s", "height": "N s/m", "acceleration": "kg s"},
}
OTHER_UNITS = {
    "pid.derivative_filter_s": "s", "pid.leak_hz": "Hz", "feedback.contact_stiffness": "N/m",
    "feedback.wire_hz": "Hz", "feedback.wire_m": "m",
}  # fmt: skip


def space_of_case(case: CaseSpec, design: DesignSpec) -> DesignSpace:
    """Design space of a case: of its line, and of its pantograph's gains where these may change.

    Raises
    ------
    InputError
        If the nominal line or pantograph cannot be varied so.
    """
    if design.control is None:
        return space_of(case.catenary, design)
    return ControlledSpace(case.catenary, design, case.pantograph)


def with_gains(pantograph: PantographSpec, gains: Gains) -> PantographSpec:
    """The same pantograph with other gains.

    Raises
    ------
    InputError
        If it has no such gains, or does not take these values.
    """
    content: dict[str, Any] = pantograph.model_dump()
    marks = dict(pantograph.provenance)
    for path, value in gains:
        law, _, name = path.partition(".")
        block = (content.get("control") or {}).get(law)
        if block is None:
            raise InputError(
                [f"pantograph.control.{law} is missing on {pantograph.name}: design.control.{path} gives a range to a "
                 "gain of it; choose a pantograph whose controller has it (pantograph=controlled has pid)"]
            )  # fmt: skip
        block[name] = value
        marks[f"control.{path}"] = "c"
    content["provenance"] = marks
    try:
        return PantographSpec.model_validate(content)
    except ValidationError as error:
        raise InputError([f"pantograph {pantograph.name}: {text}" for text in sentences_of(error)]) from error


def gains_of(space: DesignSpace, values: Values) -> Gains:
    """Gains of a point of a space; none where the pantograph does not vary."""
    return space.gains_of(values) if isinstance(space, ControlledSpace) else ()


def with_carried_gains(space: DesignSpace, values: NDArray[np.float64], gains: Gains) -> NDArray[np.float64]:
    """Point with the gains that another search's design has, as far as they vary here.

    Raises
    ------
    InputError
        If one is outside its range.
    """
    if not isinstance(space, ControlledSpace):
        return values
    found, given = values.copy(), dict(gains)
    for k, variable in enumerate(space.gains, start=len(values) - len(space.gains)):
        value = given.get(_path_of(variable), variable.nominal)
        if not variable.low <= value <= variable.high:
            raise InputError(
                [f"{variable.name} must lie between {variable.low:g} and {variable.high:g} {variable.unit}: got "
                 f"{value:g} {variable.unit}"]
            )  # fmt: skip
        found[k] = value
    return found


def _path_of(variable: Variable) -> str:
    return variable.name.partition(".")[2]


@dataclass(frozen=True)
class ControlledSpace(DesignSpace):
    """Box of a line's design variables, if any of it varies, and of the gains of the pantograph under it."""

    pantograph: PantographSpec

    def __post_init__(self) -> None:
        _ = self.line  # refused first where it cannot be varied
        problems = [
            f"design.control.{_path_of(v)} must hold the {v.nominal:g} {v.unit} of {self.pantograph.name}: got "
            f"{v.low:g} to {v.high:g} {v.unit}; widen it, or give the pantograph another value"
            for v in self.gains
            if not v.low <= v.nominal <= v.high
        ]
        if problems:
            raise InputError(problems)
        for end in ("low", "high"):
            with_gains(self.pantograph, tuple((_path_of(v), getattr(v, end)) for v in self.gains))

    @cached_property
    def line(self) -> DesignSpace:
        """Space of the line alone."""
        return space_of(self.nominal, self.design)

    @cached_property
    def gains(self) -> tuple[Variable, ...]:
        """Variables of the controller, the last ones of the space."""
        wanted = self.design.control
        assert wanted is not None
        own = self.pantograph.control
        nominal = {} if own is None else own.model_dump()
        found = []
        for path, (low, high) in wanted.ranges.items():
            law, _, name = path.partition(".")
            if own is None or nominal[law] is None:
                with_gains(self.pantograph, ((path, low),))  # says what is missing
            assert own is not None
            unit = UNITS[path][own.measures] if path in UNITS else OTHER_UNITS.get(path, "1")
            about = f"{name.removesuffix('_s').removesuffix('_hz').replace('_', ' ')} of the controller"
            found.append(Variable(f"control.{path}", low, high, float(nominal[law][name]), unit, about))
        return tuple(found)

    @cached_property
    def droppers(self) -> DropperSpace:
        """Heights and stations on the nominal line."""
        return self.line.droppers

    @property
    def moves(self) -> int:
        """Number of variables that move droppers."""
        return self.line.moves

    @property
    def lifts(self) -> int:
        """Number of variables that change heights."""
        return self.line.lifts

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """Variables of the line, then gains."""
        return (*self.line.variables, *self.gains)

    def spec_of(self, values: Values) -> CatenarySpec:
        """Line of a point; see `DesignSpace.spec_of`."""
        return self.line.spec_of(self._of_line(values))

    def as_drawn(self, values: Values) -> CatenarySpec:
        """Line of a point by its heights; see `DesignSpace.as_drawn`."""
        return self.line.as_drawn(self._of_line(values))

    def gains_of(self, values: Values) -> Gains:
        """Gains of a point, by their paths inside ``pantograph.control``."""
        v = np.asarray(values, dtype=float)
        self._check_in_box(v)
        found = v[len(v) - len(self.gains) :].tolist()
        return tuple(zip(map(_path_of, self.gains), found, strict=True))

    def values_of(self, spec: CatenarySpec) -> NDArray[np.float64]:
        """Point of a line under the nominal pantograph; see `DesignSpace.values_of`."""
        return np.concatenate([self.line.values_of(spec), [v.nominal for v in self.gains]])

    def typical_of(self, line: CatenarySpec) -> CatenarySpec:
        """Line as designs are written; see `DesignSpace.typical_of`."""
        return self.line.typical_of(line)

    @property
    def exact(self) -> DesignSpace:
        """The same space with stations and lengths as the variables give them."""
        return replace(self, design=self.line.exact.design)

    def _of_line(self, values: Values) -> NDArray[np.float64]:
        v = np.asarray(values, dtype=float)
        self._check_in_box(v)
        return v[: len(v) - len(self.gains)]
