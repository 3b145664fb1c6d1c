"""Settings of an emulated test: those given, the rest as the bundle recommends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from catenary.errors import InputError, sentences_of
from dynamics.rig.loop.device import LumpedDevice
from dynamics.rig.loop.spec import LoopSettings
from studies.jobs.loop import EmulateJob, LoopTestSpec
from studies.jobs.served_loop import RECOMMENDED, ServedLoop, judged_otherwise, served_settings

__all__ = ["differences", "loop_sentence", "test_spec"]


def test_spec(job: EmulateJob, manifest: dict[str, Any]) -> LoopTestSpec:
    """Test with every setting of its loop known, those that are not given as a served test takes them.

    Raises
    ------
    InputError
        If something is left to a recommendation that the bundle does not hold, or settings contradict one another.
    """
    given = job.loop.model_dump(exclude={"largest_force_N", "largest_height_m"})
    if job.best_relaxation:
        given["contact_relaxation"] = LoopSettings().contact_relaxation  # stands in until the device is known
    served = ServedLoop.model_validate(given)
    settings, _, _ = served_settings(served, Path(job.bundle), manifest, job.loop.largest_force_N)
    loop = {**settings.model_dump(), "largest_height_m": job.loop.largest_height_m}
    conditions = job.model_dump(exclude={"bundle", "loop", "run_dir"})
    try:
        return LoopTestSpec.model_validate({**conditions, "loop": loop})
    except ValidationError as error:
        raise InputError(sentences_of(error)) from None


def loop_sentence(job: EmulateJob) -> str:
    """Report which settings are the bundle's."""
    left = _left(job)
    best = ["contact_relaxation"] if job.best_relaxation else []
    given = [name for name in RECOMMENDED if name not in (*left, *best)]
    ways = ((left, "as the bundle recommends"), (given, "as given"), (best, "as settles fastest on this device"))
    return "Loop: " + "; ".join(f"{', '.join(names)} {how}" for names, how in ways if names)


def differences(job: EmulateJob, device: LumpedDevice) -> list[str]:
    """Report how the device differs from the one that the bundle's settings were judged with."""
    if not _left(job):
        return []
    return judged_otherwise(Path(job.bundle), device.spec, device.contact_stiffness)


def _left(job: EmulateJob) -> list[str]:
    """Settings that are left to the bundle."""
    chosen = ("contact_relaxation",) if job.best_relaxation else ()
    return [name for name in RECOMMENDED if getattr(job.loop, name) is None and name not in chosen]
