"""ANCF cables compared with Euler-Bernoulli beams: the force of one element, form-finding, and the steady state."""

import numpy as np
import pytest
from numba import njit

from catenary.elements.formulation import element_of
from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.steady_state.periodic import solve_periodic

FORMULATIONS = ("ancf", "beam")
SWEEPS = 100
MARCH = "periodic.method=march"  # the operator has no elements


def over_all(force):
    """Compiled loop over all elements, as a time march has it."""

    @njit
    def every(q, l0, EA, EI, out):
        for _ in range(SWEEPS):
            for e in range(l0.size):
                force(q[e], l0[e], EA[e], EI[e], out[e])

    return every


@pytest.mark.benchmark
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_force_of_one_element(bruni, figure, timed, formulation):
    eq = periodic_equilibrium(bruni(275, f"formulation={formulation}").catenary)
    EA, EI = (wire_property(eq.spec, eq.mesh, f"{kind}_stiffness") for kind in ("axial", "bending"))
    q, l0, out = element_coordinates(eq.mesh, eq.q), eq.elem_l0, np.zeros((len(eq.elem_l0), 12))
    every = over_all(element_of(eq.spec).force)
    _, timing = timed(lambda: every(q, l0, EA, EI, out), repeats=30)
    figure(f"internal force of one element, {formulation}",
           f"{1e9 * timing.best_s / SWEEPS / len(l0):.0f} ns, best of 30", "<= 250 ns")  # fmt: skip


@pytest.mark.benchmark
@pytest.mark.parametrize("per_bay", [6, 12])
@pytest.mark.parametrize(("name", "pantograph", "speed"), [("bruni_2015", "bruni_2015", 275),
                                                           ("bruni_2015", "bruni_2015", 320),
                                                           ("re330", "dsa380", 300)])  # fmt: skip
@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_steady_state(case_of, figure, name, pantograph, speed, per_bay, dimension):
    line = (f"catenary={name}", f"pantograph={pantograph}", f"dimension={dimension}")
    mesh = f"catenary.mesh.elements_per_bay={per_bay}"
    found = []
    for formulation in FORMULATIONS:
        solution = solve_periodic(case_of(*line, mesh, f"speed_kmh={speed}", f"formulation={formulation}", MARCH))
        s = solution.statistics
        assert s is not None, solution.message
        found.append(s.contact_force_std_N)
        figure(f"{name}, {speed} km/h, {dimension}, {per_bay} a bay, {formulation}: mean, sigma, max, min, uplift",
               f"{s.contact_force_mean_N:.2f}, {s.contact_force_std_N:.3f}, {s.contact_force_max_N:.2f}, "
               f"{s.contact_force_min_N:.2f} N, {s.max_uplift_at_supports_mm:.2f} mm")  # fmt: skip
    figure("  sigma of beams against cables", f"{100 * (found[1] / found[0] - 1):+.3f} %", "within 1 %")
