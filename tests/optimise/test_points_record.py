"""Points on record keep the words and keys by which earlier versions wrote them, and every outcome has a sentence."""

import pytest

from dynamics.spec.status import Status
from optimise.evaluation.job import Batch, Job
from optimise.evaluation.outcome import BatchOutcome, Outcome, OutcomeStatus
from optimise.record.parameter_study_lines import points_record

STUDY = "0123456789abcdef"
# as written before points and designs had one outcome
WRITTEN = (
    b'{"strand":3,"points":['
    b'{"status":"ok","message":"","statistics":{"contact_force_std_N":31.25,"max_uplift_at_supports_mm":50.0},'
    b'"applied_force_N":150.5,"static_dropper_force_min_N":20.0,"wall_time_s":0.25},'
    b'{"status":"not_periodic","message":"no state repeats",'
    b'"statistics":{"contact_force_std_N":31.25,"max_uplift_at_supports_mm":50.0},'
    b'"applied_force_N":150.5,"static_dropper_force_min_N":20.0,"wall_time_s":1.5},'
    b'{"status":"a dropper is slack at rest","message":"dropper 4 is slack","statistics":{},'
    b'"applied_force_N":null,"static_dropper_force_min_N":-3.0,"wall_time_s":0.125},'
    b'{"status":"the time integration ran away: the line is unstable at rest, or the step too long for it",'
    b'"message":"ran away","statistics":{},"applied_force_N":null,"static_dropper_force_min_N":null,"wall_time_s":0.0},'
    b'{"status":"impossible","message":"values do not go together","statistics":{},'
    b'"applied_force_N":null,"static_dropper_force_min_N":null,"wall_time_s":0.0},'
    b'{"status":"failed","message":"RuntimeError: broken","statistics":{},'
    b'"applied_force_N":null,"static_dropper_force_min_N":null,"wall_time_s":0.0}],'
    b'"line":1,"study":"0123456789ab","crc32":"f2f8b29a"}\n'
)
JOBS = tuple(Job(number) for number in range(20, 26))
FIGURES = {
    "sigma_N": 31.25,
    "statistics": {"contact_force_std_N": 31.25, "max_uplift_at_supports_mm": 50.0},
    "applied_force_N": 150.5,
    "static_dropper_force_min_N": 20.0,
}
OUTCOMES = (
    Outcome(20, OutcomeStatus.OK, **FIGURES, wall_time_s={"total": 0.25}),
    Outcome(21, OutcomeStatus.NOT_PERIODIC, "no state repeats", **FIGURES, wall_time_s={"total": 1.5}),
    Outcome(
        22,
        OutcomeStatus.STATIC_SLACK,
        "dropper 4 is slack",
        static_dropper_force_min_N=-3.0,
        wall_time_s={"total": 0.125},
    ),
    Outcome(23, OutcomeStatus.DIVERGED, "ran away", wall_time_s={"total": 0.0}),
    Outcome(24, OutcomeStatus.IMPOSSIBLE, "values do not go together", wall_time_s={"total": 0.0}),
    Outcome(25, OutcomeStatus.FAILED, "RuntimeError: broken", wall_time_s={"total": 0.0}),
)


def test_a_line_of_earlier_versions_is_read_and_written_byte_for_byte(tmp_path):
    record = tmp_path / "points.jsonl"
    record.write_bytes(WRITTEN)
    points = points_record(record, STUDY, "", [Batch(3, JOBS)])
    found = points.lines()
    assert (found.damage, found.units) == ("", [BatchOutcome(3, OUTCOMES)])
    assert points.line(found.units[0], 1) == WRITTEN


@pytest.mark.parametrize(
    ("batch", "study"),
    [(Batch(3, JOBS[:-1]), STUDY), (Batch(2, JOBS), STUDY), (Batch(3, JOBS), "f" * 16)],
    ids=["fewer points", "no such batch", "another hash"],
)
def test_a_line_of_another_study_is_named(tmp_path, batch, study):
    record = tmp_path / "points.jsonl"
    record.write_bytes(WRITTEN)
    found = points_record(record, study, "", [batch]).lines()
    assert (found.damage, found.units, found.behind) == ("line 1 is of another study", [], [])


@pytest.mark.parametrize("status", Status)
def test_every_end_of_a_solver_is_one_of_an_evaluation(status):
    found = OutcomeStatus.of(status)
    assert found.on_point == status.value and OutcomeStatus(status.value) is found
    assert OutcomeStatus(found.value) is found


def test_every_outcome_has_a_sentence_of_its_own():
    sentences = [status.sentence for status in OutcomeStatus]
    assert len(set(sentences)) == len(sentences) and all(" " in sentence for sentence in sentences)
    with pytest.raises(ValueError, match="lost"):
        OutcomeStatus("lost")
