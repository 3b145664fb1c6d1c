"""Has numba keep compiled kernels by the source of all that they are made from.

Numba keeps machine code by the one file that a kernel stands in. A kernel holds the code of those that it calls and the
constants of other modules too, so that after an update old machine code would run on, or a kept signature could not be
read any more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = [
    "COMPILING",
    "keep_kernels_by_source",
    "print_when_compiling",
    "report_compiled",
    "report_compiling",
    "say_when_compiling",
    "when_first_compiled",
]

VARIABLE = "NUMBA_CACHE_LOCATOR_CLASSES"
COMPILING = "Compiling kernels of this kind of run, once per machine; this takes a minute or two."
_OWN = ("UserProvided", "InTree", "UserWide")
_NUMBAS = ("UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator", "IPythonCacheLocator")


# whom to tell that kernels are compiled; nobody unless a command of a person's own runs
_listeners: list[Callable[[str], None]] = []
# what is still to be done once this process has compiled a kernel
_waiting: list[Callable[[], object]] = []


def say_when_compiling(say: Callable[[str], None]) -> None:
    """Hand sentences to ``say`` while this process compiles kernels."""
    _listeners[:] = [say]


def print_when_compiling() -> None:
    """Print such sentences on standard error, where nobody listens yet: for those who run the program from Python."""
    if not _listeners:
        say_when_compiling(lambda sentence: print(sentence, file=sys.stderr, flush=True))


def report_compiling(sentence: str) -> None:
    """Hand a sentence to whoever wants to know."""
    for say in _listeners:
        say(sentence)


@contextmanager
def when_first_compiled(act: Callable[[], object]) -> Iterator[None]:
    """Do something once this process has compiled a kernel within the block; nothing where all kernels were kept."""
    _waiting.append(act)
    try:
        yield
    finally:
        if act in _waiting:
            _waiting.remove(act)


def report_compiled() -> None:
    """Do what waited for the first kernel that this process compiles."""
    while _waiting:
        _waiting.pop()()


def keep_kernels_by_source() -> None:
    """Name this program's places for kernels to numba, before the first kernel is defined.

    Numba's own follow, for kernels of others. Places that are named in the environment already stay.
    """
    if VARIABLE in os.environ:
        return
    own = (f"catenary.kernels.kernel_locators.{name}" for name in _OWN)
    os.environ[VARIABLE] = ",".join((*own, *_NUMBAS, "ZipCacheLocator"))
    if "numba" in sys.modules:
        from numba.core import config

        config.reload_config()
