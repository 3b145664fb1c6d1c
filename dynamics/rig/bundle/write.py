"""Writing a rig bundle: one set of variables in three formats, programs that step it, and a manifest.

``pfem.nc`` (netCDF4), ``pfem.mat`` (MATLAB v5) and ``pfem.bin`` (raw float64) hold the same arrays; ``pfem.c``,
``pfem.py`` and ``pfem_step.m`` step the loop; ``design.yaml`` is the line, a complete input; ``manifest.json`` says
what each array is, in which units, signs and index order, and carries every file's sha256. Nothing of this program is
needed to read or to step them.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import xarray as xr
import yaml
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.storage.dataset import write_dataset
from catenary.storage.files import read_json_object, whole_file, write_json_atomic, write_text_atomic, writing
from dynamics.influence.matrices import InfluenceMatrices
from dynamics.rig.bundle.contents import CONVENTIONS, SCHEMA_VERSION, VARIABLES, bundle_arrays, bundle_facts
from dynamics.rig.bundle.made_for import made_for_content
from dynamics.rig.bundle.matlab_sums import matlab_sums
from dynamics.rig.bundle.pfem import SWEEPS
from dynamics.rig.bundle.raw import write_raw
from dynamics.rig.bundle.recommendation import RECOMMENDATION
from dynamics.rig.bundle.self_check import SelfTest, make_self_test
from dynamics.rig.bundle.truncation import truncation_table
from dynamics.spec.case import CaseSpec

__all__ = ["FILES", "add_to_bundle", "write_bundle"]

PROGRAMS = (
    "pfem.h",
    "pfem.c",
    "pfem_run.c",
    "load_bundle.m",
    "pfem_start.m",
    "pfem_step.m",
    "pfem_self_test.m",
    "README.md",
)
FILES = ("pfem.nc", "pfem.mat", "pfem.bin", "pfem.py", *PROGRAMS, "design.yaml")
# MATLAB v5 counts the bytes of a variable in 31 bits
MATLAB_BYTES = 2**31


def write_bundle(
    folder: Path, matrices: InfluenceMatrices, case: CaseSpec, timed: Callable[[str, float], None] | None = None
) -> Path:
    """Write all files of a bundle into ``folder``, each whole or not at all; the manifest comes last.

    Parameters
    ----------
    folder : Path
        Where; made if it is missing.
    matrices : InfluenceMatrices
        What.
    case : CaseSpec
        What they were computed for.
    timed : callable, optional
        Called with each part that is done and the time that it took [s].

    Raises
    ------
    InputError
        If a variable is too large for a MATLAB v5 file.
    """
    folder, done = Path(folder), _stopwatch(timed)
    with writing(folder):
        (folder / RECOMMENDATION).unlink(missing_ok=True)  # it belongs to the bundle that stood here before
    test = make_self_test(matrices)
    arrays, facts = bundle_arrays(matrices, test), bundle_facts(matrices, case)
    refuse_large(arrays)
    truncation = truncation_table(matrices, case, test)
    done("self-test and truncation")
    _write_netcdf(folder / "pfem.nc", arrays, facts)
    done("pfem.nc")
    with whole_file(folder / "pfem.mat") as path:
        sums = {"checksum": matlab_sums(arrays)}
        content = {**arrays, **sums, "schema_version": SCHEMA_VERSION, "conventions": CONVENTIONS, **_short(facts)}
        scipy.io.savemat(path, content, format="5", oned_as="column")
    done("pfem.mat")
    checksum = write_raw(folder / "pfem.bin", arrays)
    done("pfem.bin")
    _write_programs(folder, {**_words(arrays, facts, checksum), **_tables(arrays, truncation, test)})
    design = case.catenary.model_dump(mode="json")
    write_text_atomic(folder / "design.yaml", yaml.safe_dump(design, sort_keys=False, allow_unicode=True))
    manifest = _manifest(arrays, facts, case)
    manifest["self_test"] = {"slack_samples": test.slack, "tolerance": test.tolerance, "steps": len(test.force)}
    manifest["truncation"] = truncation
    manifest["files"] = {name: {"sha256": _sha256(folder / name)} for name in FILES}
    write_json_atomic(folder / "manifest.json", manifest)
    done("programs, README and manifest")
    return folder


def _manifest(arrays: dict[str, NDArray[np.float64]], facts: dict[str, Any], case: CaseSpec) -> dict[str, Any]:
    """Manifest: the variables and their origin."""
    described = {
        name: {"dimensions": list(dims), "units": unit, "long_name": text, "shape": list(arrays[name].shape)}
        for name, (dims, unit, text) in VARIABLES.items()
    }
    return {
        "schema_version": SCHEMA_VERSION,
        **facts,
        "made_for": made_for_content(case),
        "conventions": CONVENTIONS,
        "variables": described,
        "case": case.model_dump(mode="json"),
    }


def _stopwatch(timed: Callable[[str, float], None] | None) -> Callable[[str], None]:
    """Function that tells how long ago it was called last [s]."""
    last = time.perf_counter()

    def done(part: str) -> None:
        nonlocal last
        now = time.perf_counter()
        if timed is not None:
            timed(part, now - last)
        last = now

    return done


def add_to_bundle(folder: Path, name: str, text: str) -> None:
    """Write one more text file into a finished bundle, whole or not at all, and its digest into the manifest.

    A kill between the two leaves a file that differs from its digest: ``read_model`` says which command
    makes it again, and reads the bundle for that command.
    """
    manifest = read_json_object(folder / "manifest.json", "the bundle's manifest", "export it again")
    write_text_atomic(folder / name, text)
    manifest["files"][name] = {"sha256": _sha256(folder / name)}
    write_json_atomic(folder / "manifest.json", manifest)


def refuse_large(arrays: dict[str, NDArray[np.float64]], limit: int = MATLAB_BYTES) -> None:
    """Refuse variables that a MATLAB v5 file cannot hold."""
    problems = [
        f"{name} must stay under {limit / 2**30:g} GiB for pfem.mat: it takes {values.nbytes / 2**30:.2f} GiB; "
        "take a larger dt or fewer droppers"
        for name, values in arrays.items()
        if values.nbytes >= limit
    ]
    if problems:
        raise InputError(problems)


def matlab_list(names: list[str]) -> str:
    """Names as a list of MATLAB, in lines of four."""
    lines = [", ".join(f"'{name}'" for name in names[k : k + 4]) for k in range(0, len(names), 4)]
    return "{" + ", ...\n         ".join(lines) + "}"


def _short(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts that MATLAB can hold under names of 31 characters."""
    return {name: value for name, value in facts.items() if isinstance(value, str | int | float)}


