"""What was made of a campaign after its search: confirmation, off-design table, schedule, and the head of its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dynamics.spec.case import CaseSpec
from optimise.afterwards.confirm import Confirmation, DesignConfirmation
from optimise.afterwards.gain_left import ComparedRun
from optimise.record.campaign_folder import TrialRecord
from studies.report.content.pieces import OffDesign
from studies.report.readers.stored import read_json
from studies.writing.report_head import HeadRecord, read_head

__all__ = ["newest_record", "read_confirmation", "read_droppers", "read_off_design", "signed_head"]


def signed_head(folder: Path, best: TrialRecord | None) -> tuple[HeadRecord, tuple[str, ...]]:
    """Head on record, without the names of those who checked and approved another design than the best one."""
    held = read_head(folder)
    head = held.signed_for(None if best is None else best.number)
    if (held.checked, held.approved) == (head.checked, head.approved):
        return head, ()
    return head, (f"Trial {held.design} was checked and approved, not the design that is the best now: sign again.",)


def newest_record(folder: Path) -> Path:
    """Record that was written last of those that the page's figures come from."""
    files = [folder / name for name in ("trust.json", "confirmation.json", "trials.jsonl")]
    return next((path for path in files if path.exists()), folder / "campaign.yaml")


def read_confirmation(folder: Path, best: TrialRecord | None) -> tuple[Confirmation | None, tuple[str, ...]]:
    """Confirmation on record, unless it is of a design that is no longer the best."""
    path = folder / "confirmation.json"
    if best is None or not path.exists():
        return None, ()
    content = read_json(path)
    names = DesignConfirmation.__dataclass_fields__
    nominal, confirmed = (
        DesignConfirmation(**{k: v for k, v in content[which].items() if k in names}) for which in ("nominal", "best")
    )
    if confirmed.trial != best.number:
        return None, (f"The long transient on record is that of trial {confirmed.trial}, not of the best design.",)
    return Confirmation(nominal, confirmed), ()


def read_off_design(path: Path, case: CaseSpec, best_trial: int) -> OffDesign | None:
    """Off-design table on record, if it is of that design."""
    content = read_json(path) if path.exists() else {}
    if content.get("best_trial") != best_trial:
        return None
    return OffDesign(case.speed_kmh, case.contact.stiffness, tuple(map(ComparedRun.of_row, content["rows"])))


def read_droppers(path: Path, best_trial: int | None = None) -> dict[str, Any] | None:
    """Schedule or tolerances of dropper lengths on record, if they are of that design and there are any."""
    content = read_json(path) if path.exists() else {}
    found = content.get("droppers") or content.get("length_m")
    return content if found and content.get("best_trial") == best_trial else None
