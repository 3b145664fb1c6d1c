"""PantoCat: its table 1 by beam elements, and elasticity by statics and by a creeping pantograph.

The paper's sentences are quoted in pantocat_elasticity.txt, its table in en50318_2002.txt. At 100 N it sees no
difference; 2 % of the largest value is what is accepted here.
"""

from pathlib import Path

import numpy as np
import pytest

from studies.validation.cases import case_from
from studies.validation.gates.gates import load_gates
from studies.validation.pantocat import Creep, compare, creeping_elasticity

PRINTED = Path(__file__).with_name("pantocat_elasticity.txt")


@pytest.fixture(scope="module")
def gate():
    return load_gates().pantocat


def test_the_slow_run_has_the_contact_and_the_forces_of_the_paper(gate):
    text = PRINTED.read_text(encoding="utf-8")
    assert "K=200 10^3 N/m, e=1 and n=1" in text and "F=100N" in text and "F=200N" in text
    case = case_from([*gate.creep_overrides, "applied_force_N=100"])
    assert (case.contact.stiffness, case.contact.exponent, case.contact.restitution) == (200e3, 1.0, 1.0)
    assert case.catenary.formulation == "beam"
    assert gate.creep_forces_N == (100.0, 200.0)
    assert gate.creep_tolerance_percent[1] is None, "the paper prints no size of the difference at 200 N"


def test_a_difference_is_of_the_largest_static_value():
    x, static = np.linspace(0.0, 55.0, 3), np.array([0.2e-3, 0.4e-3, 0.2e-3])
    assert Creep(x, static, static + np.array([0.0, 0.0, -0.02e-3])).difference_percent == pytest.approx(5.0)


@pytest.mark.validate
@pytest.mark.timeout(1800)
def test_statics_and_creeping_agree_along_the_span(gate):
    """10 km/h (measured: at most 1.3 % at 100 N and 1.2 % at 200 N, 0.3 % rms, 0.1 % of the span mean)."""
    for force in gate.creep_forces_N:
        creep = creeping_elasticity(gate.creep_overrides, force)
        assert creep.difference_percent < 2.0
        assert np.sqrt(np.mean((creep.creeping / creep.static - 1.0) ** 2)) < 0.01
        # soft in the middle of a span, stiff at its supports
        assert abs(creep.x[creep.static.argmax()] - 27.5) < 8.0
        assert creep.creeping.max() > 1.5 * creep.creeping.min()


@pytest.mark.validate
@pytest.mark.timeout(1800)
def test_every_row_of_the_paper():
    assert [row.case for row in compare(load_gates(), print).rows if row.verdict == "MISSED"] == []
