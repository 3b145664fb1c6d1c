"""Validated description of the scenarios that every design of a campaign meets (SI; speeds in km/h, errors in mm)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from catenary.spec.line import CatenarySpec
from catenary.spec.surroundings.wind import TurbulenceSpec, WindSpec
from dynamics.spec.control.controller import MOST_DELAY
from dynamics.spec.pantograph import PantographSpec
from optimise.spec.conditions.wear import WearScenariosSpec
from optimise.spec.defects import DefectScenariosSpec
from optimise.spec.objective_names import Combine, name_parts

__all__ = ["InstallationSpec", "ScenariosSpec", "WindCase", "WindScenariosSpec"]

Weights = tuple[Annotated[float, Field(gt=0.0, le=1.0e6)], ...]
Distances = Annotated[tuple[Annotated[float, Field(gt=0.0, le=1000.0)], ...], Field(max_length=7)]
MOST = 400


class InstallationSpec(Spec):
    """Errors with which a line is installed, normal, independent at every dropper, the same for every design.

    A dropper that an error leaves loose carries nothing, and the line runs with it.
    """

    height_sd_mm: Annotated[float, Field(ge=0.0, le=50.0)] = Field(
        default=0.0, description="standard deviation of the contact-wire heights at the droppers [mm]"
    )
    length_sd_mm: Annotated[float, Field(ge=0.0, le=50.0)] = Field(
        default=0.0, description="standard deviation of the lengths to which droppers are cut [mm]"
    )
    station_sd_mm: Annotated[float, Field(ge=0.0, le=50.0)] = Field(
        default=0.0, description="standard deviation of the droppers' stations, their lengths as cut [mm]"
    )
    support_sd_mm: Annotated[float, Field(ge=0.0, le=50.0)] = Field(
        default=0.0,
        description="standard deviation of the messenger wire's height over the contact wire at the supports [mm]",
    )
    samples: Annotated[int, Field(ge=1, le=200)] = Field(
        default=8, description="lines with errors for each design; without a standard deviation the line itself"
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(default=1, description="seed of the errors")

    @property
    def wanted(self) -> bool:
        """Whether there are errors at all."""
        return max(self.height_sd_mm, self.length_sd_mm, self.station_sd_mm, self.support_sd_mm) > 0.0

    @property
    def in_words(self) -> str:
        """Errors and their standard deviations; empty where there are none."""
        parts = (
            ("contact-wire heights", self.height_sd_mm),
            ("dropper lengths", self.length_sd_mm),
            ("stations", self.station_sd_mm),
            ("encumbrance", self.support_sd_mm),
        )
        return " and ".join(f"{sd:g} mm in {what}" for what, sd in parts if sd)


class WindCase(NamedTuple):
    """One wind: its mark, what it is in words, its speed to the left [m/s], and its gusts; None of a steady one."""

    name: str
    words: str
    speed: float
    turbulence: TurbulenceSpec | None

    def blowing(self, wind: WindSpec) -> WindSpec:
        """What a line's own wind finds, in this one."""
        side = "left" if self.speed >= 0.0 else "right"
        changes = {"speed": abs(self.speed), "blows_to": side, "turbulence": self.turbulence}
        return wind.model_copy(update=changes)


