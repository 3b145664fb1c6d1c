"""What every continuous input of a case does to contact force, uplift and static dropper forces, to first order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from catenary.spec.components import Spec
from dynamics.adjoint.steady_slopes import FigureSlopes, SteadySlopes
from dynamics.spec.case import CaseSpec

__all__ = ["DISTANCES", "InputSlope", "input_slopes"]

# names of distances between pantographs begin so: ten per cent of one are many metres, too far for a slope
DISTANCES = "trailing.distances_m["

# blocks of a case whose numbers count, the case's own first
BLOCKS = ("", "catenary", "catenary.contact_wire", "catenary.messenger_wire", "catenary.stitch", "catenary.droppers",
          "catenary.auxiliary_wire", "catenary.auxiliary_wire.droppers",
          "catenary.support", "catenary.support.steady_arm", "catenary.damping", "catenary.damping.contact_wire",
          "catenary.damping.messenger_wire", "catenary.damping.stitch", "catenary.damping.droppers",
          "catenary.damping.steady_arms", "pantograph", "pantograph.articulated",
          "pantograph.articulated.lower_arm", "pantograph.articulated.upper_arm",
          "pantograph.articulated.head", "contact", "trailing")  # fmt: skip
# settings of the computation and of entering a line, lengths that lay it out differently, what an elastic contact lacks
LEFT_OUT = {"dt", "span_length", "length", "shortest", "exponent", "restitution", "positions", "contact_wire_heights",
            "auxiliary_wire_heights", "lengths", "further_spans", "entry_length_m", "entry_drop_m"}  # fmt: skip
# step of an input to either side, of its value: waves that follow a train turn by its distance and speed within cm
SHARE = 1.0e-5


@dataclass(frozen=True)
class InputSlope:
    """Derivatives by one input.

    Attributes
    ----------
    name : str
        Its key, as ``catenary.contact_wire.tension`` or ``pantograph.masses[0]``.
    unit : str
        Of the input, as its description has it.
    value : float
        What it is.
    slopes : FigureSlopes
        Derivatives per unit of the input.
    error : FigureSlopes, optional
        How far these may be off (`dynamics.adjoint.slope_errors`); None where it is not known.
    """

    name: str
    unit: str
    value: float
    slopes: FigureSlopes
    error: FigureSlopes | None = None


def input_slopes(slopes: SteadySlopes) -> tuple[InputSlope, ...]:
    """Derivatives by every continuous input of the case that is not zero; droppers have theirs (`dropper_slopes`)."""
    found = []
    for path, name, unit, value in _inputs(slopes.solution.case):
        sides = []
        for step in (SHARE * value, -SHARE * value):
            near = _moved(slopes.solution.case, path, step)
            assert isinstance(near, CaseSpec)
            sides.append(slopes.towards(near, step))
        found.append(InputSlope(name, unit, value, sides[0].mean_with(sides[1])))
    return tuple(found)


def _inputs(case: CaseSpec) -> Iterator[tuple[tuple[str | int, ...], str, str, float]]:
    """Place, name, unit and value of every continuous input that is not zero."""
    for block in BLOCKS:
        keys, spec = tuple(filter(None, block.split("."))), case
        for key in keys:
            spec = getattr(spec, key, None)
        if not isinstance(spec, Spec):
            continue
        for key, field in type(spec).model_fields.items():
            value, unit = getattr(spec, key), re.search(r"\[([^]]+)\]", field.description or "")
            several = value if isinstance(value, tuple) else (value,)
            for k, number in enumerate(several):
                if key not in LEFT_OUT and isinstance(number, float) and number != 0.0:
                    at = (k,) if several is value else ()
                    name = ".".join((*keys, key)) + "".join(f"[{i}]" for i in at)
                    yield (*keys, key, *at), name, unit.group(1) if unit else "", number


def _moved(spec: object, path: tuple[str | int, ...], step: float) -> object:
    """Copy with one number changed by a step that may lead out of the range of what a user gives."""
    if isinstance(spec, float):
        return spec + step
    key, rest = path[0], path[1:]
    if isinstance(spec, tuple):
        return tuple(_moved(x, rest, step) if k == key else x for k, x in enumerate(spec))
    assert isinstance(spec, Spec)
    return spec.model_copy(update={str(key): _moved(getattr(spec, str(key)), rest, step)})
