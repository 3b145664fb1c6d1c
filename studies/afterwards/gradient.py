"""What each dropper does to the contact force and to the uplift, to first order: gradient.json and gradient.csv."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.storage.files import write_json_atomic, write_text_atomic

if TYPE_CHECKING:
    from dynamics.adjoint.inputs import InputSlope
    from dynamics.adjoint.steady_slopes import FigureSlopes
    from dynamics.results.solution import Solution

__all__ = ["gradient_into", "gradient_lines", "gradient_said"]

# columns of gradient.csv and keys of a row of gradient.json, with what they are in the units of the fields
COLUMNS = ("dropper", "position_m", "sigma_N_per_mm", "sigma_N_per_m_of_station", "uplift_mm_per_mm",
           "uplift_mm_per_m_of_station", "force_max_N_per_mm", "force_max_N_per_m_of_station", "force_min_N_per_mm",
           "force_min_N_per_m_of_station")  # fmt: skip
# what the extremes are
WORST = "Each figure of the train is that of the pantograph for which it is worst."
DISTANCES = "trailing.distances_m["  # ten per cent of one are many metres, too far for a slope
NONE_HANGS = "form-finding found no equilibrium of the line with a dropper moved a little"
SMOOTH = "largest force as tau ln(sum exp(f / tau)) over the filtered force f of a period, smallest as that of -f"


def gradient_into(folder: Path, solution: Solution) -> dict[str, Any]:
    """Find the derivatives of a steady state by every dropper and write them into a folder."""
    from dynamics.adjoint.droppers import dropper_slopes
    from dynamics.adjoint.figures import SOFT
    from dynamics.adjoint.inputs import input_slopes
    from dynamics.adjoint.steady_slopes import SteadySlopes

    slopes = SteadySlopes(solution)
    found, inputs = dropper_slopes(slopes), input_slopes(slopes)
    kinds = solution.equilibrium.mesh.layout.dropper_kind
    rows = [(k + 1, d.position, *_by_metre(d.by_height, d.by_station)) for k, d in enumerate(found.droppers)]
    check = found.check
    content = {
        "schema_version": 1,
        "prescribed": found.prescribed,
        "extremes": {"smooth": SMOOTH, "tau_N": SOFT},
        "held": "mean force" if solution.case.mean_force_N is not None else "applied force",
        "figures_of": WORST if len(solution.pantographs) > 1 else "",
        "droppers": [
            {k: _finite(v) for k, v in zip(COLUMNS, row, strict=True)}
            | {
                "own_static_force_N_per_mm": _finite(1e-3 * float(d.by_height.static[kinds.index(k)])),
                "static_dropper_force_N_per_mm": [_finite(1e-3 * x) for x in d.by_height.static.tolist()],
                "static_dropper_force_N_per_m_of_station": [_finite(x) for x in d.by_station.static.tolist()],
            }
            for k, (row, d) in enumerate(zip(rows, found.droppers, strict=True))
        ],
        "check": {
            "largest_change_mm": 1e3 * check.largest,
            "expected_N": _finite(check.expected),
            "computed_N": _finite(check.computed),
            "slack_steps_changed": check.slack_steps,
        },
        "inputs": [_input_row(x) for x in inputs],
        "message": slopes.message,
    }
    write_json_atomic(folder / "gradient.json", content)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    write_text_atomic(folder / "gradient.csv", text.getvalue())
    return content


def gradient_said(folder: Path, solution: Solution) -> list[str]:
    """Write derivatives into a run's folder and say the largest ones, or why there are none."""
    from dynamics.adjoint.figures import refusal_of_derivatives

    if not solution.found_steady_state:
        return ["no derivatives, since no steady state was found"]
    refusal = refusal_of_derivatives(solution.case, solution.operator_state is None)
    if refusal is not None:
        return [f"no derivatives, since this run was marched: {refusal}"]
    return gradient_lines(gradient_into(folder, solution))


def _by_metre(height: FigureSlopes, station: FigureSlopes) -> tuple[float, ...]:
    """Derivatives by a dropper's height and station in the units and the order of the columns."""
    return (
        1e-3 * height.sigma, station.sigma, height.uplift, 1e3 * station.uplift, 1e-3 * height.force_max,
        station.force_max, 1e-3 * height.force_min, station.force_min,
    )  # fmt: skip


def _input_row(x: InputSlope) -> dict[str, Any]:
    """Derivatives by an input, per unit and per ten per cent of it, in the units of the keys."""
    tenth, slopes = 0.1 * x.value, x.slopes
    return {
        "input": x.name,
        "unit": x.unit,
        "value": x.value,
        "sigma_N_per_unit": _finite(slopes.sigma),
        "sigma_N_per_10_percent": _finite(tenth * slopes.sigma),
        "uplift_mm_per_10_percent": _finite(1e3 * tenth * slopes.uplift),
        "force_max_N_per_10_percent": _finite(tenth * slopes.force_max),
        "force_min_N_per_10_percent": _finite(tenth * slopes.force_min),
        "static_dropper_force_N_per_10_percent": [_finite(tenth * y) for y in slopes.static.tolist()],
    }


def _finite(value: float) -> float | None:
    """Number, or None where a dropper cannot be moved."""
    return value if math.isfinite(value) else None


def gradient_lines(content: dict[str, Any]) -> list[str]:
    """Derivatives in words: the three droppers that matter most, and the check by a computed step."""
    what = {"heights": "higher contact wire", "lengths": "longer dropper"}[content["prescribed"]]
    known = [row for row in content["droppers"] if row["sigma_N_per_mm"] is not None]
    strong = sorted(known, key=lambda row: -abs(row["sigma_N_per_mm"]))[:3]
    listed = ", ".join(f"dropper {row['dropper']} {row['sigma_N_per_mm']:+.2f} N/mm" for row in strong)
    if not strong:
        return [f"no derivatives by droppers: {content['message'] or NONE_HANGS}"]
    lines = [content["figures_of"]] if content["figures_of"] else []
    lines += [f"σ by a {what}, at the droppers with the largest effect: {listed} (all: gradient.csv)"]
    known = [row for row in content["inputs"] if row["sigma_N_per_10_percent"] is not None]
    named = [row for row in known if not row["input"].startswith(DISTANCES)]
    first = sorted(named, key=lambda row: -abs(row["sigma_N_per_10_percent"]))[:3]
    listed = ", ".join(f"{row['input']} {row['sigma_N_per_10_percent']:+.2f} N" for row in first)
    lines.append(
        f"σ by 10 % more of an input at the same {content['held']}, for the inputs with the largest effect: {listed} "
        "(all: gradient.json)"
    )
    along = [f"{row['input']} {row['sigma_N_per_unit']:+.2f} N/m" for row in known if row not in named]
    lines += [f"σ by distances between pantographs: {', '.join(along)}"] if along else []
    check = content["check"]
    if check["expected_N"] is not None and check["computed_N"] is not None:
        turned = check["slack_steps_changed"]
        lines.append(
            f"check of these slopes: a move of all droppers down them, by {check['largest_change_mm']:g} mm at most, "
            f"changes σ by {check['computed_N']:+.2f} N; the slopes predict {check['expected_N']:+.2f} N"
            + (
                f"; droppers are then slack for {turned} time steps more or less, and σ has a kink at each of these"
                if turned
                else ""
            )
        )
    return lines
