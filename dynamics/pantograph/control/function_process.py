"""The process in which a controller's Python function is asked: requests from one pipe, answers into another."""

from __future__ import annotations

import hashlib
import math
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from dynamics.pantograph.control.asked import MEASURED, REQUEST, STOP
from dynamics.pantograph.own_process import ANSWER, DeviceError, answer_by, answer_failure

__all__ = ["FunctionError", "serve"]

LONGEST = 200  # characters of what an error of the function says


class FunctionError(DeviceError):
    """A controller's function that cannot be used or has failed, in one sentence."""


def serve(told: dict[str, Any], requests: BinaryIO, answers: BinaryIO) -> None:
    """Load the function, answer requests until there are no more; a failure is answered by its sentence."""
    try:
        function = _function(told)
        memory = {"step": told["step"], "reference": told["reference"]}
        answers.write(ANSWER.pack(0, 0.0, 0.0))
        answers.flush()
        while len(request := requests.read(REQUEST.size)) == REQUEST.size:
            kind, t, *values = REQUEST.unpack(request)
            if kind == STOP:
                break
            answers.write(ANSWER.pack(0, _force(function, t, dict(zip(MEASURED, values, strict=True)), memory), 0.0))
            answers.flush()
    except FunctionError as error:
        answer_failure(error, answers)


def _function(told: dict[str, Any]) -> Callable[..., Any]:
    path = Path(told["file"])
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FunctionError(f"cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != told["sha256"]:
        raise FunctionError("has another content than that on record")
    found: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    try:
        exec(compile(content, str(path), "exec"), found)  # the user has typed that it may run
    except BaseException as error:
        raise FunctionError(f"cannot be loaded: {_in_a_line(error, path)}") from error
    function = found.get(told["function"])
    if not callable(function):
        known = ", ".join(name for name, value in found.items() if callable(value) and not name.startswith("_"))
        raise FunctionError(f"has no function {told['function']}: it has {known or 'none'}")
    return function


def _force(function: Callable[..., Any], t: float, measured: dict[str, float], memory: dict[str, Any]) -> float:
    try:
        given = function(t, measured, memory)
    except BaseException as error:
        raise FunctionError(f"failed at {t:.4f} s: {_in_a_line(error, Path(function.__code__.co_filename))}") from error
    try:
        force = float(given)
    except (TypeError, ValueError) as error:
        raise FunctionError(f"must give a force in N: got {given!r:.{LONGEST}} at {t:.4f} s") from error
    if not math.isfinite(force):
        raise FunctionError(f"must give a finite force: got {force} N at {t:.4f} s")
    return force


def _in_a_line(error: BaseException, path: Path) -> str:
    """Kind of an error, what it says, and the line of the user's file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    where = f" in line {lines[-1]}" if lines else ""
    said = " ".join(str(error).split())[:LONGEST]
    return f"{type(error).__name__}{where}" + (f": {said}" if said else "")


if __name__ == "__main__":
    answer_by(serve)
