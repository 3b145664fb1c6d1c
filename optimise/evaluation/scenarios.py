"""Scenarios that every design of a campaign meets, and what becomes of one number in each of them.

A condition is a case: speed, pantograph, contact, damping, delay, train, wind, wear, and a defect of the line. Under
each a design is installed as often as there are samples of errors. Scenario number = condition x samples + sample. With
f_s of weight w_s (their sum is 1)

    mean = sum w_s f_s     worst = max f_s     mean_plus_std = mean + k sqrt(sum w_s (f_s - mean)^2)

and for what is to be maximised the worst is the least and the deviation is taken off.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.form_finding.equilibrium import Equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.spec.line import CatenarySpec
from catenary.spec.repeat import RepeatSpec
from catenary.spec.surroundings.wind import WindSpec
from dynamics.spec.case import CaseSpec
from optimise.evaluation.case_inputs import blows_so, case_at, damped, in_gusts
from optimise.evaluation.installation import InstallationErrors, drawn_errors, installed, installed_near
from optimise.evaluation.objectives import OBJECTIVES, over_scenarios
from optimise.spec.conditions.wear import WearCase
from optimise.spec.defects import with_defects
from optimise.spec.objective_names import name_parts
from optimise.spec.scenarios import ScenariosSpec

__all__ = ["Condition", "ScenarioSet", "own_condition", "scenario_set"]


@dataclass(frozen=True)
class Condition:
    """One combination of speed, pantograph, contact, damping, delay, train, wind, wear and defect.

    Attributes
    ----------
    marks : tuple of str
        Its value on every axis that the campaign lists.
    label : str
        The same for people.
    weight : float
        Weight before all are scaled to a sum of one [-].
    case : CaseSpec
        With the nominal line, sound.
    repeat : RepeatSpec, optional
        Spans after which a line with a defect repeats, and the defect; None on the sound line.
    wind : WindSpec, optional
        That it stands in, where scenarios list winds.
    wear : WearCase, optional
        Of its contact wire; None of a new one.
    """

    marks: tuple[str, ...]
    label: str
    weight: float
    case: CaseSpec
    repeat: RepeatSpec | None = None
    wind: WindSpec | None = None
    wear: WearCase | None = None

    @property
    def as_designed(self) -> bool:
        """Whether the line stands as it was cut: sound, new, in its own wind."""
        return self.repeat is None and self.wind is None and self.wear is None

    def as_cut(self, line: Equilibrium) -> CatenarySpec:
        """Line as it is installed, its droppers prescribed as they are cut where wind or wear moves it."""
        kept = line.spec.ends or (self.wind is None and self.wear is None)  # a line by stations keeps its lengths
        return line.spec if kept else prescribed_by_lengths(line)

    def line(self, sound: CatenarySpec) -> CatenarySpec:
        """Line of this condition, cut as the sound one is; one in gusts ends, and so has no period."""
        own = ("repeat", None if sound.ends else self.repeat), ("wind", self.wind)
        changes: dict[str, Any] = {key: value for key, value in own if value is not None}
        if self.case.on_open_line and not sound.ends:
            changes |= {"repeat": None, "section": None}
        line = sound.model_copy(update=changes) if changes else sound
        if self.repeat is not None and sound.ends:  # where they stand, once
            line = with_defects(line, self.repeat.defects)
        return line if self.wear is None else self.wear.on(line)


@dataclass(frozen=True)
class ScenarioSet:
    """Conditions and samples of a campaign, and the objectives that are computed over them.

    Attributes
    ----------
    spec : ScenariosSpec
    conditions : tuple of Condition
    objectives : tuple of str
        Names of the campaign's objectives.
    """

    spec: ScenariosSpec
    conditions: tuple[Condition, ...]
    objectives: tuple[str, ...]

    @property
    def samples(self) -> int:
        """Lines with errors under each condition; one where there are no errors."""
        return self.spec.errors.samples if self.spec.errors.wanted else 1

    @property
    def labels(self) -> tuple[str, ...]:
        """What each scenario is, in words (scenario,)."""
        tails = [f"errors {k + 1}" for k in range(self.samples)] if self.spec.errors.wanted else [""]
        return tuple(", ".join(filter(None, (w.label, tail))) for w in self.conditions for tail in tails)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each scenario, float array (scenario,), sum 1 [-]."""
        each = np.repeat([w.weight for w in self.conditions], self.samples)
        return each / each.sum()

    @property
    def in_words(self) -> str:
        """How many scenarios there are and what they are, such as '2 scenarios: 250 and 320 km/h'."""
        listed = [f"{_and(_words(axis, values))}" for axis, (values, _) in self.spec.axes.items() if values]
        if not self.one_mean_force:
            listed[0] += ", each with its own mean force"
        if self.spec.defects.wanted and not self.conditions[0].case.catenary.ends:  # by stations each stands once
            listed[-1] += f" (once in {self.spec.defects.spans} spans)"
        if self.spec.errors.in_words:
            errors = f"(standard deviation {self.spec.errors.in_words})"
            listed.append(f"{self.samples} lines with errors of installation {errors}")
        count = len(self.labels)
        return f"{count} scenario{'s' if count > 1 else ''}: {'; '.join(listed)}"

    @property
    def speeds_in_words(self) -> str:
        """Its speeds, the ends alone where they are many, such as '245 to 305 km/h'."""
        speeds = sorted({condition.case.speed_kmh for condition in self.conditions})
        few = _and([f"{v:g}" for v in speeds]) if len(speeds) < 4 else f"{speeds[0]:g} to {speeds[-1]:g}"
        return f"{few} km/h"

    @property
    def one_mean_force(self) -> bool:
        """Whether every scenario holds the same mean force."""
        return len({condition.case.mean_force_N for condition in self.conditions}) == 1

    def spelled(self, name: str) -> str:
        """Name of an objective that says how scenarios are combined, where several count."""
        parts = name_parts(name)
        several = np.count_nonzero(self.under(parts.marks)) > 1
        return f"{name}:{self.spec.combine}" if several and parts.combine is None else name

    def installed(self, line: Equilibrium, sample: int) -> Equilibrium:
        """Form-finding of a line with the errors of one sample, the first being 0."""
        return installed(line, self._errors(line, sample)) if self.spec.errors.wanted else line

    def installed_near(self, base: Equilibrium, near: Sequence[Equilibrium], sample: int) -> tuple[Equilibrium, ...]:
        """Lines a small step from one that is known with the errors of a sample (``base``), with the same errors."""
        return installed_near(base, near, self._errors(base, sample)) if self.spec.errors.wanted else tuple(near)

    def _errors(self, line: Equilibrium, sample: int) -> InstallationErrors:
        return drawn_errors(self.spec.errors, sample, len(line.spec.droppers.positions))

    def value(self, name: str, figures: Sequence[dict[str, float]]) -> float:
        """Objective of a design from its statistics in every scenario, in the objective's unit.

        Parameters
        ----------
        name : str
            Name of an objective, with condition or without.
        figures : sequence of dict
            Statistics by name (scenario,).
        """
        parts, objective = name_parts(name), OBJECTIVES[name]
        use = self.under(parts.marks)
        values = np.array([objective.raw(figures[k]) for k in np.flatnonzero(use).tolist()], dtype=float)
        deviations = -self.spec.std_factor if objective.maximised else self.spec.std_factor
        return over_scenarios(values, self.weights[use], parts.combine or self.spec.combine, deviations)

    def slopes(self, name: str, figures: Sequence[dict[str, float]], sigma: NDArray[np.float64]) -> NDArray[np.float64]:
        """Derivatives of an objective made of standard deviations, by those of each of these (scenario, variable)."""
        here, shares, ((statistic, _),) = self.value(name, figures), [], OBJECTIVES["sigma"].terms
        for k, each in enumerate(figures):
            step = 1e-6 * each[statistic]
            moved = [*figures[:k], {**each, statistic: each[statistic] + step}, *figures[k + 1 :]]
            shares.append((self.value(name, moved) - here) / step)
        return np.array(shares) @ sigma

    def under(self, marks: tuple[str, ...]) -> NDArray[np.bool_]:
        """Which scenarios have all of some marks."""
        use = np.repeat([set(marks) <= set(w.marks) for w in self.conditions], self.samples)
        if not use.any():
            raise ValueError(f"a scenario must be at {' and '.join(marks)}: there is none")
        return use


