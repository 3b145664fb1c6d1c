"""A stand-in for the solvers: the line's own equilibrium, and made-up histories of the contact force."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import yaml

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from dynamics.contact_force.statistics import ContactStatistics
from dynamics.results.dropper_figures import DropperPeaks
from dynamics.results.solution import PantographResult
from dynamics.spec.case import CaseSpec, PantographSpec
from dynamics.spec.status import Status
from optimise.afterwards.dropper_tolerance import DropperTolerance, LengthTolerances, WrongLines
from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed
from optimise.search.campaign import run_campaign
from optimise.spec.campaign import CampaignSpec, ClusterSpec, DesignSpec, SamplerSpec

CONF = Path(__file__).resolve().parents[3] / "conf"


def statistics_of(sigma):
    extremes = (157.3 + 2.5 * sigma, 157.3 - 2.5 * sigma, 157.3 + 3 * sigma, 157.3 - 3 * sigma)
    return ContactStatistics(157.3, sigma, 0.8 * sigma, 0.6 * sigma, *extremes, 0.0, 60.0, 45.0)


@dataclass(frozen=True)
class StandIn:
    """What a solver would give: the line's own equilibrium, and made-up histories."""

    case: CaseSpec
    status: Status = Status.OK
    message: str = ""
    applied_force_N: float = 150.0
    warm_start: None = None
    operator_state: None = None

    @cached_property
    def equilibrium(self):
        return periodic_equilibrium(self.case.catenary)

    @property
    def sigma(self):
        """Lower where the contact wire hangs lower, and where droppers stand closer to mid-span."""
        droppers = self.case.catenary.droppers
        return 31.0 + 20.0 * sum(droppers.contact_wire_heights) - 0.5 * (droppers.positions[1] - 12.0)

    @property
    def statistics(self):
        return statistics_of(self.sigma) if self.status is Status.OK else None

    train_statistics = statistics
    spread_percent = 0.0
    histories = None
    on_head = ()  # a line in the plane
    arms = ()
    arm_figures = ()
    method = "march"
    dropper_force = np.zeros((0, 0))

    @property
    def dropper_peaks(self):
        count = len(self.case.catenary.dropper_positions)
        return DropperPeaks(150.0 + np.arange(count), np.full(count, 3.0), 160.0)

    @property
    def repeats(self):
        return self.case.seeks_steady_state

    @property
    def pantographs(self):
        names = (
            "position",
            "contact_force",
            "contact_force_filtered",
            "contact_height",
            "statistics",
            "applied_force_N",
        )
        found = {name: getattr(self, name) for name in names}
        return (PantographResult(**found, evaluated=slice(-self.case.steps_per_period, None)),)

    @property
    def time(self):
        spans = 1 if self.case.solver == "periodic" else 7
        return self.case.time_step * np.arange(
            0 if self.status is not Status.OK else spans * self.case.steps_per_period
        )

    @property
    def position(self):
        return self.case.speed * self.time

    @property
    def contact_force(self):
        return 157.3 + self.sigma * np.sin(2 * np.pi * self.position / self.case.catenary.span_length)

    contact_force_filtered = contact_force

    @property
    def contact_height(self):
        return 0.04 + 0.01 * np.cos(2 * np.pi * self.position / self.case.catenary.span_length)

    @property
    def support_uplift_time(self):
        return np.zeros(0)

    @property
    def dropper_slack_time(self):
        return 0.037 + 0.001 * np.arange(len(self.case.catenary.droppers.positions) if self.time.size else 0)

    support_uplift = np.full(1, 0.06)
    support_rise = support_uplift
    wall_time_s = {"equilibrium": 0.01, "dynamics": 0.03}  # noqa: RUF012 - read only


def evaluate(task, setting):
    """Outcome by the stand-in; some trials fail, some break a limit."""
    if task.number % 7 == 5:
        return failed(task.number, "a dropper snapped")
    solution = StandIn(setting.case.model_copy(update={"catenary": task.catenary}))
    uplift = 0.2 if task.number % 4 == 3 else -0.1
    return Outcome(
        number=task.number,
        status=OutcomeStatus.OK,
        sigma_N=solution.sigma,
        constraints={"g_uplift": uplift, "g_static_dropper_force": -1.0, "g_contact_loss": 0.0},
        sampler_value_N=solution.sigma if uplift < 0 else 40.0,
        statistics={k: float(v) for k, v in vars(solution.statistics).items()},
        static_dropper_force_min_N=70.0,
        applied_force_N=150.0,
        wall_time_s={"total": 0.05},
    )


def case_of(line):
    """The line of the library, with the pantograph that goes with it, at 300 km/h."""
    pantograph = {"bruni_2015": "bruni_2015"}.get(line, "dsa380")
    blocks = [
        yaml.safe_load((CONF / f"{group}/{name}.yaml").read_text(encoding="utf-8"))
        for group, name in (("catenary", line), ("pantograph", pantograph))
    ]
    return CaseSpec(
        catenary=CatenarySpec.model_validate(blocks[0]),
        pantograph=PantographSpec.model_validate(blocks[1]),
        speed_kmh=300.0,
        mean_force_N=157.3,
    )


def tolerances_of(asked):
    """Tolerances: 1.8 mm at the first, a millimetre more at each, none at the last but one, 20 mm at the last."""

    def found(case, wanted, cluster, runs, *, assured):
        asked.append((case, assured))
        n = len(case.catenary.droppers.positions)
        known = [
            DropperTolerance(k, 1.8e-3 + 1e-3 * k, 2e-4, 0.0, (-1) ** k, ((0.0, 0.0),), 0.051) for k in range(n - 2)
        ]
        none = DropperTolerance(n - 2, None, None, 0.0, 0, (), message="no figures")
        far = DropperTolerance(n - 1, None, None, 20e-3, 0, ((0.02, 0.01),))
        lines = WrongLines(1.0, (0.02, 0.08, None, 0.05)), WrongLines(0.5, (0.01, 0.02, 0.03, 0.04))
        runs.progress(1, 1)
        return LengthTolerances(31.0, (*known, none, far), lines)

    return found


def searched(folder, line, kind, trials):
    """Result of a campaign of random designs by the stand-in, in a folder of the campaign's own name, trial_run."""
    campaign = CampaignSpec(
        name="trial_run",
        trials=trials,
        sampler=SamplerSpec(kind="random"),
        design=DesignSpec(kind=kind, height_change=0.01, dropper_move=0.5),
        cluster=ClusterSpec(kind="serial"),
    )
    return run_campaign(campaign, case_of(line), folder / "trial_run", evaluate=evaluate, prepare=lambda case: None)
