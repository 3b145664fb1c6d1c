"""A whole test without sockets: frames are packed, taken and answered as in earnest, on a clock of its own."""

from __future__ import annotations

import math

from dynamics.rig.service.device import EmulatedRig
from dynamics.rig.service.frames import Frame, Kind, pack, unpack
from dynamics.rig.service.session import RigSession

__all__ = ["dry_run"]

NOWHERE = ("127.0.0.1", 0)


def dry_run(session: RigSession, rig: EmulatedRig, dt: float) -> None:
    """Step a session with an emulated rig to its end; no time passes but that of the computation."""
    ((data, _),) = session.handle(pack(Frame(Kind.HELLO)), NOWHERE, 0)
    welcome = unpack(data)
    assert isinstance(welcome, Frame) and welcome.kind is Kind.WELCOME
    step = 0
    while session.state != "ended":
        now = round(1e9 * dt * (step + 1))
        force, height = rig.measure(step)
        frame = Frame(Kind.FORCE, welcome.session, step, now, force, height, math.nan)
        for answer, _ in session.handle(pack(frame), NOWHERE, now):
            frame = unpack(answer)
            if isinstance(frame, Frame) and frame.kind is Kind.HEIGHT:
                rig.answer(frame.sequence, frame.value)
        step += 1
