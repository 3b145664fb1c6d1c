"""A sampler is shown the youngest generations alone, and proposes what it would propose if it were shown everything."""

import random

import pytest
from cheap_evaluation import bowl, campaign_of

from optimise.design.space import DesignSpace
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import failed
from optimise.record.campaign_folder import CampaignFolder
from optimise.search import driver as driver_module
from optimise.search.driver import StudyDriver
from optimise.search.samplers import GENERATION_NOTES
from optimise.search.shown_trials import ShownTrials

NSGA2 = {"sampler": {"kind": "nsga2", "population": 8}, "objectives": ["sigma", "uplift"]}
NSGA3 = {**NSGA2, "sampler": {"kind": "nsga3", "population": 8}}
CONTENTS = {"nsga2": NSGA2, "nsga3": NSGA3, "cma_es": {"sampler": {"kind": "cma_es"}}}
TRIALS, UNDER_WAY = 160, 9


def proposals(folder, case, campaign, restarts):
    """Designs of a study whose evaluations come back in any order, some of them failed."""
    folder.mkdir()
    space, chance = DesignSpace(case.catenary, campaign.design), random.Random(4)
    study = StudyDriver(CampaignFolder(folder), campaign, space)
    setting, running = Setting(case, campaign.limits), []
    study.ask_nominal()
    study.tell(bowl(Job(0, case.catenary), setting))
    while len(study.records) < TRIALS:
        while len(running) < UNDER_WAY:
            running.append(study.ask())
        record = running.pop(chance.randrange(len(running)))
        task = Job(record.number, space.spec_of(record.values))
        study.tell(failed(task.number, "broken") if chance.random() < 0.1 else bowl(task, setting))
        study.commit()
        if restarts and len(study.records) % 50 == 0:
            study = StudyDriver(CampaignFolder(folder), campaign, space)
    return [record.values for record in study.records]


@pytest.mark.parametrize("kind", CONTENTS)
def test_what_a_sampler_is_not_shown_it_does_not_miss(tmp_path, case, monkeypatch, kind):
    assert set(CONTENTS) == set(GENERATION_NOTES)
    shown = []

    class Counting(ShownTrials):
        def get_all_trials(self, study_id, deepcopy=True, states=None):
            found = super().get_all_trials(study_id, deepcopy, states)
            shown.append(len(found))
            return found

    monkeypatch.setattr(driver_module, "ShownTrials", Counting)
    campaign = campaign_of(**CONTENTS[kind])
    few = proposals(tmp_path / "few", case, campaign, restarts=False)
    assert 0 < max(shown) < TRIALS // 2
    again = proposals(tmp_path / "again", case, campaign, restarts=True)
    monkeypatch.setattr(driver_module, "GENERATION_NOTES", {})
    everything = proposals(tmp_path / "all", case, campaign, restarts=False)
    assert few == everything == again
    assert max(shown) >= TRIALS - 1
