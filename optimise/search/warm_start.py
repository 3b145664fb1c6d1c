"""A new search begins where an earlier one ended: its best designs as first trials."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from catenary.errors import InputError
from catenary.spec.line import CatenarySpec
from optimise.descent.distances import distance, ranked
from optimise.design.space import DesignSpace
from optimise.design.train_space import train_of, with_carried_train
from optimise.record.campaign_folder import Origin
from optimise.search.result import load_result
from optimise.spec.campaign import CampaignSpec

__all__ = ["WarmStarted", "warm_start"]

# Designs nearer than this are one, so that those of a search that has converged are not all the same; nor is the
# nominal line taken, with which every search begins.
LEAST_DISTANCE = 0.02
SAME_PLACE = 1e-6  # m, what rounding may leave between a line and the point that stands for it


@dataclass(frozen=True)
class WarmStarted:
    """Designs of an earlier campaign as points of a new space, best first, and why others were left out."""

    designs: tuple[tuple[tuple[float, ...], Origin], ...]
    left_out: tuple[str, ...]


def warm_start(campaign: CampaignSpec, space: DesignSpace) -> WarmStarted | None:
    """Best feasible designs of the campaign that `warm_start` names, as far as the space holds them.

    Raises
    ------
    InputError
        If the folder holds no campaign, or no design of it is in the space.
    """
    if campaign.warm_start is None:
        return None
    earlier = load_result(Path(campaign.warm_start))
    found: list[tuple[tuple[float, ...], Origin]] = []
    left_out: list[str] = []
    taken = [tuple(v.nominal for v in space.variables)]
    for record in ranked(earlier.records, earlier.campaign.objectives):
        if len(found) == campaign.warm_start_designs:
            break
        try:
            point = _point_near(space, earlier.space.as_drawn(record.values))
            point = with_carried_train(space, point, train_of(earlier.space, record.values))
            values = tuple(point.tolist())
        except InputError as error:
            left_out.append(f"trial {record.number}: {error.problems[0]}")
            continue
        if all(distance(space, values, other) >= LEAST_DISTANCE for other in taken):
            taken.append(values)
            found.append((values, Origin("warm_start", record.number, campaign=earlier.campaign.name)))
    if not found:
        why = left_out[0] if left_out else "but its nominal line"
        raise InputError(
            [
                "warm_start must be a campaign with a design that this search may find: "
                f"{campaign.warm_start} has none ({why}); widen design.*, or leave warm_start out"
            ]
        )
    return WarmStarted(tuple(found), tuple(left_out))


def _point_near(space: DesignSpace, line: CatenarySpec) -> np.ndarray:
    """Point whose line is that one, or is that one but for the steps of stations that the space has."""
    try:
        return _point(space, line)
    except InputError:
        if space.design.station_grid is None:
            raise
        return _point(space.exact, line)


def _point(space: DesignSpace, line: CatenarySpec) -> np.ndarray:
    """Point that stands for a line which differs from the nominal one in nothing that does not vary."""
    line = space.typical_of(line)
    values = space.values_of(line)
    made = space.as_drawn(values)
    for key in CatenarySpec.model_fields:
        one, other = getattr(made, key), getattr(line, key)
        if key in ("name", "description", "provenance") or one == other:
            continue
        if key in ("span_length", "further_spans") and _near(one, other):
            continue
        if key == "droppers":
            one, other = one.model_dump(), other.model_dump()
            for name in ("positions", "contact_wire_heights"):
                a, b = np.array(one.pop(name)), np.array(other.pop(name))
                if len(a) != len(b) or np.abs(a - b).max() > SAME_PLACE:
                    raise InputError([_out_of_reach(name, a, b)])
            if one == other:
                continue
            key = next(f"droppers.{name}" for name in one if one[name] != other[name])
        raise InputError(
            [
                "the line must differ from this search's nominal line only in what the variables change: "
                f"{key} differs; give both lines the same {key}"
            ]
        )
    return values


def _out_of_reach(name: str, made: np.ndarray, own: np.ndarray) -> str:
    """Say that the variables do not reach stations or heights of a line [m]."""
    if len(made) != len(own):
        far = f"the line has {len(own)}, the variables make {len(made)}"
    else:
        far = f"they differ by up to {1e3 * np.abs(made - own).max():.3g} mm from what the variables make"
    return f"droppers.{name} must be values that the variables of this search can make: {far}"


def _near(one: float | tuple[float, ...], other: float | tuple[float, ...]) -> bool:
    """Whether lengths are the same but for rounding."""
    a, b = np.atleast_1d(one), np.atleast_1d(other)
    return a.shape == b.shape and bool(np.abs(a - b).max(initial=0.0) < SAME_PLACE)
