"""Code from outside in a process of its own, with a time limit for every answer.

The process reads requests from one pipe and writes an answer to each into another. An answer begins with `ANSWER`: a
status and two numbers, or `FAILED` and the length of the sentence that follows. What it prints reaches neither pipe.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, BinaryIO, ClassVar, Self

__all__ = ["ANSWER", "FAILED", "DeviceError", "OwnProcess", "answer_by", "answer_failure"]

ANSWER = struct.Struct("<bdd")
FAILED = 1
END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class DeviceError(Exception):
    """What is wrong with code from outside, in one sentence that names its file."""


class OwnProcess:
    """A process with two pipes and a folder for its temporary files; a context that ends it and takes these away.

    Parameters
    ----------
    module : str
        That it runs, given the numbers of its two pipes.
    about : str
        What runs in it, as the subject of a sentence.
    time_limit_s : float
        Longest time for one answer [s].

    Raises
    ------
    DeviceError
        Where no process can be ended, as on Windows.
    """

    error: ClassVar[type[DeviceError]] = DeviceError
    stop: ClassVar[bytes] = b""

    def __init__(self, module: str, about: str, time_limit_s: float) -> None:
        self._about, self._time_limit_s = about, time_limit_s
        if not hasattr(os, "fork"):
            raise self.error(f"{about} needs Linux or macOS, where it runs in a process that can be ended")
        # its files go where this process takes them away: one that is killed cannot
        self._files = tempfile.TemporaryDirectory(prefix="own_process_", ignore_cleanup_errors=True)
        (theirs, self._requests), (self._answers, written) = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(theirs), str(written)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs, written),
            start_new_session=True,
            env={**os.environ, "TMPDIR": self._files.name},
        )
        os.close(theirs)
        os.close(written)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, content: bytes) -> tuple[float, float]:
        """Send a request; the two numbers of its answer."""
        try:
            os.write(self._requests, content)
        except BrokenPipeError as error:
            raise self._failed("has ended without a word") from error
        until = time.monotonic() + self._time_limit_s
        status, first, second = ANSWER.unpack(self._read(ANSWER.size, until))
        if status == FAILED:
            raise self._failed(self._read(int(first), until).decode("utf-8", "replace"))
        return first, second

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._process.poll() is None:
            try:
                os.write(self._requests, self.stop)
                self._process.wait(timeout=1.0)
            except (OSError, subprocess.TimeoutExpired):
                with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended meanwhile
                    os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for end in (self._requests, self._answers):
            if end >= 0:
                os.close(end)
        self._requests = self._answers = -1
        self._files.cleanup()

    def _read(self, size: int, until: float) -> bytes:
        content = b""
        while len(content) < size:
            left = until - time.monotonic()
            ready = left > 0.0 and select.select([self._answers], [], [], left)[0]
            if not ready:
                raise self._failed(f"gave no answer within {self._time_limit_s:g} s and was ended")
            part = os.read(self._answers, size - len(content))
            if not part:
                raise self._failed("has crashed" + self._signal())
            content += part
        return content

    def _signal(self) -> str:
        """Say what ended the process."""
        try:
            code = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return ""
        return f": its process was ended by signal {-code}" if code < 0 else f": its process ended with code {code}"

    def _failed(self, what: str) -> DeviceError:
        return self.error(f"{self._about} {what}")


def answer_by(serve: Callable[[dict[str, Any], BinaryIO, BinaryIO], None]) -> None:
    """Serve, inside the process, what its first request says: by that, the pipe of requests and that of answers."""
    _end_with_parent()
    read, write = int(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(read, "rb") as incoming, os.fdopen(write, "wb") as outgoing:
        serve(json.loads(incoming.readline()), incoming, outgoing)


def answer_failure(sentence: object, answers: BinaryIO) -> None:
    """Answer with what is wrong, from inside the process."""
    said = str(sentence).encode()
    answers.write(ANSWER.pack(FAILED, float(len(said)), 0.0) + said)
    answers.flush()


def _end_with_parent() -> None:
    """Ask Linux to end this process with the one that started it, even where its code no longer returns."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
