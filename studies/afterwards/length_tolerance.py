"""Write by how much each dropper's length may be wrong, of a campaign's best design or of a single line.

length_tolerance.json holds one row a dropper and the lines by which the tolerances are checked; of a campaign the
cutting list fitter_schedule.csv gets its columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.storage.files import write_json_atomic, write_text_atomic
from catenary.storage.provenance import config_sha256
from dynamics.charts.numbers import with_error
from optimise.search.progress import counted
from studies.afterwards.confirmation import on_record

if TYPE_CHECKING:
    from catenary.spec.line import CatenarySpec
    from dynamics.spec.case import CaseSpec
    from optimise.afterwards.dropper_tolerance import DropperTolerance
    from optimise.search.result import CampaignResult
    from optimise.spec.cluster import ClusterSpec
    from optimise.spec.off_design import LengthToleranceSpec

__all__ = ["NAME", "length_tolerance_into", "length_tolerance_lines", "show_length_tolerance"]

NAME = "length_tolerance.json"
COLUMNS = ("tolerance_mm", "tolerance_error_mm", "tolerance_more_than_mm", "wrong_way", "both_directions_mm")
MIRROR = 1e-6  # m
Show = Callable[[str], None]


def show_length_tolerance(
    result: CampaignResult, wanted: LengthToleranceSpec, show: Show, *, error_estimate: bool = True
) -> dict[str, Any] | None:
    """Tolerances of the best design in the case's own condition; content of the file. None without a design or wish.

    Nor are there any where lines are marched from end to end, whose derivatives are not known. What stands on record
    for the same design, case and wish is not run again, all of it or run by run.
    """
    best = result.best
    if best is None or wanted.rise_percent is None or result.case.on_open_line:
        return None
    key = {"best_trial": best.number, "errors": error_estimate}
    case, cluster = result.case_of(best), result.campaign.cluster
    content = length_tolerance_into(result.folder, case, wanted, cluster, show, key=key)
    _add_to_schedule(result.folder / "fitter_schedule.csv", content["droppers"])
    return content


def length_tolerance_into(
    folder: Path,
    case: CaseSpec,
    wanted: LengthToleranceSpec,
    cluster: ClusterSpec,
    show: Show,
    *,
    key: dict[str, Any],
) -> dict[str, Any]:
    """Tolerances of a case's line, written into a folder unless they are on record there; content of the file.

    ``key`` is what they are of, in addition to case and wish; its ``errors`` says whether each tolerance has an error.
    """
    from optimise.afterwards.finished_runs import finished_runs
    from optimise.afterwards.length_tolerance import length_tolerances

    key = {"case_sha256": config_sha256(case), "wish_sha256": config_sha256(wanted), **key}
    held = on_record(folder / NAME, lambda content: all(content.get(name) == value for name, value in key.items()))
    if held is not None:
        return held
    runs = finished_runs(folder, counted("tolerance of dropper lengths", "searches and lines", show))
    found = length_tolerances(case, wanted, cluster, runs, assured=key["errors"])
    content: dict[str, Any] = {"schema_version": 1, **key, "rise_percent": wanted.rise_percent}
    if isinstance(found, str):
        content |= {"message": found, "contact_force_std_N": None, "droppers": [], "lines": []}
    else:
        mirrored = _mirrored(case.catenary)
        content |= {
            "message": "",
            "contact_force_std_N": found.sigma_N,
            "droppers": [_row(d, case.catenary, found.droppers, mirrored[d.number]) for d in found.droppers],
            "lines": [
                {
                    "share": lines.share,
                    "within": lines.kept(0.01 * (wanted.rise_percent or 0.0)),
                    "rise_percent": [None if rise is None else 100.0 * rise for rise in lines.rises],
                }
                for lines in found.lines
            ],
        }
    content["wall_time_s"] = runs.spent_s
    write_json_atomic(folder / NAME, content)
    return content


def _row(
    d: DropperTolerance, line: CatenarySpec, droppers: tuple[DropperTolerance, ...], mirror: int | None
) -> dict[str, Any]:
    both = None if mirror is None else 1e3 * min(d.within, droppers[mirror].within)
    return {
        "dropper": d.number + 1,
        "position_m": line.droppers.positions[d.number],
        "tolerance_mm": None if d.tolerance is None else 1e3 * d.tolerance,
        "tolerance_error_mm": None if d.error is None else 1e3 * d.error,
        "more_than_mm": None if d.tolerance is not None else 1e3 * d.more_than,
        "wrong_way": {1: "longer", -1: "shorter", 0: ""}[d.sense],
        "both_directions_mm": both,
        "finer_rise_percent": None if d.finer_rise is None else 100.0 * d.finer_rise,
        "tested": [{"error_mm": 1e3 * error, "rise_percent": 100.0 * rise} for error, rise in d.tested],
        "message": d.message,
    }


def _mirrored(line: CatenarySpec) -> tuple[int | None, ...]:
    """Dropper in the place of each where trains run the other way; None where the line is another one for them.

    Stations and what is prescribed must be mirror images in every span.
    """
    drops = line.droppers
    x = drops.positions
    prescribed = drops.contact_wire_heights if drops.prescribed == "heights" else drops.lengths
    found: list[int | None] = []
    for a, b in pairwise(line.supports):
        own = [k for k, station in enumerate(x) if a < station < b]
        for k, other in zip(own, reversed(own), strict=True):
            alike = abs(x[k] - a - b + x[other]) < MIRROR and abs(prescribed[k] - prescribed[other]) < MIRROR
            found.append(other if alike else None)
    return tuple(found) if None not in found else (None,) * len(found)


def length_tolerance_lines(content: dict[str, Any]) -> list[str]:
    """Tolerances in words: the tightest, those without a figure, and the check by lines that are all wrong."""
    rise = f"{content['rise_percent']:g} %"
    if content["message"]:
        return [f"tolerance of dropper lengths: none could be found ({content['message']})"]
    rows = content["droppers"]
    known = sorted((r for r in rows if r["tolerance_mm"] is not None), key=lambda r: r["tolerance_mm"])
    text = f"tolerance of dropper lengths (σ up by {rise} with that one wrong in every span): "
    parts = [f"dropper {r['dropper']} {in_words(r)}" for r in known]
    far = [r for r in rows if r["tolerance_mm"] is None]
    parts += [f"dropper {r['dropper']} {in_words(r)}" for r in far]
    lines = [f"{text}{'; '.join(parts)}"]
    for drawn in content["lines"]:
        within = {1.0: "", 0.5: "half of "}.get(drawn["share"], f"{drawn['share']:g} times ")
        lines.append(
            f"all droppers wrong at once, each within {within}its tolerance: {drawn['within']} of "
            f"{len(drawn['rise_percent'])} lines stay within +{rise}"
        )
    return [*lines, f"tolerances of dropper lengths took {content['wall_time_s']:.0f} s"]


def in_words(row: dict[str, Any]) -> str:
    """Tolerance of one dropper with its error and the way that is wrong, or what is known without a figure."""
    if row["tolerance_mm"] is not None:
        return f"{with_error(row['tolerance_mm'], row['tolerance_error_mm'], 1)} mm ({row['wrong_way']})"
    return f"more than {row['more_than_mm']:.1f} mm" if row["more_than_mm"] else "not known"


def _add_to_schedule(path: Path, rows: list[dict[str, Any]]) -> None:
    """Add the tolerances to the cutting list, in place of those that it has; main droppers have none."""
    if not rows or not path.exists():
        return
    head, *body = csv.reader(io.StringIO(path.read_text(encoding="utf-8")))
    kept = [k for k, name in enumerate(head) if name not in COLUMNS]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(head[k] for k in kept), *COLUMNS])
    main = [line for line in body if not line[0].isdigit()]
    for line, row in zip(body[: len(body) - len(main)], rows, strict=True):
        figures = (row[key] for key in ("tolerance_mm", "tolerance_error_mm", "more_than_mm"))
        both = row["both_directions_mm"]
        added = [
            *("" if v is None else f"{v:.1f}" for v in figures),
            row["wrong_way"],
            "" if both is None else f"{both:.1f}",
        ]
        writer.writerow([*(line[k] for k in kept), *added])
    writer.writerows([*(line[k] for k in kept), *("" for _ in COLUMNS)] for line in main)
    write_text_atomic(path, text.getvalue())
