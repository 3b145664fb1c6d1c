"""The process in which an FMU runs as a pantograph: it reads requests from one pipe and writes an answer to each.

The FMU may print what it likes: it reaches neither pipe.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from dynamics.pantograph.fmu.archive import Archive, refuse_variables, unpack_on_record
from dynamics.pantograph.fmu.library import Instance
from dynamics.pantograph.own_process import DeviceError, answer_by, answer_failure
from dynamics.pantograph.stepped.protocol import serve_steps

__all__ = ["serve"]


def serve(told: dict[str, Any], requests: BinaryIO, answers: BinaryIO) -> None:
    """Unpack an FMU, answer requests until there are no more; a failure is answered by its sentence."""
    with tempfile.TemporaryDirectory(prefix="fmu_", ignore_cleanup_errors=True) as folder:
        try:
            archive = unpack_on_record(Path(told["file"]), told["sha256"], Path(folder))
            seen = ("output", "local")
            wanted = [(told["force"], ("input",)), (told["height"], seen), (told["velocity"], seen)]
            refuse_variables(archive, [*wanted, *((name, ("parameter", "input")) for name in told["values"])])
            serve_steps(lambda: _Pantograph(archive, told), requests, answers)
        except (DeviceError, OSError) as error:
            answer_failure(error, answers)


class _Pantograph:
    """An instance by its variables of a pantograph."""

    def __init__(self, archive: Archive, told: dict[str, Any]) -> None:
        self._instance = Instance(archive, told["values"])
        self._force, self._seen = (told["force"],), (told["height"], told["velocity"])

    def head(self) -> tuple[float, float]:
        height, velocity = self._instance.get(self._seen)
        return height, velocity

    def step(self, force: float, dt: float) -> None:
        self._instance.set(self._force, (force,))
        self._instance.step(dt)

    def close(self) -> None:
        self._instance.close()


if __name__ == "__main__":
    answer_by(serve)
