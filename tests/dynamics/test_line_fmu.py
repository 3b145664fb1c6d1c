"""The line as an FMU under a lumped pantograph of its own: against the program's own run, and by a second master."""

import numpy as np
import pytest

from catenary.errors import InputError
from dynamics.contact_force.filters import filter_record
from dynamics.line_fmu.pack import refuse_unfit_line, write_line_fmu
from dynamics.pantograph.fmu.archive import FmuError, unpack
from dynamics.pantograph.fmu.library import Instance
from dynamics.pantograph.lumped import chain_matrix
from dynamics.simulation import run_case

FORCE = 170.0
OPEN_LINE = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
OUTPUTS = ("contact_wire_height", "next_free_height", "next_yield")


class OwnMaster:
    """The FMU stepped by this project's own master."""

    def __init__(self, file, folder, values):
        self.instance, self.step = Instance(unpack(file, folder), values), None

    def read(self):
        return self.instance.get(OUTPUTS)

    def advance(self, force, dt):
        self.instance.set(("contact_force",), (force,))
        self.instance.step(dt)


class SecondMaster:
    """The same stepped by FMPy."""

    def __init__(self, file, folder, values):
        fmpy = pytest.importorskip("fmpy", reason="no FMPy: pip install fmpy==0.3.32")
        from fmpy.fmi2 import FMU2Slave

        about = fmpy.read_model_description(str(file), validate=True)
        self.of = {each.name: each.valueReference for each in about.modelVariables}
        self.slave = FMU2Slave(
            guid=about.guid, unzipDirectory=fmpy.extract(str(file), str(folder)), instanceName="line",
            modelIdentifier=about.coSimulation.modelIdentifier,
        )  # fmt: skip
        self.slave.instantiate()
        self.slave.setupExperiment(startTime=0.0)
        self.slave.setReal([self.of[name] for name in values], list(values.values()))
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()
        self.time = 0.0

    def read(self):
        return self.slave.getReal([self.of[name] for name in OUTPUTS])

    def advance(self, force, dt):
        self.slave.setReal([self.of["contact_force"]], [force])
        self.slave.doStep(currentCommunicationPoint=self.time, communicationStepSize=dt)
        self.time += dt


def case_at(build_case, stiffness, **changes):
    """At the speed at which a span is a whole number of steps: the FMU takes dt as it is."""
    return build_case(
        "bruni_2015", 3.6 * 55.0 / 0.619, applied_force_N=FORCE, solver="open_line", dt=1e-3,
        open_line=OPEN_LINE | changes.pop("open_line", {}), contact={"stiffness": stiffness}, **changes,
    )  # fmt: skip


def coupled(case, file, folder, master, steps):
    """Contact force (step,) of lumped masses under the FMU: solved for in its own step, its mean handed over."""
    spec, k, dt = case.pantograph, case.contact.stiffness, case.dt
    M, C, K = np.diag(spec.masses), chain_matrix(spec.dampings), chain_matrix(spec.stiffnesses)
    head, base = np.eye(3)[0], np.eye(3)[-1]
    A = np.linalg.inv(2.0 * M / dt + C + 0.5 * dt * K)
    heights = []
    for n, force in enumerate((0.0, 100.0)):
        one = master(file, folder / f"rest{n}", {"initial_force": force})
        heights.append(one.read()[0])
    soft = (heights[1] - heights[0]) / 100.0 + 1.0 / k
    flexible = np.linalg.inv(K)
    lam = ((flexible @ base)[0] * FORCE - heights[0]) / (soft + flexible[0, 0])
    z, v = flexible @ (base * FORCE - head * lam), np.zeros(3)
    line, found = master(file, folder / "run", {"initial_force": lam}), []
    for _ in range(steps):
        _, free, own = line.read()
        still = A @ (2.0 * M @ v / dt - K @ z + base * FORCE)
        gives = dt * (A @ head)[0] + own
        gap = z[0] + dt * still[0] - free - 0.5 * gives * lam
        new = max(0.0, k * gap / (1.0 + 0.5 * k * gives))
        mean = 0.5 * (lam + new)
        w = still - mean * (A @ head)
        z, v, lam = z + dt * w, 2.0 * w - v, new
        line.advance(mean, dt)
        found.append(lam)
    return np.array(found)


