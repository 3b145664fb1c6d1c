"""The process in which an FMU runs: it reads requests from one pipe and writes an answer to each into another.

Every number is a double. A request is its kind and two numbers (force, step); an answer is a status, then height and
velocity, or the length of a sentence and the sentence. The FMU may print what it likes: it reaches neither pipe.
"""

from __future__ import annotations

import math
import struct
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from dynamics.pantograph.fmu.archive import Archive, FmuError, refuse_variables, unpack_on_record
from dynamics.pantograph.fmu.library import Instance
from dynamics.pantograph.own_process import ANSWER, answer_by, answer_failure

__all__ = ["REQUEST", "RESTART", "STEP", "STOP", "serve"]

REQUEST = struct.Struct("<bdd")
STEP, RESTART, STOP = 0, 1, 2


def serve(told: dict[str, Any], requests: BinaryIO, answers: BinaryIO) -> None:
    """Unpack an FMU, answer requests until there are no more; a failure is answered by its sentence."""
    with tempfile.TemporaryDirectory(prefix="fmu_", ignore_cleanup_errors=True) as folder:
        try:
            archive = unpack_on_record(Path(told["file"]), told["sha256"], Path(folder))
            seen = ("output", "local")
            wanted = [(told["force"], ("input",)), (told["height"], seen), (told["velocity"], seen)]
            refuse_variables(archive, [*wanted, *((name, ("parameter", "input")) for name in told["values"])])
            instance = _run(archive, told, requests, answers)
            instance.close()
        except (FmuError, OSError) as error:
            answer_failure(error, answers)


def _run(archive: Archive, told: dict[str, Any], requests: BinaryIO, answers: BinaryIO) -> Instance:
    """Answer requests, the first answer being that of the instance at its start; the instance that is left."""
    instance, force, outputs = Instance(archive, told["values"]), told["force"], (told["height"], told["velocity"])
    _answer(instance, outputs, answers)
    while len(request := requests.read(REQUEST.size)) == REQUEST.size:
        kind, pressed, dt = REQUEST.unpack(request)
        if kind == STOP:
            break
        if kind == RESTART:
            instance.close()
            instance = Instance(archive, told["values"])
        else:
            instance.set((force,), (pressed,))
            instance.step(dt)
        _answer(instance, outputs, answers)
    return instance


def _answer(instance: Instance, outputs: tuple[str, str], answers: BinaryIO) -> None:
    height, velocity = instance.get(outputs)
    if not (math.isfinite(height) and math.isfinite(velocity)):
        raise FmuError(f"gave {height} m and {velocity} m/s, which are not finite")
    answers.write(ANSWER.pack(0, height, velocity))
    answers.flush()


if __name__ == "__main__":
    answer_by(serve)
