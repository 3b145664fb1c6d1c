"""A campaign as it is on record: its trials, its best design, its lines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from catenary.spec.line import CatenarySpec
from dynamics.spec.case import CaseSpec
from optimise.design.space import DesignSpace
from optimise.evaluation.objectives import OBJECTIVES, Objective
from optimise.record.campaign_folder import CampaignFolder, TrialRecord
from optimise.search.front import front_of
from optimise.spec.campaign import CampaignSpec

if TYPE_CHECKING:
    from optimise.evaluation.scenarios import ScenarioSet

__all__ = ["CampaignResult", "load_result"]


@dataclass(frozen=True)
class CampaignResult:
    """A campaign and its trials as they are on record."""

    folder: Path
    campaign: CampaignSpec
    case: CaseSpec
    records: list[TrialRecord]

    @cached_property
    def space(self) -> DesignSpace:
        """Design space, which turns the values of a trial into a line."""
        return DesignSpace(self.case.catenary, self.campaign.design)

    @cached_property
    def scenarios(self) -> ScenarioSet | None:
        """Scenarios that every design met; None where there was none beside the case's own."""
        from optimise.evaluation.scenarios import scenario_set

        return scenario_set(self.campaign.scenarios, self.campaign.objectives, self.case)

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What designs were judged by; their names say how scenarios were combined."""
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

    def catenary_of(self, record: TrialRecord) -> CatenarySpec:
        """Complete line of a trial, named after the campaign."""
        content = self.space.spec_of(record.values).model_dump()
        content["name"] = self.campaign.name
        content["description"] = (
            f"{self.case.catenary.name} with {self.campaign.design.what} optimised for "
            f"{self.case.speed_kmh:g} km/h: "
            f"trial {record.number} of campaign {self.campaign.name}"
        )
        return CatenarySpec.model_validate(content)

    def case_with(self, line: CatenarySpec) -> CaseSpec:
        """Take the campaign's case with another line."""
        return CaseSpec.model_validate({**self.case.model_dump(), "catenary": line.model_dump()})


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
