"""A campaign's copy of its line's workbook that is damaged: refused before the search, with what to do."""

import openpyxl
import pytest
import yaml
from cheap_evaluation import feasible

from catenary.errors import InputError
from studies.ended import INTERRUPTED

LINE = {
    "kind": "line",
    "name": "short",
    "type": "bruni_2015",
    "supports": [{"station_m": 55 * k} for k in range(7)],
}
TYPED = (
    *("optimise", "pantograph=dsa380", "speed_kmh=200", "dt=4e-3", "cluster=serial", "design=stations"),
    *("design.overlap_heights=null", "design.dropper_heights={first_span: 3, last_span: 3, change: [-0.01,0.01]}"),
    *("objectives=[sigma]", "sampler=random", "trials=3", "run_dir=out", "error_estimate=false"),
)


def bowl(task, setting):
    return feasible(task, setting, 30.0 + sum(task.catenary.droppers.contact_wire_heights))


@pytest.fixture
def kept(catenary, folder, monkeypatch):
    """A campaign that was searched, whose designs cost next to nothing, and which is interrupted there."""
    (folder / "short.yaml").write_text(yaml.safe_dump(LINE), encoding="utf-8")
    monkeypatch.setattr("optimise.search.campaign.evaluate_design", bowl)
    monkeypatch.setattr("optimise.search.campaign.prepare_start", lambda case, directions=True: None)
    monkeypatch.setattr("studies.afterwards.confirmation.confirm_campaign", interrupted)
    assert catenary(*TYPED, "catenary=short.yaml").code == INTERRUPTED
    return folder / "out"


def interrupted(result, doing, error_estimate):
    raise KeyboardInterrupt


def state_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_damaged_plan_is_refused_before_the_search_and_nothing_changes(catenary, kept):
    plan = kept / "plan.xlsx"
    whole = plan.read_bytes()
    plan.write_bytes(whole[:2000])
    before = state_of(kept)
    ended = catenary("optimise", "resume=out", "trials=5")
    assert ended.code == 2 and "1 problem in the input, nothing was written" in ended.err
    assert "out/plan.xlsx must be as it was written: " in ended.err
    assert "restore it, or delete it and name the line's file" in ended.err
    assert state_of(kept) == before
    # the cure in its words
    plan.unlink()
    assert catenary("optimise", "resume=out", "trials=5", "catenary=short.yaml").code == INTERRUPTED
    assert "supports" in openpyxl.load_workbook(plan).sheetnames


def test_without_a_plan_the_workbook_of_the_best_design_stands_for_it(catenary, kept):
    (kept / "plan.xlsx").unlink()
    (kept / "best_design.xlsx").write_bytes(b"")
    ended = catenary("optimise", "resume=out", "trials=5")
    assert ended.code == 2 and "out/best_design.xlsx must be as it was written" in ended.err
    assert catenary("optimise", "resume=out", "trials=5", "catenary=short.yaml").code == INTERRUPTED


def test_a_refusal_after_the_search_does_not_say_that_nothing_was_written(catenary, kept, monkeypatch):
    def refused(result, doing, error_estimate):
        raise InputError(["a file that changed meanwhile"])

    monkeypatch.setattr("studies.afterwards.confirmation.confirm_campaign", refused)
    ended = catenary("optimise", "resume=out", "trials=5")
    assert ended.code == 2 and "1 problem in the input, what was written before stays" in ended.err
