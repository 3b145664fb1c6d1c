"""Correction lists: which dropper comes first, what is run, and how superposed figures stand against runs."""

import numpy as np
import pytest
import yaml

import catenary
import optimise
from catenary.errors import InputError
from catenary.spec.section import DefectSpec
from dynamics.simulation import simulate
from optimise.correction_list.evaluation import (
    EffectsJob,
    LineFigures,
    LineJob,
    SingleEffect,
    SpanEffects,
    corrected,
    evaluate_correction,
    wrong_lengths,
)
from optimise.correction_list.find import figures_of, find_corrections
from optimise.correction_list.superposition import superposed
from optimise.evaluation.job import Setting
from optimise.evaluation.outcome import failed
from optimise.spec.cluster import ClusterSpec
from optimise.spec.correction import CorrectionLimitsSpec

# a dropper that is far too short lets its neighbours hang loose
pytestmark = pytest.mark.filterwarnings("ignore:line 'km1' at rest")
MESH = {"elements_per_bay": 2, "largest_element_length": 3.0}
SERIAL = ClusterSpec(kind="serial")
# one is grossly wrong
ERRORS = (((4, 3), 0.002), ((5, 8), -0.03), ((6, 2), -0.001))


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    content = {
        "kind": "line",
        "type": "bruni_2015",
        "changes": {"mesh": MESH},
        "supports": [{"station_m": 55 * k} for k in range(10)],
    }
    place = tmp_path_factory.mktemp("line") / "km1.yaml"
    place.write_text(yaml.safe_dump(content), encoding="utf-8")
    return catenary.load_line(place)


def with_errors(line, errors):
    defects = tuple(DefectSpec(span=s, dropper=d, kind="length", by=by) for (s, d), by in errors)
    return line.model_copy(update={"section": line.section.model_copy(update={"defects": defects})})


@pytest.fixture(scope="module")
def case(design):
    return case_of(with_errors(design, ERRORS))


def case_of(line):
    return simulated(line).case


def simulated(line):
    return simulate(line, "bruni_2015", 275, dt=4e-3, error_estimate=False)


@pytest.fixture(scope="module")
def found(case):
    return find_corrections(case, CorrectionLimitsSpec(), SERIAL)


def test_the_dropper_that_is_grossly_wrong_comes_first_and_is_enough(found):
    assert found.order[0] == 1 and found.count == 1
    assert [(d.span, d.dropper) for d in found.chosen] == [(5, 8)]
    assert found.limits[0] == pytest.approx(1.02 * found.runs[3].sigma_N) and np.isinf(found.limits[1:]).all()
    assert found.runs[0].sigma_N > found.limits[0] >= found.runs[1].sigma_N
    assert repr(found).endswith(" with bruni_2015 at 275 km/h: 3 wrong lengths, correct 1>")


def test_the_list_is_that_of_a_run_by_itself(found, case):
    """What the list says of its lines is what `catenary simulate` finds of them."""
    for count, run in found.runs.items():
        own = simulated(corrected(case.catenary, found.order[:count]))
        assert run.sigma_N == pytest.approx(own.contact_force_std_N, rel=2e-3)
        assert run.uplift_mm == pytest.approx(own.max_uplift_at_supports_mm, rel=2e-3)
        assert run.worst_span_sigma_N == pytest.approx(max(s.contact_force_std_N for s in own.by_span), rel=2e-3)


def test_with_all_corrected_the_line_is_its_design_bit_for_bit(case, design):
    assert corrected(case.catenary, (0, 1, 2)).model_dump() == design.model_dump()
    pressed = case.model_copy(update={"mean_force_N": None, "applied_force_N": 140.0})
    found = find_corrections(pressed, CorrectionLimitsSpec(sigma_N=400.0), SERIAL)
    own = simulate(design, "bruni_2015", 275, dt=4e-3, applied_force_N=140.0, error_estimate=False)
    assert found.runs[3].sigma_N == own.contact_force_std_N
    assert found.runs[3].uplift_mm == own.max_uplift_at_supports_mm


def test_nothing_is_cut_again_where_limits_are_met(case):
    found = find_corrections(case, CorrectionLimitsSpec(sigma_N=400.0), SERIAL)
    assert found.count == 0 and found.chosen == () and sorted(found.runs) == [0, 3]


