"""Compare published references with this program's numbers; exit 1 if a gate is missed.

conf/validation/gates.yaml holds the gates, their sources and known misses. Every comparison prints its rows and is
drawn in report.html: steady (mean forces and elasticity in the steady state), pacdin (applied forces of its table 1),
en50318 (the standard's case), pantocat (the same by beam elements; elasticity by a creeping pantograph), ln2 (the
line test of its table 2 with a line and a pantograph that are in large part assumed: printed, no gate), arnold_simeon
(droppers and contact as constraints, and stiff springs that tend to them), formulations (cables and beams, linearised
or not, in the plane and in space, against each other), second_methods (lines in space, c350, large deformation and
the loop with slack, against formulations that share no code), random_runs (lines, trains and damping drawn at random,
by the line's operator and by the march, with their errors), lines (tension sections that overlap, against one
section, a mirror image, and halves of a wire), space (a line on a curve against taut strings, the contact in space
against its limits), pfem (the hardware loop of Gil et al. emulated, against the periodic state and the long
transient). One or some alone:

  catenary validate only=[steady,en50318]

`make validate` writes the tables of the documentation by `tables=docs/results`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from catenary.storage.files import write_json_atomic
from catenary.storage.provenance import commit, config_sha256, versions
from studies.input.compose import Composed, compose_job
from studies.jobs.simulation import COMPARISONS, ValidateJob
from studies.validation.gates.gates import GatesSpec, load_gates
from studies.writing.run_folder import RunFolder, asked_folder, fresh_folder

if TYPE_CHECKING:
    from studies.validation.rows import Comparison

__all__ = ["JOB", "compose", "load_gates", "run"]

JOB = ValidateJob
SUMMARY_SCHEMA = 1


def compose(overrides: list[str]) -> Composed[ValidateJob]:
    """Resolve and validate the input."""
    return compose_job("validate", JOB, overrides)


def run(composed: Composed[ValidateJob]) -> int:
    """Compare, print, write and draw; 1 when a gate is missed."""
    gates = load_gates()
    chosen = tuple(key for key in COMPARISONS if key in composed.job.only)
    if composed.job.tables is not None:
        asked_folder(composed.job.tables, Path(), "tables")
    folder = RunFolder(fresh_folder("validate", "validation", composed.job.run_dir), "validate", composed)
    began = time.perf_counter()
    found = []
    for key in chosen:
        comparison = comparison_of(key)(gates, lambda line: folder.say(f"  … {line}"))
        found.append(comparison)
        _print(comparison, folder.say)
    _write(folder.path, composed, found, time.perf_counter() - began)
    missed = sum(c.missed for c in found)
    folder.say(_verdict(found, missed))
    folder.say(f"Wrote to {folder.path}/ (report.html, summary.json, figures/)")
    return 1 if missed else 0


def _verdict(found: list[Comparison], missed: int) -> str:
    """Say what all gates together say; of comparisons without any, that they say nothing."""
    if missed:
        return f"{missed} gate(s) missed."
    gated = any(row.verdict != "printed" for comparison in found for row in comparison.rows)
    return "All gates are met." if gated else "No gate is among these figures: they are printed, and prove nothing."


def comparison_of(key: str) -> Callable[[GatesSpec, Callable[[str], None]], Comparison]:
    """Function that compares with one source: ``compare`` of the module of that name in studies.validation."""
    return import_module(f"studies.validation.{key}").compare


def _print(comparison: Comparison, say: Callable[[str], None]) -> None:
    """Print every row: quantity, published and accepted values, this program's value, and verdict."""
    say(f"{comparison.title} ({comparison.source})")
    if comparison.reading:
        say(f"  Interpretation: {comparison.reading}")
    for table in comparison.tables:
        say(f"  {table.title}: {' | '.join(table.columns)}")
        for line in table.rows:
            say(f"    {' | '.join(line)}")
    for row in comparison.rows:
        accepted = "" if row.allowed is None else f"   accepted {row.allowed_text}"
        details = "".join(f"; {text}" for text in (row.remark, row.reading) if text)
        say(
            f"  {row.case}   {row.quantity}: {row.references_text}{accepted}   here {row.here_text} {row.unit}   "
            f"{row.verdict}{details}"
        )


def _write(path: Path, composed: Composed[ValidateJob], found: list[Comparison], wall_time: float) -> None:
    """Write summary.json, report.html and figures/."""
    from studies.report.drawing.page import write_page
    from studies.report.readers.stored import command_of
    from studies.validation.page import validation_page, write_validation_tables

    digest = config_sha256(composed.job)
    command = command_of(path, "validate")
    verdicts = Counter(row.verdict for c in found for row in c.rows)
    summary = {
        "schema_version": SUMMARY_SCHEMA,
        "config_sha256": digest,
        "commit": commit(),
        "date": time.strftime("%Y-%m-%d"),
        "command": command,
        "verdicts": {word: verdicts[word] for word in ("met", "MISSED", "known", "printed")},
        "comparisons": [
            {
                "key": c.key,
                "title": c.title,
                "source": c.source,
                "reading": c.reading,
                "rows": [row.as_record() for row in c.rows],
            }
            for c in found
        ],
        "wall_time_s": {"total": wall_time},
    }
    write_json_atomic(path / "summary.json", summary)
    ran = (
        ("SHA-256 of the resolved input", digest),
        ("finished", time.strftime("%Y-%m-%d %H:%M")),
        ("commit", commit()),
        ("versions", ", ".join(f"{name} {version}" for name, version in versions().items())),
        ("wall time", f"{wall_time:.0f} s"),
    )
    write_page(validation_page(found, command, ran), path)
    if composed.job.tables is not None:
        write_validation_tables(found, Path(composed.job.tables))
