"""Run the whole chain on a real line: campaign, report, best design, rig bundle.

A stitched line at 300 km/h, heights and spacing of its droppers; sized for two cores and a few minutes. Any
key of `catenary optimise` may be given: `catenary demo seed=2 campaign=demo_2`.
"""

from __future__ import annotations

import time

from studies.commands import export, optimise
from studies.input.compose import Composed
from studies.jobs.simulation import CampaignJob

__all__ = ["CONFIG", "EXPERIMENT", "JOB", "compose", "run"]

JOB = CampaignJob
CONFIG = "optimise"
EXPERIMENT = "demo"


def compose(overrides: list[str]) -> Composed[CampaignJob]:
    """Resolve and validate the input."""
    chosen = [] if any(text.startswith("experiment=") for text in overrides) else [f"experiment={EXPERIMENT}"]
    return optimise.compose([*chosen, *overrides])


def run(composed: Composed[CampaignJob]) -> int:
    """Search, report, export; 1 when a solver failed or nothing better was found, 75 when interrupted."""
    from studies.afterwards.confirmation import confirmed_change

    begin = time.perf_counter()
    code, result = optimise.run_campaign_study(composed)
    if code or result is None or result.best is None:
        return code or 1
    best_line = result.folder / "best_design.yaml"
    bundle_name = result.campaign.name
    exported = export.compose([f"catenary={best_line}", f"name={bundle_name}"])
    code, bundle = export.run_export(exported)
    nominal, best = result.nominal.outcome, result.best.outcome
    assert nominal is not None and best is not None and nominal.sigma_N and best.sigma_N
    print()
    print(
        f"Standard deviation of the contact force {nominal.sigma_N:.2f} N -> {best.sigma_N:.2f} N "
        f"({100.0 * (best.sigma_N / nominal.sigma_N - 1.0):+.1f} %) in the search at {result.case.speed_kmh:g} km/h, "
        f"{confirmed_change(result.folder)}"
    )
    print(f"  report       {result.folder / 'report.html'}")
    print(f"  best design  {best_line}   (catenary simulate catenary={best_line})")
    print(f"  rig bundle   {bundle}/")
    print(f"The whole chain took {time.perf_counter() - begin:.0f} s.")
    return code
