"""Limits of standards as data: each row with its edition, its source, and who has held it against the text."""

from __future__ import annotations

from itertools import combinations
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from catenary.spec.line import Mark
from dynamics.spec.mean_force import SUPPLIES, Supply

__all__ = ["LimitRowSpec", "LimitedStatistic", "StandardLimitsSpec"]

LimitedStatistic = Literal[
    "contact_force_mean_N",
    "contact_force_std_N",
    "contact_force_max_N",
    "contact_force_min_N",
    "contact_force_statistical_max_N",
    "contact_force_statistical_min_N",
    "contact_loss_percent",
    "max_uplift_at_supports_mm",
    "contact_point_range_mm",
]
Text = Annotated[str, Field(min_length=1, max_length=200)]
Speed = Annotated[float, Field(ge=0.0, le=1000.0)]
# km/h, above every speed that a case may have
FASTEST = 1.0e4


class LimitRowSpec(Spec):
    """One limit, the supplies and speeds that it holds for, and where it stands.

    The limit is constant + speed_squared v² + of_mean times the mean contact force, v in km/h, in the unit at the end
    of the statistic's name.
    """

    statistic: LimitedStatistic = Field(description="statistic of the contact force that is limited")
    sense: Literal["at most", "at least", "above"] = Field(description="how the statistic lies to its limit")
    constant: Annotated[float, Field(ge=-1.0e4, le=1.0e4)] = Field(
        default=0.0, description="constant part, in the statistic's unit"
    )
    speed_squared: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.0, description="factor of the speed squared, in the statistic's unit over (km/h)^2"
    )
    of_mean: Annotated[float, Field(ge=0.0, le=100.0)] = Field(
        default=0.0, description="share of the mean contact force [-]"
    )
    tolerance: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=0.0, description="how far beyond the limit still counts as kept, in the statistic's unit"
    )
    supply: Annotated[tuple[Supply, ...], Field(min_length=1, max_length=len(SUPPLIES))] = Field(
        default=SUPPLIES, description="supply systems that it holds for"
    )
    above_kmh: Speed | None = Field(default=None, description="it holds above this speed [km/h]")
    up_to_kmh: Speed | None = Field(default=None, description="it holds up to this speed [km/h]")
    standard: Text = Field(description="standard that sets it, as EN 50119")
    clause: Text = Field(description="what the standard calls it, or its clause")
    edition: Text = Field(description="edition of the standard")
    source: Text = Field(description="where the value was taken from")
    provenance: Mark = Field(description="mark of that source: p printed, s seen in a public source, r recalled, ...")
    confirmed: Text | None = Field(
        default=None, description="who has held this row against the standard's text, and when; null: nobody"
    )

    @model_validator(mode="after")
    def _holds_somewhere(self) -> Self:
        low, high = self.speeds
        if low >= high:
            raise ValueError(f"above_kmh must be lower than up_to_kmh: got {low:g} and {high:g} km/h")
        return self

    @property
    def speeds(self) -> tuple[float, float]:
        """Speeds that it holds for [km/h]: above the first, up to the second."""
        return (
            -1.0 if self.above_kmh is None else self.above_kmh,
            FASTEST if self.up_to_kmh is None else self.up_to_kmh,
        )

    def holds_for(self, speed_kmh: float, supply: Supply) -> bool:
        """Whether it limits a run at a speed [km/h] under a supply system."""
        low, high = self.speeds
        return supply in self.supply and low < speed_kmh <= high

    def at(self, speed_kmh: float, mean_N: float) -> float:
        """Limit at a speed [km/h] and a mean contact force [N], in the statistic's unit."""
        return self.constant + self.speed_squared * speed_kmh**2 + self.of_mean * mean_N


class StandardLimitsSpec(Spec):
    """A file of limits; for any supply and speed a statistic has at most one in either sense."""

    schema_version: Literal[1] = 1
    title: Text = Field(description="what these limits are, for the head of their table")
    limits: Annotated[tuple[LimitRowSpec, ...], Field(min_length=1, max_length=200)] = Field(
        description="limits, each with its edition, source and confirmation"
    )

    @model_validator(mode="after")
    def _one_limit_at_a_time(self) -> Self:
        for (i, a), (j, b) in combinations(enumerate(self.limits, start=1), 2):
            (low_a, high_a), (low_b, high_b) = a.speeds, b.speeds
            same = (a.statistic, a.sense == "at most") == (b.statistic, b.sense == "at most")
            if same and set(a.supply) & set(b.supply) and max(low_a, low_b) < min(high_a, high_b):
                raise ValueError(
                    f"limits of one statistic must hold for different supplies or speeds: {a.statistic} is limited "
                    f"twice, by rows {i} and {j}; give them supply, above_kmh or up_to_kmh that part them"
                )
        return self

    @property
    def editions(self) -> str:
        """Standards with their editions, each once."""
        return ", ".join(dict.fromkeys(f"{row.standard}:{row.edition}" for row in self.limits))
