"""A campaign before anything is written: whether its input goes together, and what it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from catenary.errors import InputError, sentences_of
from dynamics.spec.case import CaseSpec
from optimise.design.neighbours import neighbours_of, trains_near
from optimise.design.space import DesignSpace
from optimise.design.train_space import space_of_case, train_of, with_train
from optimise.evaluation.outcome import Outcome
from optimise.evaluation.scenarios import ScenarioSet, scenario_set
from optimise.executors import refuse_impossible
from optimise.record.campaign_folder import CampaignFolder
from optimise.search.samplers import searches_by_harmonics
from optimise.search.warm_start import WarmStarted, warm_start
from optimise.spec.campaign import CampaignSpec

__all__ = ["PreparedCampaign", "beyond_figures", "prepare_campaign"]


@dataclass(frozen=True)
class PreparedCampaign:
    """A campaign whose input goes together, in a folder that it may have.

    Attributes
    ----------
    campaign : CampaignSpec
    case : CaseSpec
        Nominal line, pantograph, speed and mean force.
    place : CampaignFolder
        Its folder, new or its own.
    space : DesignSpace
        What may change.
    scenarios : ScenarioSet, optional
        Where designs have to be good; None in the case alone.
    is_resumed : bool
        Whether the folder holds it already.
    """

    campaign: CampaignSpec
    case: CaseSpec
    place: CampaignFolder
    space: DesignSpace
    scenarios: ScenarioSet | None
    is_resumed: bool

    @cached_property
    def warm_started(self) -> WarmStarted | None:
        """Designs of an earlier campaign that start the search; refused where it has none."""
        return warm_start(self.campaign, self.space)


def prepare_campaign(campaign: CampaignSpec, case: CaseSpec, folder: Path) -> PreparedCampaign:
    """Check a campaign once, as `PreparedCampaign` holds it; nothing is written, nor need the folder be there.

    Raises
    ------
    InputError
        If the nominal line cannot be varied so, a combination of conditions is not a valid case, the folder holds
        another campaign, or workers cannot be had from here.
    """
    scenarios = _possible_scenarios(campaign, case)
    space, place = space_of_case(case, campaign.design), CampaignFolder(Path(folder))
    if campaign.design.of_train:
        _refuse_other_trains(campaign, space, scenarios)
    prepared = PreparedCampaign(campaign, case, place, space, scenarios, place.refuse_other(campaign, case))
    if campaign.design.as_built:
        _refuse_unbuildable(space, case)
    if not prepared.is_resumed:
        _ = prepared.warm_started
    refuse_impossible(campaign.cluster)
    return prepared


def _refuse_unbuildable(space: DesignSpace, case: CaseSpec) -> None:
    """Refuse a nominal line that cannot be built to the steps of stations and lengths that every design has."""
    try:
        space.typical_of(case.catenary)
    except ValidationError as error:
        reasons = sentences_of(error)
        raise InputError([f"the nominal line must be one that can be built: {text}" for text in reasons]) from error


def _refuse_other_trains(campaign: CampaignSpec, space: DesignSpace, scenarios: ScenarioSet | None) -> None:
    """Refuse trains and pantographs of scenarios that do not have the distances and gains which vary."""
    if campaign.design.trailing_distances and campaign.scenarios.trailing:
        raise InputError(
            ["scenarios.trailing must be left out where design.trailing_distances varies the train: every design has "
             "its own in all scenarios"]
        )  # fmt: skip
    values = train_of(space, [v.nominal for v in space.variables])
    for condition in () if scenarios is None else scenarios.conditions:
        with_train(condition.case, values)


def _possible_scenarios(campaign: CampaignSpec, case: CaseSpec) -> ScenarioSet | None:
    """Scenarios of a campaign; refuses the first combination of conditions that is not a valid case."""
    try:
        return scenario_set(campaign.scenarios, campaign.objectives, case)
    except ValidationError as error:
        raise InputError([f"scenarios must be possible cases: {text}" for text in sentences_of(error)]) from error


def beyond_figures(
    campaign: CampaignSpec, space: DesignSpace, values: Sequence[float], nominal: Outcome | None, polished: bool = False
) -> dict[str, Any]:
    """What the job of a design asks for beyond its figures: derivatives, or harmonics of the force, or neither.

    The nominal line, which comes first, is asked for both: what it has is what the search goes by. Derivatives of a
    march are worth their time in a polish, or where they are asked for by name.
    """

    def near() -> dict[str, Any]:
        return {"neighbours": neighbours_of(space, values), "near_trains": trains_near(space, values)}

    if polished:
        return near() if campaign.polishes_by_derivatives else {}
    harmonics = searches_by_harmonics(campaign, nominal)
    by_derivatives = campaign.searches_by_derivatives and (nominal is None or not harmonics)
    wanted = near() if by_derivatives else {}
    return {**wanted, "marched_slopes": campaign.sampler.derivatives == "exact", "harmonics": harmonics}
