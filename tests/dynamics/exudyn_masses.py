"""Three masses in Exudyn as a user's pantograph."""

import exudyn as exu
import numpy as np

MASSES, STIFFNESSES, DAMPINGS = (7.5, 9.0, 6.0), (7000.0, 15500.0, 160.0), (45.0, 0.1, 100.0)
SUBSTEPS = 4


class Masses:
    """Masses, springs and dampers in Exudyn."""

    def __init__(self, applied_force):
        it = exu.itemInterface
        self._container = exu.SystemContainer()
        self._system = add = self._container.AddSystem()
        ground = add.AddNode(it.NodePointGround())
        below = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        chain = zip(MASSES[::-1], STIFFNESSES[::-1], DAMPINGS[::-1], strict=True)
        for k, (mass, stiffness, damping) in enumerate(chain):
            self._head_node = add.AddNode(it.Node1D(referenceCoordinates=[0.0]))
            add.AddObject(it.ObjectMass1D(nodeNumber=self._head_node, mass=mass))
            marker = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=self._head_node, coordinate=0))
            joint = it.ObjectConnectorCoordinateSpringDamper
            add.AddObject(joint(markerNumbers=[below, marker], stiffness=stiffness, damping=damping))
            if k == 0:
                add.AddLoad(it.LoadCoordinate(markerNumber=marker, load=applied_force))
            below = marker
        self._load = add.AddLoad(it.LoadCoordinate(markerNumber=below, load=0.0))
        add.Assemble()
        self._time, self._settings = 0.0, exu.SimulationSettings()
        self._settings.timeIntegration.verboseMode = 0
        self._settings.timeIntegration.numberOfSteps = SUBSTEPS
        self._settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
        self._settings.timeIntegration.generalizedAlpha.computeInitialAccelerations = True
        self._settings.solution.file.write = False
        self.head = (0.0, 0.0)

    def step(self, force, dt):
        """Advance under a force on the head, downwards."""
        self._system.SetLoadParameter(self._load, "load", -force)
        own = self._settings.timeIntegration
        own.startTime, own.endTime = self._time, self._time + dt
        self._system.SolveDynamic(self._settings, updateInitialValues=True)
        self._time += dt
        kinds = exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t
        self.head = tuple(float(np.ravel(self._system.GetNodeOutput(self._head_node, kind))[0]) for kind in kinds)