def test_a_line_without_wrong_lengths_has_nothing_to_correct(design):
    found = find_corrections(case_of(design), CorrectionLimitsSpec(), SERIAL)
    assert (found.count, found.order, sorted(found.runs)) == (0, (), [0])


def test_limits_that_the_design_misses_leave_no_list(case):
    found = find_corrections(case, CorrectionLimitsSpec(sigma_N=1.0), SERIAL)
    assert found.count is None and found.chosen == ()


def test_superposition_is_exact_where_forces_add_up(design):
    """Variances and largest figures of forces that are added up by hand, for every choice."""
    rng = np.random.default_rng(5)
    x = np.linspace(55.0 * 3, 55.0 * 6, 301)[1:]
    force, less = 150 + 20 * rng.standard_normal(300), 5 * rng.standard_normal((3, 300))
    rise, falls = 60 + rng.standard_normal(10), rng.standard_normal((3, 2))
    built = LineFigures(0, (), 0.0, 0.0, 0.0, 0, 0.0, 0.0, x, force, rise, 0.0)
    model = superposed(design, built, [SingleEffect(k, x, less[k], 4, falls[k]) for k in range(3)], 3)
    for right in ([], [0], [2, 1], [0, 1, 2]):
        left = force - less[right].sum(axis=0)
        spans = [left[:100].std(), left[100:200].std(), left[200:].std()]
        up = rise.copy()
        up[4:6] -= falls[right].sum(axis=0)
        np.testing.assert_allclose(model.figures(right), [left.std(), max(spans), up[3:7].max()], rtol=1e-12)
    first = min(range(3), key=lambda k: (force - less[k]).std())
    assert model.order(np.array([np.inf, np.inf, np.inf]))[0] == first
    assert sorted(model.order(np.array([1.0, 1.0, 1.0]))) == [0, 1, 2]


@pytest.mark.parametrize(("limit", "count"), [(20.0, 1), (18.0, 1), (17.9, None), (0.1, None)])
def test_a_shorter_list_may_meet_limits_that_the_one_of_all_misses(case, monkeypatch, limit, count):
    """Forces by hand: the first correction lowers sigma from 22 to 19 N, the other two raise it."""
    import optimise.correction_list.find as module

    x = np.linspace(55.0 * 3, 55.0 * 6, 301)[1:]
    wave = np.sqrt(2.0) * np.cos(2.0 * np.pi * np.arange(300) / 10)
    effects = [SingleEffect(k, x, -amount * wave, 4, np.zeros(2)) for k, amount in enumerate((2.0, -3.0, 3.0))]

    def evaluate(job, setting):
        if isinstance(job, EffectsJob):
            return SpanEffects(job.number, tuple(effects[k] for k in job.droppers), 0.0)
        sigma = {0: 22.0, 1: 18.0, 2: 21.5, 3: 24.0}[len(job.right)]  # the shortest list is better than added up
        figures = (sigma, sigma, 50.0, 5, 150.0, 150.0)
        return LineFigures(job.number, job.right, *figures, x, 22.0 * wave, np.zeros(10), 0.0)

    monkeypatch.setattr(module, "evaluate_correction", evaluate)
    found = find_corrections(case, CorrectionLimitsSpec(sigma_N=limit), SERIAL)
    assert found.order[0] == 1 and found.predicted[1][0] == pytest.approx(19.0)
    assert found.count == count and sorted(found.runs) == [0, 1, 3]


def test_a_single_effect_on_a_stretch_is_that_of_the_whole_line(case):
    """To a half: the pantograph begins nearer, and what it did before is another history of slack droppers."""
    setting = Setting(case)
    built, right = (evaluate_correction(LineJob(0, right=r), setting) for r in ((), (1,)))
    job = EffectsJob(1, span=5, droppers=(1,), applied_force_N=built.applied_force_N)
    (effect,) = evaluate_correction(job, setting).effects
    whole = built.force - right.force
    near = (built.position > 55 * 3.5) & (built.position < 55 * 6)
    on_stretch = np.interp(built.position, effect.position, effect.force)
    assert whole[near].std() > 1.0
    assert (whole - on_stretch)[near].std() < whole[near].std() / 2
    assert np.corrcoef(whole[near], on_stretch[near])[0, 1] > 0.85


