"""A session of the rig service with a client that stamps its frames, on a clock that a test moves."""

import numpy as np

from dynamics.rig.service.frames import Frame, Kind, pack, unpack
from dynamics.rig.service.session import RigSession, TestPlan
from dynamics.rig.service.spec import ServiceSpec
from dynamics.rig.service.steps import StepTaker

DT, N, MS = 2e-3, 50, 1_000_000
CLIENT, OTHER = ("127.0.0.1", 5000), ("127.0.0.1", 6000)


class Spring:
    """A line that gives way in proportion to the force."""

    holding = False

    def __init__(self, compliance=1e-6):
        self.compliance, self.forces = compliance, []

    def step(self, force):
        self.forces.append(force)
        return self.compliance * force


class Rig:
    """A session with a client that stamps its frames, on a clock that the test moves."""

    def __init__(self, stepper=None, steps=10000, record=None, **service):
        self.stepper = stepper or Spring()
        self.records, self.said, self.now = [], [], 0
        spec = ServiceSpec.model_validate(service)
        self.limits, self.record = spec.limits, record
        taker = StepTaker(self.stepper, spec, DT, self.keep, self.said.append)
        self.session = RigSession(taker, spec, TestPlan(N, DT, steps, 8), self.said.append)
        self.welcome = self.sent(self.session.handle(pack(Frame(Kind.HELLO)), CLIENT, 0))[0]

    def keep(self, values):
        """Put a step on record; and where a test says, too."""
        self.records.append(values)
        if self.record is not None:
            self.record(values)

    def sent(self, replies):
        return [frame for data, _ in replies if isinstance(frame := unpack(data), Frame)]

    def force(self, sequence, value=100.0, stamp=None, kind=Kind.FORCE, late_ms=0.0):
        self.now = max(self.now, round(2 * MS * sequence + MS * late_ms))
        time = 2 * MS * sequence if stamp is None else stamp
        frame = Frame(kind, self.welcome.session, sequence, time, value)
        return self.sent(self.session.handle(pack(frame), CLIENT, self.now))

    def at(self, now_ns, sequence, value=100.0, stamp=None):
        """A force that arrives at a moment of its own, whatever its stamp says."""
        self.now = now_ns
        stamp = 2 * MS * (sequence + 1) if stamp is None else stamp
        frame = Frame(Kind.FORCE, self.welcome.session, sequence, stamp, value)
        return self.sent(self.session.handle(pack(frame), CLIENT, now_ns))

    def wait(self, ms):
        """Let time pass in fifths of a millisecond; what the clock sends."""
        out = []
        for _ in range(round(5 * ms)):
            self.now += MS // 5
            out += self.sent(self.session.tick(self.now))
        return out

    @property
    def heights(self):
        return np.array([r[7] for r in self.records])

    def is_guarded(self):
        """Every height that was sent is finite, inside the limits, and reached no faster than allowed."""
        heights = np.concatenate([[0.0], self.heights])
        limits = self.limits
        assert np.isfinite(heights).all()
        assert heights.min() >= limits.lowest_m and heights.max() <= limits.highest_m
        assert np.abs(np.diff(heights)).max(initial=0.0) <= limits.speed_m_per_s * DT * (1 + 1e-6)
        assert [r[0] for r in self.records] == list(range(len(self.records)))
        self.is_slow_by_the_servers_clock()

    def is_slow_by_the_servers_clock(self):
        """Between any two heights the way is no longer than the largest speed allows, by when they left the server."""
        limits = self.limits
        spare = DT + 1e-3 * limits.jitter_ms
        height, left = self.heights[-1500:], np.array([r[2] for r in self.records])[-1500:]
        way, time = np.abs(height[:, None] - height), np.abs(left[:, None] - left)
        assert (way <= limits.speed_m_per_s * (time + spare) + 1e-9).all()
