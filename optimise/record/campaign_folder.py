"""A campaign's folder: names of its files, its configuration, and its trials as they are on record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ValidationError

from catenary.errors import InputError
from catenary.spec.components import Spec
from catenary.storage.files import read_yaml
from catenary.storage.provenance import config_sha256
from dynamics.spec.case import CaseSpec
from dynamics.spec.solver import ON_RECORD
from optimise.executors.processors import PROCESSORS_FILE
from optimise.record.lines_record import LinesRecord, collection_paused
from optimise.record.study_folder import StudyFolder, config_diff, named_method, unreadable, with_method
from optimise.record.trial import Origin, TrialRecord
from optimise.record.trial_lines import Transaction, records_of, replayed, trials_record
from optimise.spec.campaign import DEFAULT_OBJECTIVES, CampaignSpec, ClusterSpec
from optimise.spec.scenarios import ScenariosSpec

__all__ = [
    "CampaignFolder",
    "CampaignInput",
    "Origin",
    "TrialRecord",
    "campaign_sha256",
    "files_beside",
    "read_records",
]

SCHEMA_VERSION = 1


class CampaignInput(Spec):
    """Everything that a campaign is made from."""

    campaign: CampaignSpec
    case: CaseSpec


def files_beside(line: Path) -> dict[str, Path]:
    """Files that may stand next to a design's line, by the block of the case that is its own."""
    return {block: line.with_suffix(f".{block}.yaml") for block in ("pantograph", "trailing")}


def campaign_sha256(campaign: CampaignSpec, case: CaseSpec) -> str:
    """Hash of what decides the search; how much, where, and what follows it may change on resuming."""
    decisive = campaign.model_copy(update={"trials": 1, "cluster": ClusterSpec()})
    # campaigns from before there was a choice of something have one hash with those that make none
    usual = {"objectives": DEFAULT_OBJECTIVES, "scenarios": ScenariosSpec(), "learned_directions": True}
    unsaid: dict[str, Any] = {name: True for name, value in usual.items() if getattr(campaign, name) == value}
    unsaid |= {"design": campaign.design.unsaid, "polish": True}
    if "scenarios" not in unsaid:
        trains = set() if campaign.scenarios.trailing else {"trailing", "trailing_weights"}
        unsaid["scenarios"] = trains | (set() if campaign.scenarios.defects.wanted else {"defects"})
    if campaign.limits.scenario_change_percent is None:
        unsaid["limits"] = {"scenario_change_percent"}
    if campaign.sampler.derivatives is None:
        unsaid["sampler"] = {"derivatives"}
    if campaign.warm_start is None:
        unsaid |= {"warm_start": True, "warm_start_designs": True}
    return config_sha256(CampaignInput(campaign=decisive, case=case), exclude={"campaign": unsaid})


