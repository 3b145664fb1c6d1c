"""Arms, rod and head in Exudyn, a multibody program: a template for bushings, clearances and flexible members.

Sizes are those of `conf/pantograph/articulated.yaml`, without friction. With ``bushing`` [N/m] a rubber bushing in
place of the joint at the knee. Lengths in m, x forwards and z upwards from the lower arm's joint on the base.
"""

import exudyn as exu
import numpy as np

GRAVITY = 9.81  # m/s2
LOWER, UPPER, ROD = 1.45, 1.8, 1.64  # m, joint to joint
MASSES, INERTIAS = (32.0, 14.0, 4.0), (7.0, 4.5, 4.0 * 1.64**2 / 12.0)  # kg, kg m2: lower arm, upper arm, rod
CENTRES = (0.6, 0.75, 0.82)  # m, of mass, from each body's lower joint
ROD_JOINT, HEEL, HEEL_ANGLE = np.array([0.15, -0.21]), 0.071, np.deg2rad(78.5)
APEX_MASS, ARM_DAMPING = 3.0, 600.0  # kg, N m s/rad
HEAD_MASS, HEAD_STIFFNESS, HEAD_DAMPING = 7.5, 7000.0, 45.0  # kg, N/m, N s/m
WORKING_HEIGHT = 1.3  # m, of the apex


def directions(angle):
    """Unit vectors along lower arm, upper arm and rod by the lower arm's angle over the horizontal [rad]."""
    lower = np.array([-np.cos(angle), np.sin(angle)])
    across = ROD_JOINT - LOWER * lower
    distance = np.hypot(*across)
    turn = np.arccos((distance**2 + HEEL**2 - ROD**2) / (2.0 * distance * HEEL))
    heel = np.arctan2(across[1], across[0]) - turn
    upper = heel - np.pi - HEEL_ANGLE
    rod = LOWER * lower + HEEL * np.array([np.cos(heel), np.sin(heel)]) - ROD_JOINT
    return lower, np.array([np.cos(upper), np.sin(upper)]), rod / ROD


def heights(angle):
    """Heights of the three centres of mass and of the apex [m]."""
    lower, upper, rod = directions(angle)
    knee = LOWER * lower[1]
    return np.array([CENTRES[0] * lower[1], knee + CENTRES[1] * upper[1], ROD_JOINT[1] + CENTRES[2] * rod[1],
                     knee + UPPER * upper[1]])  # fmt: skip


