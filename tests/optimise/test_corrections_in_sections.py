"""Correction lists of lines in tension sections: single effects where the force passes from wire to wire, and lists."""

import numpy as np
import pytest

import catenary
from catenary.spec.section import DefectSpec
from dynamics.simulation import simulate
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from optimise.correction_list.evaluation import EffectsJob, LineJob, corrected, evaluate_correction
from optimise.correction_list.find import find_corrections
from optimise.correction_list.superposition import superposed
from optimise.evaluation.job import Setting
from optimise.spec.cluster import ClusterSpec
from optimise.spec.correction import CorrectionLimitsSpec
from studies.validation.overlaps.built import in_sections

# droppers that are too long hang loose
pytestmark = pytest.mark.filterwarnings("ignore:line 'lines' at rest")
MESH = {"elements_per_bay": 2, "largest_element_length": 2.0}
OVERLAP = (455.0, 650.0)  # spans 8 to 10, the wires cross in span 9
# of either wire where it is touched, of either where it is not, and of either next to the overlap
WRONG = (("A", 8, 8, 0.020), ("B", 10, 3, -0.025), ("A", 10, 4, 0.020), ("B", 8, 5, 0.020), ("A", 6, 6, -0.012))
WRONG += (("B", 12, 7, 0.018),)
TOUCHED = (0, 1, 4, 5)


def case_with(wrong):
    kind = catenary.load_line("re330").with_changes(mesh=MESH)
    line = in_sections(kind, 15, ((0, 10), (7, 15)), ends="weight")
    defects = tuple(
        DefectSpec(span=span, dropper=n, kind="length", by=by, section=name if 8 <= span <= 10 else None)
        for name, span, n, by in wrong
    )
    line = line.model_copy(update={"section": line.section.model_copy(update={"defects": defects})})
    return job_input(CaseSpec, line, "dsa380", {"speed_kmh": 280, "dt": 3e-3})


@pytest.fixture(scope="module")
def case():
    return case_with(WRONG)


@pytest.fixture(scope="module")
def effects(case):
    """The line as built, single effects by the number of their dropper, and lines with that one alone corrected."""
    setting = Setting(case)
    built = evaluate_correction(LineJob(0), setting)
    single, runs = {}, {}
    for k, (_, span, _, _) in enumerate(WRONG):
        job = EffectsJob(1, span=span, droppers=(k,), applied_force_N=built.applied_force_N)
        (single[k],) = evaluate_correction(job, setting).effects
        runs[k] = evaluate_correction(LineJob(0, right=(k,), guess_N=built.applied_force_N), setting)
    return built, single, runs


def test_a_single_effect_is_that_of_the_whole_line_on_either_wire(effects, case):
    """To a half, as on one wire: next to the overlap, and within it where the wire is touched."""
    built, single, runs = effects
    model = superposed(case.catenary, built, list(single.values()), len(WRONG))
    for k in TOUCHED:
        whole = built.force - runs[k].force
        on_stretch = np.interp(built.position, single[k].position, single[k].force, left=0.0, right=0.0)
        assert whole.std() > 3.0
        assert (whole - on_stretch).std() < whole.std() / 2
        assert model.figures([k])[0] - built.sigma_N == pytest.approx(runs[k].sigma_N - built.sigma_N, abs=0.05)
        at = single[k].first_support
        rise = (built.rise - runs[k].rise)[at : at + len(single[k].rise)]
        np.testing.assert_allclose(single[k].rise[2:-2], rise[2:-2], rtol=0, atol=1.0)  # mm; some rise by 4 less


def test_a_wire_that_is_not_touched_there_has_no_effect(effects):
    """Behind where the pantograph leaves A, and before it reaches B; the dropper's span has another wire below."""
    built, single, runs = effects
    for k in set(range(len(WRONG))) - set(TOUCHED):
        assert OVERLAP[0] < 65.0 * (WRONG[k][1] - 1) + 1.0 < OVERLAP[1]
        assert (built.force - runs[k].force).std() < 0.1 and single[k].force.std() < 0.1


def test_effects_of_both_wires_add_up(effects, case):
    """What corrections of both wires of the overlap, together, change the force by is the sum of their effects."""
    built, single, _ = effects
    model, both = superposed(case.catenary, built, list(single.values()), len(WRONG)), (0, 1)
    right = evaluate_correction(LineJob(0, right=both, guess_N=built.applied_force_N), Setting(case))
    whole = built.force - right.force
    added = sum(np.interp(built.position, single[k].position, single[k].force, left=0.0, right=0.0) for k in both)
    assert (whole - added).std() < whole.std() / 2
    assert model.figures(both)[0] == pytest.approx(right.sigma_N, rel=0.01)


def test_the_list_is_of_either_wire_and_that_of_a_run_by_itself():
    case = case_with(WRONG[:4])
    found = find_corrections(case, CorrectionLimitsSpec(sigma_N=21.7), ClusterSpec(kind="serial"))
    assert found.count == 1 and [(d.section, d.span, d.dropper) for d in found.chosen] == [("A", 8, 8)]
    assert found.runs[0].sigma_N > found.limits[0] >= found.runs[1].sigma_N
    line = corrected(case.catenary, found.order[:1])
    assert [(d.section, d.span) for d in line.section.defects] == [("B", 10), ("A", 10), ("B", 8)]
    own = simulate(line, "dsa380", 280, dt=3e-3, error_estimate=False)
    assert own.contact_force_std_N == pytest.approx(found.runs[1].sigma_N, rel=2e-3)
    assert own.contact_force_std_N == pytest.approx(found.predicted[1][0], rel=0.01)
