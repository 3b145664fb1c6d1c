"""A record that only its driver writes: watched while it grows, never cut, kept where it is damaged.

The driver has a packed copy of everything that it wrote. A record that was deleted, replaced or changed behind its
back is therefore written whole again, and the driver stops, so that what reached into its folder is looked for.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import sys
import zlib
from pathlib import Path

from catenary.errors import InputError
from catenary.storage.end_request import held_back
from catenary.storage.files import write_bytes_atomic, writing

__all__ = [
    "ChangedRecordError",
    "DamagedRecordError",
    "GrowingRecord",
    "append_whole",
    "kept_aside",
    "say",
    "was_set_aside",
]

BLOCK = 2**20
# errors of a file that this process cannot open now: the next check will show what it is
NOT_NOW = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR)
KEPT = "damaged"
GIVE_AGAIN = "the command that started it again, which keeps the file under another name and resumes from what is left"


class DamagedRecordError(InputError):
    """A record that is not what was written.

    Parameters
    ----------
    what : str
        What it must be and what is wrong with it, without advice.
    """

    def __init__(self, what: str) -> None:
        super().__init__([f"{what}; restore the file, or give {GIVE_AGAIN}"])
        self.what = what

    def __reduce__(self) -> tuple[type[DamagedRecordError], tuple[str]]:  # type: ignore[override]
        return type(self), (self.what,)


class ChangedRecordError(Exception):
    """Something else changed the record of a running driver; the driver wrote it whole again, nothing is lost."""

    exit_code = 75


class GrowingRecord:
    """File to which one driver appends.

    Parameters
    ----------
    path : Path
        The record; what it holds now is taken as written by drivers. It is made by the first append.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._packer = zlib.compressobj(1)
        self._packed: list[bytes] = []
        self._size = 0
        with contextlib.suppress(FileNotFoundError), open(path, "rb") as handle:
            while block := handle.read(BLOCK):
                self._remember(block)
        self._seen = _identity(path)

    def append(self, content: bytes) -> None:
        """Append, on the disk before this returns; what a full disk took of it is cut off again.

        Raises
        ------
        WriteError
            If the disk or the folder does not take it.
        ChangedRecordError
            If another hand changed the file; the content is on record with everything before it.
        """
        with held_back():
            how = self._change()
            if how:
                self._remember(content)
                self._restore(how)
            append_whole(self._path, content)
            self._remember(content)
            self._seen = _identity(self._path)

    def check(self) -> None:
        """Check that the record is still what was written; costs almost nothing where it is unchanged.

        Raises
        ------
        ChangedRecordError
            If another hand changed the file; it has been written whole again.
        """
        how = self._change()
        if how:
            self._restore(how)

    def _remember(self, content: bytes) -> None:
        self._packed.append(self._packer.compress(content))
        self._size += len(content)

    def _content(self) -> bytes:
        """Everything written so far."""
        return zlib.decompress(b"".join([*self._packed, self._packer.copy().flush()]))

    def _change(self) -> str:
        """What else happened to the file; empty where its content is what was written."""
        found = _identity(self._path)
        if found == self._seen and (found is None or found[2] == self._size):
            return ""
        if found is None:
            return "was deleted"
        if not self._path.is_file():  # a pipe would be read for ever
            return "was replaced"
        try:
            if self._path.read_bytes() == self._content():
                self._seen = found
                return ""
        except OSError as error:
            if error.errno in NOT_NOW:
                return ""
        return "was changed" if self._seen is not None and found[:2] == self._seen[:2] else "was replaced"

    def _restore(self, how: str) -> None:
        """Write the record whole again and stop; keep what stands in its place."""
        kept = kept_aside(self._path, self._content()) if os.path.lexists(self._path) else None
        if kept is None:
            write_bytes_atomic(self._path, self._content())
        self._seen = _identity(self._path)
        found = "" if kept is None else f" (the file found in its place is kept as {kept.name})"
        raise ChangedRecordError(
            f"{self._path} {how} by something else while its driver was running; the driver wrote it whole again "
            f"from memory{found}, nothing is lost; find out what changed the folder before you resume"
        )


def kept_aside(path: Path, content: bytes) -> Path:
    """Keep a file whole under another name, and write another content in its place.

    Parameters
    ----------
    content : bytes
        What takes its place; where it is empty there is no such file any more.

    Returns
    -------
    Path
        Where the file is kept, a name that nothing had.

    Raises
    ------
    WriteError
        If the disk or the folder does not take it; the file then stands under one of its names.
    """
    names = (path.with_name(f"{path.name}.{KEPT}-{number}") for number in itertools.count(1))
    kept = next(name for name in names if not os.path.lexists(name))
    with writing(path):
        try:
            os.link(path, kept, follow_symlinks=False)  # a kill in between leaves the file under both names
        except OSError:  # a folder, or a file system without links
            os.rename(path, kept)
    if content:
        write_bytes_atomic(path, content)
    else:
        path.unlink(missing_ok=True)
    return kept


def was_set_aside(path: Path) -> bool:
    """Whether a record of this name was damaged before, and its loss reported."""
    return any(path.parent.glob(f"{path.name}.{KEPT}-*"))


def say(sentence: str) -> None:
    """Report what was set aside where work continues."""
    print(sentence, file=sys.stderr, flush=True)


def append_whole(path: Path, content: bytes) -> None:
    """Append, on the disk before this returns; what a full disk took of it is cut off again."""
    with writing(path):
        size = path.stat().st_size if path.exists() else 0
        try:
            # without a buffer, so that closing does not try once more to write what did not fit
            with open(path, "ab", buffering=0) as handle:
                if handle.write(content) != len(content):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                os.truncate(path, size)
            raise


def _identity(path: Path) -> tuple[int, int, int, int] | None:
    """Device, number, bytes and time of the last change of a file; None without a file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