class WindScenariosSpec(Spec):
    """Winds on a line whose droppers are cut as in the wind of ``catenary.wind``, still air for instance.

    Gusts need an end: with seeds every wind also blows in gusts, on an open line of ``open_line.spans`` such spans.
    """

    speeds: tuple[Annotated[float, Field(ge=-60.0, le=60.0)], ...] = Field(
        default=(), max_length=10, description="mean speeds across the track, to the left positive, 0 still air [m/s]"
    )
    gust_seeds: tuple[Annotated[int, Field(ge=0)], ...] = Field(
        default=(), max_length=10, description="records of gusts, each a scenario for every wind; none: steady ones"
    )
    turbulence: TurbulenceSpec | None = Field(default=None, description="of the gusts; its seed is one of gust_seeds")
    weights: Weights = Field(
        default=(), max_length=110, description="weight of each wind, and of each with each seed; none: the same [-]"
    )

    @property
    def wanted(self) -> bool:
        """Whether there is a wind at all."""
        return bool(self.speeds)

    @property
    def conditions(self) -> tuple[WindCase, ...]:
        """Steady winds first, then each in the gusts of each seed."""
        steady = [WindCase(f"wind{v:g}", _wind_in_words(v), v, None) for v in self.speeds]
        gusts = [
            WindCase(
                f"wind{v:g}gusts{seed}",
                f"{_wind_in_words(v)} with gusts {seed}",
                v,
                self.turbulence.model_copy(update={"seed": seed}),
            )
            for seed in self.gust_seeds
            for v in self.speeds
            if v != 0.0 and self.turbulence is not None
        ]
        return (*steady, *gusts)

    @model_validator(mode="after")
    def _gusts_are_known(self) -> Self:
        if bool(self.gust_seeds) != (self.turbulence is not None):
            raise ValueError("wind.turbulence and wind.gust_seeds must be given together, or neither")
        if self.gust_seeds and not any(self.speeds):
            raise ValueError("wind.gust_seeds must be left out without a wind: list wind.speeds that are not 0")
        return self

    def problems(self, line: CatenarySpec) -> Iterator[str]:
        """Say what a line lacks to stand in these winds."""
        if self.gust_seeds and line.repeat is not None and (line.repeat.wear or line.repeat.kinks):
            yield "catenary.repeat.wear and catenary.repeat.kinks must be left out with scenarios.wind.gust_seeds"
        if self.wanted and line.wind is None:
            yield (
                "catenary.wind is missing: scenarios.wind takes the widths and drags of wires from there "
                "(wind=crosswind_20 wind.speed=0 for instance)"
            )


def _wind_in_words(speed: float) -> str:
    side = "left" if speed > 0.0 else "right"
    return f"wind of {abs(speed):g} m/s to the {side}" if speed else "still air"


