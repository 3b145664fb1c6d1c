"""Run the whole chain on a real line: campaign, report, best design, rig bundle.

A stitched line around 300 km/h as fitters leave it, heights and spacing of its droppers; sized for two cores and five
minutes. Any key of `catenary optimise` may be given: `catenary demo seed=2 campaign=demo_2`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from studies.commands import export, optimise
from studies.input.compose import Composed
from studies.jobs.simulation import CampaignJob

if TYPE_CHECKING:
    from optimise.search.result import CampaignResult

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
    from studies.afterwards.confirmation import confirmed_change, on_record
    from studies.afterwards.off_design import gain_lines

    begin = time.perf_counter()
    code, result = optimise.run_campaign_study(composed, "demo", exported=True)
    if code or result is None or result.best is None:
        return code or 1
    best_line = result.folder / "best_design.yaml"
    bundle_name = result.campaign.name
    exported = export.compose([f"catenary={best_line}", f"name={bundle_name}"])
    code, bundle = export.run_export(exported)
    number, nominal, best = result.best.number, result.nominal.outcome, result.best.outcome
    assert nominal is not None and best is not None and nominal.sigma_N and best.sigma_N
    print()
    print(
        f"Standard deviation of the contact force {nominal.sigma_N:.2f} N -> {best.sigma_N:.2f} N "
        f"({100.0 * (best.sigma_N / nominal.sigma_N - 1.0):+.1f} %) in the search, {_where(result)}"
    )
    print(f"  at {result.case.speed_kmh:g} km/h {confirmed_change(result.folder)}")
    off_design = on_record(result.folder / "trust.json", lambda content: content["best_trial"] == number)
    for sentence in gain_lines(off_design) if off_design else []:
        print(f"  {sentence}")
    print(f"  report       {result.folder / 'report.html'}")
    print(f"  best design  {best_line}   (catenary simulate catenary={best_line})")
    print(f"  rig bundle   {bundle}/")
    print(f"The whole chain took {time.perf_counter() - begin:.0f} s.")
    return code


def _where(result: CampaignResult) -> str:
    """Conditions of the search, in words."""
    found = result.scenarios
    return f"at {result.case.speed_kmh:g} km/h" if found is None else f"{found.spec.combine} of {found.in_words}"