@dataclass(frozen=True)
class CampaignFolder(StudyFolder):
    """Stable names inside a campaign's folder."""

    study: ClassVar[str] = "campaign"
    version: ClassVar[int] = 2  # the record is `trials.jsonl`; it was `journal.log`
    record_name: ClassVar[str] = "trials.jsonl"
    result_name: ClassVar[str] = "trials.nc"

    @property
    def journal(self) -> Path:
        """The trials as an Optuna journal, made from the record."""
        return self.path / "journal.log"

    @property
    def best_design_yaml(self) -> Path:
        """Best feasible design, a complete line."""
        return self.path / "best_design.yaml"

    @property
    def best_design_xlsx(self) -> Path:
        """Workbook of a line by stations with the best design in its rows."""
        return self.path / "best_design.xlsx"

    @property
    def plan_xlsx(self) -> Path:
        """Workbook of a line by stations as it was when the campaign began."""
        return self.path / "plan.xlsx"

    @property
    def basins_json(self) -> Path:
        """Polished designs and the distinct basins that they ended in."""
        return self.path / "basins.json"

    @property
    def importances_json(self) -> Path:
        """Importance of the variables by the search's own trials."""
        return self.path / "importances.json"

    @property
    def finished_runs(self) -> Path:
        """Record of the runs that follow the search, a line for each that has ended."""
        return self.path / "finished_runs.jsonl"

    @property
    def sensitivity(self) -> Path:
        """Folder of a sensitivity study of the best design, where one was made."""
        return self.path / "sensitivity"

    @property
    def pareto(self) -> Path:
        """Folder of the non-dominated designs, each a complete line named after its trial."""
        return self.path / "pareto"

    def pareto_yaml(self, number: int) -> Path:
        """Non-dominated design of one trial."""
        return self.pareto / f"{number:03d}.yaml"

    @property
    def processors_json(self) -> Path:
        """Types of the processors that evaluated."""
        return self.path / PROCESSORS_FILE

    def foreign_files(self) -> list[Path]:
        """Files that no campaign wrote, in a folder that holds no campaign yet."""
        if self.input_yaml.exists() or not self.path.is_dir():
            return []
        own = {self.lock, *self._leftovers()}
        return sorted(file for file in self.path.iterdir() if file not in own)

    def write_input(self, campaign: CampaignSpec, case: CaseSpec) -> None:
        """Write the configuration, its hash and versions."""
        content = CampaignInput(campaign=campaign, case=case).model_dump(mode="json")
        self.write_content(campaign_sha256(campaign, case), content, reproducible=campaign.reproducible)

    def read_input(self) -> tuple[CampaignSpec, CaseSpec, str]:
        """Configuration of the campaign on record and its hash.

        Raises
        ------
        InputError
            If the folder holds no campaign, or one that cannot be read.
        """
        content = self._yaml()
        self._refuse_version(content)
        wanted = {name: content.get(name) for name in ("campaign", "case")}
        try:
            found = CampaignInput.model_validate(wanted, context=ON_RECORD)
        except ValidationError as error:
            raise InputError(
                [
                    f"{self.input_yaml} must describe a campaign of this version: "
                    f"{'.'.join(map(str, e['loc']))}: "
                    f"{e['msg']}; use the version that wrote it or another campaign name"
                    for e in error.errors()
                ]
            ) from error
        return found.campaign, found.case, str(content.get("config_sha256", ""))

    def sampler_on_record(self) -> str | None:
        """Name of the sampler of the campaign that the folder holds, if it holds one."""
        campaign = self._yaml().get("campaign") if self.input_yaml.exists() else None
        sampler = campaign.get("sampler") if isinstance(campaign, dict) else None
        return str(sampler["kind"]) if isinstance(sampler, dict) and "kind" in sampler else None

    def refuse_other(self, campaign: CampaignSpec, case: CaseSpec) -> bool:
        """Whether the folder already holds this campaign; another one is refused.

        Raises
        ------
        InputError
            If the folder holds a campaign with another configuration, a record without one, or one whose record is
            lost.
        """
        if not self.input_yaml.exists():
            if self.record.exists():
                raise InputError(
                    [
                        f"{self.path} must hold a whole campaign: {self.record.name} has no campaign.yaml; use "
                        f"another campaign name"
                    ]
                )
            return False
        given, content = campaign_sha256(campaign, case), self._yaml()
        self._refuse_version(content)
        held = str(content.get("config_sha256", ""))
        if held != given:
            raise InputError(
                [
                    f"campaign '{campaign.name}' must be resumed with the configuration it was started "
                    f"with: it has hash "
                    f"{held[:12]}, this one {given[:12]}{self._differences(campaign, case)}; "
                    f"{named_method(content, case)}use another campaign name"
                ]
            )
        self.refuse_lost_record()
        return True

    def _refuse_version(self, content: dict[str, Any]) -> None:
        """Refuse a campaign that another version of the program began, whose record is not read here."""
        found = content.get("schema_version", self.version)
        if found != self.version:
            raise InputError(
                [
                    f"{self.input_yaml} must have schema version {self.version}, whose record is "
                    f"{self.record.name}: it has {found}, of another version of this program; resume with that one, or "
                    "start again under another campaign name"
                ]
            )

    def trials(self, name: str) -> LinesRecord[Transaction]:
        """Record of the campaign of that name; lines of another configuration than the folder's are damage."""
        held = str(self._yaml().get("config_sha256", "")) if self.input_yaml.is_file() else ""
        return trials_record(self.record, held, name)

    def remove_leftovers(self) -> None:
        """Remove temporary files that a killed driver left."""
        for leftover in self._leftovers():
            leftover.unlink(missing_ok=True)

    def _leftovers(self) -> list[Path]:
        written = (self.input_yaml, self.journal, self.status_json, self.result_nc, self.best_design_yaml)
        files = (
            *written,
            *files_beside(self.best_design_yaml).values(),
            self.best_design_xlsx,
            self.plan_xlsx,
            self.basins_json,
            self.importances_json,
            self.processors_json,
            self.finished_runs,
        )
        return [
            *(found for file in files for found in self.path.glob(f".{file.stem}.*{file.suffix}")),
            *self.pareto.glob(".*.*.yaml"),
        ]

    def _yaml(self) -> dict[str, Any]:
        try:
            content = read_yaml(self.input_yaml, "campaign")
        except (OSError, ValueError) as error:
            what, cure = f"{self.input_yaml} must be a readable campaign", "give the folder of a campaign"
            if self.record.exists():
                untouched = f"{self.record.name} next to it is untouched"
                cure = f"restore it from a copy, or use another campaign name; {untouched}"
            raise InputError([f"{what}: {unreadable(error)}; {cure}"]) from error
        if not isinstance(content, dict):
            raise InputError([f"{self.input_yaml} must be a mapping of names to values: it is not; restore the file"])
        return content

    def _differences(self, campaign: CampaignSpec, case: CaseSpec) -> str:
        """First inputs that differ, for the message."""
        given = CampaignInput(campaign=campaign, case=case).model_dump(mode="json")
        held = {name: self._yaml().get(name, {}) for name in ("campaign", "case")}
        if isinstance(held["campaign"], dict):
            usual = {"objectives": list(DEFAULT_OBJECTIVES), "scenarios": ScenariosSpec().model_dump(mode="json")}
            usual["learned_directions"] = True
            held["campaign"] = {**usual, **held["campaign"]}
        return config_diff(with_method(held), given, ("campaign.trials", "campaign.cluster", "campaign.polish"))


def read_records(folder: CampaignFolder, name: str) -> list[TrialRecord]:
    """Trials on record in the folder of a campaign, which is only read; Optuna is not needed for it.

    Raises
    ------
    DamagedRecordError
        If the record is not what was written.
    """
    with collection_paused():
        return records_of(replayed(folder.trials(name).checked(folder.status_json).units)[0])
