"""Numerical errors next to the figures of summary.json that they belong to."""

from studies.writing.figure_errors import error_in_words, errors_of_statistics, figure_errors

ERROR = {
    "pantograph": 2,
    "total_N": 0.5,
    "others": {"contact_force_max_N": 2.0, "contact_force_min_N": 1.0, "max_uplift_at_supports_mm": 0.3},
}
TRAIN = [
    {"contact_force_max_N": 205.0, "contact_force_min_N": 90.0},
    {"contact_force_max_N": 218.0, "contact_force_min_N": 95.0},
]


def test_errors_are_those_of_the_pantograph_that_they_were_estimated_for():
    assert figure_errors(None) == figure_errors(None, 2) == {}
    assert figure_errors(ERROR, 1) == {"max_uplift_at_supports_mm": 0.3}, "the wire's, whoever lifts it"
    assert figure_errors(ERROR, 2) == {"contact_force_std_N": 0.5, **ERROR["others"]}
    assert figure_errors({"total_N": 0.5, "parts": {}}) == {"contact_force_std_N": 0.5}, "a record from before"


def test_each_pantograph_of_a_train_has_its_own_errors():
    own = {"pantograph": 1, "total_N": 0.4, "parts": {}, "others": {"contact_force_min_N": 3.0}}
    error = {**ERROR, "parts": {}, "of_train": [own, {**ERROR, "parts": {}}], "wall_time_s": 1.0, "finer_settings": []}
    assert figure_errors(error, 1) == {"contact_force_std_N": 0.4, "contact_force_min_N": 3.0}
    assert figure_errors(error, 2) == figure_errors(ERROR, 2)
    summary = {"numerical_error": error, "pantographs": TRAIN}
    worst = {"contact_force_std_N": 26.0, "contact_force_max_N": 218.0, "contact_force_min_N": 90.0}
    found = errors_of_statistics(summary, worst)
    assert (found["contact_force_std_N"], found["contact_force_max_N"], found["contact_force_min_N"]) == (0.5, 2.0, 3.0)
    unknown = {"pantograph": 2, "total_N": None, "parts": {"mesh": {"error_N": None, "message": "it failed"}}}
    sized = {**own, "total_percent": 1.0}
    first, second = error_in_words({**error, "of_train": [sized, unknown]})
    assert "deviation of pantograph 1 ± 0.40 N" in first
    assert second.startswith("the numerical error of the standard deviation of pantograph 2 could not be estimated")


def test_the_worst_of_a_train_has_the_error_of_the_pantograph_whose_figure_it_is():
    summary = {"numerical_error": ERROR, "pantographs": TRAIN}
    worst = {"contact_force_std_N": 26.0, "contact_force_max_N": 218.0, "contact_force_min_N": 90.0}
    found = errors_of_statistics(summary, worst)
    assert found == {"contact_force_std_N": 0.5, "contact_force_max_N": 2.0, "max_uplift_at_supports_mm": 0.3}
    alone = {"numerical_error": {**ERROR, "pantograph": 1}, "pantographs": TRAIN[:1]}
    assert errors_of_statistics(alone, worst) == {"contact_force_std_N": 0.5, **ERROR["others"]}
    assert errors_of_statistics({}, worst) == {}
