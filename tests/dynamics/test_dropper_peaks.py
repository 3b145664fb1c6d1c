"""Largest forces of droppers: by the operator's companion, with their errors."""

import numpy as np
import pytest

from dynamics.accuracy.assured import estimated
from dynamics.solution import solve


@pytest.mark.parametrize(("line", "speed", "force"), [("bruni_2015", 275.0, 143.4), ("re330", 300.0, 157.3)])
def test_largest_dropper_forces_come_from_more_harmonics(line, speed, force, build_line, build_case):
    periodic = {"method": "operator"}
    case = build_case(build_line(line, elements_per_bay=12), speed, dt=1.0e-3, mean_force_N=force, periodic=periodic)
    found = solve(case)
    run, error = estimated(case, found)
    assert error.total is not None and run.contact_force is found.contact_force
    finest = solve(case.with_changes(periodic={"resolution": 3.0}))
    rest, peaks, dense = run.equilibrium.dropper_force, run.dropper_peaks, finest.dropper_peaks.force
    assert peaks.below_hz == pytest.approx(2.0 * found.dropper_peaks.below_hz, rel=0.02)
    assert (peaks.force > rest).all() and (peaks.error < 0.3 * (peaks.force - rest)).all()
    # the companion follows waves for a period more, which may bring a larger force and never a smaller one
    assert (dense - peaks.force < 1.5 * peaks.error).all()
    assert np.count_nonzero(np.abs(dense - peaks.force) < 1.5 * peaks.error) >= len(rest) - 1
    apart = [np.median(np.abs(dense - each)) for each in (peaks.force, found.dropper_peaks.force)]
    assert apart[0] < 0.5 * apart[1]
