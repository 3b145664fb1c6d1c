"""Machine-made input: whatever stands at whatever key, a run ends in good order or is refused by name.

Lines come from conf, changed on the command line or in a file; values are plausible or absurd. Sizes (spans, window,
mesh, step) stay small where they are plausible, so that a run takes a part of a second.
"""

import contextlib
import io
import json
import math
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from catenary.spec.keys import KeyTree
from studies.cli import main
from studies.jobs.simulation import SimulateJob

LONGEST_RUN_S = 30.0  # of processor time, so that a busy machine does not count; the slowest of 2000 took 15 s
CONF = Path(__file__).resolve().parents[2] / "conf"
LINES = {"bruni_2015": "bruni_2015", "re330": "dsa380", "c350": "dsa250", "en50318_2002": "en50318_2002"}
KEYS = KeyTree(SimulateJob)
LEFT_OUT = ("run_dir", "catenary.provenance", "pantograph.provenance")
LEAVES = [k for k in KEYS.paths if k not in LEFT_OUT and not KEYS.children(k.split("."))]
# what decides how long a run takes: the smallest that is allowed, and what is small enough here
SMALL = {
    "periodic.spans_behind": (2, 4), "periodic.spans_ahead": (2, 4), "periodic.max_spans": (5, 8),
    "transient.spans": (5, 8), "transient.spans_evaluated": (2, 5), "transient.spans_behind": (2, 4),
    "transient.spans_ahead": (2, 4), "open_line.spans": (3, 5), "open_line.first_evaluated": (2, 3),
    "open_line.last_evaluated": (2, 4), "open_line.spans_after": (1, 2), "open_line.start": (0.0, 1.5),
    "catenary.mesh.elements_per_bay": (2, 3), "dt": (2.0e-3, 4.0e-3), "speed_kmh": (60.0, 450.0),
}  # fmt: skip
TINY = {
    "dt": 4.0e-3, "speed_kmh": 200.0, "catenary.mesh.elements_per_bay": 2, "catenary.mesh.largest_element_length": 60.0,
    "periodic.spans_behind": 3, "periodic.spans_ahead": 3, "periodic.max_spans": 6, "periodic.tolerance": 0.03,
    "transient.spans": 5, "transient.spans_evaluated": 2, "transient.spans_behind": 2, "transient.spans_ahead": 2,
    "open_line.spans": 4, "open_line.start": 0.0, "open_line.first_evaluated": 2, "open_line.last_evaluated": 2,
    "open_line.spans_after": 1,
}  # fmt: skip
NO_NUMBER = [
    None, True, "fast", "nan", "inf", "-inf", "", "1e", "12 mm", "1,5", "ä", "a b", "'", '"', "[", "{", "a=b",
    "${oc.env:HOME}", "choice(1,2)", "range(1,3)", "!!python/name:os.system", [], [1], [None], ["x"], [[1.0]], {},
    {"a": 1}, math.nan, math.inf, -math.inf, "\\", "x" * 300, "null", "~", "2026-01-01", "0x10", "1_000", "\t",
]  # fmt: skip
NUMBERS = [0, -1, 1, 1e-300, 5e-324, 1e300, -1e300, 10**30, 2**63, 0.1, 1e-9, 1e9, -0.0, 1.0000000001]
DIMENSIONS = ("planar", "spatial")
RAW = ("Traceback", "Input should", "Value error", "validation error", "NoneType", "of another type", "pydantic")


@dataclass(frozen=True)
class Input:
    """One machine-made input: line, values by dotted key, and whether the blocks of line and pantograph are files."""

    line: str
    values: dict
    in_files: bool


def plausible(key: str) -> st.SearchStrategy:
    """Values that the key alone allows."""
    node = KEYS.node(key.split(".")) or {}
    if "enum" in node:
        return st.sampled_from(node["enum"])
    if node.get("type") in ("number", "integer"):
        low, high = SMALL.get(key) or KEYS.bounds(key.split("."))
        low, high = low if low is not None else -1e3, high if high is not None else 1e3
        if node["type"] == "integer":
            return st.integers(int(low), int(high))
        return st.one_of(st.floats(low, high), st.sampled_from([low, high]))
    return {
        "boolean": st.booleans(),
        "array": st.lists(st.floats(-1.0, 70.0), max_size=5),
        "string": st.sampled_from(["name", "a.b-c_1", "text"]),
    }.get(str(node.get("type")), st.just(node.get("const")))


