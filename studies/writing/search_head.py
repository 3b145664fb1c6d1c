"""What a search says of itself before it begins: what may change and how far, what is wanted, what is held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.jobs.simulation import CampaignJob

if TYPE_CHECKING:
    from optimise.design.dropper_space import Variable
    from optimise.evaluation.objectives import Objective
    from optimise.search.prepare import PreparedCampaign

__all__ = ["print_search"]


def _in_words(objective: Objective) -> str:
    sense = "as high" if objective.maximised else "as low"
    return f"{objective.long_name} [{objective.unit}], {sense} as possible"


def _warm_start_lines(prepared: PreparedCampaign) -> list[str]:
    """Which designs of an earlier campaign come first, and which this space does not hold."""
    found = prepared.warm_started
    if found is None:
        return []
    trials = ", ".join(str(origin.trial) for _, origin in found.designs)
    first = f"Warm start: {len(found.designs)} designs of {prepared.campaign.warm_start} come first (trials {trials})"
    return [first, *(f"  left out: {sentence}" for sentence in found.left_out)]


def _range(v: Variable) -> str:
    """Name and bounds of a variable as pages call it; a change against the nominal line has a sign."""
    scale, unit = (1e3, " mm") if v.name.startswith("lift") else (1.0, "" if v.unit == "1" else f" {v.unit}")
    sign = "+" if v.low < 0.0 else ""
    return f"{v.label} {scale * v.low:{sign}.4g} to {scale * v.high:{sign}.4g}{unit}"


def print_search(job: CampaignJob, prepared: PreparedCampaign) -> None:
    """What is wanted, what may change and how far, what is held, where it is kept."""
    from optimise.evaluation.objectives import OBJECTIVES
    from optimise.evaluation.scenarios import own_condition
    from optimise.search.samplers import idle_workers

    warm = [] if prepared.place.record.exists() else _warm_start_lines(prepared)
    held = f"mean force {job.mean_force_N:.2f} N" if job.mean_force_N else f"applied force {job.applied_force_N} N"
    print(
        f"Campaign {job.campaign_name}: {job.trials} designs of {job.catenary.name} with {job.pantograph.name} at "
        f"{job.speed_kmh:g} km/h, {prepared.campaign.sampler.kind}, {job.design.what}, {held} held"
    )
    print(f"Variables: {', '.join(_range(v) for v in prepared.space.variables)}")
    if prepared.space.lifts:
        print(
            "  A height is what a change of that dropper's own load gains it; together they stay within "
            f"{1e3 * job.design.height_change:g} mm of the nominal line's. Droppers count from the support to mid-span."
        )
    if job.design.as_built:
        print(f"Built: {job.design.as_built}, every line of the search")
    for sentence in (*warm, *idle_workers(prepared.campaign)):
        print(sentence)
    found, names = prepared.scenarios, job.objectives
    if found is not None:
        print(f"Every design in {found.in_words}")
        print(f"Pictures and long transient: {own_condition(job.scenarios, job)} alone")
        names = tuple(map(found.spelled, names))
    print(f"Objectives: {'; '.join(_in_words(OBJECTIVES[name]) for name in names)}")
    limits = job.limits
    change = limits.scenario_change_percent
    worst = "" if limits.blow_off_m is None else f", blow-off in gusts up to {limits.blow_off_m:g} m"
    worst += "" if change is None else f", change of σ in each scenario up to {change:g} %"
    print(
        f"Limits: uplift at supports up to {limits.uplift_factor:g} x nominal, static dropper force from "
        f"{limits.static_dropper_force:g} N, contact loss up to {limits.contact_loss_percent:g} %{worst}"
    )
    if not prepared.campaign.reproducible:
        print(
            "Order: outcomes go to the sampler as workers answer, so that another run has other designs; with "
            "synchronous=true they are the same on any number of workers."
        )
    print(f"Folder: {prepared.place.path}/; the same command resumes after an interruption.", flush=True)
