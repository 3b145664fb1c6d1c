"""Pantograph on the rig and the force that presses it: as given, the rest as the bundle was made for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catenary.errors import InputError
from dynamics.rig.bundle import MadeFor, made_for
from dynamics.spec.case import PantographSpec
from studies.jobs.pressed import Press, PressedSpec

__all__ = ["OnRig", "for_a_real_one", "on_rig", "refuse_no_chain"]

OTHER = "; name another one, such as pantograph=dsa380"


@dataclass(frozen=True)
class OnRig:
    """Pantograph on the rig.

    Attributes
    ----------
    pantograph : PantographSpec
        The pantograph.
    applied_force_N, mean_force_N : float, optional
        Force on its lowest mass, or mean contact force that it is pressed for [N]; None and None: the reference one.
    notes : tuple of str
        Where both come from, in sentences.
    """

    pantograph: PantographSpec
    applied_force_N: float | None
    mean_force_N: float | None
    notes: tuple[str, ...]

    def press(self, stiffness: float, damping_ratio: float) -> Press:
        """Press it on a contact stiffness [N/m] with a damping ratio [-]."""
        return Press(stiffness, damping_ratio, self.applied_force_N, self.mean_force_N)

    @property
    def given(self) -> dict[str, Any]:
        """The keys of a job that say the same."""
        return {
            "pantograph": self.pantograph,
            "applied_force_N": self.applied_force_N,
            "mean_force_N": self.mean_force_N,
        }


def on_rig(job: PressedSpec, manifest: dict[str, Any], bundle: Path) -> OnRig:
    """Pantograph of a job on the rig; what the job leaves open is what the bundle was made for.

    Raises
    ------
    InputError
        If no pantograph is given and the bundle does not say what it was made for, or it is not of lumped masses.
    """
    made = made_for(manifest)
    applied, mean = job.applied_force_N, job.mean_force_N
    open_force = applied is None and mean is None
    if made is None:
        if job.pantograph is None:
            raise InputError(
                [
                    f"pantograph must be given: the bundle {bundle} is of an earlier version and does not say what it "
                    "was made for; give pantograph=..., or export the line again"
                ]
            )
        refuse_no_chain(job.pantograph)
        notes = (
            f"The bundle is of an earlier version and does not say what it was made for: {job.pantograph.name} is taken"
        )
        how = ", pressed for the reference mean force of its speed" if open_force else ", pressed as given"
        return OnRig(job.pantograph, applied, mean, (notes + how,))
    if open_force:
        applied, mean = made.applied_force_N, made.mean_force_N
    pantograph = job.pantograph or made.pantograph
    refuse_no_chain(pantograph)
    return OnRig(pantograph, applied, mean, _notes(job, made, open_force))


def refuse_no_chain(pantograph: PantographSpec) -> None:
    """Refuse a pantograph that an emulated rig cannot be made of.

    Raises
    ------
    InputError
        If it is not of lumped masses, or has a controller.
    """
    if pantograph.control is not None:
        raise InputError([f"pantograph.control must be left out on an emulated rig, which is passive{OTHER}"])
    if pantograph.kind != "lumped":
        raise InputError(
            [
                f"pantograph must be of lumped masses on an emulated rig: {pantograph.name} is of kind "
                f"{pantograph.kind}{OTHER}"
            ]
        )


def for_a_real_one(manifest: dict[str, Any]) -> tuple[str, ...]:
    """Report what a bundle was made for, to a user with a real pantograph on the rig."""
    made = made_for(manifest)
    if made is None:
        return ("The bundle is of an earlier version and does not say what it was made for",)
    return (f"The bundle was made for {made.what}: hold that against what stands on the rig",)


def _notes(job: PressedSpec, made: MadeFor, open_force: bool) -> tuple[str, ...]:
    """Report what the bundle was made for, what of it is used, and what replaces it."""
    other = job.pantograph is not None and not _same(job.pantograph, made.pantograph)
    what = made.what
    lines = [f"The bundle was made for {what}" + ("" if other or not open_force else ", which is taken here")]
    if not made.said:
        lines[0] = f"The bundle is of an earlier version; by the input of its export it was made for {what}"
    if other and job.pantograph is not None:
        lines.append(f"OVERRIDDEN: {job.pantograph.name} stands on the rig instead of {made.pantograph.name}")
    if not open_force:
        force = f"an applied force of {job.applied_force_N} N" if job.mean_force_N is None else ""
        force = force or f"a mean force of {job.mean_force_N} N"
        lines.append(f"OVERRIDDEN: pressed to {force} as given, instead of {made.force}")
    return tuple(lines)


def _same(one: PantographSpec, other: PantographSpec) -> bool:
    keys = ("name", "masses", "stiffnesses", "dampings")
    return all(getattr(one, key) == getattr(other, key) for key in keys)