def scenario_set(spec: ScenariosSpec, objectives: tuple[str, ...], case: CaseSpec) -> ScenarioSet | None:
    """Scenarios around a case; None where there is only the case's own.

    Raises
    ------
    ValueError
        If a combination is not a valid case.
    InputError
        If defects do not fit the line, or a pantograph has no actuator to delay.
    """
    if not spec.wanted:
        return None
    problems = [each for own in (spec.defects, spec.wind, spec.wear) for each in own.problems(case.catenary)]
    if problems:
        raise InputError(problems)
    choices = []
    for axis, (values, weights) in spec.axes.items():
        rows = zip(values, spec.marks_of(axis), weights or (1.0,) * len(values), strict=True)
        choices.append([(axis, *row) for row in rows] or [(axis, None, "", 1.0)])
    return ScenarioSet(spec, tuple(_condition(spec, case, each) for each in itertools.product(*choices)), objectives)


def own_condition(spec: ScenariosSpec, case: CaseSpec) -> str:
    """What the case itself is where the scenarios list something else; empty without scenarios."""
    if not spec.wanted:
        return ""
    own = {
        "pantographs": case.pantograph,
        "contact_stiffness": case.contact.stiffness,
        "damping_factors": 1.0,
        "delays_s": None if case.pantograph.control is None else case.pantograph.control.actuator.delay_s,
        "trailing": case.trailing.distances_m,
        "wind": next((w for w in spec.wind.conditions if blows_so(case, w)), None),
        "wear": next(iter(spec.wear.conditions), None),
        "defects": next(iter(spec.defects.conditions), None),
    }
    others = [_label(axis, value) for axis, value in own.items() if spec.axes[axis][0] and value is not None]
    exact = ["no errors of installation"] if spec.errors.wanted else []
    return ", ".join([_label("speeds_kmh", case.speed_kmh), *others, *exact])


