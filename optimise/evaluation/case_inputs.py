"""Inputs of a case by their dotted paths: read them, set them, and refuse an impossible case."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from catenary.errors import InputError, sentences_of
from catenary.spec.surroundings.wind import WindSpec
from dynamics.spec.case import CaseSpec
from dynamics.spec.mean_force import reference_mean_force
from optimise.spec.scenarios import WindCase

__all__ = [
    "blows_so",
    "case_at",
    "damped",
    "in_gusts",
    "refuse_bad_values",
    "scaled_damping",
    "value_at",
    "why_impossible",
]

MAX_SENTENCES = 8
SPEED = "speed_kmh"
LEFT_OUT = (
    " (what the case leaves out is given first: a number by a value, as applied_force_N=150, a block with its own)"
)


def case_at(case: CaseSpec, names: tuple[str, ...], values: tuple[float, ...]) -> CaseSpec:
    """Case with inputs set by their dotted paths.

    Where the case holds the reference mean force of its speed, a point at another speed holds that of its own.

    Raises
    ------
    ValueError
        If the values are out of range or do not go together.
    """
    content = case.model_dump()
    for name, value in zip(names, values, strict=True):
        if _held(case, name) is None:  # such as the stitch of a line without, or the one of two forces that is not held
            raise KeyError(name)
        _set(content, name, value)
    if SPEED in names and "mean_force_N" not in names and _holds_reference(case):
        content["mean_force_N"] = round(reference_mean_force(content[SPEED], case.supply), 6)
    return CaseSpec.model_validate(content)


def value_at(case: CaseSpec, name: str) -> float:
    """Value of an input by its dotted path.

    Raises
    ------
    InputError
        If the case has no such number.
    """
    held = _held(case, name)
    if isinstance(held, int | float):
        return float(held)
    raise InputError([f"sensitivity.inputs must name numbers that this case has: {name} is not one of them{LEFT_OUT}"])


def why_impossible(error: ValidationError) -> str:
    """Reason, in one line, why values do not make a case."""
    return "; ".join(sentences_of(error))


def refuse_bad_values(
    case: CaseSpec, names: tuple[str, ...], rows: Iterable[tuple[float, ...]], key: str, *, corners: bool = False
) -> None:
    """Refuse points with values out of range, or that do not go together, before anything is written.

    Parameters
    ----------
    key : str
        Key that the points come from, as the subject of the sentences.
    corners : bool
        Whether values that do not go together pass where each of them goes with others: such points have no figures.

    Raises
    ------
    InputError
        With one sentence per value that is not allowed, and for points whose values do not go together.
    """
    found: dict[str, None] = {}
    together: dict[tuple[float, ...], list[str]] = {}
    good: set[tuple[int, float]] = set()
    for values in rows:
        try:
            case_at(case, names, values)
            good.update(enumerate(values))
        except ValidationError as error:
            where = ", ".join(f"{n}={v:g}" for n, v in zip(names, values, strict=True))
            errors = error.errors(include_url=False)
            sentences = [_sentence(e, where, key) for e in errors]
            if all(e["type"] == "value_error" for e in errors):
                together[values] = sentences
            else:
                found.update(dict.fromkeys(sentences))
        except KeyError as error:
            found[f"{key} must name inputs that this case has: {error.args[0]} is not one of them{LEFT_OUT}"] = None
    for values, sentences in together.items():
        if not corners or not good.issuperset(enumerate(values)):
            found.update(dict.fromkeys(sentences))
    if found:
        more = [f"and {len(found) - MAX_SENTENCES} more of the kind"] if len(found) > MAX_SENTENCES else []
        raise InputError([*list(found)[:MAX_SENTENCES], *more])


def _holds_reference(case: CaseSpec) -> bool:
    force = case.mean_force_N
    return force is not None and abs(force - reference_mean_force(case.speed_kmh, case.supply)) < 1e-3


def _held(case: CaseSpec, name: str) -> Any:
    """What a case has at a dotted path, written or not; None where it has nothing."""
    block: Any = case
    for part in name.split("."):
        if isinstance(block, list | tuple):
            block = block[int(part)] if part.isdecimal() and int(part) < len(block) else None
        elif isinstance(block, dict):
            block = block.get(part)
        else:
            block = getattr(block, part, None) if part in getattr(type(block), "model_fields", ()) else None
    return block


def _set(content: dict[str, Any], name: str, value: float) -> None:
    """Set a number by its dotted path; a part that is a whole number is the place in a list.

    Raises KeyError with the name where the case has no such number.
    """
    *parts, last = name.split(".")
    block: Any = content
    try:
        for part in parts:
            if isinstance(block[part], tuple):
                block[part] = list(block[part])
            block = block[part]
        block[int(last) if isinstance(block, list) else last] = value
    except (KeyError, IndexError, TypeError, ValueError):
        raise KeyError(name) from None


def _sentence(error: Any, where: str, key: str) -> str:
    """One problem of a point: a value alone is named by itself, values together by their point."""
    path = ".".join(str(part) for part in error["loc"])
    if error["type"] == "value_error":
        return f"{key} must give possible cases: at {where}: {path + ': ' if path else ''}{error['ctx']['error']}"
    given = error.get("input")
    shown = f"{given:g}" if isinstance(given, int | float) else str(given)
    return f"{key}: {path} must be {error['msg'].removeprefix('Input should be ')}: got {shown}"


def blows_so(case: CaseSpec, wind: WindCase) -> bool:
    """Whether a wind is that of the case itself."""
    own = case.catenary.wind
    return own is not None and wind.turbulence is None and own.sign * own.speed == wind.speed


def in_gusts(case: CaseSpec, wind: WindSpec) -> CaseSpec:
    """The same case on an open line in gusts, of as many spans as ``open_line`` says."""
    content = case.model_dump()
    line = {**content["catenary"], "repeat": None, "wind": wind.model_dump()}
    return CaseSpec.model_validate({**content, "solver": "open_line", "catenary": line, "pantograph": case.pantograph})


def damped(case: CaseSpec, factor: float) -> CaseSpec:
    """The same case with the damping of its line, and of components that have their own, times a factor [-]."""
    content = case.model_dump()
    damping = scaled_damping(content["catenary"]["damping"], factor)
    return CaseSpec.model_validate({**content, "catenary": {**content["catenary"], "damping": damping}})


def scaled_damping(damping: dict[str, Any], factor: float) -> dict[str, Any]:
    """Rayleigh factors of a line's input, and of components that have their own, times a factor [-]."""
    return {
        name: scaled_damping(value, factor) if isinstance(value, dict) else value if value is None else factor * value
        for name, value in damping.items()
    }
