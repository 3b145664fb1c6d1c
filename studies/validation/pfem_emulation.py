"""One case of the emulated hardware loop: its matrices, its test from rest and from the predicted state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dynamics.influence.matrices import influence_matrices
from dynamics.rig.loop.device import lumped_device
from dynamics.rig.loop.emulation import emulate
from dynamics.rig.loop.model import PeriodicModel, model_of
from dynamics.rig.loop.settling import Settling, settling
from dynamics.rig.loop.steady import solve_steady
from dynamics.rig.whole_steps import whole_step_case
from dynamics.spec.case import CaseSpec
from studies.jobs.loop import LoopTestSpec
from studies.rig.emulation.charts import TestCurves
from studies.rig.emulation.trial import Chosen, EmulatedTest, choose, last_spans, run_chosen
from studies.validation.cases import case_from
from studies.validation.gates.pfem import DesignCase, LoopCase, MassCase, PfemGate

__all__ = ["Tested", "curves_of", "line_of", "run_case"]


@dataclass(frozen=True)
class Tested:
    """Results of one case.

    Attributes
    ----------
    test : EmulatedTest
        Starts from the predicted state; adds the long transient where there is a pantograph.
    rest : Settling
        Of the same test from rest.
    wrong : Settling or None
        Of a test whose device has another head than the one predicted for; None for a mass.
    apart : float
        RMS difference of that device's steady force from the predicted one [N].
    """

    test: EmulatedTest
    rest: Settling
    wrong: Settling | None
    apart: float


def line_of(gate: PfemGate, case: LoopCase) -> CaseSpec:
    """Case of a line, its speed such that a span takes a whole number of the loop's steps."""
    typed = [
        f"catenary={case.catenary}",
        f"pantograph={gate.pantograph}",
        f"contact.stiffness={gate.contact_stiffness}",
        f"speed_kmh={case.speed_kmh}",
        f"dt={gate.dt_s}",
    ]
    if isinstance(case, DesignCase):
        typed.append(f"catenary.droppers.positions={list(case.positions)}")
        typed.append(f"catenary.droppers.contact_wire_heights={list(case.contact_wire_heights)}")
    return whole_step_case(case_from(typed))


def spec_of(gate: PfemGate, case: LoopCase, line: CaseSpec) -> LoopTestSpec:
    """Test of a case, started from the predicted state."""
    mass = isinstance(case, MassCase)
    return LoopTestSpec.model_validate(
        {
            "device": "mass" if mass else "pantograph",
            "pantograph": line.pantograph.model_dump(),
            "contact": {"stiffness": gate.contact_stiffness},
            "damping_ratio": gate.damping_ratio,
            "duration_s": gate.duration_s,
            "start": "predicted",
            "signal": {"cutoff_hz": gate.filter_hz},
            "loop": {
                "height_harmonics": case.height_harmonics,
                "dropper_harmonics": case.dropper_harmonics,
                "contact_relaxation": gate.paper_relaxation,
                "ramp_s": gate.ramp_s,
                "added_force_N": case.added_force_N if isinstance(case, MassCase) else 0.0,
            },
        }
    )


def run_case(gate: PfemGate, case: LoopCase, models: dict[str, PeriodicModel], say: Callable[[str], None]) -> Tested:
    """Run the tests of a case; matrices that were computed before are taken from ``models``, by line and speed."""
    line = line_of(gate, case)
    what = f"{case.catenary} at {case.speed_kmh:g} km/h{', ' + case.name if isinstance(case, DesignCase) else ''}"
    if what not in models:
        models[what] = model_of(influence_matrices(line))
        say(f"influence matrices of {what}")
    model, spec = models[what], spec_of(gate, case, line)
    chosen = choose(spec, model)
    test = run_chosen(spec, model, chosen, None if isinstance(case, MassCase) else line)
    say(f"{test.chosen.device.spec.name} on {what}: {test.record.status}")
    from_rest = emulate(model, chosen.device, chosen.settings, spec.duration_s)
    rest = settling(model, chosen.settings.loop, from_rest, chosen.steady, chosen.settled_radius)
    if isinstance(case, MassCase):
        return Tested(test, rest, None, 0.0)
    wrong, apart = _wrong(gate, spec, model, chosen)
    return Tested(test, rest, wrong, apart)


def _wrong(gate: PfemGate, spec: LoopTestSpec, model: PeriodicModel, chosen: Chosen) -> tuple[Settling, float]:
    """Test of a device with another head than the prediction's, under the same applied force."""
    loop, masses = chosen.settings.loop, spec.pantograph.masses
    other = spec.pantograph.model_copy(update={"masses": (gate.wrong_head * masses[0], *masses[1:])})
    device = lumped_device(other, chosen.device.applied_force, gate.contact_stiffness, model.dt, gate.damping_ratio)
    true = solve_steady(model, device, loop)
    record = emulate(model, device, chosen.settings, spec.duration_s, None, chosen.steady)
    apart = float(np.sqrt(np.mean((true.contact_force - chosen.steady.contact_force) ** 2)))
    return settling(model, loop, record, true, chosen.settled_radius), apart


def curves_of(test: EmulatedTest) -> TestCurves:
    """Data of the pictures of a test."""
    model, signal = test.model, test.spec.signal
    spans = np.zeros((0, model.steps))
    if test.transient is not None and test.transient.statistics is not None:
        spans = last_spans(test.transient, model.steps)
    steps, steady = model.on_common_steps(test.chosen.steady.correction_force)
    return TestCurves(
        position=model.position,
        forces=test.curves,
        spans=spans,
        corrections={"emulated": model.on_common_steps(test.record.mean_correction)[1], "periodic": steady},
        local=steps * model.span / model.steps,
        droppers=model.dropper_position,
        span=model.span,
        filter=f"{signal.kind} {signal.cutoff_hz:g} Hz, zero phase",
    )
