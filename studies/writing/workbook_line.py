"""A line by stations from its workbook: checked, written as one YAML file, and shown at rest."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from catenary.errors import InputError
from catenary.library.line_file import LINE
from catenary.library.lines import line_file_of, load_line
from catenary.library.with_defects import write_with_defects
from catenary.library.workbook import read_workbook
from catenary.spec.components import Spec
from catenary.spec.line import CatenarySpec

__all__ = ["WorkbookLine", "holds_line", "workbook_line", "write_workbook_line"]

TAKEN = ("droppers", "name", "output", "overwrite")


class WorkbookLine(Spec):
    """Line of a workbook, and the file that it is written to under a name."""

    workbook: str = Field(description="workbook that was read")
    line: CatenarySpec
    name: str = Field(description="name that the line has in the file")
    output: str = Field(description="file to write")


def holds_line(path: Path) -> bool:
    """Whether a file is a workbook with a sheet ``line``, and so a whole line by stations.

    Raises
    ------
    InputError
        If it ends in .xlsx and cannot be read.
    """
    return path.suffix.lower() == ".xlsx" and LINE in read_workbook(path)


def workbook_line(typed: Mapping[str, str]) -> WorkbookLine:
    """Read the workbook that the words of a command name.

    Raises
    ------
    InputError
        With everything that is wrong with the words and with the workbook's sheets.
    """
    path = Path(typed["droppers"])
    problems = [
        f"{key} must be left out: {path} holds a whole line, whose sheets say it" for key in typed if key not in TAKEN
    ]
    output = Path(typed.get("output") or f"{typed.get('name') or path.stem}.yaml")
    if output.suffix not in (".yaml", ".yml"):
        problems.append(f"output must be a file that ends in .yaml: got '{output}'")
    elif output.exists() and typed.get("overwrite", "").lower() != "true":
        problems.append(f"output {output} exists already: give another output=... or overwrite=true")
    try:
        line, file = load_line(path), line_file_of(path)
    except InputError as error:
        raise InputError([*problems, *error.problems]) from None
    if problems:
        raise InputError(problems)
    return WorkbookLine(workbook=str(path), line=line, name=typed.get("name") or file.name, output=str(output))


def write_workbook_line(job: WorkbookLine, following: str) -> int:
    """Write the line's file and say how it hangs; 1 where it has no shape at rest or others refuse it.

    ``following`` is the next command to type.
    """
    from catenary.form_finding.equilibrium import EquilibriumStatus, equilibrium_at_rest
    from catenary.layout.dropper_places import dropper_places
    from catenary.linearised.static_checks import faults_in_words, loose_in_words

    own = () if job.line.section is None else job.line.section.defects
    write_with_defects(Path(job.output), line_file_of(Path(job.workbook)), own, job.name, job.line.description)
    print(f"Wrote {job.output}: {job.line.one_period}, {job.line.in_words}.")
    rest = equilibrium_at_rest(job.line)
    if rest.status is not EquilibriumStatus.OK:
        print(f"At rest: {rest.status.value}; check heights, lengths and tensions.", file=sys.stderr)
        return 1
    least = int(rest.dropper_force.argmin())
    place = dropper_places(job.line)[least]
    of = f" of section {place.section}" if place.section else ""
    print(f"Least force at rest: {rest.dropper_force[least]:.1f} N, {place.kind} {place.number}, span {place.span}{of}")
    faults = faults_in_words(rest)
    for fault in faults:
        print(f"The other commands refuse this line: {fault}.", file=sys.stderr)
    if faults:
        return 1
    loose = loose_in_words(job.line, rest)
    print(f"At rest {loose}. Next:" if loose else "Every dropper is in tension at rest. Next:")
    print(f"  {following}")
    return 0
