"""What is said of the errors of sensitivities: rough outputs, few samples, orders that are not known."""

from dataclasses import replace

import cheap_sensitivity as cheap
import numpy as np
import pytest

from catenary.errors import InputError
from optimise.evaluation.case_inputs import case_at
from optimise.parameter_study.sensitivity import run_sensitivity
from optimise.parameter_study.sensitivity_indices import GradientFigures, SobolFigures, apart
from studies.report.sections.sensitivity.study import study_sections
from studies.report.sections.sensitivity.words import console_lines, study_headline, study_warnings


@pytest.fixture
def case(case):
    return case_at(case, cheap.THREE, (1e5, 0.1, 250.0))


def rough_of(values):
    """A slope of one per 10 kN/m, and steps at which both differences are nothing by chance."""
    x = (values[0] - 1e5) / 1e4
    return 40.0 + x + {2.5: -2.5, -2.5: 2.5, 1.25: 0.0, -1.25: 2.5}.get(round(x, 6), 0.0)


def kink_of(values):
    return 40.0 + abs((values[0] - 1e5) / 1e4)


def local_of(function, where, case, step=0.25):
    def evaluate(batch, setting):
        return cheap.result_of(batch, function)

    study = cheap.study_of(methods=["local"], local={"step": step})
    return run_sensitivity(study, case, where, evaluate=evaluate).local


def test_two_steps_that_agree_by_chance_have_the_roughness_as_their_error(tmp_path, case):
    found = local_of(rough_of, tmp_path / "rough", case)
    assert found.derivative[0, 0] == pytest.approx(0.0, abs=1e-12), "both differences miss the slope"
    # the fourth difference is -4 (1.25 + 1.25), the step 25 kN/m
    assert found.error[0, 0] == pytest.approx(4e-4), "which the two steps alone put at nothing"
    assert abs(found.derivative[0, 0] - 1e-4) < found.error[0, 0]
    kink = local_of(kink_of, tmp_path / "kink", case)
    assert kink.derivative[0, 0] == pytest.approx(0.0, abs=1e-12)
    assert kink.error[0, 0] == pytest.approx(2e-4), "slopes of -1 and 1 lie within"


def test_a_logarithmic_range_adds_no_roughness_of_its_own(tmp_path, case):
    inputs = {**cheap.RANGES, "contact.stiffness": {"low": 5e4, "high": 2e5, "spacing": "log"}}
    study = cheap.study_of(inputs, methods=["local"], local={"step": 0.1})

    def evaluate(batch, setting):
        return cheap.result_of(batch, lambda values: np.log(values[0] / 1e5) ** 3 + np.log(values[0]))

    found = run_sensitivity(study, case, tmp_path, evaluate=evaluate).local
    assert found.derivative[0, 0] == pytest.approx(1e-5, rel=1e-3)
    # of a cubic in the logarithm what the two steps leave, 3/4 h^2, and the unevenness in its own unit
    assert found.error[0, 0] < 0.02 * found.derivative[0, 0]


def test_derivatives_by_both_methods_that_contradict_each_other_are_named(tmp_path, case):
    study = cheap.study_of(methods=["local", "gradient"])
    result = run_sensitivity(study, case, tmp_path, evaluate=cheap.plane)
    d = result.local
    agreeing = GradientFigures(d.derivative + 0.5 * d.error, d.error, np.nan, np.nan, "")
    result.__dict__["gradient"] = agreeing
    assert not apart(d, agreeing).any() and not any("more than their errors" in w for w in study_warnings(result))
    wrong = d.derivative.copy()
    wrong[2, 1] = -wrong[2, 1]
    result.__dict__["gradient"] = replace(agreeing, derivative=wrong)
    (said,) = (w for w in study_warnings(result) if "differ by more than their errors together" in w)
    assert "min by catenary.damping.alpha (" in said and said in console_lines(result)
    assert "speed_kmh" not in said


def sobol_of(result, low, high):
    """The study's indices of sigma with other intervals."""
    s = result.sobol
    ends = {name: np.vstack([x, getattr(s, name)[1:]]) for name, x in (("total_low", low), ("total_high", high))}
    found = replace(s, **ends)
    assert isinstance(found, SobolFigures)
    result.__dict__["sobol"] = found
    return result


