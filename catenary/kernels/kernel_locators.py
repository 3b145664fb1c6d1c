"""Locate this program's compiled kernels for numba: own folders, file names with a hash of the sources."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.event import Event, Listener

from catenary.kernels.kernel_cache import COMPILING, report_compiled, report_compiling

__all__ = ["Compiling", "InTree", "UserProvided", "UserWide", "kernel_sources", "sources_hash"]

_ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("catenary", "dynamics")
_IMPORT = re.compile(rf"^from ((?:{'|'.join(PACKAGES)})[.\w]*) import (\([^)]*\)|.*)", re.MULTILINE)
_NUMBA = re.compile(r"^(?:from numba|import numba|from catenary\.kernels\.compiled)\b", re.MULTILINE)


def kernel_sources(file: Path) -> set[Path]:
    """Files that a module of kernels is compiled from: itself, what it imports, and what kernels among those import.

    Of a module without kernels a kernel takes its constants and its named tuples, which stand in that module, or the
    kernels that it imports, such as those of a table of methods.
    """
    found: set[Path] = set()
    waiting = [file.resolve()]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        imported = _imported(module)
        if any(_NUMBA.search(_text(each)) for each in (module, *imported)):
            waiting += imported
    return found


def sources_hash(file: Path) -> str:
    """Hash of the contents of all that a module of kernels is compiled from."""
    digest = hashlib.sha256()
    for source in sorted(kernel_sources(file)):
        digest.update(f"{source.relative_to(_ROOT).as_posix()}\0{_text(source)}\0".encode())
    return digest.hexdigest()[:16]


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _imported(file: Path) -> list[Path]:
    """Files of this program that a module imports names from."""
    found = []
    for module, names in _IMPORT.findall(_text(file)):
        base = _ROOT.joinpath(*module.split("."))
        places = [base, *(base / name for name in re.findall(r"\w+", names))]
        found += [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
    return [file for file in found if file.is_file()]


class _BySource:
    """Adds the hash of the sources to a kernel's file names, and leaves the kernels of others to others."""

    sources: str

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """Place of one kernel; None where it is not this program's or cannot be written."""
        file = Path(py_file).resolve()
        if not (file.is_file() and any(file.is_relative_to(_ROOT / package) for package in PACKAGES)):
            return None
        place: Any = super().from_function(py_func, py_file)  # pyright: ignore[reportAttributeAccessIssue]
        if place is not None:
            place.sources = sources_hash(file)
        return place

    def get_disambiguator(self) -> str:
        """Mark that distinguishes a kernel's files from those of kernels of the same name."""
        return f"{super().get_disambiguator()}-{self.sources}"  # pyright: ignore[reportAttributeAccessIssue]


class UserProvided(_BySource, caching.UserProvidedCacheLocator):
    """The folder that NUMBA_CACHE_DIR names."""


class InTree(_BySource, caching.InTreeCacheLocator):
    """Next to the source."""


class UserWide(_BySource, caching.UserWideCacheLocator):
    """The user's own folder, where the folder of the source is not writable."""


class Compiling(Listener):
    """Reports kernels while this process compiles them; what an earlier run has kept is not compiled.

    Parameters
    ----------
    after_s, every_s : float
        Compiling time before the first sentence, and between sentences [s].
    """

    def __init__(self, after_s: float = 1.0, every_s: float = 10.0) -> None:
        self._due, self._every = after_s, every_s
        self._spent, self._started, self._count, self._depth = 0.0, 0.0, 0, 0
        self._reported = False
        self._timer: threading.Timer | None = None

    def on_start(self, event: Event) -> None:
        """Take the start of a kernel's compilation; kernels compile those that they call."""
        self._depth += 1
        if self._depth == 1:
            self._started = time.monotonic()
            self._wait()

    def on_end(self, event: Event) -> None:
        """Take its end."""
        self._depth, self._count = self._depth - 1, self._count + 1
        if self._depth == 0:
            self._spent += time.monotonic() - self._started
            if self._timer is not None:
                self._timer.cancel()
            report_compiled()

    def _wait(self) -> None:
        """Report once compiling has taken as long as the next sentence is due."""
        spent = self._spent + time.monotonic() - self._started
        self._timer = threading.Timer(max(0.0, self._due - spent), self._report)
        self._timer.daemon = True
        self._timer.start()

    def _report(self) -> None:
        spent = self._spent + time.monotonic() - self._started
        report_compiling(f"Compiling kernels: {self._count} done, {spent:.0f} s." if self._reported else COMPILING)
        self._reported, self._due = True, spent + self._every
        if self._depth:
            self._wait()
