"""Tolerances of dropper lengths: of each dropper by search, checked by a march, and of all at once by draws."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths
from dynamics.solution import solve
from optimise.afterwards import length_tolerance
from optimise.afterwards.dropper_tolerance import DropperTolerance
from optimise.afterwards.finished_runs import FinishedRuns
from optimise.afterwards.first_crossing import CLOSE, NoFigureError
from optimise.afterwards.length_tolerance import SearchJob, evaluate_tolerance, length_tolerances
from optimise.design.cut_lengths import with_lengths
from optimise.evaluation.job import Setting
from optimise.evaluation.outcome import Outcome
from optimise.spec.campaign import ClusterSpec
from optimise.spec.off_design import LengthToleranceSpec

SERIAL, RISE = ClusterSpec(kind="serial"), 0.05
LAST = 8  # dropper next to the far support


@pytest.fixture
def case(build_case):
    return build_case("bruni_2015", 275.0, mean_force_N=143.35625)


def marched(case, error):
    """Sigma [N] by a march from rest over a line with one dropper wrong, by no steady state."""
    cut = prescribed_by_lengths(periodic_equilibrium(case.catenary))
    lengths = [length + error * (k == LAST) for k, length in enumerate(cut.droppers.lengths)]
    long = {"spans": 110, "spans_evaluated": 30, "spans_behind": 30, "spans_ahead": 40}
    transient = case.transient.model_copy(update=long)
    line = with_lengths(cut, tuple(lengths))
    changed = {"catenary": line, "solver": "transient", "transient": transient, "dt": 2.0e-3}
    return solve(case.model_copy(update=changed)).statistics.contact_force_std_N


def test_a_march_over_the_line_that_is_wrong_by_its_tolerance_has_the_rise(case):
    """The search's steady state on a short window, and a march on a long one, each against its own right line."""
    common = length_tolerance.Common(
        *length_tolerance._numerics(case, True, FinishedRuns()), wanted=LengthToleranceSpec(samples=0)
    )
    found = evaluate_tolerance(SearchJob(0, dropper=LAST), Setting(common.usual.case, start=common))
    assert isinstance(found, DropperTolerance) and found.message == "" and found.tolerance is not None
    assert 0.0 < found.error < 0.5 * found.tolerance < 10.0e-3
    right, wrong = marched(case, 0.0), marched(case, found.sense * found.tolerance)
    slope = RISE / found.tolerance
    assert wrong / right - 1.0 == pytest.approx(RISE, abs=CLOSE * RISE + 2.0 * slope * found.error + 0.005)
    # the other sign of the same error, and half of it, raise sigma by less
    assert marched(case, 0.5 * found.sense * found.tolerance) / right - 1.0 < RISE
    assert dict(found.tested).get(-found.sense * found.tolerance, 0.0) < RISE


class Bowl:
    """Sigma of a line whose dropper k bears an error of about 4 + k mm, exactly known; dropper 8 has no effect."""

    def __init__(self, move=0.0):
        self.move = move

    def numerics(self, case, assured, runs):
        cut = case.model_copy(update={"catenary": prescribed_by_lengths(periodic_equilibrium(case.catenary))})
        own = cut.catenary.droppers.lengths
        limit = np.append(4.0e-3 + 1.0e-3 * np.arange(8), 1.0e3)

        class Known(length_tolerance.Numerics):
            def rise(self, errors, move=0.0):
                if max(np.abs(errors)) > 19.0e-3:
                    raise NoFigureError("too long")
                return RISE * float(np.sum((np.asarray(errors) / limit) ** 2)) * (1.0 + self.start)

        assert len(own) == 9
        return Known(cut, 30.0, 0.0), Known(cut, 31.0, self.move) if assured else None


def found_by(case, monkeypatch, move=0.0, **how):
    monkeypatch.setattr(length_tolerance, "_numerics", Bowl(move).numerics)
    seen = []
    wanted = LengthToleranceSpec(samples=200, largest_mm=18.0)
    found = length_tolerances(case, wanted, SERIAL, FinishedRuns(None, lambda *counts: seen.append(counts)), **how)
    assert seen[-1] == (409, 409)
    return found


def test_every_dropper_has_its_own_tolerance_and_error_and_draws_check_them(case, monkeypatch):
    found = found_by(case, monkeypatch, move=0.1)
    for k, dropper in enumerate(found.droppers[:8]):
        assert dropper.tolerance == pytest.approx(4.0e-3 + 1.0e-3 * k, rel=0.03) and dropper.number == k
        # a tenth more on the finer numerics, over the slope 2 x 0.05 / tolerance
        assert dropper.error == pytest.approx(0.05 * dropper.tolerance, rel=0.6)
        assert dropper.finer_rise == pytest.approx(1.1 * RISE, rel=0.05)
    free = found.droppers[8]
    assert free.tolerance is None and free.more_than == pytest.approx(18.0e-3) and free.message == ""
    whole, half = found.lines
    assert [len(whole.rises), len(half.rises), whole.share, half.share] == [200, 200, 1.0, 0.5]
    # eight uniform errors u_k of the tolerances: the mean of sum u^2 is 8/3, and a quarter of it within half
    assert np.mean(whole.rises) == pytest.approx(RISE * 8.0 / 3.0, rel=0.1)
    assert np.array(half.rises) == pytest.approx(0.25 * np.array(whole.rises), rel=1e-9)
    assert whole.kept(RISE) == sum(rise <= RISE for rise in whole.rises) < 20 < 180 < half.kept(RISE)


def test_without_finer_numerics_a_tolerance_has_no_error(case, monkeypatch):
    found = found_by(case, monkeypatch, assured=False)
    assert all(d.error is None and d.finer_rise is None for d in found.droppers)


def test_a_rise_that_finer_numerics_move_far_leaves_no_figure_and_says_how_far_it_stays_below(case, monkeypatch):
    for dropper in found_by(case, monkeypatch, move=1.5).droppers[:8]:
        assert dropper.tolerance is None and "finer numerics" in dropper.message
        assert dropper.more_than < 4.0e-3 + 1.0e-3 * dropper.number


def test_a_worker_that_dies_leaves_a_dropper_without_a_figure_and_its_reason(case, monkeypatch):
    monkeypatch.setattr(length_tolerance, "_numerics", Bowl().numerics)

    def dies(number, common):
        if number == 2:
            raise ValueError("no such state")
        return DropperTolerance(number, 3.0e-3, 1.0e-4, 0.0, 1, ())

    monkeypatch.setattr(length_tolerance, "_search", dies)
    found = length_tolerances(case, LengthToleranceSpec(samples=2), SERIAL, FinishedRuns())
    assert found.droppers[2].tolerance is None and "no such state" in found.droppers[2].message
    assert found.droppers[2].within == 0.0 and found.droppers[3].within == 3.0e-3
    assert isinstance(evaluate_tolerance(SearchJob(2, dropper=2), Setting(case)), Outcome)


def test_a_line_that_cannot_be_wrong_so_far_has_no_figure(case):
    cut = case.model_copy(update={"catenary": prescribed_by_lengths(periodic_equilibrium(case.catenary))})
    with pytest.raises(NoFigureError, match="lengths must lie between"):
        length_tolerance.Numerics(cut, 30.0, None).rise((5.0, *[0.0] * 8))
