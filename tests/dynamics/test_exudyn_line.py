"""A pantograph of three masses stepped by Exudyn, a multibody program of others, under a line that is marched."""

import numpy as np
import pytest

from dynamics.open_line.devices import driven_heads
from dynamics.pantograph.fmu.device import FmuDevice, Head
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.pantograph import PantographSpec

exu = pytest.importorskip("exudyn", reason="no Exudyn: pip install exudyn==1.13.6")

OPEN_LINE = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
SUBSTEPS = 4


class ExudynDevice(FmuDevice):
    """Masses, springs and dampers in Exudyn, stepped and set back as an FMU is; no process of its own."""

    def __init__(self, spec, applied_force):
        self._spec, self._applied = spec, applied_force
        self.restart()

    def restart(self):
        own, it = load_pantograph("bruni_2015"), exu.itemInterface
        self._container = exu.SystemContainer()
        self._system = add = self._container.AddSystem()
        ground = add.AddNode(it.NodePointGround())
        below = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        chain = zip(own.masses[::-1], own.stiffnesses[::-1], own.dampings[::-1], strict=True)
        for k, (mass, stiffness, damping) in enumerate(chain):
            self._head_node = add.AddNode(it.Node1D(referenceCoordinates=[0.0]))
            add.AddObject(it.ObjectMass1D(nodeNumber=self._head_node, mass=mass))
            marker = add.AddMarker(it.MarkerNodeCoordinate(nodeNumber=self._head_node, coordinate=0))
            joint = it.ObjectConnectorCoordinateSpringDamper
            add.AddObject(joint(markerNumbers=[below, marker], stiffness=stiffness, damping=damping))
            if k == 0:
                add.AddLoad(it.LoadCoordinate(markerNumber=marker, load=self._applied))
            below = marker
        self._load = add.AddLoad(it.LoadCoordinate(markerNumber=below, load=0.0))
        add.Assemble()
        self._time, self._settings = 0.0, exu.SimulationSettings()
        self._settings.timeIntegration.verboseMode = 0
        self._settings.timeIntegration.numberOfSteps = SUBSTEPS
        self._settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
        self._settings.timeIntegration.generalizedAlpha.computeInitialAccelerations = True
        self._settings.solution.file.write = False
        self.head = Head(0.0, 0.0)

    def step(self, force, dt):
        self._system.SetLoadParameter(self._load, "load", -force)
        own = self._settings.timeIntegration
        own.startTime, own.endTime = self._time, self._time + dt
        self._system.SolveDynamic(self._settings, updateInitialValues=True)
        self._time += dt
        kinds = exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t
        self.head = Head(*(float(np.ravel(self._system.GetNodeOutput(self._head_node, kind))[0]) for kind in kinds))
        return self.head

    def close(self):
        """Nothing is to be ended."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@pytest.mark.parametrize("contact_stiffness", [50e3, 200e3])
def test_sigma_under_exudyn_is_that_of_the_monolithic_run(build_case, tmp_path, monkeypatch, contact_stiffness):
    """The line's coupling rule alone stands between both: 0.1 % of sigma at 1 ms."""
    monkeypatch.setattr(driven_heads, "FmuDevice", ExudynDevice)
    (file := tmp_path / "none.fmu").write_bytes(b"no FMU: Exudyn steps the masses")
    head = PantographSpec.model_validate({"kind": "fmu", "name": "exudyn", "fmu": {"file": str(file), "settle_s": 1.0}})

    def ran(pantograph):
        content = {"solver": "open_line", "open_line": OPEN_LINE, "dt": 1e-3, "applied_force_N": 170.0}
        case = build_case(
            "bruni_2015", 320.0, pantograph=pantograph, run_fmu=pantograph.kind == "fmu",
            contact={"stiffness": contact_stiffness}, **content,
        )  # fmt: skip
        return run_case(case, error_estimate=False)

    native, driven = ran(load_pantograph("bruni_2015")), ran(head)
    print(f"{contact_stiffness:g} N/m: {driven.contact_force_std_N:.4f} by Exudyn, {native.contact_force_std_N:.4f} N")
    assert driven.contact_force_std_N == pytest.approx(native.contact_force_std_N, rel=1e-3)
    assert driven.contact_force_mean_N == pytest.approx(native.contact_force_mean_N, rel=1e-4)
