"""Keep a damaged record whole under another name, name it, and stop before work resumes.

The same command, given once more, resumes from what could be read. The partial line that a kill leaves does not stop
the driver; nor does a damaged `status.json`, which holds nothing that the record does not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from catenary.errors import InputError
from optimise.record.growing_record import DamagedRecordError, kept_aside, say
from optimise.record.lines_record import LinesRecord, LinesWriter
from optimise.record.status_file import StudyState, read_status_file, write_status

__all__ = ["SetAsideError", "take_up"]

Unit = TypeVar("Unit")


class SetAsideError(InputError):
    """A damaged record was kept under another name; the same command resumes from what could be read."""

    outcome = "the damaged record was kept under another name"

    def __init__(self, sentence: str) -> None:
        super().__init__([sentence])


def take_up(record: LinesRecord[Unit], status: Path) -> tuple[list[Unit], LinesWriter[Unit]]:
    """What is on record, and the record to append to, for the driver of a study.

    Parameters
    ----------
    record : LinesRecord
        Held against its checksums and against `status.json`.
    status : Path
        That file; one that no driver of this study wrote is kept under another name.

    Raises
    ------
    SetAsideError
        If more than one line at the end is damaged or missing.
    """
    try:
        read_status_file(status, record.name)
    except InputError as error:
        say(f"{error.problems[0]}: kept as {kept_aside(status, b'').name}")
    try:
        found = record.checked(status)
    except DamagedRecordError as damage:
        raise _set_aside(record, status, damage) from damage
    if found.tail:
        kept = kept_aside(record.path, record.path.read_bytes()[: found.size])
        say(
            f"{record.path} must end with a whole line: it ended with {found.tail} bytes of an incomplete one, as a "
            f"killed process leaves it; the program drops these bytes and keeps the file as it was as {kept.name}"
        )
    return found.units, LinesWriter(record, len(found.units))


def _set_aside(record: LinesRecord[Unit], status: Path, damage: DamagedRecordError) -> SetAsideError:
    """Error of a record set aside; the status now counts what is left."""
    left = record.left(record.lines())
    kept = kept_aside(record.path, b"".join(record.line(unit, n) for n, unit in enumerate(left, start=1)))
    count = record.count(left)
    if written := read_status_file(status):
        now = {"done": count, "polished": 0, "state": StudyState.STOPPED}
        write_status(status, written | {key: now[key] for key in now if key in written})
    return SetAsideError(
        f"{damage.what}. The file is kept whole as {kept}; {count} {record.counts} of it can be read. Put a good copy "
        f"in its place, or give the same command again: it resumes from these {count} and evaluates the others again"
    )
