"""Form-finding of one span: heights prescribed, and lengths wrong by up to a third of a metre, droppers loose."""

import time

import numpy as np
import pytest

from catenary import load_line
from catenary.form_finding.equilibrium import EquilibriumStatus, periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths

LISTS = 60


def cpu_ms(line):
    """Equilibrium of a line and the least processor time of three calls [ms]."""
    times = []
    for _ in range(3):
        began = time.process_time()
        found = periodic_equilibrium(line)
        times.append(1e3 * (time.process_time() - began))
    return found, min(times)


@pytest.mark.benchmark
@pytest.mark.parametrize(("dimension", "reach"), [("planar", "<= 10 ms"), ("spatial", "<= 25 ms")])
@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_form_finding_of_one_span(figure, name, dimension, reach):
    line = load_line(name).with_changes(dimension=dimension)
    exact, by_heights = cpu_ms(line)
    right, rng = prescribed_by_lengths(exact), np.random.default_rng(5)
    lengths, times, loose = np.array(right.droppers.lengths), [], 0
    for _ in range(LISTS):
        wrong = lengths + 10.0 ** rng.uniform(-4.0, -0.5) * rng.standard_normal(lengths.size)
        found, spent = cpu_ms(right.with_droppers(lengths_mm=1e3 * np.clip(wrong, 0.06, 3.4)))
        assert found.status is EquilibriumStatus.OK
        loose += bool(found.dropper_gap.any())
        times.append(spent)
    figure(f"{name}, {dimension}: form-finding by heights", f"{by_heights:.1f} ms of processor time")
    figure(
        f"  by {LISTS} lists of lengths, {loose} with loose droppers: median, longest",
        f"{np.median(times):.1f}, {max(times):.1f} ms of processor time",
        reach,
    )
