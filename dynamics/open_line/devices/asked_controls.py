"""Controllers whose code is asked from outside, each in a process of its own, on a line that is marched.

A function or an FMU is asked at the end of a step by what is measured there. What it commands holds from there on
until it is asked again, and reaches the pantograph as every controller's command does: limited, delayed, lagged.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Self

from dynamics.open_line.build import WholeLine
from dynamics.open_line.contact import contacts_of_head, on_head
from dynamics.open_line.forces import base_motion
from dynamics.open_line.integrators.compiled import begin
from dynamics.open_line.integrators.registry import Scheme
from dynamics.open_line.integrators.scheme import Work
from dynamics.open_line.march import Record, march_step
from dynamics.open_line.static_start import static_start
from dynamics.open_line.system import Pantographs, State, System
from dynamics.pantograph.control.asked import AskedCode
from dynamics.pantograph.control.fmu import AskedFmu
from dynamics.pantograph.control.function import AskedFunction
from dynamics.spec.case import CaseSpec
from dynamics.spec.control.controller import ControlSpec

__all__ = ["AskedControls"]


class AskedControls:
    """Code of the controllers under a line, once for each pantograph; a context that ends it.

    Parameters
    ----------
    case : CaseSpec
    line : WholeLine
    pantographs : Pantographs

    Raises
    ------
    DeviceError
        If it cannot be used, fails, or does not answer in time.
    """

    def __init__(self, case: CaseSpec, line: WholeLine, pantographs: Pantographs) -> None:
        control = case.pantograph.control
        assert control is not None and control.asked is not None
        self._case, self._line, self.pantographs = case, line, pantographs
        self._every = max(1, round(control.asked.step_s / case.time_step))
        step, reference = self._every * case.time_step, pantographs.control.reference
        self._ended = ExitStack()
        try:
            self._asked = [self._ended.enter_context(_started(control, step, reference)) for _ in pantographs.start]
        except BaseException:
            self._ended.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.close()

    def start(self) -> State:
        """Line and pantographs at rest without a control force."""
        return static_start(self._case, self._line, self.pantographs)

    def march(
        self, system: System, state: State, scheme: Scheme, work: Work, record: Record, first: int
    ) -> tuple[int, float, int]:
        """March as many steps as the record has rows, as `dynamics.open_line.march.march` does."""
        begin(system, state, scheme, work)
        residual, count = 0.0, 0
        for k in range(record.force.shape[0]):
            if (first + k) % self._every == 0:
                self._ask(system, state, (first + k) * scheme.dt)
            count, residual = march_step(system, state, scheme, work, record, (k, first + k))
            if count < 0:
                return k, residual, count
        return record.force.shape[0], residual, count

    def _ask(self, system: System, state: State, t: float) -> None:
        """Put what every controller commands where the law holds its command, and its newest one."""
        panto, each = system.pantographs, contacts_of_head(system)
        limit, states = panto.control.limit, panto.control.output.size
        for p, asked in enumerate(self._asked):
            measured = (
                float(on_head(state.force, p, each)), float(state.z[p, 0]), float(state.zv[p, 0]),
                float(state.za[p, 0]), float(panto.start[p] + panto.speed * t),
            )  # fmt: skip
            # one that has not entered the line yet is not controlled
            command = base_motion(panto, p, t)[2] * asked.force(t, measured)
            state.memory[p, 0] = command
            state.memory[p, states + 5] = min(limit, max(-limit, command))


def _started(control: ControlSpec, step: float, reference: float) -> AskedCode:
    """One controller's code in a process of its own."""
    if control.python is not None:
        return AskedFunction(control.python, step, reference)
    assert control.fmu is not None
    return AskedFmu(control.fmu, step, reference)
