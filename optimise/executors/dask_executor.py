"""Evaluate in worker processes, here or on a cluster: send tasks, detect dead and silent workers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from catenary.storage.end_request import held_back, obey
from optimise.evaluation.job import Work
from optimise.executors.calls import News
from optimise.executors.compiling import CompilingWorkers
from optimise.executors.in_flight import IN_FLIGHT_PER_WORKER, InFlight, Sent
from optimise.executors.processors import Processors
from optimise.executors.protocol import MEMORY_CURE, Evaluate, NoWorkersError
from optimise.executors.session import Session
from optimise.executors.watchdog import ENOUGH_ERRORS, EqualErrors, Step, Watchdog
from optimise.executors.worker import Answer, UnknownCampaignError, longest_s
from optimise.spec.cluster import ClusterSpec

__all__ = ["WorkersExecutor"]

SECONDS_BETWEEN_LOOKS = 0.5
# tasks in a row that ended their workers at each try; after so many the tasks are hardly the cause
CRASHED_IN_A_ROW = 10


class WorkersExecutor:
    """Worker processes, each with one thread, of the cluster given to `open_executor`.

    A worker takes tasks once it has answered a greeting: if it dies while starting, no task is suspected. A task that
    has ended its worker too often fails with the reason. An error that no evaluation raised is one of the
    workers or of their connection: the task is sent again, and if that does not help, the workers are restarted.

    Raises
    ------
    NoWorkersError
        If workers cannot start as specified.
    """

    def __init__(
        self,
        cluster: ClusterSpec,
        evaluate: Evaluate,
        setting: object,
        folder: Path | None,
        say: Callable[[str], None],
        per_worker: int = IN_FLIGHT_PER_WORKER,
    ) -> None:
        self._spec = cluster
        self._campaign = (evaluate, setting)
        self._folder = folder
        self._say = say
        self._processors, self._compiling = Processors(folder, say), CompilingWorkers(say)
        self._tasks, self._per_worker = InFlight(per_worker), per_worker
        self._failures: deque[Any] = deque()
        self._session: Session | None = None
        self._there: frozenset[str] = frozenset()
        self._greetings: dict[str, tuple[str, float, Any]] = {}
        self._errors, self._crashed = EqualErrors(), 0
        self._not_started: Exception | None = None
        self._complaint = ""
        self._had_workers = False
        self._begin()
        wait = 3600.0 * cluster.batch.queue_wait_h if cluster.batch is not None else 0.0
        self._watchdog = Watchdog(cluster.watchdog, longest_s(cluster.time_limit_s), wait)

    @property
    def capacity(self) -> int:
        """So many tasks for every worker present or requested."""
        return self._per_worker * max(1, len(self._tasks.workers), self._spec.wanted_workers or 0)

    def submit(self, work: Work) -> None:
        """Send a task to a worker, or keep it until one is free."""
        self._tasks.add(work)
        self._launch()

    def next_completed(self, timeout: float) -> Any:
        """Result of a finished task, each once; a failure when its worker has died too often.

        Raises
        ------
        NoWorkersError
            If the workers return nothing although they were restarted, or return the same error repeatedly.
        """
        obey()
        end = time.monotonic() + timeout
        self._look()
        while not self._failures:
            if self._session is None:
                time.sleep(max(0.0, min(end - time.monotonic(), SECONDS_BETWEEN_LOOKS)))
                return None
            news = self._session.news(end - time.monotonic())
            if news is None:
                return None
            found = self._heard(news)
            self._launch()
            if found is not None:
                return found
        return self._failures.popleft()

    def close(self) -> None:
        """End the workers without waiting for what they evaluate; those of others forget the campaign."""
        with held_back():
            session, self._session = self._session, None
            self._there = frozenset()
            self._greetings.clear()
            if session is not None:
                session.close()

    def _begin(self) -> None:
        """Start workers for the campaign; the watchdog handles failed starts as missing workers."""
        self._looked = time.monotonic()
        try:
            self._session = Session(self._spec, self._folder, self._campaign, self._compiling.hear)
            self._hold(self._session)
        except NoWorkersError as error:  # said by those who know; a scheduler that was there may come back
            self.close()
            if not (self._had_workers and self._spec.kind == "address"):
                raise
            self._note(error)
        except Exception as error:
            self.close()
            self._note(error)
        except BaseException:
            self.close()
            raise
        self._looked = time.monotonic()

    def _note(self, error: Exception) -> None:
        """Keep the error of a start, and report it once."""
        if self._not_started is None or _said(error) != _said(self._not_started):
            self._say(f"Workers could not be started ({_said(error)}); trying again.")
        self._not_started = error

    def _restart_workers(self) -> None:
        """Close everything and start other workers; send again what was in flight."""
        self._tasks.all_again()
        self.close()
        self._begin()
        self._launch()

    def _hold(self, session: Session) -> None:
        """Replace workers that have ended, greet new ones, and drop those that have left."""
        session.deployment.hold()
        complaint = session.deployment.complaint
        if complaint not in ("", self._complaint):
            self._say(f"Workers are missing: {complaint}.")
            self._complaint = complaint
        self._there = frozenset(session.workers())
        self._greetings = {key: found for key, found in self._greetings.items() if found[0] in self._there}
        for worker in self._there - set(self._tasks.workers) - {found[0] for found in self._greetings.values()}:
            key, greeting = session.greet(worker)
            self._greetings[key] = worker, time.monotonic(), greeting
        for worker in self._tasks.left(self._there):
            self._lost(worker)

    def _look(self) -> None:
        """Check the workers now and then, and take the watchdog's steps."""
        if time.monotonic() - self._looked < SECONDS_BETWEEN_LOOKS:
            return
        self._looked = time.monotonic()
        if self._session is None:
            self._begin()
        elif not self._session.connected:
            self._say("Watchdog: the scheduler is lost; restarting the workers.")
            self._restart_workers()
        else:
            self._hold(self._session)
        self._launch()
        if self._compiling.pass_on():
            self._watchdog.finished()  # a sign of life
        found = self._watchdog.look(len(self._tasks), len(self._there), queued=self._session is not None)
        if found is not None:
            self._step(*found)

    def _step(self, step: Step, reason: str) -> None:
        """Take a step of the watchdog."""
        if step is Step.GIVE_UP:
            error = self._not_started if self._session is None else None
            word = self._complaint if error is None else _said(error)
            raise NoWorkersError(
                f"{reason}, although workers were requested again and restarted{'; ' * bool(word)}{word}"
            )
        what = "requesting workers again" if step is Step.ASK_AGAIN else "restarting the workers"
        if step is Step.ASK_AGAIN and self._there and not self._watchdog.answered:
            self._say(f"No evaluation is back yet ({reason}): workers may compile kernels, about a minute each.")
        else:
            self._say(f"Watchdog: {reason}; {what}.")
        if step is Step.ASK_AGAIN and self._session is not None:
            self._session.deployment.ask_again()
        else:
            try:
                self._restart_workers()
            except NoWorkersError as error:
                problem = f"{reason}, and the workers could not be restarted: {error}"
                raise NoWorkersError(problem, error.change) from error
        self._watchdog.stepped()

    def _launch(self) -> None:
        """Send what is waiting, as far as there are workers for it."""
        if self._session is not None and self._session.connected:
            for sent in self._tasks.due(self._session.name):
                self._session.send(sent)

    def _heard(self, news: News) -> Any:
        """Result that came with a report, if any."""
        from distributed import KilledWorker

        if news.key in self._greetings:
            if news.over:
                self._greeted(*self._greetings.pop(news.key)[:2], news.error)
            return None
        sent = self._tasks.known(news.key)
        if sent is None:
            return None  # it was sent again in the meantime
        if not news.over:
            sent.evaluated = True
        elif news.error is None:
            return self._answered(sent, news.value)
        elif isinstance(news.error, KilledWorker):
            self._lost(sent.worker)
        else:
            self._tasks.again(sent)
            if isinstance(news.error, MemoryError):
                self._starved(sent)
            self._went_wrong(news.error, sent.since)
        return None

    def _starved(self, sent: Sent) -> None:
        """Count a lack of memory; a task that alone lacks it repeatedly is larger than its worker."""
        number = sent.work.number
        self._tasks.deaths[number] += 1  # sent alone from now on
        if self._tasks.deaths[number] > self._spec.retries + ENOUGH_ERRORS:
            self._tasks.given_up(sent, self._spec.time_limit_s)
            times = self._tasks.deaths[number]
            self._failures.append(sent.work.failed(f"it lacked memory {times} times, others did not; {MEMORY_CURE}"))

    def _greeted(self, worker: str, since: float, error: BaseException | None) -> None:
        """Send tasks to a worker that answers; a death during its start counts against no task."""
        from distributed import KilledWorker

        if error is None and worker in self._there:
            self._had_workers = True
            self._tasks.welcome(worker)
        elif error is not None and not isinstance(error, KilledWorker):
            self._went_wrong(error, since)

    def _answered(self, sent: Sent, answer: Answer) -> Any:
        self._tasks.ended(sent)
        self._errors.over()
        self._crashed = 0
        self._processors.took_part(answer.processor)
        self._watchdog.finished(answer.seconds)
        return sent.work.failed(answer.error) if answer.error else answer.result

    def _went_wrong(self, error: BaseException, since: float) -> None:
        """Handle an error that no evaluation raised; restart the workers when sending again has not helped."""
        if self._session is None or not self._session.connected:
            return  # the next check finds that
        count, text = self._errors.took(error, since), _said(error)
        if self._errors.enough():
            if isinstance(error, MemoryError):
                raise NoWorkersError(f"evaluations lacked memory {count} times in a row ({text}); {MEMORY_CURE}")
            raise NoWorkersError(
                f"the workers, or their connection, gave the same error {count} times in a row, and no evaluation "
                f"raised it ({text})"
            )
        if count > 1 or isinstance(error, UnknownCampaignError):
            self._say(f"A worker returned an error that no evaluation raised ({text}); restarting the workers.")
            self._restart_workers()

    def _lost(self, worker: str) -> None:
        """Suspect the task that a dead worker was evaluating; fail it after its last retry."""
        suspect = self._tasks.lost(worker)
        if suspect is None:
            return
        number, limited = suspect.work.number, time.monotonic() - suspect.since >= self._spec.time_limit_s
        if limited:
            self._watchdog.finished()  # it reached its time limit: not a silence
        if self._tasks.deaths[number] <= self._spec.retries:
            return
        reason = self._tasks.given_up(suspect, self._spec.time_limit_s)
        self._crashed = 0 if limited else self._crashed + 1
        if self._crashed >= CRASHED_IN_A_ROW:
            raise NoWorkersError(f"{self._crashed} failures in a row were the same: {reason}")
        self._failures.append(suspect.work.failed(reason))


def _said(error: BaseException | None) -> str:
    if error is None or isinstance(error, NoWorkersError):
        return str(error or "")
    return f"{type(error).__name__}: {error}"
