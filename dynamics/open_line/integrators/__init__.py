"""Time integrators through one protocol: `init` makes a scheme, `begin` and `step` are compiled, `order` is declared.

None of them owns the loop: that is `dynamics.open_line.march`, compiled once for each type of scheme.
"""

from dynamics.open_line.integrators.registry import INTEGRATORS, Integrator, Scheme
from dynamics.open_line.integrators.scheme import Matrices, Request, StepFailure, make_work
from dynamics.open_line.integrators.start import start_accelerations

__all__ = [
    "INTEGRATORS",
    "Integrator",
    "Matrices",
    "Request",
    "Scheme",
    "StepFailure",
    "make_work",
    "start_accelerations",
]