def _write_netcdf(path: Path, arrays: dict[str, NDArray[Any]], facts: dict[str, Any]) -> None:
    """Write the arrays with units and long names on every variable."""
    variables = {
        name: (dims, arrays[name], {"units": unit, "long_name": text}) for name, (dims, unit, text) in VARIABLES.items()
    }
    attributes = {"Conventions": "CF-1.11", "schema_version": SCHEMA_VERSION, **_short(facts)}
    dataset = xr.Dataset(variables, attrs={**attributes, **{f"convention_{k}": v for k, v in CONVENTIONS.items()}})
    write_dataset(path, dataset, compressed=False)


def _what_repeats(spans: list[float]) -> str:
    """Beginning of the sentence that says what a period is, and how many steps it takes."""
    if len(spans) == 1:
        return f"A period is one span of {spans[0]:g} m and takes"
    return f"A period is the {len(spans)} spans of {', '.join(f'{s:g}' for s in spans)} m that repeat and takes"


def _force(facts: dict[str, Any]) -> str:
    """Force that the bundle was made for, in words."""
    if "made_for_mean_force_N" in facts:
        return f"a mean force of {facts['made_for_mean_force_N']:.2f} N"
    return f"an applied force of {facts['made_for_applied_force_N']:.2f} N"


def _words(arrays: dict[str, NDArray[np.float64]], facts: dict[str, Any], checksum: int) -> dict[str, str]:
    """Text for each @NAME@ in the programs and the README: sizes and names."""
    return {
        "LINE": str(facts["catenary"]),
        "PANTOGRAPH": str(facts["made_for_pantograph"]),
        "FORCE": _force(facts),
        "SPEED": f"{facts['speed_kmh']:.4f}",
        "DT": f"{1e3 * float(arrays['dt']):g}",
        "SPAN": _what_repeats(facts["spans_m"]),
        "N": str(int(arrays["N"])),
        "M": str(int(arrays["M"])),
        "DROPPERS": str(len(arrays["dropper_force"])),
        "OFFSET": ", ".join(f"{step:.0f}" for step in np.unique(arrays["dropper_offset"])),
        "TEST": str(len(arrays["self_test_force"])),
        "SWEEPS": str(SWEEPS),
        "CRC": f"0x{checksum:08X}",
        "SCHEMA": str(SCHEMA_VERSION),
        "NAMES": matlab_list(list(VARIABLES)),
    }


def _tables(arrays: dict[str, NDArray[np.float64]], truncation: dict[str, Any], test: SelfTest) -> dict[str, str]:
    """Text for each @NAME@ in the README: tables of variables, conventions and truncation."""
    variables = [
        f"| `{name}` | {' × '.join(map(str, arrays[name].shape)) or 'one number'} | {', '.join(dims) or '–'} | "
        f"{unit} | {text} |"
        for name, (dims, unit, text) in VARIABLES.items()
    ]
    harmonics = [
        f"| {row['harmonics']} | {row['highest_Hz']:.1f} | {1e3 * row['height_lost_rms_m']:.4f} | "
        f"{1e3 * row['height_lost_max_m']:.4f} | {1e6 * row['compliance_lost_m_per_N']:.3f} |"
        for row in truncation["harmonics"]
    ]
    return {
        "VARIABLES": "\n".join(variables),
        "CONVENTIONS": "\n".join(f"- **{name}**: {text}" for name, text in CONVENTIONS.items()),
        "HARMONICS": "\n".join(harmonics),
        "MEAN": f"{truncation['mean_force_N']:.1f}",
        "QUADRATURE": f"{1e3 * truncation['quadrature_error_m_at_mean_force']:.2g}",
        "EDGE": str(truncation["slack_samples_at_record_ends"]),
        "EDGE_FORCE": f"{truncation['largest_correction_at_record_ends_N']:.0f}",
        "LARGEST": f"{truncation['largest_correction_N']:.0f}",
        "TEST_HARMONICS": str(test.harmonics),
        "TEST_DROPPER_HARMONICS": str(test.dropper_harmonics),
        "TEST_DELAY": str(test.delay),
        "TEST_RELAXATION": f"{test.relaxation:g}",
        "TEST_RAMP": str(test.ramp_steps),
        "TEST_SLACK": str(test.slack),
        "TOLERANCE": f"{test.tolerance:g}",
    }


def _write_programs(folder: Path, words: dict[str, str]) -> None:
    """Write the programs and the README with their words filled in, and the Python reader as it is."""
    package = resources.files("dynamics.rig.bundle")
    for name in PROGRAMS:
        text = package.joinpath("files", name).read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(f"@{word}@", value)
        write_text_atomic(folder / name, text)
    write_text_atomic(folder / "pfem.py", package.joinpath("pfem.py").read_text(encoding="utf-8"))


def _sha256(path: Path) -> str:
    """Digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