class ScenariosSpec(Spec):
    """Conditions that a design must suit: every combination of those listed; others are the case's own."""

    speeds_kmh: tuple[Annotated[float, Field(ge=5.0, le=600.0)], ...] = Field(
        default=(), max_length=41, description="speeds, each with its own reference mean force [km/h]"
    )
    speed_weights: Weights = Field(
        default=(), max_length=41, description="weight of each speed; without them all weigh the same [-]"
    )
    pantographs: tuple[PantographSpec, ...] = Field(
        default=(), max_length=10, description="pantographs: names in conf, files, or blocks of keys"
    )
    pantograph_weights: Weights = Field(default=(), max_length=10, description="weight of each pantograph [-]")
    contact_stiffness: tuple[Annotated[float, Field(ge=5.0e3, le=5.0e6)], ...] = Field(
        default=(), max_length=10, description="contact stiffnesses [N/m]"
    )
    contact_weights: Weights = Field(default=(), max_length=10, description="weight of each contact stiffness [-]")
    damping_factors: tuple[Annotated[float, Field(ge=0.0, le=20.0)], ...] = Field(
        default=(), max_length=10, description="factors of the line's own damping, all components alike [-]"
    )
    damping_weights: Weights = Field(default=(), max_length=10, description="weight of each damping factor [-]")
    delays_s: tuple[Annotated[float, Field(ge=0.0, le=MOST_DELAY)], ...] = Field(
        default=(),
        max_length=10,
        exclude_if=lambda value: not value,  # scenarios read as they did
        description="delays of the actuator of the pantograph's controller [s]",
    )
    delay_weights: Weights = Field(
        default=(), max_length=10, exclude_if=lambda value: not value, description="weight of each delay [-]"
    )
    trailing: tuple[Distances, ...] = Field(
        default=(),
        max_length=10,
        description="trains, each the distances of its pantographs behind the first [m]; [] is one pantograph alone",
    )
    trailing_weights: Weights = Field(default=(), max_length=10, description="weight of each train [-]")
    wind: WindScenariosSpec = Field(
        default=WindScenariosSpec(),
        exclude_if=lambda value: not value.wanted,  # scenarios read as they did
        description="winds, steady ones and gusts",
    )
    wear: WearScenariosSpec = Field(
        default=WearScenariosSpec(), exclude_if=lambda value: not value.wanted, description="worn contact wires"
    )
    defects: DefectScenariosSpec = DefectScenariosSpec()
    errors: InstallationSpec = InstallationSpec()
    combine: Combine = Field(
        default="mean",
        description="what an objective is over all scenarios: weighted mean, the worst, or mean plus deviation",
    )
    std_factor: Annotated[float, Field(gt=0.0, le=10.0)] = Field(
        default=1.0, description="standard deviations over the scenarios that mean_plus_std adds to their mean [-]"
    )
    tolerance: Annotated[float, Field(gt=0.0, le=0.1)] = Field(
        default=2.0e-3,
        description="change of state from span to span that ends the search of one scenario, relative; takes the place "
        "of periodic.tolerance where that is smaller [-]",
    )

    @property
    def axes(self) -> dict[str, tuple[tuple[Any, ...], Weights]]:
        """Values and weights of each axis by the name of its key; without values it is the case's own."""
        return {
            "speeds_kmh": (self.speeds_kmh, self.speed_weights),
            "pantographs": (self.pantographs, self.pantograph_weights),
            "contact_stiffness": (self.contact_stiffness, self.contact_weights),
            "damping_factors": (self.damping_factors, self.damping_weights),
            "delays_s": (self.delays_s, self.delay_weights),
            "trailing": (self.trailing, self.trailing_weights),
            "wind": (self.wind.conditions, self.wind.weights),
            "wear": (self.wear.conditions, self.wear.weights),
            "defects": (self.defects.conditions, self.defects.weights),  # last: those of one sound line are neighbours
        }

    @property
    def wanted(self) -> bool:
        """Whether there is any scenario other than the case's own."""
        return self.errors.wanted or any(values for values, _ in self.axes.values())

    def unused(self, objectives: Iterable[str]) -> Iterator[str]:
        """Say what is asked of combining scenarios and changes no figure; what has its default is never named."""
        if self.combine != _default("combine") and not self.wanted:
            yield (
                "scenarios.combine must be left out without scenarios, which it combines: got "
                f"{self.combine}; list some (scenarios.speeds_kmh for instance)"
            )
        elif self.std_factor != _default("std_factor"):
            ways = {self.combine, *(name_parts(name).combine for name in objectives)}
            if "mean_plus_std" not in ways:
                yield (
                    "scenarios.std_factor must be left out without scenarios.combine=mean_plus_std or an objective "
                    f"such as sigma:mean_plus_std, which alone use it: got {self.std_factor:g}"
                )

    def for_line(self, line: CatenarySpec) -> Self:
        """The same with numbers of droppers where each of a line's is meant."""
        return self.model_copy(update={"defects": self.defects.for_line(line)})

    @property
    def marks(self) -> tuple[str, ...]:
        """Names of single conditions, by which an objective may ask for them."""
        return tuple(chain.from_iterable(self.marks_of(axis) for axis in self.axes))

    def marks_of(self, axis: str) -> tuple[str, ...]:
        """Names of the conditions along one axis."""
        values = self.axes[axis][0]
        if axis in ("pantographs", "wind", "wear", "defects"):
            return tuple(p.name for p in values)
        if axis == "trailing":
            return tuple("+".join(["train", *(f"{d:g}" for d in train)]) if train else "alone" for train in values)
        if axis == "contact_stiffness":
            return tuple(f"contact{1e-3 * k:g}" for k in values)
        kind = {"damping_factors": "damping", "delays_s": "delay"}.get(axis, "")
        return tuple(f"{kind}{v:g}" for v in values)

    @model_validator(mode="after")
    def _scenarios_are_possible(self) -> Self:
        problems, count = [], self.errors.samples if self.errors.wanted else 1
        for axis, (values, weights) in self.axes.items():
            marks = self.marks_of(axis)
            count *= max(1, len(values))
            if len(set(marks)) < len(marks):
                problems.append(f"{axis} must be distinct, each value once: got {', '.join(marks)}")
            if axis == "defects":
                taken = sorted(set(marks) & set(chain.from_iterable(map(self.marks_of, set(self.axes) - {axis}))))
                problems += [f"defects.cases must have names that no other condition has: got {m}" for m in taken]
            elif weights and len(weights) != len(values):
                problems.append(f"weights must be one a value of {axis}: {len(values)} values, {len(weights)} weights")
        if count > MOST:
            problems.append(f"scenarios must be at most {MOST}, all combinations of what is listed: got {count}")
        if problems:
            raise ValueError("; ".join(problems))
        return self


def _default(key: str) -> Any:
    return ScenariosSpec.model_fields[key].default
