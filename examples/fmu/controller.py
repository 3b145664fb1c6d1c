"""A controller as an FMU: a template for a law of your own, built by ``pythonfmu build -f controller.py``.

Replace the law; keep the variables, or name yours in the pantograph's YAML. It is initialised with what is measured at
the start of the run; then ``do_step`` is called once a control step, with what is measured at its end.
"""

import math

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class Controller(Fmi2Slave):
    """PI of the contact force with an integral that leaks; errors run along straight lines from step to step."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.contact_force = 0.0  # N
        self.reference = 0.0  # N, the mean contact force that is wanted
        self.proportional = 0.5  # N per N
        self.integral = 2.0  # N per N s
        self.leak_hz = 0.5  # below which the integral forgets
        self.command = 0.0  # N, upwards
        self.error, self.added = 0.0, 0.0
        self.register_variable(Real("contact_force", causality=Fmi2Causality.input))
        parameter = {"causality": Fmi2Causality.parameter, "variability": Fmi2Variability.tunable}
        for name in ("reference", "proportional", "integral", "leak_hz"):
            self.register_variable(Real(name, **parameter))
        self.register_variable(Real("command", causality=Fmi2Causality.output))

    def exit_initialization_mode(self):
        """Answer to what is measured at the start."""
        self.error = self.reference - self.contact_force
        self.command = self.proportional * self.error

    def do_step(self, current_time, step_size):
        """Advance by a control step, at whose end the contact force is what is measured now."""
        before, self.error = self.error, self.reference - self.contact_force
        half, leak = 0.5 * step_size, 2.0 * math.pi * self.leak_hz
        kept, by_error = 1.0 - half * leak, half * self.integral
        self.added = (kept * self.added + by_error * (before + self.error)) / (1.0 + half * leak)
        self.command = self.proportional * self.error + self.added
        return True
