"""One small run of each kind: what it gives is held against what it gave before the code was last rearranged.

`python tests/frozen/frozen_runs.py [run ...]`, on one thread, computes the runs again and writes `frozen.json` next to
this file. That is done when physics or numerics change on purpose, in the commit that changes them, never to make a
rearrangement pass.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import yaml

CONF = Path(__file__).resolve().parents[2] / "conf"
FROZEN = Path(__file__).with_name("frozen.json")
PANTOGRAPH_OF = {"bruni_2015": "bruni_2015", "re330": "dsa380"}
WINDOW = {"spans_behind": 4, "spans_ahead": 6}
MARCH = {**WINDOW, "method": "march"}
FEW_DROPPERS = {"positions": [5.0, 16.25, 27.5, 38.75, 50.0], "contact_wire_heights": [0.0, -0.03, -0.04, -0.03, 0.0]}

Arrays = dict[str, Any]


def line_of(name: str = "bruni_2015", **changes: Any) -> Any:
    """Line of the library with changed keys, on a coarse mesh."""
    from catenary.spec.line import CatenarySpec

    content = yaml.safe_load((CONF / "catenary" / f"{name}.yaml").read_text(encoding="utf-8"))
    for key, value in {"mesh": {"elements_per_bay": 4}, **changes}.items():
        content[key] = {**(content.get(key) or {}), **value} if isinstance(value, dict) else value
    return CatenarySpec.model_validate(content)


def case_of(line: Any, **content: Any) -> Any:
    """Case at 2 ms on a short window."""
    from dynamics.spec.case import CaseSpec

    pantograph = PANTOGRAPH_OF[line.name]
    standard = {
        "catenary": line,
        "pantograph": yaml.safe_load((CONF / "pantograph" / f"{pantograph}.yaml").read_text(encoding="utf-8")),
        "speed_kmh": 300.0,
        "mean_force_N": 157.3,
        "dt": 2.0e-3,
        "periodic": MARCH,
        "transient": {**WINDOW, "spans": 8, "spans_evaluated": 4},
    }
    return CaseSpec.model_validate({**standard, **content})


def statics() -> Arrays:
    """Form-finding and elasticity: a simple and a stitched line in the plane, a simple one in space."""
    from catenary.form_finding.equilibrium import periodic_equilibrium
    from catenary.linearised.elasticity import static_elasticity

    found: Arrays = {}
    for label, line in (
        ("simple", line_of()),
        ("stitched", line_of("re330")),
        ("spatial", line_of(dimension="spatial")),
    ):
        eq = periodic_equilibrium(line)
        found[f"{label}.q"], found[f"{label}.dropper_force"] = eq.q, eq.dropper_force
        found[f"{label}.unstretched"] = eq.elem_l0
    stations = np.linspace(2.0, 50.0, 5)
    found["elasticity"] = static_elasticity(periodic_equilibrium(line_of()), stations, 100.0)
    return found


def _steady(case: Any) -> Arrays:
    from dynamics.steady_state.periodic import solve_periodic

    solution = solve_periodic(case)
    assert solution.statistics is not None, solution.message
    return {
        "force": solution.contact_force,
        "height": solution.contact_height,
        "dropper_force": solution.dropper_force,
        "uplift": solution.support_uplift,
        "statistics": list(asdict(solution.statistics).values()),
        "spans": [solution.spans_marched],
    }


def steady_state() -> Arrays:
    """Steady states in the plane, of a simple and of a stitched line, in double and in single precision."""
    cases = {
        "simple": case_of(line_of()),
        "stitched": case_of(line_of("re330")),
        "single": case_of(line_of(), speed_kmh=275.0, periodic={**MARCH, "precision": "single", "tolerance": 1e-3}),
    }
    return {f"{name}.{key}": value for name, case in cases.items() for key, value in _steady(case).items()}


def steady_state_in_space() -> Arrays:
    """Steady state of a line with stagger, steady arms as bars."""
    return _steady(case_of(line_of(dimension="spatial")))


def transient() -> Arrays:
    """Short march of a travelling window."""
    from dynamics.steady_state.transient import solve_transient

    found = solve_transient(case_of(line_of(), solver="transient", mean_force_N=None, applied_force_N=150.0))
    return {"force": found.contact_force, "height": found.contact_height, "uplift": found.support_uplift}


def open_line() -> Arrays:
    """Open lines of few spans: linearised by each integrator, with large deformation, two pantographs."""
    from dynamics.open_line.solve import solve_open_line

    spans = {"spans": 6, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
    held = {"solver": "open_line", "mean_force_N": None, "applied_force_N": 150.0}
    found: Arrays = {}
    for name, content in {
        "newmark": {"open_line": spans},
        "hht": {"open_line": {**spans, "integrator": "hht"}},
        "nonlinear": {"open_line": spans, "kinematics": "nonlinear"},
    }.items():
        run = solve_open_line(case_of(line_of(), **held, **content))
        found[f"{name}.force"], found[f"{name}.uplift"] = run.contact_force, run.support_uplift
    return found


def open_line_by_runge_kutta() -> Arrays:
    """A fortieth of a span by the explicit method: its many short steps forbid more."""
    from catenary.form_finding.equilibrium import open_line_equilibrium
    from dynamics.open_line.run import prepare_line, run_whole_line

    line = line_of(mesh={"elements_per_bay": 2})
    held = {"solver": "open_line", "mean_force_N": None, "applied_force_N": 150.0}
    case = case_of(line, **held, open_line={"integrator": "rk4"})
    found = run_whole_line(case, prepare_line(case, open_line_equilibrium(line, 3)), 1.3, 0.025).histories
    return {"force": found.contact_force, "height": found.contact_height, "dropper_force": found.dropper_force}


def _influence() -> Any:
    from dynamics.influence.matrices import influence_matrices

    line = line_of(droppers=FEW_DROPPERS, damping={"alpha": 0.5})
    return influence_matrices(case_of(line, speed_kmh=275.0, mean_force_N=None, applied_force_N=165.0))


def influence_loop_and_bundle() -> Arrays:
    """Influence matrices, an emulated test on them, the steady state of the loop, and what a bundle holds of them."""
    from dynamics.rig.loop.device import lumped_device
    from dynamics.rig.loop.emulation import emulate
    from dynamics.rig.loop.model import model_of
    from dynamics.rig.loop.spec import LoopSettings, RigSettings
    from dynamics.rig.loop.steady import solve_steady

    matrices = _influence()
    model = model_of(matrices)
    device = lumped_device(matrices.case.pantograph, 165.0, 600.0e3, model.dt)
    settings = RigSettings(loop=LoopSettings(height_harmonics=14, ramp_s=2.0, contact_relaxation=0.2))
    run, steady = emulate(model, device, settings, 6.0), solve_steady(model, device, settings.loop)
    found: Arrays = {name: getattr(matrices, name) for name in ("I_cc", "I_cd", "I_dc", "K_dd", "z0")}
    found |= {"loop.force": run.force, "loop.command": run.command, "loop.steady": steady.contact_force}
    return found | _bundle(matrices)


def _bundle(matrices: Any) -> Arrays:
    from dynamics.rig.bundle import write_bundle
    from dynamics.rig.bundle.pfem import read_raw

    with tempfile.TemporaryDirectory() as folder:
        bundle = write_bundle(Path(folder) / "bundle", matrices, matrices.case)
        return {f"bundle.{name}": array for name, array in read_raw(bundle / "pfem.bin").items()}


def campaign() -> Arrays:
    """A synchronous campaign by CMA-ES in the driver, evaluated for real."""
    from optimise.search.campaign import run_campaign
    from optimise.spec.campaign import CampaignSpec

    spec = CampaignSpec.model_validate(
        {
            "name": "frozen",
            "trials": 9,
            "seed": 3,
            "synchronous": True,
            "cluster": {"kind": "serial"},
            "design": {"kind": "both"},
            "sampler": {"kind": "cma_es", "population": 4},
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        result = run_campaign(spec, case_of(line_of("re330")), Path(folder) / "frozen", prepare=_no_start)
    told = [r.outcome.sampler_value_N if r.outcome else None for r in result.records]
    return {"values": [r.values for r in result.records], "told": np.array(told, dtype=float)}


def _no_start(case: Any) -> None:
    """Begin every design at rest, which spares the basis of a campaign's start."""


