"""A campaign from its first design to its last: budget, batches, interruption and resuming."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

from catenary.errors import InputError
from catenary.storage.end_request import end_request_interrupts
from dynamics.spec.case import CaseSpec
from optimise.descent.basins import polish_is_due, write_basins
from optimise.descent.polish import Point, polish
from optimise.design.train_space import train_of
from optimise.evaluation.constraints import Reference
from optimise.evaluation.evaluate import evaluate as evaluate_design
from optimise.evaluation.evaluate import prepare as prepare_start
from optimise.evaluation.figures import UPLIFT
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed, sound
from optimise.evaluation.robust import prepare_scenarios
from optimise.evaluation.scenarios import ScenarioSet
from optimise.executors import ONE_AT_A_TIME, Evaluate, Executor, NoWorkersError, interruption, open_executor
from optimise.executors.in_flight import IN_FLIGHT_PER_WORKER
from optimise.record.driver_lock import Interrupted, driver_lock
from optimise.record.growing_record import ChangedRecordError
from optimise.record.status_file import StatusWriter, StudyState
from optimise.record.trial import TrialRecord
from optimise.search.driver import StudyDriver
from optimise.search.importances import write_importances
from optimise.search.prepare import PreparedCampaign, beyond_figures, prepare_campaign
from optimise.search.progress import Count, Progress
from optimise.search.result import CampaignResult, load_result, write_designs
from optimise.search.samplers import designs_in_flight, population_size
from optimise.spec.campaign import CampaignSpec

__all__ = [
    "CampaignResult",
    "Drive",
    "Interrupted",
    "NominalFailedError",
    "drive_campaign",
    "load_result",
    "run_campaign",
]

SECONDS_BETWEEN_LOOKS = 0.5


class NominalFailedError(Exception):
    """The nominal line could not be evaluated, so there is nothing to compare a design with."""

    exit_code = 1


class Drive(TypedDict, total=False):
    """How a campaign is driven.

    Attributes
    ----------
    progress : callable
        Called in the driver after each design and about twice a second.
    evaluate : callable
        Picklable function of a job and the setting, in place of the campaign's own.
    prepare : callable
        Gives the common start of evaluations from the case, in place of the campaign's own; compiles what they need.
    begun : callable
        Called once the folder holds the campaign, before it is searched.
    doing : callable
        Takes in words what the driver does next before designs come back, and gives the context in which it runs.
    command : str
        Command line that resumes the campaign, for `catenary status`.
    again : str
        What resumes it, in the words of an interruption; the same command unless given.
    """

    progress: Callable[[Progress], None]
    evaluate: Evaluate
    prepare: Callable[[CaseSpec], Any]
    begun: Callable[[], object]
    doing: Callable[[str], AbstractContextManager[None]]
    command: str
    again: str


def run_campaign(campaign: CampaignSpec, case: CaseSpec, folder: Path, **how: Unpack[Drive]) -> CampaignResult:
    """Search a design space for the best line, or for the front of several objectives, or resume a search.

    See `PreparedCampaign` and `Drive`; makes the folder if it is missing, resumes if it holds this campaign.

    Raises
    ------
    InputError
        If the nominal line cannot be varied so, the folder holds another campaign, or a driver already works
        on it.
    NominalFailedError
        If the nominal line cannot be evaluated.
    Interrupted
        After Ctrl-C or a request to end; every outcome is on record.
    """
    return drive_campaign(prepare_campaign(campaign, case, folder), **how)


def drive_campaign(prepared: PreparedCampaign, **how: Unpack[Drive]) -> CampaignResult:
    """Search, or resume a search, as `run_campaign` does, after `prepare_campaign` has found no problem."""
    campaign, case, place = prepared.campaign, prepared.case, prepared.place
    name, silence = f"campaign '{campaign.name}'", campaign.cluster.driver_silence_s
    with driver_lock(place.lock, name, silence), end_request_interrupts():
        place.refuse_other(campaign, case)  # another driver may have started meanwhile
        place.remove_leftovers()
        place.write_input(campaign, case)
        how.get("begun", lambda: None)()
        run = _Run(prepared, how)
        try:
            learn = partial(prepare_start, directions=campaign.learned_directions)
            run.to_the_end(how.get("evaluate", evaluate_design), how.get("prepare", learn))
        except (KeyboardInterrupt, NoWorkersError, ChangedRecordError) as stop:
            run.close(StudyState.INTERRUPTED)
            raise Interrupted(interruption(stop, run.left, how.get("again", "the same command"))) from stop
        except NominalFailedError:
            run.status.write(StudyState.FAILED)
            raise
        return run.close(StudyState.FINISHED)


class _Run:
    """One run of the driver."""

    def __init__(self, prepared: PreparedCampaign, how: Drive) -> None:
        self.prepared = prepared
        self.place, self.campaign, self.case = prepared.place, prepared.campaign, prepared.case
        self.space = prepared.space
        self.study = StudyDriver(self.place, self.campaign, self.space, prepared.scenarios)
        self.command = how.get("command", "")
        self.count = Count(self.campaign, self.study.records, self.command)
        self.status = StatusWriter(self.place.status_json, self.count.progress)
        self.progress = how.get("progress")
        self.doing = how.get("doing", lambda _: nullcontext())
        self.under_way: set[int] = set()
        self.finished: dict[int, Outcome] = {}

    def to_the_end(self, evaluate: Evaluate, prepare: Callable[[CaseSpec], Any]) -> None:
        """Evaluate what the budget still holds."""
        self.status.write(StudyState.RUNNING)
        open_trials = [r for r in self.study.records if r.outcome is None]
        searched = bool(self.study.records) and not open_trials and self.study.searched >= self.campaign.trials
        if searched and not polish_is_due(self.place, self.campaign, self.study.searched):
            return
        scenarios, limit = self.prepared.scenarios, self.campaign.cluster.time_limit_s
        with self.doing("solving the nominal line, from which every design starts"):
            start = self._start(scenarios, prepare)
            setting = Setting(self.case, self.campaign.limits, None, start, limit, scenarios)
            setting = replace(setting, reference=self._reference(evaluate, setting))
        waits = self.campaign.synchronous and scenarios is not None  # a batch for its last design
        waits = waits or self.campaign.sampler.in_order  # a proposal for a design some places before it
        per_worker = ONE_AT_A_TIME if waits else IN_FLIGHT_PER_WORKER
        folder = self.place.path
        with open_executor(self.campaign.cluster, evaluate, setting, folder=folder, per_worker=per_worker) as executor:
            self._submit(executor, open_trials)
            self._submit(executor, self._warm_started())
            while self._fill(executor) or self.under_way:
                self._collect(executor)
            if self.campaign.polish.best:
                runs = polish(
                    self.campaign, self.space, self.study.records, lambda p: self._evaluate_outside_search(executor, p)
                )
                write_basins(self.place, self.campaign, self.space, self.study.records, runs)
        self.study.check()

    def _start(self, scenarios: ScenarioSet | None, prepare: Callable[[CaseSpec], Any]) -> Any:
        """Steady states of the nominal line, written with as many spans as the designs have."""

        def typical(case: CaseSpec) -> CaseSpec:
            return case.model_copy(update={"catenary": self.space.typical_of(case.catenary)})

        if scenarios is None:
            return prepare(typical(self.case))
        conditions = tuple(replace(condition, case=typical(condition.case)) for condition in scenarios.conditions)
        return prepare_scenarios(replace(scenarios, conditions=conditions), prepare)

    def close(self, state: StudyState) -> CampaignResult:
        """Write what a campaign leaves behind."""
        from optimise.search.dataset import write_trials

        self.place.write_input(self.campaign, self.case)  # again, whatever became of it meanwhile
        result = CampaignResult(self.place.path, self.campaign, self.case, self.study.records)
        if self.study.records:
            write_trials(result, self.place.result_nc)
            self.study.export()
        write_designs(result)
        if state is StudyState.FINISHED:
            write_importances(self.place, self.campaign, self.space, self.study.records)
        # counted from the record: an interruption may have come between a design's record and its count
        self.count = Count(self.campaign, self.study.records, self.command)
        self.status.update(self.count.progress)
        self.status.write(state)
        return result

    @property
    def left(self) -> str:
        """What to say of the record after an interruption."""
        p = self.status.current
        counted = f"campaign '{p.name}' was interrupted after {p.done} of {p.trials} designs"
        return f"{counted}; all of them are on record in {self.place.path}"

    def _reference(self, evaluate: Evaluate, setting: Setting) -> Reference:
        """Figures of the nominal line: trial 0, evaluated in the driver before any worker starts."""
        if not self.study.records:
            nominal = [variable.nominal for variable in self.space.variables]
            more = beyond_figures(self.campaign, self.space, nominal, None)
            job = Job(0, self.space.typical_of(self.case.catenary), **more)
            outcome = sound(evaluate(job, setting))
            if outcome.status is not OutcomeStatus.OK:
                raise NominalFailedError(
                    f"the nominal line '{self.case.catenary.name}' must be solvable at {self.case.speed_kmh:g} km/h "
                    f"before it can be optimised: {outcome.message}"
                )
            self.study.ask_nominal()
            self._tell(outcome)
        nominal = self.study.records[0].outcome
        if nominal is None or nominal.sigma_N is None:
            raise InputError([f"{self.place.record} must begin with the nominal line: it does not; restore the file"])
        return Reference(nominal.sigma_N, nominal.statistics[UPLIFT], nominal.scenario_sigma_N)

    def _fill(self, executor: Executor) -> bool:
        """Ask for designs and send them out; whether there were any."""
        asked = self.study.searched
        if self.campaign.sampler.in_order:
            wanted = asked + designs_in_flight(self.campaign.sampler) - len(self.under_way)
        elif not self.campaign.synchronous:
            wanted = asked + executor.capacity - len(self.under_way)
        elif self.under_way:
            return False
        else:
            batch = population_size(self.campaign.sampler, len(self.space.variables))
            wanted = 1 + batch * ((asked - 1) // batch + 1)
        records = [self.study.ask() for _ in range(asked, min(wanted, self.campaign.trials))]
        self.study.commit()
        self._submit(executor, records)
        return bool(records)

    def _warm_started(self) -> list[TrialRecord]:
        """Ask for the designs of an earlier campaign, directly after the nominal line."""
        found = self.prepared.warm_started if len(self.study.records) == 1 else None
        records = [self.study.ask_given(values, origin) for values, origin in (found.designs if found else ())]
        self.study.commit()
        return records

    def _evaluate_outside_search(self, executor: Executor, points: list[Point]) -> None:
        """Evaluate designs outside the search and put them on record."""
        records = [self.study.ask_outside_search(values, origin) for values, origin in points]
        self.study.commit()
        self._submit(executor, records)
        while self.under_way:
            self._collect(executor)

    def _submit(self, executor: Executor, records: list[TrialRecord]) -> None:
        for record in records:
            self.under_way.add(record.number)
            try:
                tolerance = record.origin.tolerance if record.origin else None
                train = train_of(self.space, record.values)
                nominal = self.study.records[0].outcome
                more = beyond_figures(self.campaign, self.space, record.values, nominal, record.polished)
                job = Job(record.number, self.space.spec_of(record.values), tolerance=tolerance, train=train, **more)
            except ValueError as error:
                self.finished[record.number] = failed(record.number, f"the design is not a valid line: {error}")
            else:
                executor.submit(job)

    def _collect(self, executor: Executor) -> None:
        """Wait for an evaluation and give outcomes to the sampler: at once, or a whole batch in trial order."""
        if len(self.finished) < len(self.under_way):
            outcome = executor.next_completed(SECONDS_BETWEEN_LOOKS)
            if outcome is not None and outcome.number in self.under_way:
                self.finished[outcome.number] = sound(outcome)
        if self.campaign.synchronous and len(self.finished) < len(self.under_way):
            self._show()
            return
        for number in sorted(self.finished):
            if self.campaign.sampler.in_order and number > min(self.under_way):
                break
            self._tell(self.finished.pop(number))
        self._show()

    def _tell(self, outcome: Outcome) -> None:
        record = self.study.tell(outcome)
        self.study.commit()
        self.under_way.discard(record.number)
        self.count.ended(record)
        self.status.update(replace(self.count.progress, running=len(self.under_way)))

    def _show(self) -> None:
        self.study.check()
        self.status.update(self.status.current)
        if self.progress is not None:
            self.progress(self.status.current)
