"""Time integrators through one protocol: `init` makes what a step needs, `step` is compiled, `order` is declared.

None of them owns the loop: that is `dynamics.whole_line.march`.
"""

from dynamics.integrators.registry import INTEGRATORS, Integrator
from dynamics.integrators.scheme import Matrices, Request, Scheme, StepFailure, make_work
from dynamics.integrators.start import start_accelerations

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
