"""What runs under a line as design variables, behind those of the line: gains of a controller, distances of a train."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from dynamics.spec.train import TrailingSpec
from optimise.design.dropper_space import DropperSpace, Variable
from optimise.design.space import DesignSpace
from optimise.design.station_space import space_of
from optimise.spec.design import DesignSpec

__all__ = ["TrainSpace", "TrainValues", "space_of_case", "train_of", "with_carried_train", "with_gains", "with_train"]

# values by their dotted path inside a case
TrainValues = tuple[tuple[str, float], ...]
Values = Sequence[float] | NDArray[np.float64]

# P, I and D in SI by what they act on: contact force, height or acceleration of the head
UNITS = {
    "pid.proportional": {"force": "1", "height": "N/m", "acceleration": "kg"},
    "pid.integral": {"force": "1/s", "height": "N/m/s", "acceleration": "kg/s"},
    "pid.derivative": {"force": "s", "height": "N s/m", "acceleration": "kg s"},
}
CONTROL, DISTANCES = "pantograph.control.", "trailing.distances_m."
OTHER_UNITS = {
    "pid.derivative_filter_s": "s", "pid.leak_hz": "Hz", "feedback.contact_stiffness": "N/m",
    "feedback.wire_hz": "Hz", "feedback.wire_m": "m",
}  # fmt: skip


def space_of_case(case: CaseSpec, design: DesignSpec) -> DesignSpace:
    """Design space of a case: of its line, and of its pantographs where their gains or distances may change.

    Raises
    ------
    InputError
        If the nominal line or train cannot be varied so.
    """
    return TrainSpace(case.catenary, design, case) if design.of_train else space_of(case.catenary, design)


def with_train(case: CaseSpec, values: TrainValues) -> CaseSpec:
    """The same case with other gains of its pantographs, and other distances between them.

    Raises
    ------
    InputError
        If its pantograph has no such gains, or it does not take these values.
    """
    gains = tuple((path.removeprefix(CONTROL), value) for path, value in values if path.startswith(CONTROL))
    distances = tuple(value for path, value in values if path.startswith(DISTANCES))
    changes: dict[str, Any] = {"pantograph": with_gains(case.pantograph, gains)} if gains else {}
    if distances:
        changes["trailing"] = _with_distances(case.trailing, distances)
    return case.model_copy(update=changes)


def _with_distances(train: TrailingSpec, distances: tuple[float, ...]) -> TrailingSpec:
    try:
        return TrailingSpec.model_validate({**train.model_dump(), "distances_m": distances})
    except ValidationError as error:
        raise InputError([f"trailing: {text}" for text in sentences_of(error)]) from error


def with_gains(pantograph: PantographSpec, gains: TrainValues) -> PantographSpec:
    """The same pantograph with other gains, by their paths inside ``pantograph.control``.

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


def train_of(space: DesignSpace, values: Values) -> TrainValues:
    """Gains and distances of a point of a space, by their paths inside a case; none where only the line varies."""
    return space.train_of(values) if isinstance(space, TrainSpace) else ()


def with_carried_train(space: DesignSpace, values: NDArray[np.float64], train: TrainValues) -> NDArray[np.float64]:
    """Point with the gains and distances that another search's design has, as far as they vary here.

    Raises
    ------
    InputError
        If one is outside its range.
    """
    if not isinstance(space, TrainSpace):
        return values
    found, given = values.copy(), dict(train)
    for k, variable in enumerate(space.of_train, start=len(values) - len(space.of_train)):
        value = given.get(_path_of(variable), variable.nominal)
        if not variable.low <= value <= variable.high:
            raise InputError(
                [f"{variable.name} must lie between {variable.low:g} and {variable.high:g} {variable.unit}: got "
                 f"{value:g} {variable.unit}"]
            )  # fmt: skip
        found[k] = value
    return found


def _key_of(variable: Variable) -> str:
    """Key of a variable's range inside ``design``."""
    return "trailing_distances" if variable.name.startswith(DISTANCES) else variable.name


def _path_of(variable: Variable) -> str:
    """Dotted path of a variable of the train inside a case."""
    return variable.name if variable.name.startswith(DISTANCES) else f"pantograph.{variable.name}"