def test_a_wave_that_comes_back_from_the_end_of_the_stretch_is_not_in_a_single_effect(tmp_path):
    """The force counts from the support behind the wrong dropper on, where a short stretch would nearly end."""
    content = {
        "kind": "line",
        "type": "bruni_2015",
        "changes": {"mesh": {"elements_per_bay": 2, "largest_element_length": 1.0}},
        "supports": [{"station_m": x} for x in (0, 42, 100, 158, 193.5, 251, 309, 367, 425)],
    }
    (tmp_path / "km1.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    line = with_errors(catenary.load_line(tmp_path / "km1.yaml"), [((3, 2), 0.025)])
    case = simulate(line, "bruni_2015", 250, dt=2e-3, error_estimate=False).case
    setting = Setting(case)
    built, right = (evaluate_correction(LineJob(0, right=r), setting) for r in ((), (0,)))
    job = EffectsJob(1, span=3, droppers=(0,), applied_force_N=built.applied_force_N)
    (effect,) = evaluate_correction(job, setting).effects
    whole, on_stretch = built.force - right.force, np.interp(built.position, effect.position, effect.force)
    assert built.position[0] > 155.0 and whole.std() > 1.0
    assert (whole - on_stretch).std() < whole.std() / 2


def test_lists_in_between_are_run_until_one_shorter_misses(case, monkeypatch):
    """Figures that fall with each correction, and not as superposition says: all limits, and how many lines run."""
    import optimise.correction_list.find as module

    defects = [((4 + k // 9, 1 + k % 9), 1e-3 * (k + 1)) for k in range(18)]
    many = case.model_copy(update={"catenary": with_errors(case.catenary, defects)})
    x = np.linspace(55.0 * 3, 55.0 * 6, 301)[1:]

    def evaluate(job, setting):
        if isinstance(job, EffectsJob):
            return failed(job.number, "no effects")
        sigma = 30.0 - 0.5 * len(job.right) ** 0.9
        return LineFigures(job.number, job.right, sigma, sigma, 50.0, 5, 150.0, 150.0, x, 0 * x, np.zeros(10), 0.0)

    monkeypatch.setattr(module, "evaluate_correction", evaluate)
    for limit in np.linspace(23.3, 30.0, 9):
        found = find_corrections(many, CorrectionLimitsSpec(sigma_N=float(limit)), SERIAL)
        meets = [30.0 - 0.5 * k**0.9 <= limit for k in range(19)]
        assert found.count == (meets.index(True) if any(meets) else None)
        assert found.unknown == tuple(range(18))
        if found.count:
            assert {found.count, found.count - 1} <= set(found.runs) and len(found.runs) <= 9
        assert all((figures_of(run) <= found.limits).all() == meets[k] for k, run in found.runs.items())


def test_what_has_no_list_is_refused_all_at_once(case):
    train = case.model_copy(update={"trailing": case.trailing.model_copy(update={"distances_m": (100.0,)})})
    repeats = train.model_copy(update={"catenary": catenary.load_line("bruni_2015")})
    with pytest.raises(InputError) as refused:
        find_corrections(repeats, CorrectionLimitsSpec(), SERIAL)
    said = "\n".join(refused.value.problems)
    assert "'bruni_2015' repeats" in said and "trailing.distances_m" in said
    with pytest.raises(InputError, match="sigma_N"):
        optimise.corrections(case.catenary, "bruni_2015", 275, limits={"sigma_N": -1.0})
    with pytest.raises(InputError, match=r"limits must be .*: got 30"):
        optimise.corrections(case.catenary, "bruni_2015", 275, limits=30)
    with pytest.raises(InputError, match=r"measured must be a path, as text or a pathlib\.Path: got 3"):
        optimise.as_built(case.catenary, 3)


def test_wrong_lengths_are_numbered_as_they_are_listed(case):
    assert [d.span for d in wrong_lengths(case.catenary)] == [4, 5, 6]
    left = wrong_lengths(corrected(case.catenary, (0, 2)))
    assert [(d.span, d.by) for d in left] == [(5, -0.03)]
