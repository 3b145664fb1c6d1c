"""Find the share of a new force that makes the loop settle fastest, and recommend settings for a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from dynamics.rig.loop.device import LumpedDevice
from dynamics.rig.loop.harmonics import harmonics_up_to, highest_frequency
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.spec import LoopSettings, Strategy
from dynamics.rig.stability.linear import device_response, line_response
from dynamics.rig.stability.spectrum import span_matrix, spectral_radius, step_matrix

__all__ = ["DROPPER_BAND_HZ", "RELAXATIONS", "Recommendation", "RecommendationStatus", "radii", "recommend"]

# tried wherever the best mu_c is looked for: what is stable depends on the smallest one tried
RELAXATIONS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.14, 0.2, 0.3, 0.5, 0.7, 1.0)
# where table 1 of Gil et al. cuts the droppers' elongation off, three cases of four [Hz]
DROPPER_BAND_HZ = 115.0


class RecommendationStatus(StrEnum):
    """Status of a search for settings, by its name in files."""

    OK = "ok"
    SLOWER_THAN_WANTED = "slower_than_wanted"
    NOTHING_SETTLES = "nothing_settles"

    @property
    def sentence(self) -> str:
        """Meaning of the status."""
        return SENTENCES[self]


SENTENCES = {
    RecommendationStatus.OK: "the settings settle as fast as is wanted",
    RecommendationStatus.SLOWER_THAN_WANTED: "the fastest settings settle more slowly than is wanted",
    RecommendationStatus.NOTHING_SETTLES: "with the least bad settings an error grows from span to span",
}


@dataclass(frozen=True)
class Recommendation:
    """Settings for a test, and how far they are from running away.

    Attributes
    ----------
    strategy, height_harmonics, dropper_harmonics, contact_relaxation, delay_steps
        Settings of the loop.
    highest_frequency_hz : float
        Of the height.
    spectral_radius, margin : float
        Largest factor of an error from span to span, and one less that [-].
    stable_up_to : float
        Largest mu_c of the grid with which the loop is stable.
    spans_to_one_percent : float
        Spans in which an error falls to a hundredth.
    stable : bool
        Whether the radius wanted was reached; if not, the settings are those with the smallest one.
    relaxations : tuple of float
        mu_c tried.
    device, device_masses, device_stiffnesses, device_dampings
        Name of the pantograph, its masses [kg], links [N/m] and dampings [N s/m] from the head down.
    contact_stiffness, contact_damping : float
        Of its head on the contact [N/m], [N s/m].
    """

    strategy: Strategy
    height_harmonics: int
    dropper_harmonics: int
    contact_relaxation: float
    delay_steps: int
    highest_frequency_hz: float
    spectral_radius: float
    margin: float
    stable_up_to: float
    spans_to_one_percent: float
    stable: bool
    device: str
    device_masses: tuple[float, ...]
    device_stiffnesses: tuple[float, ...]
    device_dampings: tuple[float, ...]
    contact_stiffness: float
    contact_damping: float
    relaxations: tuple[float, ...]

    @property
    def status(self) -> RecommendationStatus:
        """How the search ended."""
        if self.stable:
            return RecommendationStatus.OK
        settles = self.spectral_radius < 1.0
        return RecommendationStatus.SLOWER_THAN_WANTED if settles else RecommendationStatus.NOTHING_SETTLES

    def content(self) -> dict[str, Any]:
        """Content of recommendation.json; what is infinite is null."""
        found = {"schema_version": 1, **asdict(self)}
        return {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in found.items()}


def radii(
    models: Sequence[PeriodicModel],
    device: LumpedDevice,
    settings: LoopSettings,
    grid: Sequence[float] = RELAXATIONS,
) -> dict[float, float]:
    """Spectral radius by mu_c, the rest of the settings as given; of several models of a line the largest.

    A line whose droppers slacken is to be judged with and without its slack (``slackened_model``): either may be worse.
    """
    response = device_response(device, models[0].steps)
    build = span_matrix if settings.strategy == "span_by_span" else step_matrix
    found = dict.fromkeys(grid, 0.0)
    for model in models:
        line = line_response(model, settings.height_harmonics)
        for mu in grid:
            matrix = build(line, response, settings.model_copy(update={"contact_relaxation": mu}))
            found[mu] = max(found[mu], spectral_radius(matrix))
    return found


# (settles, N_h if it does, less radius, N_h, mu_c, largest stable mu_c, strategy): the largest is the best
_Tried = tuple[bool, int, float, int, float, float, Strategy]


def _widest_band(
    models: Sequence[PeriodicModel],
    device: LumpedDevice,
    delay_steps: int,
    counts: tuple[int, int],
    radius_wanted: float,
) -> _Tried:
    """Best of both strategies between the least and the most harmonics; arguments as those of `recommend`."""
    least, largest = counts
    tried: list[_Tried] = []
    strategies: tuple[Strategy, ...] = ("span_by_span", "step_by_step")
    for strategy in strategies:
        settings = LoopSettings(strategy=strategy, delay_steps=delay_steps)
        most = max((kept for settles, kept, *_ in tried if settles), default=0)
        for count in range(largest, least - 1, -1):
            if count < most:
                break  # the other strategy settles with more
            found = radii(models, device, settings.model_copy(update={"height_harmonics": count}))
            mu = min(found, key=lambda key, f=found: f[key])
            widest = max((m for m, radius in found.items() if radius < 1.0), default=0.0)
            settles = found[mu] <= radius_wanted
            tried.append((settles, count if settles else 0, -found[mu], count, mu, widest, strategy))
            if settles:
                break
        if tried[-1][0] and tried[-1][1] == largest:
            break
    return max(tried)


def recommend(
    models: Sequence[PeriodicModel],
    device: LumpedDevice,
    delay_steps: int,
    band_hz: tuple[float, float],
    radius_wanted: float = 0.99,
) -> Recommendation:
    """Widest band of heights that settles: of both strategies the one that lets more harmonics through.

    Parameters
    ----------
    models, device
        The line without and with slack, and what stands on the rig.
    delay_steps : int
        From force to height, compensated.
    band_hz : (float, float)
        Highest frequencies of the height, from and to [Hz]: every number of harmonics between them is tried, the most
        first, so that the recommendation does not depend on a grid.
    radius_wanted : float
        Largest spectral radius that counts as settling.
    """
    model = models[0]
    least, largest = (harmonics_up_to(f, model.steps, model.dt) for f in band_hz)
    settles, _, negative, count, mu, widest, strategy = _widest_band(
        models, device, delay_steps, (least, largest), radius_wanted
    )
    radius = -negative
    return Recommendation(
        strategy=strategy,
        height_harmonics=count,
        dropper_harmonics=harmonics_up_to(DROPPER_BAND_HZ, model.steps, model.dt),
        contact_relaxation=mu,
        delay_steps=delay_steps,
        highest_frequency_hz=highest_frequency(count, model.steps, model.dt),
        spectral_radius=radius,
        margin=1.0 - radius,
        stable_up_to=widest,
        spans_to_one_percent=float(np.log(0.01) / np.log(radius)) if radius < 1.0 else float("inf"),
        stable=settles,
        device=device.spec.name,
        device_masses=device.spec.masses,
        device_stiffnesses=device.spec.stiffnesses,
        device_dampings=device.spec.dampings,
        contact_stiffness=device.contact_stiffness,
        contact_damping=device.contact_damping,
        relaxations=RELAXATIONS,
    )
