"""Validated description of a contact wire's running surface: a measured profile, a drawn one, and kinks (SI)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec
from catenary.spec.placing.wires import misnamed

__all__ = ["IrregularitySpec", "KinkSpec", "ProfileSpec", "at_both_ends", "elsewhere", "unlike_at_ends"]

MOST_POINTS = 100_000
# m: what rounding may leave of a station at the end of a period
ROUNDING = 1e-9
Height = Annotated[float, Field(ge=-0.05, le=0.05)]
Name = Annotated[str, Field(max_length=32)]


class KinkSpec(Spec):
    """A local bend of the contact wire: the surface leaves its line by a raised cosine and comes back."""

    station: Annotated[float, Field(ge=0.0, le=7.2e3)] = Field(description="middle, from the first support [m]")
    height: Height = Field(description="how far the surface lies over its line there, below it negative [m]")
    length: Annotated[float, Field(ge=0.05, le=20.0)] = Field(default=0.5, description="whole length of the bend [m]")
    section: Name | None = Field(
        default=None, description="tension section of the wire; needed where two of them overlap"
    )


class ProfileSpec(Spec):
    """Measured heights of a wire's running surface over the smooth wire.

    The surface comes back to the smooth wire within 5 m beyond both ends.
    """

    stations: tuple[float, ...] = Field(
        min_length=2, max_length=MOST_POINTS, description="stations from the first support, increasing [m]"
    )
    heights: tuple[Height, ...] = Field(
        max_length=MOST_POINTS, description="of the surface over that of the smooth wire, one a station [m]"
    )
    section: Name | None = Field(
        default=None, description="tension section of the wire; needed where there are several"
    )

    @model_validator(mode="after")
    def _points_in_order(self) -> Self:
        if len(self.stations) != len(self.heights):
            raise ValueError(
                f"heights must give one height per station: {len(self.stations)} stations, {len(self.heights)} heights"
            )
        for k, (a, b) in enumerate(pairwise(self.stations)):
            if b <= a:
                raise ValueError(f"stations must increase: point {k + 2} is at {b:g} m, not beyond {a:g} m")
        return self


class IrregularitySpec(Spec):
    """A profile that is drawn: waves of random phase whose spectral density falls as a power of the wavenumber.

    The density is rms^2 times n^-exponent between the longest and the shortest wave, scaled so that its integral is
    rms^2. Every wire has phases of its own.
    """

    rms: Annotated[float, Field(gt=0.0, le=0.02)] = Field(description="root mean square of the heights [m]")
    exponent: Annotated[float, Field(ge=0.0, le=6.0)] = Field(
        default=2.0, description="power of the wavenumber by which the density falls [-]"
    )
    longest: Annotated[float, Field(ge=0.5, le=200.0)] = Field(default=30.0, description="longest wave [m]")
    shortest: Annotated[float, Field(ge=0.1, le=50.0)] = Field(
        default=0.4, description="shortest wave; 1/16 of the distance of droppers counts [m]"
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(default=1, description="seed of the phases")
    source: Annotated[str, Field(max_length=200)] = Field(
        default="chosen here", description="where the spectrum comes from, in words"
    )

    @model_validator(mode="after")
    def _longest_is_longer(self) -> Self:
        if self.longest < 2.0 * self.shortest:
            raise ValueError(
                f"longest must be at least twice shortest, {2.0 * self.shortest:g} m: got {self.longest:g} m"
            )
        return self


def elsewhere(
    profiles: Sequence[ProfileSpec],
    kinks: Sequence[KinkSpec],
    sections: Sequence[tuple[str, float, float]],
    block: str = "section",
) -> Iterator[str]:
    """Name profiles and kinks of a block of the line that are on no wire; sections: (name, first, last station [m])."""
    names = [name for name, _, _ in sections if name]
    for k, profile in enumerate(profiles):
        if (profile.section is None) == bool(names) or (names and profile.section not in names):
            yield f"{block}.profiles[{k}].section {misnamed(profile.section, names)}"
        elif [p.section for p in profiles].index(profile.section) < k:
            yield f"{block}.profiles[{k}] is the second one of its wire: give one profile a wire"
    for k, kink in enumerate(kinks):
        over = [name for name, a, b in sections if a <= kink.station <= b and kink.section in (None, name)]
        if not over:
            which = "" if kink.section is None else f", section {kink.section}"
            ends = [f"from {a:g} to {b:g} m" for name, a, b in sections if kink.section in (None, name)]
            there = f"; there are wires {' and '.join(ends)}" if ends else ""
            yield f"{block}.kinks[{k}] must lie on a wire: got {kink.station:g} m{which}{there}"
        elif len(over) > 1:
            yield f"{block}.kinks[{k}].section is missing: the tension sections {' and '.join(over)} overlap there"


def at_both_ends(kinks: Sequence[KinkSpec], period: float) -> list[tuple[int, int]]:
    """Pairs of bends where a period [m] begins and where it ends, by their numbers: one place of a line that repeats.

    Bends that are listed twice at the same end stand for two each.
    """
    first = [k for k, kink in enumerate(kinks) if abs(kink.station) <= ROUNDING]
    last = [k for k, kink in enumerate(kinks) if abs(kink.station - period) <= ROUNDING]
    return list(zip(first, last, strict=False))


def unlike_at_ends(kinks: Sequence[KinkSpec], period: float, block: str) -> Iterator[str]:
    """Name bends of a block of the line that are not the same where its period [m] begins and where it ends."""
    for j, k in at_both_ends(kinks, period):
        here, there = kinks[j], kinks[k]
        if (here.height, here.length) != (there.height, there.length):
            yield (
                f"{block}.kinks[{k}] at {there.station:g} m, where the line repeats, must be {block}.kinks[{j}] at 0 "
                f"m, {here.height:g} m high and {here.length:g} m long: got {there.height:g} m and {there.length:g} m, "
                "leave one of them out"
            )