def sweep() -> Arrays:
    """A sweep over damping and contact stiffness."""
    from optimise.parameter_study.sweep import run_sweep
    from optimise.spec.sweep import SweepSpec

    axes = {"catenary.damping.alpha": [0.01, 0.02], "contact.stiffness": [4e4, 5e4, 6e4]}
    spec = SweepSpec.model_validate({"sweep": {"name": "frozen", "axes": axes}, "cluster": {"kind": "serial"}})
    with tempfile.TemporaryDirectory() as folder:
        result = run_sweep(spec, case_of(line_of()), Path(folder) / "frozen")
    return {name: result.figures(name) for name in ("contact_force_std_N", "contact_force_max_N")}


def sensitivity() -> Arrays:
    """Elementary effects and local derivatives of two inputs."""
    from optimise.parameter_study.sensitivity import run_sensitivity
    from optimise.spec.sensitivity import SensitivitySpec

    inputs = {"contact.stiffness": {"low": 4e4, "high": 6e4}, "catenary.damping.beta": {"low": 5e-5, "high": 2e-4}}
    content = {"name": "frozen", "inputs": inputs, "methods": ["morris", "local"], "morris": {"trajectories": 4},
               "local": {"step": 0.1}}  # fmt: skip
    spec = SensitivitySpec.model_validate({"sensitivity": content, "cluster": {"kind": "serial"}})
    with tempfile.TemporaryDirectory() as folder:
        result = run_sensitivity(spec, case_of(line_of()), Path(folder) / "frozen")
    assert result.morris is not None and result.local is not None
    return {"outputs": result.outputs, "morris": result.morris.mean, "local": result.local.derivative}


RUNS: dict[str, Callable[[], Arrays]] = {
    run.__name__: run
    for run in (
        statics,
        steady_state,
        steady_state_in_space,
        transient,
        open_line,
        open_line_by_runge_kutta,
        influence_loop_and_bundle,
        campaign,
        sweep,
        sensitivity,
    )
}


def digest(value: Any) -> dict[str, Any]:
    """An array in few numbers: shape, a hash of its bits, its norm, and some of its entries."""
    array = np.ascontiguousarray(np.asarray(value, dtype=np.float64))
    flat = array.ravel()
    picked = flat[np.linspace(0, flat.size - 1, min(flat.size, 6)).astype(int)] if flat.size else flat
    return {
        "shape": list(array.shape),
        "sha256": hashlib.sha256(array.tobytes()).hexdigest(),
        "norm": float(np.linalg.norm(np.nan_to_num(flat))),
        "entries": [None if np.isnan(x) else float(x) for x in picked],
    }


def digests(name: str) -> dict[str, Any]:
    """Digest of every array of a run."""
    return {key: digest(value) for key, value in RUNS[name]().items()}


if __name__ == "__main__":
    sys.path.insert(0, str(CONF.parent))
    known = json.loads(FROZEN.read_text(encoding="utf-8")) if FROZEN.exists() else {}
    known |= {name: digests(name) for name in (sys.argv[1:] or RUNS)}
    FROZEN.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
