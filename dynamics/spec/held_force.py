"""The force that an input holds: the reference mean force of supply and speed where none is given."""

from __future__ import annotations

from typing import Any

from dynamics.spec.mean_force import SUPPLIES, Supply, reference_mean_force

__all__ = ["fill_mean_force", "is_reference_force"]


def is_reference_force(case: dict[str, Any]) -> bool:
    """Whether the mean force of a case is the reference one of its supply and speed."""
    force, speed = case.get("mean_force_N"), case.get("speed_kmh")
    if not isinstance(force, int | float) or not isinstance(speed, int | float):
        return False
    return abs(force - reference_mean_force(speed, _supply(case))) < 1e-3


def _supply(data: dict[str, Any]) -> Supply:
    """Supply system of an input; one that is not known is refused further on."""
    found: list[Supply] = [supply for supply in SUPPLIES if supply == data.get("supply")]
    return found[0] if found else "ac"


def fill_mean_force(data: dict[str, Any], typed: dict[str, Any]) -> None:
    """Hold the reference mean force of supply and speed when neither force is given; the one typed here wins."""
    if "mean_force_N" not in data or "applied_force_N" not in data or "bundle" in data:
        return  # a bundle says itself what it was made for
    if typed.get("applied_force_N") is not None and "mean_force_N" not in typed:
        data["mean_force_N"] = None
    if typed.get("mean_force_N") is not None and "applied_force_N" not in typed:
        data["applied_force_N"] = None
    speed = data.get("speed_kmh")
    if not isinstance(speed, int | float) or not 5.0 <= speed <= 600.0:
        speed = 300.0  # refused further on
    if data["mean_force_N"] is None and data["applied_force_N"] is None:
        data["mean_force_N"] = round(reference_mean_force(speed, _supply(data)), 6)
