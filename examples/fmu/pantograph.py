"""A pantograph as an FMU: a template for a model of your own, built by ``pythonfmu build -f pantograph.py``.

Replace masses and equations; keep the four variables, or name yours in the pantograph's YAML. Between two calls of
``do_step`` the contact force is held: take as many steps of your own as your model needs.
"""

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real

MASSES = (7.5, 9.0, 6.0)  # kg, head first
STIFFNESSES = (7000.0, 15500.0, 160.0)  # N/m, the last one to the base
DAMPINGS = (45.0, 0.1, 100.0)  # N s/m
STEPS = 4  # of the model's own in one of the line


class Pantograph(Fmi2Slave):
    """Three masses in a chain, stepped by the midpoint rule."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.contact_force = 0.0  # N, presses the head down
        self.applied_force = 0.0  # N, at the lowest mass upwards
        self.head_height = 0.0  # m, over the contact wire's height at the support
        self.head_velocity = 0.0  # m/s, upwards
        self.z, self.v = [0.0] * len(MASSES), [0.0] * len(MASSES)
        self.register_variable(Real("contact_force", causality=Fmi2Causality.input))
        parameter = {"causality": Fmi2Causality.parameter, "variability": Fmi2Variability.tunable}
        self.register_variable(Real("applied_force", **parameter))
        self.register_variable(Real("head_height", causality=Fmi2Causality.output))
        self.register_variable(Real("head_velocity", causality=Fmi2Causality.output))

    def accelerations(self, z, v):
        """Accelerations of the masses [m/s2]."""
        pull = [
            k * (z[i] - (z[i + 1] if i + 1 < len(z) else 0.0)) + c * (v[i] - (v[i + 1] if i + 1 < len(v) else 0.0))
            for i, (k, c) in enumerate(zip(STIFFNESSES, DAMPINGS, strict=True))
        ]
        force = [-pull[i] + (pull[i - 1] if i else -self.contact_force) for i in range(len(z))]
        force[-1] += self.applied_force
        return [f / m for f, m in zip(force, MASSES, strict=True)]

    def do_step(self, current_time, step_size):
        """Advance by one step of the line."""
        h = step_size / STEPS
        for _ in range(STEPS):  # the midpoint rule, second order
            a = self.accelerations(self.z, self.v)
            z = [x + 0.5 * h * w for x, w in zip(self.z, self.v, strict=True)]
            v = [w + 0.5 * h * b for w, b in zip(self.v, a, strict=True)]
            a = self.accelerations(z, v)
            self.z = [x + h * w for x, w in zip(self.z, v, strict=True)]
            self.v = [w + h * b for w, b in zip(self.v, a, strict=True)]
        self.head_height, self.head_velocity = self.z[0], self.v[0]
        return True
