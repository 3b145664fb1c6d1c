"""Python code of the user's inside its own process: what a file defines, and what went wrong in it, in one sentence."""

from __future__ import annotations

import hashlib
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from dynamics.pantograph.own_process import DeviceError

__all__ = ["LONGEST", "CodeError", "code_of", "in_a_line"]

LONGEST = 200  # characters of what an error of the code says


class CodeError(DeviceError):
    """Python code of the user's that cannot be used or has failed, in one sentence."""


def code_of(file: str, sha256: str, name: str, kind: str) -> Callable[..., Any]:
    """Function or class that a file on record defines, once it has been executed.

    Raises
    ------
    CodeError
        If it cannot be read, has another content, fails, or defines no such name.
    """
    path = Path(file)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CodeError(f"cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise CodeError("has another content than that on record")
    module = ModuleType(f"code_of_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where a dataclass looks its own module up
    found = vars(module)
    try:
        exec(compile(content, str(path), "exec"), found)  # the user has typed that it may run
    except BaseException as error:
        raise CodeError(f"cannot be loaded: {in_a_line(error, file)}") from error
    code = found.get(name)
    if not callable(code):
        known = ", ".join(key for key, value in found.items() if callable(value) and not key.startswith("_"))
        raise CodeError(f"has no {kind} {name}: it has {known or 'none'}")
    return code


def in_a_line(error: BaseException, file: str) -> str:
    """Kind of an error, what it says, and the line of the user's file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    where = f" in line {lines[-1]}" if lines else ""
    said = " ".join(str(error).split())[:LONGEST]
    return f"{type(error).__name__}{where}" + (f": {said}" if said else "")
