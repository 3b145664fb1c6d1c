"""The process in which a Python class runs as a pantograph: requests from one pipe, answers into another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

from dynamics.pantograph.own_process import DeviceError, answer_by, answer_failure
from dynamics.pantograph.stepped.protocol import serve_steps
from dynamics.pantograph.user_code import LONGEST, CodeError, code_of, in_a_line

__all__ = ["serve"]


def serve(told: dict[str, Any], requests: BinaryIO, answers: BinaryIO) -> None:
    """Load the class, answer requests until there are no more; a failure is answered by its sentence."""
    try:
        made = code_of(told["file"], told["sha256"], told["model"], "class")
        serve_steps(lambda: _Pantograph(made, told), requests, answers)
    except DeviceError as error:
        answer_failure(error, answers)


class _Pantograph:
    """One that the user's class has made."""

    def __init__(self, made: Callable[..., Any], told: dict[str, Any]) -> None:
        self._file, self._time = told["file"], 0.0
        try:
            self._own = made(told["applied_force"], **told["parameters"])
        except BaseException as error:
            raise CodeError(f"cannot be made: {in_a_line(error, self._file)}") from error

    def head(self) -> tuple[float, float]:
        try:
            given = self._own.head
        except BaseException as error:
            raise CodeError(f"has no head at {self._time:.4f} s: {in_a_line(error, self._file)}") from error
        try:
            height, velocity = (float(value) for value in given)
        except (TypeError, ValueError) as error:
            raise CodeError(
                f"must have its head's height and velocity as head: got {given!r:.{LONGEST}} at {self._time:.4f} s"
            ) from error
        return height, velocity

    def step(self, force: float, dt: float) -> None:
        try:
            self._own.step(force, dt)
        except BaseException as error:
            raise CodeError(f"failed at {self._time:.4f} s: {in_a_line(error, self._file)}") from error
        self._time += dt

    def close(self) -> None:
        """Nothing is held beyond the object."""


if __name__ == "__main__":
    answer_by(serve)
