"""Files that are written whole or not at all: temporary name in the same folder, fsync, rename."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from catenary.errors import InputError, WriteError
from catenary.storage.user_file import MOST_DIGITS, read_user_text

__all__ = [
    "other_files",
    "parsed_json",
    "read_json",
    "read_json_again",
    "read_json_object",
    "read_yaml",
    "refuse_other_suffix",
    "whole_file",
    "write_bytes_atomic",
    "write_json_atomic",
    "write_text_atomic",
    "writing",
]

# what the place says, not the path: another path would be bad input
NOT_WRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM)
FULL_BYTES = 2**20
# the largest record that is one JSON text
MOST_JSON = 200_000_000
# the largest input of a study on record: with a base motion of hundreds of thousands of numbers
MOST_YAML = 50_000_000


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Block that writes to a file or makes a folder; a disk or folder that does not take it ends as a WriteError."""
    try:
        yield
    except OSError as error:
        if error.errno not in NOT_WRITABLE or isinstance(error, WriteError):
            raise
        raise WriteError(error.errno, os.strerror(error.errno), str(path)) from error


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Temporary name whose file takes the place of ``path`` when the block ends without an error.

    The folder is made if it is missing. A reader sees the old file or the new one, never a part; after an
    error the old file stands untouched and the temporary one is gone.
    """
    path = Path(path)
    # the suffix stays last: some writers choose the format by it
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
            with open(temporary, "rb+") as handle:
                os.fsync(handle.fileno())
            os.replace(temporary, path)
            _sync_folder(path.parent)
        except (RuntimeError, PermissionError) as error:
            # the HDF library says of a full disk only that something went wrong, or, where it could not even begin,
            # that it is not permitted; asked while what was written stands
            if shutil.disk_usage(path.parent).free > FULL_BYTES or not os.access(path.parent, os.W_OK):
                raise
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        finally:
            temporary.unlink(missing_ok=True)


def other_files(folder: Path, kind: str) -> str:
    """Sentence that refuses a folder in which something else stands than a new run of that kind, or one to resume."""
    held = "holds other files" if folder.is_dir() else "is a file"
    return f"run_dir (in Python: folder) must be a new, empty or {kind} folder: {folder} {held}; give another one"


def refuse_other_suffix(path: str | os.PathLike[str], suffixes: tuple[str, ...], what: str) -> None:
    """Refuse to write a file under a name that promises another format.

    Raises
    ------
    InputError
        If the path ends in none of the suffixes.
    """
    if Path(path).suffix.lower() not in suffixes:
        raise InputError(
            [f"path must end in {' or '.join(suffixes)}, what is written is {what}: got {os.fspath(path)}"]
        )


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


def read_json(path: Path) -> Any:
    """Content of a JSON file, by the standard: numbers that are not finite, and endless nesting, are refused.

    Raises
    ------
    OSError
        If there is no such file, or it cannot be read.
    ValueError
        If it is not JSON, or not a regular file of a record's size.
    """
    path.stat()  # a file that is not there is its reader's business
    return parsed_json(read_user_text(path, "record", MOST_JSON))


def read_json_again(path: Path) -> dict[str, Any]:
    """Names with values of a JSON file that can be made again; nothing where there is none that can be read."""
    try:
        content = read_json(path)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def read_json_object(path: Path, what: str, cure: str) -> dict[str, Any]:
    """Names with values of a JSON file that comes from anyone.

    Parameters
    ----------
    path : Path
    what : str
        What the file is; the beginning of the sentence.
    cure : str
        What to do about another file; the end of the sentence.

    Raises
    ------
    InputError
        If it is not a regular file, or its content is not whole JSON of this kind.
    """
    try:
        content = parsed_json(read_user_text(path, what, MOST_JSON))
    except InputError:
        raise
    except ValueError as error:
        raise InputError([f"{what} {path} is not whole JSON ({error}): {cure}"]) from None
    if not isinstance(content, dict):
        raise InputError([f"{what} {path} must hold names with values: it does not; {cure}"])
    return content


def read_yaml(path: Path, what: str) -> Any:
    """Content of a YAML file that this program wrote, or that stands in its place.

    Raises
    ------
    OSError
        If there is no such file, or it cannot be read.
    ValueError
        If it is not a regular file of a record's size, or not YAML.
    """
    import yaml

    path.stat()
    try:
        return yaml.safe_load(read_user_text(path, what, MOST_YAML))
    except RecursionError:
        raise ValueError("its brackets are too deep") from None
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).replace(' in "<unicode string>",', " at").split())) from None


def parsed_json(text: str | bytes) -> Any:
    """Content of a JSON text, as `read_json` gives it."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_whole)
    except RecursionError:
        raise ValueError("its brackets are too deep") from None


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a whole number must have at most {MOST_DIGITS} digits: one has {len(digits)}")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        _refuse_constant(digits[:20])
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


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
