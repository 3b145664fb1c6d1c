"""Names and types of what a record holds; what stands there instead, its checksum right or not, is refused by name."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

__all__ = ["Length", "Number", "Numbers", "OutcomeContent", "Stored", "refuse_other_types"]

Number = Annotated[float, Field(allow_inf_nan=False)]
"""A number as a record holds it: finite."""
Length = Field(max_length=1_000_000)
"""Of any list or block: far above what is written, for no memory is asked for without end."""
Numbers = Annotated[dict[str, Number], Length]
"""Numbers by name."""


class Stored(BaseModel):
    """Names and types of what a record holds; nothing else stands there, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class OutcomeContent(Stored):
    """What `Outcome.to_dict` gives."""

    number: int
    status: str
    message: str = ""
    sigma_N: Number | None = None
    constraints: Numbers = Field(default_factory=dict)
    told_N: Number | None = None
    statistics: Numbers = Field(default_factory=dict)
    static_dropper_force_min_N: Number | None = None
    applied_force_N: Number | None = None
    wall_time_s: Numbers = Field(default_factory=dict)
    objectives: Numbers = Field(default_factory=dict)
    scenarios: Annotated[dict[str, Annotated[list[Number | None], Length]], Length] = Field(default_factory=dict)
    sigma_error_N: Number | None = None
    droppers: Annotated[dict[str, Annotated[list[Number], Length]], Length] = Field(default_factory=dict)
    slopes: Annotated[dict[str, Annotated[list[Number], Length]], Length] = Field(default_factory=dict)
    harmonics: Annotated[dict[str, Annotated[list[Number], Length]], Length] = Field(default_factory=dict)


def refuse_other_types(wanted: type[Stored], content: object) -> None:
    """Refuse content of a record that is not of the types that are written, in one sentence.

    Raises
    ------
    ValueError
        With the first place and what is wrong there.
    """
    try:
        wanted.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the line"
        said = first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{place}: {said[:1].lower()}{said[1:]}") from None
