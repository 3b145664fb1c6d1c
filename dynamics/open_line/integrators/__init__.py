"""Time integrators through one protocol: `init` makes what a step needs, `step` is compiled, `order` is declared.

None of them owns the loop: that is `dynamics.open_line.march`.
"""

from dynamics.open_line.integrators.registry import INTEGRATORS, Integrator
from dynamics.open_line.integrators.scheme import Matrices, Request, Scheme, StepFailure, make_work
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