def absurd(key: str) -> st.SearchStrategy:
    """Values of the wrong kind or size; a plausible one now and then, but none that makes a run long."""
    if key not in SMALL:
        return st.sampled_from([*NO_NUMBER, *NUMBERS])
    low, high = KEYS.bounds(key.split("."))
    return st.sampled_from([*NO_NUMBER, -1, 1e300, 10**30, (low or 0.0) - 1e-6, (high or 1e6) * 1.001 + 1])


@st.composite
def geometry(draw: st.DrawFn) -> dict:
    """Span and droppers that belong together, by heights or by lengths; some hang badly."""
    span, count = draw(st.floats(15.0, 120.0)), draw(st.integers(1, 12))
    encumbrance, tension = draw(st.floats(0.3, 3.0)), draw(st.floats(5.0e3, 40.0e3))
    x = [span * (k + 0.5) / count for k in range(count)]
    uneven = draw(st.floats(0.0, 0.4)) * span / count
    x = [float(v + uneven * math.sin(3.0 * k)) for k, v in enumerate(x)]
    sag = draw(st.one_of(st.just(0.0), st.floats(-0.002, 0.002)))
    heights = [-4.0 * sag * v * (span - v) / span for v in x]
    found = {
        "catenary.span_length": span, "catenary.encumbrance": encumbrance, "catenary.messenger_wire.tension": tension,
        "catenary.droppers.positions": x, "catenary.droppers.contact_wire_heights": heights,
    }  # fmt: skip
    if draw(st.booleans()):
        weight = 9.81 * 2.6
        lengths = [encumbrance - weight * v * (span - v) / (2.0 * tension) - h for v, h in zip(x, heights, strict=True)]
        return {
            **found, "catenary.droppers.prescribed": "lengths", "catenary.droppers.contact_wire_heights": None,
            "catenary.droppers.lengths": [max(0.05, v) for v in lengths],
        }  # fmt: skip
    return found


@st.composite
def inputs(draw: st.DrawFn) -> Input:
    """One input: a small run of a line of conf with up to four values that are plausible or absurd."""
    values = {
        **TINY,
        "solver": draw(st.sampled_from(["periodic", "transient", "open_line"])),
        "catenary.dimension": draw(st.sampled_from(DIMENSIONS)),
        "catenary.formulation": draw(st.sampled_from(["ancf", "beam"])),
    }
    if draw(st.integers(0, 2)) == 0:
        values |= draw(geometry())
    mild = draw(st.integers(0, 2)) > 0
    for _ in range(draw(st.integers(0, 4))):
        key = draw(st.sampled_from(LEAVES))
        values[key] = draw(plausible(key) if mild or draw(st.booleans()) else absurd(key))
    line, in_files = draw(st.sampled_from(list(LINES))), draw(st.booleans())
    values.setdefault("error_estimate", draw(st.integers(0, 4)) == 0)  # each takes several runs
    return Input(line, values, in_files)


