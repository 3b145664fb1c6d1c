"""Tension sections that overlap: form-finding of a whole section, and seconds per simulated second over the overlap."""

import time

import pytest

from catenary.form_finding.equilibrium import EquilibriumStatus, open_line_equilibrium
from catenary.library.lines import load_line
from dynamics.open_line.run import prepare_line, run_whole_line
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from studies.validation.overlaps.built import in_sections

SPANS, SECTIONS = 21, ((0, 12), (9, 21))
# where the runs that are timed begin, and how far they go: both wires are touched on the way
START, WAY, REPEATS = 8.5, 4.0, 3


@pytest.mark.benchmark
def test_form_finding_of_a_section_of_24_spans(figure):
    line = in_sections(load_line("bruni_2015").with_changes(dimension="spatial"), 24, ((0, 24),))
    spent = []
    for _ in range(REPEATS + 1):
        began = time.perf_counter()
        found = open_line_equilibrium(line, 24)
        spent.append(time.perf_counter() - began)
        assert found.status is EquilibriumStatus.OK
    figure(
        f"form-finding of a section of 24 spans, spatial, {found.iterations} iterations",
        f"{min(spent[1:]):.2f} s (best of {REPEATS}); first call {spent[0]:.2f} s",
        "<= 1 s",
    )


@pytest.mark.benchmark
@pytest.mark.parametrize(("kinematics", "reach"), [("linearised", "<= 0.6 s"), ("nonlinear", "<= 5 s")])
def test_two_sections_of_12_spans_with_an_overlap(figure, kinematics, reach):
    line = in_sections(load_line("bruni_2015").with_changes(dimension="spatial"), SPANS, SECTIONS)
    typed = {"speed_kmh": 250.0, "dt": 1e-3, "applied_force_N": 150.0, "kinematics": kinematics}
    case = job_input(CaseSpec, line, "bruni_2015", typed)
    whole = prepare_line(case, open_line_equilibrium(line, SPANS))
    run_whole_line(case, whole, START, 0.1)
    wall, cpu = [], []
    for _ in range(REPEATS):
        began, used = time.perf_counter(), time.process_time()
        run = run_whole_line(case, whole, START, WAY)
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
    assert run.failure is None and (run.histories.wire_force[:, 0] > 0.0).any(axis=0).all()
    simulated = float(run.histories.time[-1])
    figure(
        f"two sections of 12 spans with an overlap of three, spatial, {kinematics}, 1 ms: per simulated second",
        f"{min(wall) / simulated:.2f} s (best of {REPEATS}), CPU {min(cpu) / simulated:.2f} s; "
        f"{run.iterations_mean:.1f} corrections a step",
        reach,
    )
