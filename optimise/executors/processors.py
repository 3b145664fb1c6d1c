"""Types of the processors that evaluate: one evaluation has the same bits on one type only."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path

from catenary.storage.files import read_json, write_json_atomic

__all__ = ["PROCESSORS_FILE", "Processors", "processor_type", "read_processors"]

PROCESSORS_FILE = "processors.json"


@cache
def processor_type() -> str:
    """Type of this machine's processor, as far as the compiled kernels and libraries distinguish types."""
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    digest = hashlib.sha256(features.encode()).hexdigest()[:6]
    return f"{_model()} ({binding.get_host_cpu_name()}-{digest})"


def _model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _kernel_target(processor: str) -> str:
    """Part of a type that decides what the compiler and the libraries do."""
    return processor.rpartition("(")[2]


class Processors:
    """Processor types of all workers, kept in a folder from run to run; reports a second type."""

    def __init__(self, folder: Path | None, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._say = say
        self._known = read_processors(folder) if folder is not None else []

    def took_part(self, processor: str) -> None:
        """Record a type when it is seen for the first time."""
        if processor in self._known:
            return
        others = {_kernel_target(p) for p in self._known} - {_kernel_target(processor)}
        self._known.append(processor)
        if self._folder is not None:
            content = {"schema_version": 1, "processors": self._known}
            write_json_atomic(self._folder / PROCESSORS_FILE, content)
        if others:
            self._say(
                f"Processors of different types take part: {'; '.join(self._known)}. The same design gives the same "
                "bits on one type only; figures from different types differ in their last digits."
            )


def read_processors(folder: Path) -> list[str]:
    """Types of the processors that took part in the work of a folder; none where that is not on record."""
    try:
        content = read_json(folder / PROCESSORS_FILE)
        return [str(name) for name in content["processors"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
