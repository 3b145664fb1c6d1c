"""A search cut behind any transaction continues bit for bit, as Optuna's own study does that nobody cut."""

import random
import re

import optuna
import pytest
from cheap_evaluation import bowl, campaign_of
from optuna.samplers import CmaEsSampler, NSGAIIISampler, NSGAIISampler
from optuna.trial import TrialState

from optimise.design.space import DesignSpace
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.objectives import raw_values, sampler_values
from optimise.evaluation.outcome import failed
from optimise.record.campaign_folder import CampaignFolder
from optimise.record.trial import Origin
from optimise.search.driver import StudyDriver
from optimise.search.samplers import GENERATION_NOTES, CampaignSampler, distributions
from optimise.spec.campaign import SamplerSpec

TWO = {"objectives": ["sigma", "uplift"]}
SEARCHES = {
    "cma_es": {"sampler": {"kind": "cma_es", "population": 5}},
    "nsga2": {"sampler": {"kind": "nsga2", "population": 4}, **TWO},
    "nsga3": {"sampler": {"kind": "nsga3", "population": 4}, **TWO},
    "tpe": {"sampler": {"kind": "tpe"}},
    "qmc": {"sampler": {"kind": "qmc"}},
    "random": {"sampler": {"kind": "random"}},
}
TRIALS = 24


def steps_of(synchronous):
    """What a driver does, one transaction each: numbers asked, or one recorded; it began with the nominal line."""
    steps, asked, under_way, chance = [], 1, [], random.Random(7)
    while asked < TRIALS or under_way:
        size = 5 if synchronous else 3
        if asked < TRIALS and (not under_way if synchronous else len(under_way) < size):
            new = list(range(asked, min(TRIALS, asked + size - len(under_way))))
            steps.append(("ask", new))
            under_way, asked = [*under_way, *new], asked + len(new)
        steps.append(("tell", under_way.pop(0 if synchronous else chance.randrange(len(under_way)))))
    return steps


class Search:
    """A campaign's driver that makes those steps; one design of eleven fails, one polish stands next to the search."""

    def __init__(self, folder, case, campaign, polished=TRIALS // 2):
        self.case, self.campaign, self.polished = case, campaign, polished
        self.folder, self.space = folder, DesignSpace(case.catenary, campaign.design)
        self.record = CampaignFolder(folder).record

    def evaluated(self, record):
        task = Job(record.number, self.space.spec_of(record.values))
        setting = Setting(self.case, self.campaign.limits)
        return failed(task.number, "broken") if task.number % 11 == 10 else bowl(task, setting)

    def run(self, steps):
        """Designs of a study that resumes with the record that stands there."""
        study = StudyDriver(CampaignFolder(self.folder), self.campaign, self.space)
        done = len(self.record.read_bytes().splitlines()) if self.record.exists() else 0
        if not done:
            study.ask_nominal()
            study.tell(self.evaluated(study.records[0]))
            study.commit()
        for what, which in steps[max(0, done - 1) :]:
            if what == "tell":
                study.tell(self.evaluated(study.records[which]))
            else:
                for number in which:
                    at, origin = study.records[number // 2].values, Origin("polish", 0, 1e-4)
                    record = study.ask_outside_search(at, origin) if number == self.polished else study.ask()
                    assert record.number == number
            study.commit()
        return study.records


@pytest.mark.parametrize("synchronous", [True, False], ids=["synchronous", "as they come"])
@pytest.mark.parametrize("kind", SEARCHES)
def test_a_search_cut_behind_each_transaction_continues_bit_for_bit(tmp_path, case, kind, synchronous):
    search = Search(tmp_path, case, campaign_of(**SEARCHES[kind], design={"kind": "heights"}))
    steps = steps_of(synchronous)
    whole = search.run(steps)
    content = search.record.read_bytes()
    lines = content.splitlines(keepends=True)
    assert len(whole) == TRIALS and len(lines) == len(steps) + 1
    assert len({record.values for record in whole}) > TRIALS * 3 // 4, "a generation may cross one design twice"
    for kept in range(len(lines)):
        torn = lines[kept][: len(lines[kept]) // 2] if kept % 2 else b""
        search.record.write_bytes(b"".join(lines[:kept]) + torn)
        assert search.run(steps) == whole, f"cut behind transaction {kept}"
        again = search.record.read_bytes()
        assert without_times(again) == without_times(content)


def without_times(content):
    """Lines but for times, and for the pickled state of CMA-ES, which holds memory that was never set (`np.empty`)."""
    return [re.sub(rb'"(begun|ended|crc32|cma:optimizer:\d+)":"[^"]*"', b"", line) for line in content.splitlines()]


@pytest.mark.parametrize("kind", SEARCHES)
def test_designs_are_those_of_optunas_own_study(tmp_path, case, kind):
    """Ask and tell by Optuna's public interface on its own storage, all trials shown, without any record."""
    campaign = campaign_of(**SEARCHES[kind], design={"kind": "heights"})
    search, steps = Search(tmp_path, case, campaign, polished=None), steps_of(synchronous=False)
    ours = search.run(steps)
    sampler = CampaignSampler(campaign.sampler, campaign.seed, search.space, len(campaign.objectives))
    study = optuna.create_study(directions=["minimize"] * len(campaign.objectives), sampler=sampler)
    ranges, asked = distributions(search.space), []
    study.enqueue_trial({v.name: v.nominal for v in search.space.variables})
    for what, which in [("ask", [0]), ("tell", 0), *steps]:
        if what == "ask":
            asked += [study.ask(ranges) for _ in which]
            continue
        found = search.evaluated(ours[which])
        for name, g in found.constraints.items():
            asked[which].set_constraint(name, g)
        raw = raw_values(campaign.objectives, found)
        recorded = sampler_values(campaign.objectives, found, ours[0].outcome)
        values = raw if sampler.uses_constraints else recorded
        study.tell(asked[which], values if raw else None, state=TrialState.COMPLETE if raw else TrialState.FAIL)
    assert [tuple(trial.params.values()) for trial in asked] == [record.values for record in ours]


def test_where_samplers_note_generations_and_parents_is_where_optuna_does():
    for kind, sampler in (("nsga2", NSGAIISampler), ("nsga3", NSGAIIISampler)):
        assert GENERATION_NOTES[kind] == (sampler._get_generation_key(), sampler._get_parent_cache_key_prefix())
    assert GENERATION_NOTES["cma_es"] == (CmaEsSampler()._attr_key_generation,)
    every = SamplerSpec.model_fields["kind"].annotation.__args__
    # a process of values and derivatives takes too long for a cut at each transaction: test_proposals resumes it
    assert {*SEARCHES, "gaussian_process"} == set(every), "a sampler that no test cuts"
