"""The process in which a controller's Python function is asked: requests from one pipe, answers into another."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, BinaryIO

from dynamics.pantograph.control.asked import MEASURED, REQUEST, STOP
from dynamics.pantograph.own_process import ANSWER, answer_by, answer_failure
from dynamics.pantograph.user_code import LONGEST, CodeError, code_of, in_a_line

__all__ = ["serve"]


def serve(told: dict[str, Any], requests: BinaryIO, answers: BinaryIO) -> None:
    """Load the function, answer requests until there are no more; a failure is answered by its sentence."""
    try:
        function = code_of(told["file"], told["sha256"], told["function"], "function")
        memory = {"step": told["step"], "reference": told["reference"]}
        answers.write(ANSWER.pack(0, 0.0, 0.0))
        answers.flush()
        while len(request := requests.read(REQUEST.size)) == REQUEST.size:
            kind, t, *values = REQUEST.unpack(request)
            if kind == STOP:
                break
            answers.write(ANSWER.pack(0, _force(function, t, dict(zip(MEASURED, values, strict=True)), memory), 0.0))
            answers.flush()
    except CodeError as error:
        answer_failure(error, answers)


def _force(function: Callable[..., Any], t: float, measured: dict[str, float], memory: dict[str, Any]) -> float:
    try:
        given = function(t, measured, memory)
    except BaseException as error:
        raise CodeError(f"failed at {t:.4f} s: {in_a_line(error, function.__code__.co_filename)}") from error
    try:
        force = float(given)
    except (TypeError, ValueError) as error:
        raise CodeError(f"must give a force in N: got {given!r:.{LONGEST}} at {t:.4f} s") from error
    if not math.isfinite(force):
        raise CodeError(f"must give a finite force: got {force} N at {t:.4f} s")
    return force


if __name__ == "__main__":
    answer_by(serve)
