"""A file from anyone, read once: a regular file of bounded size, its bytes or its text, and nothing else.

A device has no end and a pipe may never answer, so neither is opened. Whatever is wrong with a file is said in one
sentence that names it.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NoReturn

from catenary.errors import InputError

__all__ = ["MOST_DIGITS", "read_user_bytes", "read_user_text", "refuse_irregular"]

MB = 1_000_000
# where a system has no such flag, it has no pipes among its files either
WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
# of any number: the largest double has 309 digits before its point, and what is longer takes long to read
MOST_DIGITS = 330


def refuse_irregular(path: Path, what: str, most_bytes: int) -> None:
    """Refuse what is not a regular file of at most ``most_bytes``, for a library that opens a path itself.

    Raises
    ------
    InputError
        In one sentence that begins with ``what`` and the path.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        _refuse(path, what, error)
    if stat.S_ISDIR(found.st_mode):
        raise InputError([f"{what} {path} is a folder; give the file itself"])
    if not stat.S_ISREG(found.st_mode):
        raise InputError([f"{what} {path} must be a regular file: it is a device, a pipe or a socket; save it first"])
    if found.st_size > most_bytes:
        size = f"{found.st_size / MB:.3g} MB"
        raise InputError([f"{what} {path} must be at most {most_bytes / MB:g} MB: it is larger, {size}"])


def read_user_bytes(path: Path, what: str, most_bytes: int) -> bytes:
    """Read a regular file of at most ``most_bytes`` whole.

    Parameters
    ----------
    path : Path
        File to read.
    what : str
        What the file is ('catenary file'), the beginning of every sentence.
    most_bytes : int
        Largest size that is read.

    Raises
    ------
    InputError
        If there is no such file, it is a folder, a device or a pipe, may not be read, or is larger.
    """
    refuse_irregular(path, what, most_bytes)
    try:
        # should a pipe have taken the file's place meanwhile, opening it does not wait for its other end
        with open(os.open(path, os.O_RDONLY | WITHOUT_WAITING), "rb") as file:
            content = file.read(most_bytes + 1)
    except (OSError, ValueError) as error:
        _refuse(path, what, error)
    if len(content) > most_bytes:  # files of /proc tell a size of zero
        raise InputError([f"{what} {path} must be at most {most_bytes / MB:g} MB: it is larger"])
    return content


def read_user_text(path: Path, what: str, most_bytes: int) -> str:
    """Read a regular file of at most ``most_bytes`` as text in UTF-8, with or without a byte-order mark.

    Raises
    ------
    InputError
        As `read_user_bytes`, and if the file is not text in UTF-8.
    """
    content = read_user_bytes(path, what, most_bytes)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError([f"{what} {path} is not text in UTF-8: save it in that encoding"]) from None


def _refuse(path: Path, what: str, error: Exception) -> NoReturn:
    """Reason why a file could not be opened or read."""
    if isinstance(error, FileNotFoundError):
        raise InputError([f"{what} {path} does not exist"]) from None
    reason = error.strerror if isinstance(error, OSError) else "its name holds a character that no file's has"
    raise InputError([f"{what} {path} cannot be read: {reason}"]) from None
