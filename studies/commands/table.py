"""Write a workbook in which a line by stations is filled in: supports, droppers, masses, defects.

catenary table template=km12.xlsx                       empty sheets, with the lists and ranges that their cells take
catenary table template=km12.xlsx line=km12.yaml        the rows of a line file

catenary simulate catenary=km12.xlsx runs the line; every row that cannot be is named with its sheet and cell.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from catenary.errors import InputError
from catenary.spec.components import Spec
from studies.input.compose import Composed, compose_job, typed_command

__all__ = ["JOB", "TableJob", "compose", "run"]


class TableJob(Spec):
    """A workbook, and what stands in it."""

    template: str | None = Field(default=None, description="XLSX file to write")
    type: str = Field(
        default="re330",
        description="line that gives what no row says: a name of the library, or a file next to the workbook",
    )
    line: str | None = Field(default=None, description="line file or workbook whose rows are written")
    overwrite: bool = Field(default=False, description="whether an existing file may be replaced")


JOB = TableJob


def compose(overrides: list[str]) -> Composed[TableJob]:
    """Resolve and validate the input."""
    return compose_job("table", JOB, overrides)


def run(composed: Composed[TableJob]) -> int:
    """Write the workbook, and say how it is used."""
    from catenary.library.line_workbook import write_line_workbook
    from catenary.library.lines import line_file_of, load_line

    job = composed.job
    if job.template is None or Path(job.template).suffix.lower() != ".xlsx":
        raise InputError([f"template must be a file that ends in .xlsx: got {job.template or 'nothing'}"])
    path = Path(job.template)
    if path.exists() and not job.overwrite:
        raise InputError([f"template {path} exists already: give another name or overwrite=true"])
    if job.line is None:
        if not (path.parent / job.type).is_file():
            load_line(job.type)
        write_line_workbook(path, job.type)
    else:
        file = line_file_of(Path(job.line))
        write_line_workbook(path, file.type, file, load_line(job.line))
    print(f"Wrote {path}. Fill in its sheets, then:")
    print(f"  {typed_command('simulate', (f'catenary={path}',))}")
    return 0