@dataclass(frozen=True)
class TrainSpace(DesignSpace):
    """Box of a line's design variables, if any of it varies, and of those of the pantographs under it."""

    case: CaseSpec

    def __post_init__(self) -> None:
        _ = self.line  # refused first where it cannot be varied
        problems = [
            f"design.{_key_of(v)} must hold the {v.nominal:g} {v.unit} of {self._owner_of(v)}: got "
            f"{v.low:g} to {v.high:g} {v.unit}; widen it, or give {self._owner_of(v)} another value"
            for v in self.of_train
            if not v.low <= v.nominal <= v.high
        ]
        if problems:
            raise InputError(problems)
        for end in ("low", "high"):
            self._refuse_impossible(tuple((_path_of(v), getattr(v, end)) for v in self.of_train))

    def _refuse_impossible(self, values: TrainValues) -> None:
        made = with_train(self.case, values)
        try:
            CaseSpec.model_validate({**made.model_dump(), "pantograph": made.pantograph})
        except ValidationError as error:
            raise InputError(
                [f"every design must be a possible case: {text}" for text in sentences_of(error)]
            ) from error

    @cached_property
    def line(self) -> DesignSpace:
        """Space of the line alone."""
        return space_of(self.nominal, self.design)

    @cached_property
    def of_train(self) -> tuple[Variable, ...]:
        """Variables of the pantographs, the last ones of the space: gains, then distances."""
        return (*self._gains(), *self._distances())

    def _gains(self) -> Iterator[Variable]:
        wanted, pantograph = self.design.control, self.case.pantograph
        own = pantograph.control
        nominal = {} if own is None else own.model_dump()
        for path, (low, high) in {} if wanted is None else wanted.ranges.items():
            law, _, name = path.partition(".")
            if own is None or nominal[law] is None:
                with_gains(pantograph, ((path, low),))  # says what is missing
            assert own is not None
            unit = UNITS[path][own.measures] if path in UNITS else OTHER_UNITS.get(path, "1")
            about = f"{name.removesuffix('_s').removesuffix('_hz').replace('_', ' ')} of the controller"
            yield Variable(f"control.{path}", low, high, float(nominal[law][name]), unit, about)

    def _distances(self) -> Iterator[Variable]:
        wanted, own = self.design.trailing_distances, self.case.trailing.distances_m
        if wanted and not own:
            problem = (
                "trailing.distances_m must name the nominal train, which design.trailing_distances varies, such as"
            )
            raise InputError([f"{problem} [{','.join(f'{(low + high) / 2:g}' for low, high in wanted)}]: got none"])
        if wanted and len(wanted) != len(own):
            raise InputError(
                [f"design.trailing_distances must give one range for each of the {len(own)} distances of "
                 f"trailing.distances_m: got {len(wanted)}"]
            )  # fmt: skip
        for k, ((low, high), nominal) in enumerate(zip(wanted, own, strict=bool(wanted))):
            yield Variable(
                f"{DISTANCES}{k}", low, high, nominal, "m", f"distance of pantograph {k + 2} behind the first"
            )

    def _owner_of(self, variable: Variable) -> str:
        """What has a variable's nominal value."""
        return "trailing.distances_m" if variable.name.startswith(DISTANCES) else self.case.pantograph.name

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
        """Variables of the line, then those of the pantographs."""
        return (*self.line.variables, *self.of_train)

    def spec_of(self, values: Values) -> CatenarySpec:
        """Line of a point; see `DesignSpace.spec_of`."""
        return self.line.spec_of(self._of_line(values))

    def as_drawn(self, values: Values) -> CatenarySpec:
        """Line of a point by its heights; see `DesignSpace.as_drawn`."""
        return self.line.as_drawn(self._of_line(values))

    def train_of(self, values: Values) -> TrainValues:
        """Gains and distances of a point, by their paths inside a case."""
        v = np.asarray(values, dtype=float)
        self._check_in_box(v)
        found = v[len(v) - len(self.of_train) :].tolist()
        return tuple(zip(map(_path_of, self.of_train), found, strict=True))

    def values_of(self, spec: CatenarySpec) -> NDArray[np.float64]:
        """Point of a line under the nominal pantographs; see `DesignSpace.values_of`."""
        return np.concatenate([self.line.values_of(spec), [v.nominal for v in self.of_train]])

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
        return v[: len(v) - len(self.of_train)]
