"""The lines that a campaign leaves behind: the best design and, of several objectives, every one on the front.

A file of the front is named after its trial, so a name never stands for two lines: while the front is brought
up to date, and after a kill in the middle of it, every file that is there is what it says it is. New files
come first, files of designs that are no longer on the front go last.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from catenary.storage.files import write_text_atomic
from optimise.record.campaign_folder import CampaignFolder, TrialRecord
from optimise.search.result import CampaignResult

__all__ = ["write_designs"]

OWN_NAME = re.compile(r"\d{3,}\.yaml")


def write_designs(result: CampaignResult) -> None:
    """Write the best design and, with several objectives, the front; what is stale goes."""
    place = CampaignFolder(result.folder)
    if result.best is not None:
        _write_line(result, result.best, place.best_design_yaml)
    if len(result.campaign.objectives) < 2:
        return
    wanted = {place.pareto_yaml(record.number): record for record in result.front}
    for path, record in wanted.items():
        _write_line(result, record, path)
    if place.pareto.is_dir():
        for path in place.pareto.iterdir():
            if path not in wanted and OWN_NAME.fullmatch(path.name):
                path.unlink(missing_ok=True)


def _write_line(result: CampaignResult, record: TrialRecord, path: Path) -> None:
    line = result.catenary_of(record).model_dump(mode="json", exclude_none=True)
    write_text_atomic(path, yaml.safe_dump(line, sort_keys=False, allow_unicode=True))