def typed(value: object) -> str:
    """Value as a person types it behind key=."""
    if isinstance(value, list):
        return "[" + ",".join(map(typed, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{k}:{typed(v)}" for k, v in value.items()) + "}"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return str(value)


def arguments(made: Input, folder: Path) -> list[str]:
    """Command line of an input; blocks that stand in files are written first."""
    names = {"catenary": made.line, "pantograph": LINES[made.line]}
    rest = dict(made.values)
    if made.in_files:
        for group, name in names.items():
            block = yaml.safe_load((CONF / group / f"{name}.yaml").read_text(encoding="utf-8"))
            for key in [k for k in rest if k.startswith(f"{group}.")]:
                *inner, last = key.split(".")[1:]
                at = block
                for part in inner:
                    at[part] = at[part] if isinstance(at.get(part), dict) else {}
                    at = at[part]
                at[last] = rest.pop(key)
            names[group] = f"{group}_file.yaml"
            (folder / names[group]).write_text(yaml.safe_dump(block, allow_unicode=True), encoding="utf-8")
    return [*(f"{k}={v}" for k, v in names.items()), *(f"{k}={typed(v)}" for k, v in rest.items()), "run_dir=run"]


def run(made: Input, outcomes: Counter) -> None:
    """Run one input in a folder of its own and hold its end against what is promised."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        folder = Path(name)
        command = arguments(made, folder)
        before = sorted(folder.rglob("*"))
        out, err = io.StringIO(), io.StringIO()
        began = time.process_time()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["simulate", *command])
        took = time.process_time() - began
        said = err.getvalue()
        assert code in (0, 1, 2), (code, command)
        assert took < LONGEST_RUN_S, f"{took:.1f} s: {command}"
        assert not any(word in said + out.getvalue() for word in RAW), said + out.getvalue()
        if code == 2:
            assert sorted(folder.rglob("*")) == before, said + str(command)
            outcomes["refused"] += 1
            check_refusal(said)
        else:
            outcomes[check_result(folder / "run", code)] += 1


def check_refusal(said: str) -> None:
    """Every problem is a sentence that names a key, and their number is said."""
    problems = [line for line in said.splitlines() if line.startswith("  - ")]
    assert problems and f"{len(problems)} problem" in said, said
    words = {part for key in KEYS.paths for part in key.split(".")}
    for problem in problems:
        assert any(word in problem for word in words), problem


def check_result(folder: Path, code: int) -> str:
    """Files are whole; a result that is ok holds nothing that is not finite. Returns its status."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert (folder / "report.html").is_file()
    assert code == (0 if summary["status"] in ("ok", "not_periodic") else 1), summary["status"]
    assert bool(summary["pantographs"]) == (code == 0), summary
    with xr.open_dataset(folder / "result.nc", engine="netcdf4") as data:
        assert data.attrs["status"] == summary["status"]
        if summary["status"] == "ok":
            for name, values in data.variables.items():
                assert values.dtype.kind not in "fc" or whole(name, np.isfinite(values.to_numpy())), name
    return summary["status"]


def whole(name: str, finite: np.ndarray) -> bool:
    """Nothing is missing, but a centred window's value near the ends of a run, where the window would reach over."""
    if name != "contact_force_running_rms":
        return bool(finite.all())
    inside = [np.flatnonzero(column) for column in finite.reshape(len(finite), -1).T]
    return all(at.size == 0 or at.size == at[-1] - at[0] + 1 for at in inside)


@pytest.fixture(scope="module")
def compiled():
    """Kernels that are compiled once have no part in the time of a run, and pictures need not be fine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dynamics.charts.files.PNG_WIDTH", 160)
        _compile()
        yield


def _compile() -> None:
    kinds = [{"solver": s, "catenary.dimension": d} for s in ("periodic", "transient", "open_line") for d in DIMENSIONS]
    controlled = [{"solver": s, "pantograph.control.feedback.wire_m": 1.0} for s in ("periodic", "open_line")]
    for values in (*kinds, *controlled):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(f"{__name__}.LONGEST_RUN_S", 300.0)
            run(Input("bruni_2015", {**TINY, **values}, False), Counter())


def hold(examples: int) -> Counter:
    """Run that many inputs, always the same ones; how often they ended in which way."""
    outcomes: Counter = Counter()

    @settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),  # runs of a simulation are too expensive to be shrunk: the input itself is printed
    )  # fmt: skip
    @given(inputs())
    def holds(made: Input) -> None:
        run(made, outcomes)

    holds()
    return outcomes


def test_machine_made_input_runs_or_is_refused_by_name(compiled):
    outcomes = hold(60)
    assert outcomes["refused"] > 10 and outcomes["ok"] > 3, outcomes


@pytest.mark.validate
@pytest.mark.timeout(3600)
def test_two_thousand_machine_made_inputs_run_or_are_refused_by_name(compiled):
    outcomes = hold(2000)
    print(dict(outcomes))
    assert outcomes["refused"] > 400 and outcomes["ok"] > 200, outcomes