def test_an_order_is_said_to_be_known_only_where_intervals_are_apart(tmp_path, case):
    study = cheap.study_of(methods=["sobol"], sobol={"samples": 256, "resamples": 50})
    result = run_sensitivity(study, case, tmp_path, evaluate=cheap.plane)  # shares 9, 4 and 1/4 of 13.25
    assert "order" not in study_headline(result)
    assert study_headline(result).index(cheap.THREE[0]) < study_headline(result).index(cheap.THREE[1])
    two = sobol_of(result, [0.2, 0.1, 0.01], [0.9, 0.5, 0.05])
    first, second, third = cheap.THREE
    assert f"the order of {first} and {second} is not known" in study_headline(two)
    assert f"the order of {first} and {second} is not known" in console_lines(two)[0]
    assert third not in study_headline(two).partition("the order of")[2]
    every = sobol_of(result, [0.0, 0.0, 0.0], [2.0, 1.0, 0.5])
    assert "the order of the inputs is not known" in study_headline(every)
    (doubt,) = (w for w in study_warnings(every) if "base samples count" in w)
    assert f"of {first} and {second} nothing is known" in doubt and "sensitivity.sobol.samples=512" in doubt


def test_spread_and_sum_have_intervals_that_hold_what_more_samples_give(tmp_path, case):
    def studied(samples, seed=1):
        study = cheap.study_of(methods=["sobol"], seed=seed, sobol={"samples": samples, "resamples": 100})
        return run_sensitivity(study, case, tmp_path / f"{samples}_{seed}", evaluate=cheap.plane)

    # exactly: a mean of 0, pi (9 + 4 + 1/4)^1/2 / 3^1/2, and a sum of 1
    exact = 0.0, np.pi * (13.25 / 3.0) ** 0.5, 1.0
    held = np.zeros(3)
    for seed in range(6):
        s = studied(64, seed).sobol
        ends = (s.mean_low, s.mean_high), (s.deviation_low, s.deviation_high), (s.first_sum_low, s.first_sum_high)
        held += [low[0] < value < high[0] for value, (low, high) in zip(exact, ends, strict=True)]
        assert all(high[0] - low[0] > 1e-3 for low, high in ends)
    assert (held >= 5).all()
    few, many = studied(8), studied(64)
    assert few.sobol.deviation_high[0] - few.sobol.deviation_low[0] > many.sobol.deviation_high[0] - s.deviation_low[0]
    assert any("8 base samples count, so few" in w for w in study_warnings(few))
    assert not any("base samples count" in w for w in study_warnings(many))
    assert few.sobol.first_sum[0] == pytest.approx(few.sobol.first[0].sum())
    assert np.isnan(few.sobol.first_sum[4]), "an output that does not vary has no shares to sum"


def test_outputs_that_do_not_vary_have_dashes(tmp_path, case):
    study = cheap.study_of(methods=["sobol", "morris", "local"], sobol={"samples": 8}, morris={"trajectories": 4})
    sections = study_sections(run_sensitivity(study, case, tmp_path, evaluate=cheap.plane))
    for section in sections:
        table = section.tables[0]
        assert {row[-1] for row in table.rows} == {"–"} and "does not vary" in table.caption
        assert not any("–" in row[1:-1] for row in table.rows)


def test_numbers_of_the_solver_are_named_as_such_and_have_no_exact_derivatives(tmp_path, case):
    inputs = {**cheap.RANGES, "signal.cutoff_hz": {"low": 15.0, "high": 25.0}}

    def evaluate(batch, setting):
        return cheap.result_of(batch, lambda values: cheap.plane_of(values[:3]))

    study = cheap.study_of(inputs, methods=["morris"], morris={"trajectories": 4})
    result = run_sensitivity(study, case, tmp_path / "a", evaluate=evaluate)
    said = [text for text in study_warnings(result) if text.startswith("signal.cutoff_hz is a number of the solver")]
    assert len(said) == 1 and said[0] in console_lines(result)
    inputs = {**cheap.RANGES, "periodic.resolution": {"low": 0.8, "high": 1.2}}
    study = cheap.study_of(inputs, methods=["gradient"])
    with pytest.raises(InputError, match=r"without gradient where inputs name periodic\.resolution"):
        run_sensitivity(study, case, tmp_path / "b", evaluate=cheap.never)
