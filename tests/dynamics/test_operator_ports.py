"""What stations do to the bare contact wire, against the endless wire in closed form."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.line_operator.answers import Contour, line_answers
from dynamics.line_operator.contact import contact_system
from dynamics.line_operator.kernel import damped_bays, network_answers
from dynamics.line_operator.network import line_network
from dynamics.line_operator.poles.search import find_poles
from dynamics.line_operator.ports import port_answers


def bare_wire_between_stations(network, omega, T):
    """Stiffness of the endless contact wire at its stations, next periods turned (station, station) [N/m]."""
    (tension, bending, mass), x, L = network.wire, network.stations, network.period
    (tau,), (mu,) = (np.unique(each) for each in damped_bays(omega, network.bays))
    a, t, m = bending * tau, tension * tau, mass * mu
    root = np.sqrt(t * t - 4.0 * a * m)
    roots = np.sqrt(2.0 * m / (t + root)), np.sqrt((t + root) / (2.0 * a))
    apart, phase, soft = x[:, None] - x, np.exp(-1j * omega * T), 0.0
    for r, sign in zip(roots, (1.0, -1.0), strict=True):
        here, ahead, behind = (np.exp(-r * each) for each in (np.abs(apart), L - apart, L + apart))
        once = np.exp(-r * L)  # sources of all periods: geometric series, which hold below the axis, too
        waves = here + ahead * phase / (1.0 - once * phase) + behind / phase / (1.0 - once / phase)
        soft = soft + sign * waves / r
    return np.linalg.inv(soft / (2.0 * a * (roots[1] ** 2 - roots[0] ** 2)))


@pytest.mark.parametrize("omega", [9.0 - 1.0j, 40.0 - 2.5j])
@pytest.mark.parametrize("dimension", ["planar", "spatial"])
@pytest.mark.parametrize("name", ["bruni_2015", "re330"])
def test_forces_on_the_bare_wire_are_those_that_make_it_move_as_the_network_does(build_line, name, dimension, omega):
    """f = D (X D - 1) i, D the bare wire's stiffness, X the network's answers at stations, whatever is attached.

    Heights that go up and down by 4 cm give its chords slopes that count.
    """
    count = len(build_line(name).droppers.positions)
    heights = tuple(0.04 * (-1.0) ** np.arange(count))
    line = build_line(name, dimension=dimension, droppers={"contact_wire_heights": heights})
    network = line_network(periodic_equilibrium(line))
    T, S, at = network.period / (275.0 / 3.6), len(network.stations), np.array([omega])
    D = bare_wire_between_stations(network, omega, T)
    (X,), _ = network_answers(at, *network.arguments(T), np.eye(network.n)[:, network.station_dof])
    found = port_answers(at, *network.arguments(T), network.ports)[0][0, :S, :S]
    assert np.abs(network.ports.tilt).max() > 0.01
    assert np.abs(found - (D @ X @ D - D)).max() < 1.0e-8 * np.abs(found).max()


@pytest.mark.parametrize("tension", [20790.0, 20806.0])
def test_a_wave_of_the_bare_wire_next_to_a_frequency_of_the_contour_leaves_the_line(tension, build_line, build_case):
    """With 20,806 N harmonic 9 of the bare wire has its pole 0.4 % of a step from a frequency of four images."""
    line = build_line("bruni_2015", contact_wire={"tension": tension})
    case, eq = build_case(line, 272.454, mean_force_N=140.0), periodic_equilibrium(line)
    network = line_network(eq)
    T = network.period / case.speed
    poles = find_poles(network, T)
    few, many = (Contour(T, case.speed, 45, images=images, decay=8.0) for images in (4, 6))
    gap = np.abs(poles_of_waves(network, few)[:, None] - few.frequencies(0, few.count)).min() / few.step
    assert (gap < 5.0e-3) == (tension == 20806.0)
    H = [contact_system(case, eq, (network, c), line_answers(network, c, poles.felt.omega)).line for c in (few, many)]
    assert np.abs(H[0] - H[1]).max() < 2.0e-3 * np.abs(H[1]).max()


def poles_of_waves(network, contour):
    """Poles of the waves that run ahead of the contact force's harmonics on the bare wire, by Newton's method."""
    (tension, bending, mass), alpha, beta = network.bare
    pulse = contour.pulses[contour.pulses > 0.0]
    w = pulse / (1.0 - contour.speed * np.sqrt(mass / tension)) + 0.0j
    for _ in range(30):
        x = 1j * (w - pulse) / contour.speed
        slope = 1j / contour.speed
        bent, moved = bending * x**4 - tension * x**2, mass * (1j * w * alpha - w**2)
        turned = (4.0 * bending * x**3 - 2.0 * tension * x) * slope
        value = (1.0 + 1j * w * beta) * bent + moved
        w = w - value / ((1.0 + 1j * w * beta) * turned + 1j * beta * bent + mass * (1j * alpha - 2.0 * w))
    return w
