"""The contact wire as a taut string gives loads and lengths near enough to form-finding for a search to start from."""

import numpy as np
import pytest
from cheap_evaluation import case_of

from catenary.errors import InputError
from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from optimise.design.space import DesignSpace
from optimise.design.string_model import nominal_loads, shortest_dropper
from optimise.spec.campaign import DesignSpec

RE330 = case_of().catenary
BRUNI = case_of("bruni_2015", "bruni_2015").catenary
LINES = {"stitched": RE330, "pre-sag": BRUNI}


@pytest.mark.parametrize("name", LINES)
def test_the_taut_wire_gives_the_loads_of_form_finding(name):
    # bending stiffness and the slope of the droppers are left out of the string
    assert nominal_loads(LINES[name]) == pytest.approx(periodic_equilibrium(LINES[name]).dropper_force, rel=0.03)


@pytest.mark.parametrize(
    ("line", "tolerance"),
    [
        (BRUNI, 0.02),
        (BRUNI.model_copy(update={"encumbrance": 0.8, "span_length": 55.0}), 0.02),
        (RE330, 0.15),  # a stitch wire lifts the messenger wire at its clamps
    ],
)
def test_the_shortest_dropper_is_that_of_form_finding(line, tolerance):
    assert shortest_dropper(line) == pytest.approx(
        periodic_equilibrium(line).dropper_unstretched_length.min(), abs=tolerance
    )


@pytest.mark.parametrize("kind", ["heights", "spacing", "both"])
@pytest.mark.parametrize("name", LINES)
def test_the_first_step_of_a_search_hangs_no_dropper_slack(name, kind):
    space, chance = DesignSpace(LINES[name], DesignSpec(kind=kind)), np.random.default_rng(1)
    high = np.array([v.high for v in space.variables])
    for _ in range(10):
        values = np.clip(chance.normal(0.0, high / 3.0), -high, high)
        assert periodic_equilibrium(space.spec_of(values)).dropper_force.min() > 0.0


def test_a_nominal_line_with_a_slack_dropper_is_refused():
    content = RE330.model_dump()
    content["droppers"]["contact_wire_heights"] = (0.0, 0.0, -0.06, 0.0, 0.0, 0.0, -0.06, 0.0, 0.0)
    with pytest.raises(InputError, match=r"dropper 3 .* must carry load: it would carry about -\d+ N"):
        DesignSpace(CatenarySpec.model_validate(content), DesignSpec())
