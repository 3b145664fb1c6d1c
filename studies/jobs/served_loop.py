"""Settings of a served test: what is given, and for the rest what the bundle itself recommends."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from catenary.errors import InputError
from catenary.storage.files import read_json_object
from dynamics.rig.loop.spec import LoopHabits, LoopSettings, Strategy
from dynamics.spec.case import PantographSpec

__all__ = ["RECOMMENDED", "ServedLoop", "judged_otherwise", "served_settings"]

# what a recommendation holds, in the words of its sentence
# what is shown of a recommendation, and what a device is checked against
NUMBERS = ("contact_stiffness", "margin", "spans_to_one_percent", "spectral_radius")
LISTS = ("device_masses", "device_stiffnesses", "device_dampings")
RECOMMENDED = ("strategy", "delay_steps", "height_harmonics", "dropper_harmonics", "contact_relaxation")
Harmonics = Annotated[int, Field(ge=1, le=5000)] | Literal["all"] | None


class ServedLoop(LoopHabits):
    """Control of the loop, from force to next height (Gil et al., section 3); null: as the bundle recommends."""

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
    """List how a device differs from the one that the bundle's recommendation was judged with."""
    from dynamics.rig.bundle import RECOMMENDATION, recommendation_mismatch

    return recommendation_mismatch(_stored(bundle / RECOMMENDATION), pantograph, contact_stiffness)


def _recommendation(bundle: Path, manifest: dict[str, Any]) -> dict[str, Any] | None:
    """Settings that `catenary rig map` stored; their digest was checked with the bundle's."""
    from dynamics.rig.bundle import RECOMMENDATION

    if RECOMMENDATION not in manifest["files"]:
        return None
    path = bundle / RECOMMENDATION
    found = _stored(path)
    try:
        LoopSettings.model_validate({name: found[name] for name in RECOMMENDED})
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        said = str(error).splitlines()[0]
        raise InputError(
            [f"{path} must hold {', '.join(RECOMMENDED)} as `catenary rig map` writes them: {said}"]
        ) from None
    return found


def _stored(path: Path) -> dict[str, Any]:
    """Content of a recommendation; what is shown of it has the types that `catenary rig map` writes."""
    found = read_json_object(path, "the recommendation", "`catenary rig map ... over=none` makes it again")
    lists = [found[name] for name in LISTS if found.get(name) is not None]
    numbers = [found[name] for name in NUMBERS if found.get(name) is not None]
    numbers += [n for given in lists if isinstance(given, list) for n in given]
    whole = all(isinstance(given, list) for given in lists)
    if not whole or any(isinstance(n, bool) or not isinstance(n, int | float) for n in numbers):
        raise InputError([f"{path} must hold {', '.join((*NUMBERS, *LISTS))} as numbers, as `catenary rig map` writes"])
    if not isinstance(found.get("device", ""), str):
        raise InputError([f"{path} must hold the device's name as `catenary rig map` writes it"])
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
