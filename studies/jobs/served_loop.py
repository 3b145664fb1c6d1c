"""Settings of a served test: what is given, and for the rest what the bundle itself recommends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from catenary.errors import InputError
from dynamics.rig.bundle import RECOMMENDATION, recommendation_mismatch
from dynamics.rig.loop.spec import LoopHabits, LoopSettings, Strategy
from dynamics.spec.case import PantographSpec

__all__ = ["RECOMMENDED", "ServedLoop", "judged_otherwise", "served_settings"]

# what a recommendation holds, in the words of its sentence
RECOMMENDED = ("strategy", "delay_steps", "height_harmonics", "dropper_harmonics", "contact_relaxation")
Harmonics = Annotated[int, Field(ge=1, le=5000)] | Literal["all"] | None


class ServedLoop(LoopHabits):
    """How measured force becomes the next height (paper 001, section 3); null: as the bundle recommends."""

    strategy: Strategy | None = Field(
        default=None,
        description="whether the height follows every step's force (eq. 2) or the forces of whole spans (eq. 3)",
    )
    delay_steps: Annotated[int, Field(ge=1, le=100)] | None = Field(
        default=None,
        description="steps from the measurement of a force to the height that answers it being reached [steps]",
    )
    height_harmonics: Harmonics = Field(
        default=None, description="harmonics kept of the contact height, the mean included (N_h), or 'all'"
    )
    dropper_harmonics: Harmonics = Field(
        default=None, description="harmonics kept of the droppers' elongation, the mean included (N_hd), or 'all'"
    )
    contact_relaxation: Annotated[float, Field(gt=0.0, le=2.0)] | None = Field(
        default=None, description="share of a newly measured force that enters the model (mu_c) [-]"
    )


def served_settings(
    loop: ServedLoop, bundle: Path, manifest: dict[str, Any], largest_force: float
) -> tuple[LoopSettings, str, float | None]:
    """Settings of the loop, one sentence on where they come from, and the spectral radius where it is known.

    Parameters
    ----------
    loop : ServedLoop
        What is given.
    bundle, manifest
        The bundle, its files checked.
    largest_force : float
        A measured force beyond it never comes to the loop [N].

    Raises
    ------
    InputError
        If something is left to a recommendation that the bundle does not hold, or that settles nowhere.
    """
    left = [name for name in RECOMMENDED if getattr(loop, name) is None]
    stored = _recommendation(bundle, manifest) if left else None
    if left and stored is None:
        raise InputError(
            [
                f"{', '.join(f'loop.{name}' for name in left)} must be given: the bundle {bundle} holds no "
                f"recommendation; `catenary rig map bundle={bundle} over=none pantograph=...` makes one"
            ]
        )
    if stored is not None and not stored.get("stable"):
        raise InputError(
            [
                f"{', '.join(f'loop.{name}' for name in left)} must be given: by the recommendation in the bundle "
                f"{bundle} nothing settles (spectral radius {stored.get('spectral_radius')}); `catenary rig map "
                f"bundle={bundle} over=none pantograph=...` looks for settings that do"
            ]
        )
    content = {**loop.model_dump(), "largest_force_N": largest_force}
    content |= {name: (stored or {})[name] for name in left}
    content |= {name: None for name in ("height_harmonics", "dropper_harmonics") if content[name] == "all"}
    settings = LoopSettings.model_validate(content)
    whole = stored is not None and len(left) == len(RECOMMENDED)
    return settings, _sentence(settings, left, stored), float(stored["spectral_radius"]) if stored and whole else None


def judged_otherwise(bundle: Path, pantograph: PantographSpec, contact_stiffness: float) -> list[str]:
    """Say in what a device differs from the one that the bundle's recommendation was judged with."""
    stored = json.loads((bundle / RECOMMENDATION).read_text(encoding="utf-8"))
    return recommendation_mismatch(stored, pantograph, contact_stiffness)


def _recommendation(bundle: Path, manifest: dict[str, Any]) -> dict[str, Any] | None:
    """What `catenary rig map` stored; its digest was checked with the bundle's."""
    if RECOMMENDATION not in manifest["files"]:
        return None
    path = bundle / RECOMMENDATION
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        LoopSettings.model_validate({name: found[name] for name in RECOMMENDED})
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        said = str(error).splitlines()[0]
        raise InputError(
            [f"{path} must hold {', '.join(RECOMMENDED)} as `catenary rig map` writes them: {said}"]
        ) from None
    return found


def _sentence(settings: LoopSettings, left: list[str], stored: dict[str, Any] | None) -> str:
    def count(kept: int | None) -> str:
        return "all" if kept is None else str(kept)

    head = (
        f"Loop: {settings.strategy.replace('_', ' ')}, delay {settings.delay_steps} steps, N_h "
        f"{count(settings.height_harmonics)}, N_hd {count(settings.dropper_harmonics)}, mu_c "
        f"{settings.contact_relaxation:g}"
    )
    if stored is None:
        return f"{head}: as given; `catenary rig map` says whether it settles."
    what = (
        f"recommended for {stored.get('device', '?')} on {float(stored.get('contact_stiffness') or 0.0) / 1e3:g} kN/m"
    )
    if len(left) == len(RECOMMENDED):
        return (
            f"{head}: {what}, margin {float(stored.get('margin') or 0.0):.4f}; an error falls to a hundredth in "
            f"{float(stored.get('spans_to_one_percent') or 0.0):.0f} spans."
        )
    given = ", ".join(name for name in RECOMMENDED if name not in left)
    return f"{head}: {given} as given, the rest {what}, whose margin does not hold for this mixture."
