"""The marched steady state, slack included, against a second way to it; and what that way would spare a march."""

import numpy as np
import pytest
from line_answer import LineAnswer

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.spec.status import Status
from dynamics.steady_state.anderson import Acceleration
from dynamics.steady_state.periodic import PLAIN_SPANS, iterate
from dynamics.steady_state.span_map import SpanMap

WINDOW = {"spans_behind": 30, "spans_ahead": 36, "tolerance": 1.0e-5, "max_spans": 300}


def whole_spans(span_map, monkeypatch):
    """Let a span map keep all that moves in the spans that it marches."""
    march = span_map.window.march
    monkeypatch.setattr(span_map.window, "march", lambda state: march(state, whole=True))
    return span_map


@pytest.fixture(scope="module")
def lines(build_line, build_case):
    """Span map, fixed point and record of its span, of a simple and of a stitched line whose droppers slacken."""
    found = {}
    for name, speed in (("bruni_2015", 320.0), ("re330", 300.0)):
        case = build_case(build_line(name, elements_per_bay=3), speed, mean_force_N=160.0, periodic=WINDOW)
        with pytest.MonkeyPatch.context() as patch:
            span_map = whole_spans(SpanMap(case, periodic_equilibrium(case.catenary)), patch)
            x, _, _, status = iterate(span_map, span_map.static_start(), PLAIN_SPANS, None)
            assert status is Status.OK
            span_map.apply(x)
        found[name] = span_map, x, span_map.record
    return found


@pytest.fixture(scope="module", params=["bruni_2015", "re330"])
def solved(request, lines):
    return (*lines[request.param], LineAnswer(lines[request.param][0]))


def off_by(solved):
    """Distance of the answered from the marched state near the pantograph, relative: displacements, momenta."""
    span_map, x, record, line = solved
    answered = line.put_into(np.full_like(x, np.nan), record)
    both = (span_map._near, span_map._size + span_map._near)
    return [np.linalg.norm(answered[part] - x[part]) / np.linalg.norm(x[part]) for part in both]


def test_the_marched_state_is_what_the_line_answers_to_its_forces(solved):
    assert solved[2].motion.squeeze.max() > 100.0  # a dropper gives up all that it carries and its stiffness
    assert max(off_by(solved)) < 2.0e-3


def test_without_the_wave_that_outruns_the_train_the_line_answers_otherwise(solved, monkeypatch):
    line = solved[3]
    s = line.poles * line.N
    outrunning = int(np.where(s.imag < -0.02, np.abs(s.real - 18.0), np.inf).argmin())  # across the track, 3 Hz
    weight = line.weight.copy()
    weight[len(weight) - 4 * (len(s) - outrunning) :][:4] = 0.0
    monkeypatch.setattr(line, "weight", weight)
    assert off_by(solved)[0] > 0.05


def test_the_line_s_answer_spares_waiting_for_waves_to_leave(solved, monkeypatch):
    span_map, _, record, line = solved
    expected = record.force.std()
    errors = []
    for answering in (True, False):
        fresh = whole_spans(SpanMap(span_map.case, span_map.window.cell.equilibrium), monkeypatch)
        x, memory = fresh.static_start(), Acceleration(None, PLAIN_SPANS)
        for _ in range(8):
            mapped, feature = fresh.apply(x)
            x = line.put_into(mapped, fresh.record) if answering else memory.propose(mapped, feature)
        errors.append(abs(fresh.record.force.std() / expected - 1.0))
    assert errors[0] < 5.0e-3
    assert errors[0] < 0.2 * errors[1]
