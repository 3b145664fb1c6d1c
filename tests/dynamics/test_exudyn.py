"""Arms in motion by Exudyn, a multibody program of others: heights over time, and the forces in the joints."""

import numpy as np
import pytest
from linkage_bodies import stepped

from dynamics.pantograph.articulated import linkage
from dynamics.pantograph.bodies import ApexMotion, arms_in_motion
from dynamics.spec.case_input import load_pantograph

exu = pytest.importorskip("exudyn", reason="no Exudyn: pip install exudyn==1.13.6")

FORCE, PRESSED, END = 150.0, 190.0, 0.2
GRAVITY = 9.81
STEP = 1e-4


def places_at(spec, height):
    """Linkage with the apex at a height over the lower arm's joint."""
    fine = linkage(spec, np.linspace(0.2, 0.8, 2001))
    return linkage(spec, np.interp([height], fine.apex[1], fine.angle))


class Built:
    """Three rigid bodies, four revolute joints and a head of one mass, released at a height."""

    def __init__(self, spec, height):
        it = exu.itemInterface
        self.spec, self.container = spec, exu.SystemContainer()
        self.system = self.container.AddSystem()
        add, low, up = self.system, spec.lower_arm, spec.upper_arm
        at = places_at(spec, height)
        knee = at.centres[0][:, 0] * low.length / low.centre
        angles = np.pi + at.turns[0][0], at.turns[1][0], at.turns[2][0]
        whole = up.mass + spec.apex_mass
        centre = (up.mass * up.centre + spec.apex_mass * up.length) / whole
        inertia = up.inertia + up.mass * (up.centre - centre) ** 2 + spec.apex_mass * (up.length - centre) ** 2
        middle = knee + centre * np.array([np.cos(angles[1]), np.sin(angles[1])])
        heel = np.pi + np.deg2rad(spec.heel_angle_deg)
        ground = add.AddObject(it.ObjectGround())

        def body(mass, turning, place, angle):
            node = add.AddNode(it.NodeRigidBody2D(referenceCoordinates=[*place, angle]))
            return node, add.AddObject(it.ObjectRigidBody2D(mass=mass, inertia=turning, nodeNumber=node))

        self.nodes, bodies = zip(
            body(low.mass, low.inertia, at.centres[0][:, 0], angles[0]),
            body(whole, inertia, middle, angles[1]),
            body(spec.rod_mass, spec.rod_mass * spec.rod_length**2 / 12.0, at.centres[2][:, 0], angles[2]),
            strict=True,
        )

        def marker(number, x, y=0.0):
            return add.AddMarker(it.MarkerBodyRigid(bodyNumber=number, localPosition=[x, y, 0.0]))

        half, (lower, upper, rod) = 0.5 * spec.rod_length, bodies
        for first, second in (
            (marker(ground, 0.0), marker(lower, -low.centre)),
            (marker(lower, low.length - low.centre), marker(upper, -centre)),
            (marker(ground, spec.rod_joint_x, spec.rod_joint_z), marker(rod, -half)),
            (
                marker(rod, half),
                marker(upper, spec.heel_length * np.cos(heel) - centre, spec.heel_length * np.sin(heel)),
            ),
        ):
            add.AddObject(it.ObjectJointRevolute2D(markerNumbers=[first, second]))
        for number, mass in zip(bodies, (low.mass, whole, spec.rod_mass), strict=True):
            add.AddLoad(it.LoadForceVector(markerNumber=marker(number, 0.0), loadVector=[0.0, -GRAVITY * mass, 0.0]))
        self._head(it, marker(upper, up.length - centre), at.apex[0, 0])
        still = ApexMotion(*np.zeros((3, 1)), np.array([-FORCE]))
        self.torque = float(arms_in_motion(spec, still).torque[0])
        add.AddLoad(it.LoadTorqueVector(markerNumber=marker(lower, 0.0), loadVector=[0.0, 0.0, -self.torque]))
        turning = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=self.nodes[0], coordinate=2))
        fixed = add.AddNode(it.NodePointGround())
        fixed = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0))
        add.AddObject(
            it.ObjectConnectorCoordinateSpringDamper(
                markerNumbers=[fixed, turning], stiffness=0.0, damping=spec.damping
            )
        )

    def _head(self, it, apex, x):
        """Mass over the apex, whose weight its spring carries at rest, pressed downwards."""
        add, (mass, k, c) = self.system, (v[0] for v in self.spec.head.model_dump().values())
        self.head = add.AddNode(it.NodePoint2D(referenceCoordinates=[x, self.spec.working_height]))
        number = add.AddObject(it.ObjectMassPoint2D(mass=mass, nodeNumber=self.head))
        on_head = add.AddMarker(it.MarkerBodyPosition(bodyNumber=number))
        add.AddObject(
            it.ObjectConnectorCartesianSpringDamper(
                markerNumbers=[apex, on_head], stiffness=[0.0, k, 0.0], damping=[0.0, c, 0.0]
            )
        )
        add.AddLoad(it.LoadForceVector(markerNumber=on_head, loadVector=[0.0, -PRESSED, 0.0]))
        add.AddLoad(it.LoadForceVector(markerNumber=apex, loadVector=[0.0, -GRAVITY * mass, 0.0]))

    def run(self):
        """Angles of the bodies, height of the head over rest, and multipliers by joint at the end."""
        self.system.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.endTime, settings.timeIntegration.numberOfSteps = END, round(END / STEP)
        settings.timeIntegration.verboseMode = 0
        settings.solution.file.write = False
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        self.system.SolveDynamic(settings)
        rotated = [self.system.GetNodeOutput(n, exu.OutputVariableType.Rotation) for n in self.nodes]
        head = self.system.GetNodeOutput(self.head, exu.OutputVariableType.Position)[1] - self.spec.working_height
        forces = np.array(self.system.systemData.GetAECoordinates()).reshape(4, 2)
        return np.array([float(np.ravel(one)[-1]) for one in rotated]), float(head), forces


def test_arms_move_and_load_their_joints_as_exudyn_says(build_case):
    pantograph = load_pantograph("articulated").with_changes(articulated={"friction": [0.0] * 4, "lifting": "torque"})
    spec = pantograph.articulated
    line = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
    case = build_case(
        "bruni_2015", 275.0, applied_force_N=FORCE, pantograph=pantograph, solver="open_line", open_line=line
    )
    begin = 1.2 - spec.working_height
    angles, head, forces = Built(spec, 1.2).run()
    steps = 400
    own = stepped(case, np.array([0.0, begin]), lambda t: PRESSED, END / steps, steps)
    moved = np.abs(own - own[0]).max()
    assert moved > 0.02
    z, dt = own[:, 1], END / steps
    v, a = (float(np.polynomial.polynomial.polyfit(dt * np.arange(-8, 1), z[-9:], 5)[k] * k) for k in (1, 2))
    head_speed = float(np.polynomial.polynomial.polyfit(dt * np.arange(-8, 1), own[-9:, 0], 5)[1])
    load = spec.head.stiffnesses[0] * (own[-1, 0] - z[-1]) + spec.head.dampings[0] * (head_speed - v)
    found = arms_in_motion(spec, ApexMotion(*(np.array([x]) for x in (z[-1], v, a, load))))
    assert head == pytest.approx(own[-1, 0], abs=5e-4 * moved)
    np.testing.assert_allclose(np.exp(1j * angles), np.exp(1j * found.angle[0]), atol=5e-4 * moved)
    size = np.hypot(*found.reaction[0].T)
    np.testing.assert_allclose(np.hypot(*forces.T), size, rtol=5e-3)
