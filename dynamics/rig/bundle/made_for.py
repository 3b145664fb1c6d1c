"""Case that a bundle was made for: pantograph, force and speed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from dynamics.spec.case import CaseSpec, PantographSpec

__all__ = ["MadeFor", "made_for", "made_for_content"]


@dataclass(frozen=True)
class MadeFor:
    """Pantograph, mean or applied force [N], one of them, and speed [km/h] that a bundle was made for.

    ``said`` is whether the bundle says so itself; one of an earlier version only keeps the input of its export.
    """

    pantograph: PantographSpec
    mean_force_N: float | None
    applied_force_N: float | None
    speed_kmh: float
    said: bool

    @property
    def force(self) -> str:
        """Force in words."""
        if self.mean_force_N is not None:
            return f"a mean force of {self.mean_force_N:.2f} N"
        return f"an applied force of {self.applied_force_N:.2f} N"

    @property
    def what(self) -> str:
        """Pantograph, force and speed in words."""
        return f"{self.pantograph.name} pressed to {self.force} at {self.speed_kmh:.2f} km/h"


def made_for_content(case: CaseSpec) -> dict[str, Any]:
    """Content of a manifest under ``made_for``."""
    return {
        "pantograph": case.pantograph.model_dump(mode="json"),
        "mean_force_N": case.mean_force_N,
        "applied_force_N": case.applied_force_N,
        "speed_kmh": case.speed_kmh,
    }


def made_for(manifest: Mapping[str, Any]) -> MadeFor | None:
    """Case that a bundle was made for; None where neither its manifest nor its input says so."""
    for key in ("made_for", "case"):
        content = manifest.get(key)
        if not isinstance(content, Mapping):
            continue
        forces = [content.get(name) for name in ("mean_force_N", "applied_force_N")]
        numbers = [None if force is None else float(force) for force in forces if isinstance(force, int | float | None)]
        speed = content.get("speed_kmh")
        if len(numbers) != 2 or (numbers[0] is None) == (numbers[1] is None) or not isinstance(speed, int | float):
            continue
        try:
            pantograph = PantographSpec.model_validate(content.get("pantograph"))
        except ValidationError:
            continue
        return MadeFor(pantograph, numbers[0], numbers[1], float(speed), key == "made_for")
    return None