def _words(axis: str, values: Sequence[Any]) -> list[str]:
    """Values of one axis in words, what they share said once."""
    if axis == "speeds_kmh":
        return [*(f"{v:g}" for v in values[:-1]), _label(axis, values[-1])]
    return [_label(axis, value) for value in values]


def _and(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def _condition(spec: ScenariosSpec, case: CaseSpec, chosen: tuple[tuple[str, Any, str, float], ...]) -> Condition:
    listed = {axis: value for axis, value, _, _ in chosen if value is not None}
    paths = {"speeds_kmh": "speed_kmh", "contact_stiffness": "contact.stiffness"}
    changes: dict[str, float] = {path: listed[axis] for axis, path in paths.items() if axis in listed}
    found = case_at(case, tuple(changes), tuple(changes.values())) if changes else case
    if "damping_factors" in listed:
        found = damped(found, listed["damping_factors"])
    if "trailing" in listed:
        train = {**case.trailing.model_dump(), "distances_m": listed["trailing"]}
        found = CaseSpec.model_validate({**found.model_dump(), "trailing": train})
    pantograph = listed.get("pantographs", found.pantograph)
    if "delays_s" in listed:
        pantograph = pantograph.delayed(listed["delays_s"])
    loose = found.periodic.model_copy(update={"tolerance": max(found.periodic.tolerance, spec.tolerance)})
    found = found.model_copy(update={"periodic": loose, "pantograph": pantograph})
    wind = None
    if "wind" in listed and case.catenary.wind is not None:
        wind = listed["wind"].blowing(case.catenary.wind)
        if wind.turbulence is not None:
            found = in_gusts(found, wind)
    return Condition(
        marks=tuple(mark for _, value, mark, _ in chosen if value is not None),
        label=", ".join(_label(axis, value) for axis, value in listed.items()),
        weight=math.prod(weight for *_, weight in chosen),
        case=found,
        repeat=listed["defects"].repeat if "defects" in listed else None,
        wind=wind,
        wear=listed["wear"] if "wear" in listed and listed["wear"].lost else None,
    )


def _label(axis: str, value: Any) -> str:
    if axis == "speeds_kmh":
        return f"{value:g} km/h"
    if axis == "pantographs":
        return value.name
    if axis in ("wind", "wear", "defects"):
        return value.words
    if axis == "delays_s":
        return f"delay {1e3 * value:g} ms"
    if axis == "trailing":
        return f"pantographs {_and([f'{d:g}' for d in value])} m behind" if value else "one pantograph"
    return f"contact {1e-3 * value:g} kN/m" if axis == "contact_stiffness" else f"damping x {value:g}"
