"""Map where the loop on a bundle settles, and recommend settings for a test.

catenary rig map bundle=outputs/rig/re330 pantograph=dsa380
catenary rig map bundle=outputs/rig/re330 strategies=[span_by_span]     the form that takes under a minute
catenary rig map bundle=outputs/rig/re330 strategies=[span_by_span] points=30
catenary rig map bundle=outputs/rig/re330 strategies=[step_by_step] over=delay
catenary rig map bundle=outputs/rig/re330 pantograph=dsa380 over=none        the recommendation alone

At every point the map takes the mu_c of the grid in its title that settles fastest: which points are
stable depends on the smallest one tried. The pantograph and its force are those that the bundle was made for, unless
they are given. The recommendation is the widest band of heights, every number of harmonics in
frequency_range tried, that settles as fast as radius_wanted says; it is stored in the bundle as recommendation.json.
Without one, the bundle stays as it was.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from catenary.errors import InputError
from catenary.storage.files import write_bytes_atomic, write_json_atomic
from studies.input.compose import Composed, compose_job
from studies.jobs.loop import MapJob
from studies.writing.run_folder import RunFolder, fresh_folder

if TYPE_CHECKING:
    from dynamics.rig.loop.device import LumpedDevice
    from dynamics.rig.loop.model import PeriodicModel
    from dynamics.rig.loop.spec import Strategy
    from dynamics.rig.stability.maps import MapRow, StabilityMap
    from dynamics.rig.stability.search import Recommendation
    from dynamics.spec.case import PantographSpec
    from studies.rig.on_rig import OnRig

__all__ = ["CONFIG", "JOB", "compose", "run", "time_left"]

JOB = MapJob
CONFIG = "rig_map"
SLACK_BAND_HZ = 25.0  # the steady state whose slack droppers the recommendation is judged with


def compose(overrides: list[str]) -> Composed[MapJob]:
    """Resolve and validate the input."""
    return compose_job(CONFIG, JOB, overrides)


def run(composed: Composed[MapJob]) -> int:
    """Draw the maps, print and store the recommendation; 1 when no settings settle as fast as wanted."""
    from dynamics.rig.bundle import RECOMMENDATION, add_to_bundle
    from dynamics.rig.loop.harmonics import highest_frequency, largest_count
    from dynamics.rig.loop.model import read_model
    from studies.rig.on_rig import on_rig

    job = composed.job
    model, manifest = read_model(Path(job.bundle), to_rewrite=RECOMMENDATION)
    rig = on_rig(job, manifest, Path(job.bundle))
    job = job.model_copy(update=rig.given)
    top = highest_frequency(largest_count(model.steps), model.steps, model.dt)
    if job.frequency_range[1] > top:
        high = job.frequency_range[1]
        raise InputError([f"frequency_range must end at most at {top:.1f} Hz, half the loop's rate: got {high:g} Hz"])
    folder = RunFolder(fresh_folder("rig_map", model.name, job.run_dir), "rig_map", replace(composed, job=job))
    for sentence in rig.notes:
        folder.say(sentence)
    frequency = np.linspace(*job.frequency_range, job.points)
    maps = [_map(folder, (job, rig.pantograph), model, strategy, frequency) for strategy in _mapped(job)]
    print(f"Trying every number of harmonics on {model.steps} steps for a recommendation.", flush=True)
    found = _recommendation(job, rig, model)
    _draw(folder, job, model, maps)
    write_json_atomic(folder.path / "summary.json", _summary(job, model, maps, found))
    stored = job.store and found.stable
    if stored:
        add_to_bundle(Path(job.bundle), RECOMMENDATION, json.dumps(found.content(), indent=2) + "\n")
    for line in _sentences(job, found):
        folder.say(line)
    where = f", recommendation.json in {job.bundle}/" if stored else ""
    figures = ", figures/" if maps else ""
    folder.say(f"Wrote to {folder.path}/ (summary.json{figures}){where}")
    return int(not found.stable)


def _recommendation(job: MapJob, rig: OnRig, model: PeriodicModel) -> Recommendation:
    """Settings for a test, judged without slack and about the steady state with it."""
    from dynamics.rig.loop.harmonics import harmonics_up_to
    from dynamics.rig.loop.spec import LoopSettings
    from dynamics.rig.loop.steady import slackened_model, solve_steady
    from dynamics.rig.stability.search import recommend
    from studies.jobs.pressed import pressed_pantograph

    band = harmonics_up_to(min(SLACK_BAND_HZ, job.frequency_range[1]), model.steps, model.dt)
    loop = LoopSettings(height_harmonics=band, delay_steps=job.delay_steps)
    device = pressed_pantograph(model, rig.pantograph, rig.press(job.contact.stiffness, job.damping_ratio), loop)
    slack = slackened_model(model, solve_steady(model, device, loop), loop)
    models = (model,) if slack is model else (model, slack)
    return recommend(models, device, job.delay_steps, job.frequency_range, job.radius_wanted)


def _mapped(job: MapJob) -> tuple[Strategy, ...]:
    return () if job.over == "none" else job.strategies


def _device(job: MapJob, pantograph: PantographSpec, model: PeriodicModel, stiffness: float) -> LumpedDevice:
    from dynamics.rig.loop.device import lumped_device

    return lumped_device(pantograph, 100.0, stiffness, model.dt, job.damping_ratio)


def _rows(job: MapJob, pantograph: PantographSpec, model: PeriodicModel) -> list[MapRow]:
    from dynamics.rig.stability.maps import MapRow

    if job.over == "stiffness":
        stiffness = np.geomspace(*job.stiffness_range, job.points)
        return [MapRow(_device(job, pantograph, model, float(k)), job.delay_steps) for k in stiffness]
    delays = sorted({round(d) for d in np.linspace(1, job.largest_delay_steps, job.points)})
    return [MapRow(_device(job, pantograph, model, job.contact.stiffness), d) for d in delays]


def _map(
    folder: RunFolder,
    mapped: tuple[MapJob, PantographSpec],
    model: PeriodicModel,
    strategy: Strategy,
    frequency: np.ndarray,
) -> StabilityMap:
    """Compute the map of one strategy, for a job and its pantograph."""
    from dynamics.rig.loop.spec import LoopSettings
    from dynamics.rig.stability.maps import stability_map

    job, pantograph = mapped
    assert job.over != "none"

    def progress(done: int, rows: int) -> None:
        end = "\r" if sys.stderr.isatty() and done < rows else "\n"
        if sys.stderr.isatty() or done % 10 == 0 or done == rows:
            left = time_left(time.perf_counter() - began, done, rows)
            print(f"{strategy.replace('_', ' ')}: row {done} of {rows}, {left}", end=end, file=sys.stderr, flush=True)

    began = time.perf_counter()
    found = stability_map(
        model, LoopSettings(strategy=strategy), _rows(job, pantograph, model), frequency, job.relaxations, progress
    )
    spent = time.perf_counter() - began
    stable = 100.0 * float((found.radius < 1.0).mean())
    folder.say(
        f"{strategy.replace('_', ' ')} over the {job.over}: {stable:.0f} % of {found.radius.size} points are stable; "
        f"{found.dense} loops solved whole; {spent:.1f} s; mu_c tried: {', '.join(f'{m:g}' for m in job.relaxations)}"
    )
    return found


def time_left(spent: float, done: int, rows: int) -> str:
    """What is left of a map by what its rows took so far [s]; blanks wipe what a longer line left."""
    left = round(spent * (rows - done) / done)
    return f"{left // 60}:{left % 60:02d} left   "


def _draw(folder: RunFolder, job: MapJob, model: PeriodicModel, maps: list[StabilityMap]) -> None:
    """Draw all maps at the end: a run may be repeated in a folder without results."""
    from studies.rig.map_picture import map_pictures

    if job.over == "none":
        return
    for found in maps:
        for kind, picture in map_pictures(found, model.name, job.over).items():
            write_bytes_atomic(folder.path / "figures" / f"{found.settings.strategy}_over_{job.over}.{kind}", picture)


def _summary(job: MapJob, model: PeriodicModel, maps: list[StabilityMap], found: Recommendation) -> dict[str, Any]:
    """Content of summary.json; a radius beyond all numbers is null."""
    return {
        "schema_version": 1,
        "status": found.status.value,
        "message": "" if found.stable else found.status.sentence,
        "catenary": model.name,
        "speed_kmh": 3.6 * model.speed,
        "pantograph": found.device,
        "recommendation": found.content(),
        "maps": [
            {
                "strategy": m.settings.strategy,
                "over": job.over,
                "relaxations": list(m.relaxations),
                "highest_frequency_hz": m.frequency.tolist(),
                "contact_stiffness_N_per_m": [row.device.contact_stiffness for row in m.rows],
                "delay_steps": [row.delay_steps for row in m.rows],
                "head_frequency_hz": [row.device.head_frequency for row in m.rows],
                "spectral_radius": [[v if np.isfinite(v) else None for v in row] for row in m.radius.tolist()],
                "best_relaxation": m.relaxation.tolist(),
            }
            for m in maps
        ],
    }


def _sentences(job: MapJob, found: Recommendation) -> list[str]:
    """The recommendation, or the nearest settings where none qualifies."""
    settles = found.spectral_radius < 1.0
    head, last = "Recommended", []
    if not found.stable:
        head = "NOTHING IS RECOMMENDED: " + (
            f"no settings settle as fast as radius_wanted={job.radius_wanted:g} asks for; the fastest"
            if settles
            else "NOTHING SETTLES; the least bad"
        )
        cure = "Take a larger radius_wanted" if settles else "Take another delay_steps, contact or pantograph"
        last = [f"{cure}, or lower frequencies (frequency_range); the bundle's own recommendation was not touched."]
    tail = (
        f"an error falls to a hundredth in {found.spans_to_one_percent:.0f} spans"
        if settles
        else f"an error grows by {found.spectral_radius:.4g} from span to span"
    )
    widest = f"; stable up to mu_c {found.stable_up_to:g} of those tried" if settles else ""
    return [
        f"{head} for {found.device} on {found.contact_stiffness / 1e3:g} kN/m, delay {found.delay_steps} steps: "
        f"{found.strategy.replace('_', ' ')}, N_h {found.height_harmonics} ({found.highest_frequency_hz:.1f} Hz), "
        f"N_hd {found.dropper_harmonics}, mu_c {found.contact_relaxation:g}",
        f"spectral radius {found.spectral_radius:.4f}, margin {found.margin:.4f}{widest}; {tail}",
        *last,
    ]
