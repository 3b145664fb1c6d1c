"""What a driver does with a damaged record before it goes on: keeps it whole under another name, names it, and stops.

Given once more, the same command goes on from what could be read. What a kill leaves, the beginning of one
transaction, stops nothing; nor does a damaged `status.json`, which holds nothing that the record does not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from catenary.errors import InputError
from optimise.evaluation.outcome import BatchOutcome
from optimise.record.campaign_folder import CampaignFolder
from optimise.record.growing_record import DamagedRecordError, kept_aside, say
from optimise.record.points_folder import PointsFolder, PointsInput
from optimise.record.points_lines import PointsWriter
from optimise.record.status_file import StudyState, counted, read_status_file, refuse_short_record, write_status

__all__ = ["SetAsideError", "hold_journal", "take_up_points"]


class SetAsideError(InputError):
    """A damaged record was kept under another name; the same command goes on from what could be read."""

    outcome = "the damaged record was kept under another name"

    def __init__(self, sentence: str) -> None:
        super().__init__([sentence])


def hold_journal(place: CampaignFolder, name: str) -> None:
    """Hold the journal of a campaign, of which this process is the driver, against its checksums and its status.

    Raises
    ------
    SetAsideError
        If more than the beginning of one transaction is damaged or missing.
    """
    _mend_status(place.status_json, name)
    wanted, record = counted(place.status_json, name), place.journal
    try:
        journal = place.opened_journal(wanted=())
        refuse_short_record(record, journal.ended, wanted, journal.size, journal.torn)
    except DamagedRecordError as damage:
        kept = kept_aside(record, record.read_bytes()[: damage.size])
        raise _set_aside(damage, kept, f"{place.opened_journal(wanted=()).ended} designs", place) from damage


def take_up_points(place: PointsFolder, given: PointsInput) -> tuple[dict[int, BatchOutcome], PointsWriter]:
    """Batches on record, and the record to append to, for the driver of a study.

    Raises
    ------
    SetAsideError
        If more than one line at the end is damaged or missing; every line that is whole stays on record.
    """
    _mend_status(place.status_json, given.name)
    wanted, record, study = counted(place.status_json, given.name), place.record, place.sha256_on_record()
    found = place.lines(given)
    try:
        found.refuse_damage(record)
        refuse_short_record(record, found.points, wanted, torn=found.torn)
    except DamagedRecordError as damage:
        kept = kept_aside(record, found.written_anew(study))
        raise _set_aside(damage, kept, f"{found.points} points", place) from damage
    if found.tail:
        kept = kept_aside(record, record.read_bytes()[: found.size])
        say(f"{record} ended in a line that was not whole, as a kill leaves it: left out; kept as {kept.name}")
    return found.results, PointsWriter(record, found.count, study)


def _mend_status(status: Path, name: str) -> None:
    """Keep a status that no driver of this study wrote under another name; it is written anew."""
    try:
        read_status_file(status, name)
    except InputError as error:
        say(f"{error.problems[0]}: kept as {kept_aside(status, b'').name}")


def _set_aside(
    damage: DamagedRecordError, kept: Path, left: str, place: CampaignFolder | PointsFolder
) -> SetAsideError:
    """Error that tells of a record set aside; the status counts from now on what is left."""
    written: dict[str, Any] = read_status_file(place.status_json)
    if written:
        now = {"done": int(left.split()[0]), "polished": 0, "state": StudyState.STOPPED}
        write_status(place.status_json, written | {key: now[key] for key in now if key in written})
    return SetAsideError(
        f"{damage.what}. The file is kept whole as {kept}; {left} of it can be read. Put a good copy in its place, or "
        f"give the same command again: it goes on from these {left} and evaluates the others anew"
    )
