"""One test as a machine of states: datagrams and the clock in, datagrams out. No socket and no clock of its own.

A step belongs to a sequence number and is taken once: when its force arrives, when a later force shows that it is
missing, or when the clock says that it is overdue.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from dynamics.charts.numbers import beside_limit
from dynamics.rig.service.frames import Frame, Kind, Reason, Refusal, pack, unpack
from dynamics.rig.service.rates import Pace, Stamps
from dynamics.rig.service.spec import ServiceSpec
from dynamics.rig.service.steps import Counts, StepTaker

__all__ = ["RigSession", "TestPlan"]

Address = tuple[str, int]
Replies = list[tuple[bytes, Address]]
# substitutes whose own force may still come
REMEMBERED = 4096


@dataclass(frozen=True)
class TestPlan:
    """Steps a span, step [s], steps of the whole test, and steps from a force to the height that answers it."""

    __test__ = False  # no test of pytest's

    steps_per_span: int
    dt: float
    steps: int
    delay_steps: int

    @property
    def step_ns(self) -> int:
        """Step in whole nanoseconds."""
        return round(1e9 * self.dt)


class RigSession:
    """A test with one client, from its greeting to its farewell.

    Parameters
    ----------
    steps : StepTaker
        Takes the steps.
    service : ServiceSpec
        Losses and watchdog.
    plan : TestPlan
        Size of the test.
    say : callable
        Takes one sentence whenever something happens that a person should know.
    """

    def __init__(self, steps: StepTaker, service: ServiceSpec, plan: TestPlan, say: Callable[[str], None]) -> None:
        self.steps, self._loss, self._plan, self.say = steps, service.loss, plan, say
        self.state = "waiting"
        self._client: Address | None = None
        self._session = 0
        self._heard_ns = self._stepped_ns = 0
        self._by_clock = self._at_once = False
        allowed_ns = round(1e6 * (service.loss.watchdog_ms + service.loss.grace_ms)) + plan.step_ns
        self._pace = Pace(plan.step_ns, allowed_ns)
        self._stamps = Stamps(plan.dt)
        self._substitutes: dict[int, str] = {}
        self._answer = b""

    @property
    def client(self) -> Address | None:
        """Address of the device that has the test."""
        return self._client

    @property
    def step_ns(self) -> int:
        """Step of the loop [ns]."""
        return self._plan.step_ns

    @property
    def number(self) -> int:
        """Number of the session, which every frame of the test carries."""
        return self._session

    @property
    def counts(self) -> Counts:
        """Counts of the frames so far."""
        return self.steps.counts

    @property
    def reason(self) -> Reason:
        """Why the test ends or ended."""
        return Reason.DONE if self.steps.stopping is None else self.steps.stopping

    @property
    def deadline_ns(self) -> int:
        """Monotonic time [ns] at which `tick` has something to do."""
        if self.steps.number == 0 and self.state == "running":
            return int(self._heard_ns + 1e6 * self._loss.watchdog_ms) + 1
        # once the clock has taken a step, the grace is over for the next ones too: they are due a step apart
        grace = 0.0 if self._by_clock or self._at_once else 1e6 * self._loss.grace_ms
        if self.state == "stopping":  # a device that keeps its pace is waited for, none holds up the way down
            grace = min(grace, self._plan.step_ns)
        return int(self._stepped_ns + self._plan.step_ns + grace)

    def handle(self, data: bytes, address: Address, now_ns: int) -> Replies:
        """Handle one datagram that arrived at a monotonic time [ns]; return datagrams to send."""
        frame = unpack(data)
        if isinstance(frame, str):
            self._odd(frame, f"a {frame} datagram of {len(data)} bytes came", address, now_ns)
            return []
        if frame.kind is Kind.HELLO:
            return self._greet(frame, address, now_ns)
        if address != self._client or frame.session != self._session or frame.kind not in (Kind.FORCE, Kind.STOP):
            self._odd("foreign", "a frame of another session came", address, now_ns)
            return []
        if self.state not in ("running", "stopping"):
            return []
        self._heard_ns = now_ns
        if frame.kind is Kind.STOP:
            self.stop(Reason.STOP_ASKED)
            return []
        return self._take_force(frame, now_ns)

    def tick(self, now_ns: int) -> Replies:
        """Do what the clock asks for: a substitute that is due, the watchdog, the way to the safe height."""
        self.steps.repeated_messages.catch_up(now_ns)
        if self.state not in ("running", "stopping") or now_ns < self.deadline_ns:
            return []
        silent = now_ns - self._heard_ns > 1e6 * self._loss.watchdog_ms
        if self.steps.number == 0 and self.state == "running":
            if silent:
                self.say("the client greeted and sent no force; waiting for another one")
                self.state, self._client = "waiting", None
            return []
        if silent:
            self.stop(Reason.SILENT)
        return self._take(None, "clock", now_ns)

    def woke(self, now_ns: int) -> None:
        """Notice, before anything that queued up meanwhile is taken, that this process itself was held up: stop.

        A device was without heights for so long that what it would be sent next is a leap.
        """
        late = now_ns - self.deadline_ns
        if self.state == "running" and late > 1e6 * self._loss.watchdog_ms:
            self.say(f"this process was held up for {1e-6 * late:.0f} ms: it was stopped, or the machine is overloaded")
            self.stop(Reason.HELD_UP)

    def stop(self, reason: Reason) -> None:
        """Begin the way to the safe height; where no device waits for heights the test is over at once."""
        self.steps.stop(reason)
        if self.state == "waiting":
            self.state = "ended"
        elif self.state == "running":
            self.state = "stopping"
            # the first height on the way down waits for no force, unless the test ended by itself
            self._at_once = not self._by_clock and reason not in (Reason.DONE, Reason.SUBSTITUTES)

    def give_up(self, reason: Reason) -> None:
        """End without a further height, since another process leads the actuator to its safe height."""
        self.steps.stop(reason)
        self.state = "ended"

    def _odd(self, what: str, sentence: str, address: Address, now_ns: int) -> None:
        setattr(self.counts, what, getattr(self.counts, what) + 1)
        self.steps.repeated_messages.tell(what, f"{sentence} from {address[0]}:{address[1]}", now_ns)

    def _greet(self, frame: Frame, address: Address, now_ns: int) -> Replies:
        refusal = self._refusal(frame, address)
        plan = self._plan
        if refusal is not None:
            sentence = f"refused a client that {self._refusal_sentence(refusal, frame)}; it asked"
            self._odd("refused_clients", sentence, address, now_ns)
            return [
                (pack(Frame(Kind.REFUSAL, status=refusal, steps=plan.steps_per_span, step_ns=plan.step_ns)), address)
            ]
        if self.state == "waiting":
            self._client, self._session = address, secrets.randbits(32)
            self.state, self._heard_ns = "running", now_ns
            who = f"the client {address[0]}:{address[1]}" if address[1] else "an emulated device, on a clock of its own"
            self.say(f"test begins with {who}")
        welcome = Frame(
            Kind.WELCOME,
            self._session,
            value=float(plan.steps),
            second=float(plan.delay_steps),
            steps=plan.steps_per_span,
            step_ns=plan.step_ns,
        )
        return [(pack(welcome), address)]

    def _refusal(self, frame: Frame, address: Address) -> Refusal | None:
        if self.state == "ended":
            return Refusal.OVER
        if self._client is not None and (address != self._client or self.steps.number > 0):
            return Refusal.BUSY
        if frame.steps not in (0, self._plan.steps_per_span):
            return Refusal.OTHER_STEPS
        if frame.step_ns not in (0, self._plan.step_ns):
            return Refusal.OTHER_STEP
        return None

    def _refusal_sentence(self, refusal: Refusal, frame: Frame) -> str:
        plan = self._plan
        return {
            Refusal.BUSY: "came while another one has the test",
            Refusal.OVER: "came after the test was over",
            Refusal.OTHER_STEPS: f"takes {frame.steps} steps a span, the bundle {plan.steps_per_span}",
            Refusal.OTHER_STEP: f"steps every {1e-6 * frame.step_ns:g} ms, the bundle every {1e3 * plan.dt:g} ms",
        }[refusal]

    def _take_force(self, frame: Frame, now_ns: int) -> Replies:
        self.counts.received += 1
        if frame.sequence < self.steps.number:
            return self._past(frame)
        missing = frame.sequence - self.steps.number
        ahead = self._pace.ahead_ns(now_ns, missing + 1)
        if self.state == "stopping":
            # the way down goes by the server's clock: who asks sooner waits for it
            return (
                []
                if missing > self._loss.largest_gap_steps or self._pace.is_wrong(ahead)
                else self._steps_to(frame, now_ns)
            )
        if missing > self._loss.largest_gap_steps:
            self.stop(Reason.GAP)
        elif self._pace.is_wrong(ahead):
            side = "ahead of" if ahead > 0.0 else "behind"
            self.say(f"the device's steps are {1e-6 * abs(ahead):.1f} ms {side} this server's clock")
            self.stop(Reason.RATE)
        elif fault := self._stamps.fault(frame.sequence, frame.time_ns):
            self.say(fault)
            self.stop(Reason.RATE)
        else:
            return self._steps_to(frame, now_ns)
        return self._take(None, "gap", now_ns)

    def _steps_to(self, frame: Frame, now_ns: int) -> Replies:
        """Take the step of a frame, and before it those whose forces are missing."""
        replies: Replies = []
        for _ in range(frame.sequence - self.steps.number):
            replies += self._take(None, "gap", now_ns)
        return replies if self.state == "ended" else replies + self._take(frame, "", now_ns)

    def _past(self, frame: Frame) -> Replies:
        """A force whose step was taken already: late or out of order if it had a substitute, else repeated."""
        why = self._substitutes.pop(frame.sequence, None)
        if why == "clock":
            self.steps.count("late", frame.sequence)
        elif why == "gap":
            self.steps.count("out_of_order", frame.sequence)
        else:
            self.counts.repeated += 1
            if frame.sequence == self.steps.number - 1 and self._client:
                return [(self._answer, self._client)]  # the answer may have been lost
        return []

    def _take(self, frame: Frame | None, why: str, now_ns: int) -> Replies:
        """Take one step and answer it; the end of the test, or of the way to the safe height, says farewell."""
        number = self.steps.number
        if frame is None:
            self._substitutes[number] = why
            if len(self._substitutes) > REMEMBERED:
                del self._substitutes[next(iter(self._substitutes))]
        taken = self.steps.take(frame, now_ns)
        self._pace.take(now_ns)
        # a step that did not wait came before its force: the next one waits, or every force on the way would be late
        self._stepped_ns, self._by_clock, self._at_once = now_ns, why == "clock" and not self._at_once, False
        if self.steps.stopping is not None:
            self.state = "stopping"
        stamp = 0 if frame is None else frame.time_ns
        values = taken.height, taken.force, taken.service_time
        self._answer = pack(Frame(Kind.HEIGHT, self._session, number, stamp, *values, taken.mark))
        assert self._client is not None
        replies = [(self._answer, self._client)]
        if self.state == "running" and self.steps.number >= self._plan.steps:
            self.stop(self._end())
        if self.state == "stopping" and self.steps.guard.stopped:
            self.state = "ended"
            farewell = Frame(Kind.FAREWELL, self._session, self.steps.number, status=self.reason)
            replies += 3 * [(pack(farewell), self._client)]  # nobody answers it
        return replies

    def _end(self) -> Reason:
        """Judge a test that ran to its end: with too many substitutes it says little of the device."""
        share, allowed = 100.0 * self.counts.substituted / self.steps.number, self._loss.largest_share_percent
        if share <= allowed:
            return Reason.DONE
        self.say(
            f"{self.counts.substituted} of {self.steps.number} answers ({beside_limit(share, allowed, 1)} %) were to a "
            f"substitute force: more than {allowed:.12g} % (loss.largest_share_percent) make no test that counts"
        )
        return Reason.SUBSTITUTES
