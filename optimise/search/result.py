"""A campaign as it is on record: its trials, its best design, its lines, and the files that these leave behind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from catenary.spec.components import Spec
from catenary.spec.line import CatenarySpec
from catenary.storage.files import write_text_atomic
from dynamics.spec.case import CaseSpec
from dynamics.spec.pantograph import PantographSpec
from optimise.design.cut_lengths import heights_at_rest, with_lengths
from optimise.design.space import DesignSpace
from optimise.design.train_space import space_of_case, train_of, with_train
from optimise.evaluation.figures import HEIGHTS, LENGTHS
from optimise.evaluation.objectives import OBJECTIVES, Objective
from optimise.record.campaign_folder import CampaignFolder, TrialRecord, files_beside
from optimise.search.front import front_of
from optimise.spec.campaign import CampaignSpec

if TYPE_CHECKING:
    from optimise.evaluation.scenarios import ScenarioSet

__all__ = ["LONGEST_STEP", "CampaignResult", "load_result", "write_designs", "write_line"]

# of a single run [s]
LONGEST_STEP = 1.0e-3
OWN_NAME = re.compile(r"\d{3,}(\.pantograph|\.trailing)?\.yaml")


@dataclass(frozen=True)
class CampaignResult:
    """A campaign and its trials as they are on record."""

    folder: Path
    campaign: CampaignSpec
    case: CaseSpec
    records: list[TrialRecord]

    def __repr__(self) -> str:
        """Name the campaign and its folder: no dump of all trials."""
        return f"<record of campaign {self.campaign.name}: {len(self.records)} trials, in {self.folder}>"

    @cached_property
    def space(self) -> DesignSpace:
        """Design space, which turns the values of a trial into a line."""
        return space_of_case(self.case, self.campaign.design)

    @cached_property
    def scenarios(self) -> ScenarioSet | None:
        """Scenarios of every design; None where there was only the case's own."""
        from optimise.evaluation.scenarios import scenario_set

        return scenario_set(self.campaign.scenarios, self.campaign.objectives, self.case)

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """Objectives of the designs; their names say how scenarios were combined."""
        names, found = self.campaign.objectives, self.scenarios
        return tuple(OBJECTIVES[name if found is None else found.spelled(name)] for name in names)

    @property
    def nominal(self) -> TrialRecord:
        """Trial of the nominal line."""
        return self.records[0]

    @property
    def best(self) -> TrialRecord | None:
        """Best feasible trial; of a front the one best in the first objective."""
        return next(iter(self.front), None)

    @cached_property
    def front(self) -> list[TrialRecord]:
        """Feasible trials that none dominates, best in the first objective first; with one objective the best."""
        return front_of(self.records, self.campaign.objectives)

    @property
    def best_files(self) -> tuple[Path, ...]:
        """Files of the best design: its line, and what of the train under it is its own."""
        line = CampaignFolder(self.folder).best_design_yaml
        return (line, *_own_files(self.campaign, line).values()) if self.best is not None else ()

    @property
    def best_words(self) -> tuple[str, ...]:
        """Words that run the best design by itself: of a line by stations on its own mesh, in a single run's steps."""
        place = CampaignFolder(self.folder)
        if place.best_design_xlsx.is_file():
            return f"catenary={place.best_design_xlsx}", f"dt={min(self.case.dt, LONGEST_STEP):g}"
        return (f"catenary={place.best_design_yaml}",)

    def catenary_of(self, record: TrialRecord) -> CatenarySpec:
        """Complete line of a trial, named after the campaign."""
        content = self.line_of(record).model_dump()
        content["name"] = self.campaign.name
        given, speed = self.case.catenary.name, f"{self.case.speed_kmh:g} km/h"
        trial = f"trial {record.number} of campaign {self.campaign.name}"
        content["description"] = (
            f"{given} with {self.campaign.design.what} optimised for {speed}: {trial}"
            if record.number
            else f"{given} as it was given, not optimised: {trial} for {speed}, the nominal line"
        )
        return CatenarySpec.model_validate(content)

    def line_of(self, record: TrialRecord) -> CatenarySpec:
        """Line of a trial as it was evaluated; lengths on record are kept, where rounding again might differ."""
        cut = record.outcome.droppers.get(LENGTHS) if record.outcome else None
        if cut is None:
            return self.space.spec_of(record.values)
        return with_lengths(self.space.as_drawn(record.values), cut)

    def heights_of(self, record: TrialRecord) -> tuple[float, ...]:
        """Contact-wire heights of a trial's line at its droppers [m]; those at which it hangs where lengths are cut."""
        held = record.outcome.droppers.get(HEIGHTS) if record.outcome else None
        return held or heights_at_rest(self.line_of(record))

    def train_of(self, record: TrialRecord) -> CaseSpec:
        """The case over the nominal line with a trial's gains and distances of pantographs, where these vary."""
        values = train_of(self.space, record.values)
        return with_train(self.case, values) if values else self.case

    def pantograph_of(self, record: TrialRecord) -> PantographSpec:
        """Pantograph of a trial: the case's own, with the trial's gains where these vary."""
        return self.train_of(record).pantograph

    def case_of(self, record: TrialRecord) -> CaseSpec:
        """The campaign's case with line and pantograph of a trial."""
        return self.case_with(self.catenary_of(record), record)

    def case_with(self, line: CatenarySpec, record: TrialRecord | None = None) -> CaseSpec:
        """The campaign's case with another line, under the pantographs of a trial if one is given."""
        case = self.case if record is None else self.train_of(record)
        return CaseSpec.model_validate({**case.model_dump(), "catenary": line.model_dump()})