@pytest.mark.parametrize("stiffness", [50e3, 200e3])
def test_a_pantograph_under_the_fmu_is_one_under_the_line(build_case, c_compiler, tmp_path, stiffness):
    """Sigma and the force itself, with droppers that go slack."""
    case = case_at(build_case, stiffness)
    run = run_case(case, error_estimate=False)
    assert case.time_step == pytest.approx(case.dt, rel=1e-12)
    kept, leading = run.solution.histories, run.solution.leading
    write_line_fmu(case, tmp_path / "line.fmu")
    force = coupled(case, tmp_path / "line.fmu", tmp_path, OwnMaster, len(kept.time))
    own = kept.contact_force[:, 0]
    assert (kept.dropper_force < 1e-4).any()
    cut, signal = leading.evaluated, case.signal
    filtered = filter_record(force, case.dt, 0.0, signal.cutoff_hz, signal.kind)[cut]
    assert filtered.std() == pytest.approx(run.contact_force_std_N, rel=3e-4)
    np.testing.assert_allclose(filtered, leading.contact_force_filtered[cut], rtol=0, atol=5e-4 * np.ptp(own))


def test_a_second_master_gives_the_same_forces(build_case, c_compiler, tmp_path):
    pytest.importorskip("fmpy", reason="no FMPy: pip install fmpy==0.3.32")
    case = case_at(build_case, 50e3)
    write_line_fmu(case, tmp_path / "line.fmu")
    own, other = (coupled(case, tmp_path / "line.fmu", tmp_path / m.__name__, m, 50) for m in (OwnMaster, SecondMaster))
    np.testing.assert_array_equal(own, other)


def test_a_force_that_rests_lifts_the_wire_by_its_softness(build_case, c_compiler, tmp_path):
    """Nothing moves that was at rest under a force that stays, and what the coming step yields is what it does."""
    case = case_at(build_case, 50e3)
    write_line_fmu(case, tmp_path / "line.fmu")
    line = OwnMaster(tmp_path / "line.fmu", tmp_path / "one", {"initial_force": 100.0, "speed": 1e-9})
    before = line.read()[0]
    line.advance(100.0, 1e-3)
    height, free, own = line.read()
    assert height == pytest.approx(before, abs=1e-9)
    line.advance(130.0, 1e-3)
    assert line.read()[0] == pytest.approx(free + 130.0 * own, abs=1e-12)


def test_what_a_master_does_wrong_is_said_in_a_sentence(build_case, c_compiler, tmp_path):
    case = case_at(build_case, 50e3)
    write_line_fmu(case, tmp_path / "line.fmu")
    archive = unpack(tmp_path / "line.fmu", tmp_path / "one")
    with pytest.raises(FmuError, match="fmi2DoStep"):
        Instance(archive, {}).step(0.7e-3)
    with pytest.raises(FmuError, match="fmi2SetReal"):
        Instance(archive, {"station": 3.0})
    with pytest.raises(FmuError, match="fmi2EnterInitializationMode"):
        Instance(archive, {"start_station": -5.0})
    end = Instance(archive, {"start_station": case.catenary.station(6.0) - 0.15})
    with pytest.raises(FmuError, match="fmi2DoStep"):
        for _ in range(3):
            end.step(1e-3)


def test_what_is_not_linear_is_refused(build_case):
    with pytest.raises(InputError, match="kinematics must be linearised"):
        refuse_unfit_line(case_at(build_case, 50e3, kinematics="nonlinear"))
    with pytest.raises(InputError, match=r"integrator must be newmark: got hht"):
        refuse_unfit_line(case_at(build_case, 50e3, open_line={"integrator": "hht"}))