class Pantograph:
    """Three rigid bodies and a head, lifted by a torque on the lower arm that carries all weights as it stands."""

    def __init__(self, applied_force, bushing=0.0):
        low, high = 0.2, 0.8  # rad; the apex rises with the angle
        while high - low > 1e-12:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if heights(middle)[3] < WORKING_HEIGHT else (low, middle)
        rises = (heights(low + 1e-6) - heights(low - 1e-6)) / 2e-6
        weights = GRAVITY * np.array([*MASSES, APEX_MASS + HEAD_MASS])
        torque = rises @ weights + rises[3] * applied_force
        self._container = exu.SystemContainer()
        self._system = self._container.AddSystem()
        self._build(low, torque, bushing)
        self._system.Assemble()
        self._settings = exu.SimulationSettings()
        self._settings.timeIntegration.numberOfSteps, self._settings.timeIntegration.verboseMode = 1, 0
        self._settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        self._settings.solution.file.write = False
        self._time, self.head = 0.0, (0.0, 0.0)

    def _build(self, angle, torque, bushing):
        it, add = exu.itemInterface, self._system
        ground = add.AddObject(it.ObjectGround())
        along = directions(angle)
        starts = np.zeros(2), LOWER * along[0], ROD_JOINT
        nodes, bodies = [], []
        for mass, inertia, centre, way, start in zip(MASSES, INERTIAS, CENTRES, along, starts, strict=True):
            place = [*(start + centre * way), np.arctan2(way[1], way[0])]
            nodes.append(add.AddNode(it.NodeRigidBody2D(referenceCoordinates=place)))
            bodies.append(add.AddObject(it.ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=nodes[-1])))

        def marker(body, x, z=0.0):
            return add.AddMarker(it.MarkerBodyRigid(bodyNumber=body, localPosition=[x, z, 0.0]))

        (lower, upper, rod), (a, b, c) = bodies, CENTRES
        heel = HEEL * np.array([np.cos(np.pi + HEEL_ANGLE), np.sin(np.pi + HEEL_ANGLE)])
        base, on_base = marker(ground, 0.0), marker(ground, *ROD_JOINT)
        knee = [marker(lower, LOWER - a), marker(upper, -b)]
        joints = [[base, marker(lower, -a)], [on_base, marker(rod, -c)],
                  [marker(rod, ROD - c), marker(upper, heel[0] - b, heel[1])]]  # fmt: skip
        if bushing > 0.0:
            soft = {"stiffness": [bushing, bushing, 0.0], "damping": [1e-3 * bushing, 1e-3 * bushing, 0.0]}
            add.AddObject(it.ObjectConnectorCartesianSpringDamper(markerNumbers=knee, **soft))
        else:
            joints.append(knee)
        for pair in joints:
            add.AddObject(it.ObjectJointRevolute2D(markerNumbers=pair))
        for body, mass in zip(bodies, MASSES, strict=True):
            add.AddLoad(it.LoadForceVector(markerNumber=marker(body, 0.0), loadVector=[0.0, -GRAVITY * mass, 0.0]))
        add.AddLoad(it.LoadTorqueVector(markerNumber=marker(lower, 0.0), loadVector=[0.0, 0.0, -torque]))
        still = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=add.AddNode(it.NodePointGround()), coordinate=0))
        turning = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=2))
        damper = it.ObjectConnectorCoordinateSpringDamper
        add.AddObject(damper(markerNumbers=[still, turning], stiffness=0.0, damping=ARM_DAMPING))
        self._on_apex(marker(upper, UPPER - b), [*(LOWER * along[0] + UPPER * along[1])])

    def _on_apex(self, apex, place):
        """Mass at the apex, and the head on its spring, whose length at rest carries the head's weight."""
        it, add = exu.itemInterface, self._system
        point = add.AddNode(it.NodePoint2D(referenceCoordinates=place))
        fixed = add.AddMarker(it.MarkerBodyPosition(
            bodyNumber=add.AddObject(it.ObjectMassPoint2D(mass=APEX_MASS, nodeNumber=point))))  # fmt: skip
        add.AddObject(it.ObjectJointSpherical(markerNumbers=[apex, fixed], constrainedAxes=[1, 1, 0]))
        add.AddLoad(it.LoadForceVector(
            markerNumber=fixed, loadVector=[0.0, -GRAVITY * (APEX_MASS + HEAD_MASS), 0.0]))  # fmt: skip
        self._head = add.AddNode(it.Node1D(referenceCoordinates=[0.0]))
        add.AddObject(it.ObjectMass1D(nodeNumber=self._head, mass=HEAD_MASS))
        above = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=self._head, coordinate=0))
        below = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=point, coordinate=1))
        add.AddObject(it.ObjectConnectorCoordinateSpringDamper(
            markerNumbers=[below, above], stiffness=HEAD_STIFFNESS, damping=HEAD_DAMPING))  # fmt: skip
        self._load = add.AddLoad(it.LoadCoordinate(markerNumber=above, load=0.0))

    def step(self, force, dt):
        """Advance by one step of the line under a force on the head, downwards."""
        self._system.SetLoadParameter(self._load, "load", -force)
        own = self._settings.timeIntegration
        own.startTime, own.endTime = self._time, self._time + dt
        self._system.SolveDynamic(self._settings, updateInitialValues=True)
        self._time += dt
        kinds = exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t
        self.head = tuple(float(np.ravel(self._system.GetNodeOutput(self._head, kind))[0]) for kind in kinds)