def load_result(folder: Path) -> CampaignResult:
    """Campaign of a folder as it is on record; the folder is only read.

    Raises
    ------
    InputError
        If the folder holds no campaign, or its record is lost.
    """
    from optimise.record.campaign_folder import read_records

    place = CampaignFolder(Path(folder))
    campaign, case, _ = place.read_input()
    place.refuse_lost_record()
    return CampaignResult(place.path, campaign, case, read_records(place, campaign.name))


def write_designs(result: CampaignResult) -> None:
    """Write the best design and, with several objectives, the front; what is stale goes.

    A file of the front is named after its trial, so a name never stands for two lines: while the front is brought
    up to date, and after a kill in the middle of it, every file that is there is what it says it is. New files
    come first, files of designs that are no longer on the front go last.
    """
    place = CampaignFolder(result.folder)
    if result.best is not None:
        _write_design(result, result.best, place.best_design_yaml)
    if len(result.campaign.objectives) < 2:
        return
    files = {place.pareto_yaml(record.number): record for record in result.front}
    for path, record in files.items():
        _write_design(result, record, path)
    wanted = {*files, *chain.from_iterable(files_beside(path).values() for path in files)}
    if place.pareto.is_dir():
        for path in place.pareto.iterdir():
            if path not in wanted and OWN_NAME.fullmatch(path.name):
                path.unlink(missing_ok=True)


def _write_design(result: CampaignResult, record: TrialRecord, path: Path) -> None:
    """Write the line of a trial, and next to it its pantograph where gains vary, and its train where distances do."""
    case = result.train_of(record)
    for block, beside in _own_files(result.campaign, path).items():
        _write_yaml(getattr(case, block), beside)
    write_line(result.catenary_of(record), path)


def _own_files(campaign: CampaignSpec, line: Path) -> dict[str, Path]:
    """Files next to a design's line for what else of the case is its own, by their block."""
    varies = {"pantograph": campaign.design.control is not None, "trailing": bool(campaign.design.trailing_distances)}
    return {block: path for block, path in files_beside(line).items() if varies[block]}


def write_line(line: CatenarySpec, path: Path) -> None:
    """Write a complete line as YAML, whole or not at all."""
    _write_yaml(line, path)


def _write_yaml(spec: Spec, path: Path) -> None:
    content = spec.model_dump(mode="json", exclude_none=True)
    write_text_atomic(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True))
