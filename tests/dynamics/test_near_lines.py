"""Lines next to one that was solved, formed in one pass: the numbers that each has when it is formed by itself."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.form_finding.neighbours import neighbouring_equilibria
from dynamics.adjoint.by_operator.near_lines import NearLines, numbers_of
from dynamics.line_operator.network import line_network

HARMONICS = 20


def moved(line, key, k, step):
    values = [v + step * (j == k) for j, v in enumerate(getattr(line.droppers, key))]
    return line.with_changes(droppers={key: values})


@pytest.mark.parametrize(
    ("name", "changes"),
    [("bruni_2015", {}), ("re330", {}), ("re330", {"dimension": "spatial"}), ("shinkansen_compound", {})],
)
def test_lines_formed_in_one_pass_have_their_own_numbers(build_line, name, changes):
    line = build_line(name, **changes)
    base = periodic_equilibrium(line)
    specs = [moved(line, "contact_wire_heights", 1, 1e-6), moved(line, "positions", 2, 1e-5)]
    heavier = line.with_changes(contact_wire={"tension": line.contact_wire.tension * (1.0 + 1e-6)})
    near = neighbouring_equilibria(base, [*specs, heavier], first_order=True)
    network = line_network(base)
    together, apart = (NearLines(base, network, HARMONICS, lines) for lines in (near, ()))
    for one in (base, *near):
        got, own = together.of(one), line_network(one)
        np.testing.assert_allclose(got.numbers, numbers_of(own.bays, own.points, own.stations), rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(got.static, apart.of(one).static, rtol=0.0, atol=1e-15)
        assert got.network.bare == own.bare
    assert [together.of(one).like is network for one in near] == [True, True, False]
    assert np.abs(together.of(near[1]).numbers - together.of(base).numbers).max() > 1e-6
