"""Files that are written whole or not at all: temporary name in the same folder, fsync, rename."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["whole_file", "write_bytes_atomic", "write_json_atomic", "write_text_atomic"]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Temporary name whose file takes the place of ``path`` when the block ends without an error.

    The folder is made if it is missing. A reader sees the old file or the new one, never a part; after an
    error the old file stands untouched and the temporary one is gone.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # the suffix stays last: some writers choose the format by it
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield temporary
        with open(temporary, "rb+") as handle:
            os.fsync(handle.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes_atomic(path: Path, content: bytes) -> None:
    """Write bytes whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def write_text_atomic(path: Path, text: str) -> None:
    """Write UTF-8 text whole or not at all."""
    write_bytes_atomic(path, text.encode("utf-8"))


def write_json_atomic(path: Path, content: dict[str, Any]) -> None:
    """Write JSON whole or not at all; a number that is not finite is refused, as JSON has none."""
    write_text_atomic(path, json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def _sync_folder(folder: Path) -> None:
    """Make the rename survive a power cut, where the system lets a folder be synchronised."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
