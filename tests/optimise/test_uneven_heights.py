"""A line whose heights are not their own mirror image: its designs change it symmetrically."""

import numpy as np
import pytest
from cheap_evaluation import case_of

from optimise.design.space import DesignSpace
from optimise.spec.campaign import DesignSpec

RE330 = case_of().catenary
UNEVEN_MM = (0.0, -5.0, -8.0, -9.0, -8.0, -5.0, -3.0, -1.0, 0.0)


@pytest.mark.parametrize("kind", ["heights", "spacing", "both"])
def test_heights_that_are_not_symmetric_are_changed_symmetrically(kind):
    line = RE330.with_droppers(heights_mm=UNEVEN_MM)
    space = DesignSpace(line, DesignSpec(kind=kind))
    assert space.spec_of(np.zeros(len(space.variables))).droppers == line.droppers
    rng, high = np.random.default_rng(3), np.array([v.high for v in space.variables])
    for _ in range(20):
        v = high * rng.uniform(-0.9, 0.9, len(high))
        found = space.spec_of(v)
        x, z = np.array(found.droppers.positions), np.array(found.droppers.contact_wire_heights)
        np.testing.assert_allclose(x + x[::-1], line.span_length, atol=1e-9)
        change = z - space.droppers.profile(x)
        np.testing.assert_allclose(change, change[::-1], atol=1e-12)
        np.testing.assert_allclose(space.values_of(found), v, atol=1e-9)
        assert np.abs(change).max() <= space.design.height_change + 1e-12
        if kind == "spacing":
            np.testing.assert_allclose(change, 0.0, atol=1e-12)
        else:
            assert np.abs(change).max() > 1e-4
