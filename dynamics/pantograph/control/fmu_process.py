"""The process in which a controller's FMU runs: requests from one pipe, answers into another, as `asked` has them."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from dynamics.pantograph.control.asked import REQUEST, STOP
from dynamics.pantograph.fmu.archive import FmuError, refuse_variables, unpack_on_record
from dynamics.pantograph.fmu.library import Instance
from dynamics.pantograph.own_process import ANSWER, answer_by, answer_failure

__all__ = ["serve"]


def serve(told: dict[str, Any], requests: BinaryIO, answers: BinaryIO) -> None:
    """Unpack an FMU, answer requests until there are no more; a failure is answered by its sentence."""
    with tempfile.TemporaryDirectory(prefix="fmu_", ignore_cleanup_errors=True) as folder:
        try:
            archive = unpack_on_record(Path(told["file"]), told["sha256"], Path(folder))
            inputs = {name: k for k, name in enumerate(told["inputs"]) if name is not None}
            wanted = [(told["command"], ("output", "local")), *((name, ("input",)) for name in inputs)]
            refuse_variables(archive, [*wanted, *((name, ("parameter", "input")) for name in told["values"])])
            _answer(answers, 0.0)
            instance = None
            while len(request := requests.read(REQUEST.size)) == REQUEST.size:
                kind, t, *values = REQUEST.unpack(request)
                if kind == STOP:
                    break
                measured = {name: values[k] for name, k in inputs.items()}
                if instance is None:
                    instance = Instance(archive, told["values"], measured)
                else:
                    instance.set(list(measured), list(measured.values()))
                    instance.step(told["step"])
                _answer(answers, _command(instance, told["command"], t))
            if instance is not None:
                instance.close()
        except (FmuError, OSError) as error:
            answer_failure(error, answers)


def _command(instance: Instance, name: str, t: float) -> float:
    (force,) = instance.get((name,))
    if not math.isfinite(force):
        raise FmuError(f"must give a finite force: got {force} N at {t:.4f} s")
    return force


def _answer(answers: BinaryIO, force: float) -> None:
    answers.write(ANSWER.pack(0, force, 0.0))
    answers.flush()


if __name__ == "__main__":
    answer_by(serve)
