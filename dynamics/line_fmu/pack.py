"""An open line packed as an FMU: numbers, the C program that steps them, its library for this machine, description."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import quoteattr

from catenary.errors import InputError
from catenary.form_finding.equilibrium import EquilibriumStatus, equilibrium_at_rest, open_line_equilibrium
from catenary.storage.files import write_bytes_atomic
from dynamics.line_fmu.numbers import LineNumbers, line_numbers
from dynamics.open_line.run import prepare_line
from dynamics.spec.case import CaseSpec

__all__ = ["VARIABLES", "LineFmu", "refuse_unfit_line", "write_line_fmu"]

COMPILERS = ("cc", "gcc", "clang")
# name, causality, variability, unit, what it is; the place is the value reference in line.c
VARIABLES = (
    ("contact_force", "input", "continuous", "N", "force that lifts the contact wire, held over a step"),
    ("speed", "parameter", "fixed", "m/s", "speed of the pantograph"),
    ("start_station", "parameter", "fixed", "m", "place of the pantograph at the start, from the first support"),
    ("initial_force", "parameter", "fixed", "N", "force under which the line is at rest at the start"),
    ("contact_wire_height", "output", "continuous", "m", "height of the wire at the pantograph, from that at supports"),
    ("contact_wire_velocity", "output", "continuous", "m/s", "its rate as the pantograph runs along"),
    ("next_free_height", "output", "continuous", "m", "height at the end of the coming step if no force acts in it"),
    ("next_yield", "output", "continuous", "m/N", "what one newton, held over the coming step, adds to that height"),
    ("station", "output", "continuous", "m", "place of the pantograph, from the first support"),
)


@dataclass(frozen=True)
class LineFmu:
    """What was packed: its file, degrees of freedom, half-bandwidth, and its size [byte]."""

    file: Path
    dofs: int
    band: int
    size: int


def refuse_unfit_line(case: CaseSpec) -> None:
    """Refuse what the C program does not hold, and a machine without a compiler, before anything is computed.

    Raises
    ------
    InputError
        With one sentence per fault.
    """
    section, wind, asked = case.catenary.section, case.catenary.wind, case.open_line.integrator
    wrong = {
        "kinematics must be linearised": case.kinematics != "linearised",
        "trailing.distances_m must be empty": bool(case.trailing.distances_m),
        "contact.space must be left out": case.contact.space is not None,
        "catenary.wind.turbulence must be left out": wind is not None and wind.turbulence is not None,
        f"open_line.integrator must be newmark: got {asked}": asked != "newmark",
        "catenary must have one tension section and a smooth contact wire": section is not None
        and (len(section.tension_sections) > 1 or bool(section.profiles or section.kinks or section.irregularity)),
    }
    why = "for a line as an FMU has one pantograph and is linear but for its droppers"
    problems = [f"{text}, {why}" for text, is_so in wrong.items() if is_so]
    if _compiler() is None:
        problems.append("a C compiler is needed to pack the line as an FMU: apt-get install gcc")
    if problems:
        raise InputError(problems)


def write_line_fmu(case: CaseSpec, path: Path) -> LineFmu:
    """Form a case's open line and write it as an FMU of FMI 2.0 for co-simulation, whole or not at all.

    Raises
    ------
    InputError
        If the line cannot be an FMU.
    ValueError
        If form-finding or the compiler fails.
    """
    refuse_unfit_line(case)
    eq = equilibrium_at_rest(case.catenary)
    if eq.status is EquilibriumStatus.OK and case.catenary.section is None:
        eq = open_line_equilibrium(case.catenary, case.open_line.spans)
    if eq.status is not EquilibriumStatus.OK:
        raise ValueError(f"the line's equilibrium was not found: {eq.status.value}")
    numbers = line_numbers(case, prepare_line(case, eq))
    source = files("dynamics.line_fmu").joinpath("files", "line.c").read_bytes()
    guid = hashlib.sha256(numbers.content + source).hexdigest()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", _description(case, numbers, guid))
        archive.writestr(f"binaries/{_platform()}/line{_suffix()}", _library(source, guid))
        archive.writestr("sources/line.c", f'#define GUID "{guid}"\n'.encode() + source)
        archive.writestr("resources/line.bin", numbers.content)
    write_bytes_atomic(path, packed.getvalue())
    return LineFmu(path, numbers.dofs, numbers.band, len(packed.getvalue()))


def _compiler() -> str | None:
    return next((found for name in COMPILERS if (found := shutil.which(name))), None)


def _library(source: bytes, guid: str) -> bytes:
    """Compile the program for this machine."""
    compiler = _compiler()
    assert compiler is not None
    with tempfile.TemporaryDirectory(prefix="line_fmu_") as folder:
        place, library = Path(folder) / "line.c", Path(folder) / "line.so"
        place.write_bytes(source)
        sums = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]  # in any order, so that they are quick
        flags = ["-O3", *sums, "-shared", "-fPIC", "-fvisibility=hidden", f'-DGUID="{guid}"']
        ended = subprocess.run(
            [compiler, *flags, str(place), "-o", str(library), "-lm"], capture_output=True, text=True, check=False
        )
        if ended.returncode:
            raise ValueError(f"{compiler} could not compile the line: {ended.stderr.strip()[-300:]}")
        return library.read_bytes()


def _description(case: CaseSpec, numbers: LineNumbers, guid: str) -> str:
    """Description of the FMU as FMI 2.0 asks for it."""
    given = {"speed": case.speed, "start_station": numbers.start}
    given |= dict.fromkeys(("contact_force", "initial_force"), case.pressed_N)
    rows, outputs = [], []
    for k, (name, causality, variability, unit, text) in enumerate(VARIABLES):
        start = f' start="{given[name]!r}"' if name in given else ""
        initial = ' initial="exact"' if causality == "parameter" else ""
        initial = ' initial="calculated"' if causality == "output" else initial
        rows.append(
            f'    <ScalarVariable name="{name}" valueReference="{k}" causality="{causality}" '
            f'variability="{variability}"{initial} description={quoteattr(f"{text} [{unit}]")}>'
            f'<Real unit="{unit}"{start}/></ScalarVariable>'
        )
        if causality == "output":
            outputs.append(f'<Unknown index="{k + 1}"/>')
    units = "".join(f'<Unit name="{unit}"/>' for unit in dict.fromkeys(row[3] for row in VARIABLES))
    unknown, dt, what = "".join(outputs), case.dt, quoteattr(case.in_words)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName={quoteattr(case.catenary.name)} guid="{guid}" description={what}
    generationTool="catenary-optimisation" variableNamingConvention="flat">
  <CoSimulation modelIdentifier="line" canHandleVariableCommunicationStepSize="false">
    <SourceFiles><File name="line.c"/></SourceFiles>
  </CoSimulation>
  <UnitDefinitions>{units}</UnitDefinitions>
  <DefaultExperiment startTime="0" stopTime="{(numbers.end - numbers.start) / case.speed:.6g}" stepSize="{dt!r}"/>
  <ModelVariables>
{chr(10).join(rows)}
  </ModelVariables>
  <ModelStructure>
    <Outputs>{unknown}</Outputs>
    <InitialUnknowns>{unknown}</InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
"""


def _platform() -> str:
    return {"linux": "linux64", "win32": "win64", "darwin": "darwin64"}.get(sys.platform, sys.platform)


def _suffix() -> str:
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
