"""What each dropper does to the contact force and to the uplift, to first order: gradient.json and gradient.csv."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.storage.files import write_json_atomic, write_text_atomic
from dynamics.charts.numbers import with_error

if TYPE_CHECKING:
    from dynamics.adjoint.droppers import DropperSlope
    from dynamics.adjoint.inputs import InputSlope
    from dynamics.adjoint.steady_slopes import FigureSlopes
    from dynamics.results.solution import Solution

__all__ = ["gradient_into", "gradient_lines", "gradient_said"]

# columns of gradient.csv and keys of a row of gradient.json, with what they are in the units of the fields
COLUMNS = ("dropper", "position_m", "sigma_N_per_mm", "sigma_N_per_m_of_station", "uplift_mm_per_mm",
           "uplift_mm_per_m_of_station", "force_max_N_per_mm", "force_max_N_per_m_of_station", "force_min_N_per_mm",
           "force_min_N_per_m_of_station")  # fmt: skip
ERROR_COLUMNS = tuple(f"{name}_error" for name in COLUMNS[2:])
# what the extremes are
WORST = "Each figure of the train is that of the pantograph for which it is worst."
NONE_HANGS = "form-finding found no equilibrium of the line with a dropper moved a little"
SMOOTH = "largest force as tau ln(sum exp(f / tau)) over the filtered force f of a period, smallest as that of -f"


def gradient_into(folder: Path, solution: Solution, *, with_errors: bool = True) -> dict[str, Any]:
    """Find the derivatives of a steady state by every dropper, with their errors, and write them into a folder."""
    from dynamics.adjoint.figures import SOFT
    from dynamics.adjoint.slope_errors import steady_derivatives

    derivatives = steady_derivatives(solution, with_errors=with_errors)
    found, check = derivatives.droppers, derivatives.droppers.check
    rows = [_dropper_row(k, d) for k, d in enumerate(found.droppers)]
    kinds = solution.equilibrium.mesh.layout.dropper_kind
    content = {
        "schema_version": 1,
        "prescribed": found.prescribed,
        "extremes": {"smooth": SMOOTH, "tau_N": SOFT},
        "held": "mean force" if solution.case.mean_force_N is not None else "applied force",
        "figures_of": WORST if len(solution.pantographs) > 1 else "",
        "errors_from": derivatives.errors_from,
        "droppers": [
            row
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
        "inputs": [_input_row(x) for x in derivatives.inputs],
        "message": derivatives.message,
    }
    write_json_atomic(folder / "gradient.json", content)
    text = io.StringIO()
    writer = csv.DictWriter(text, (*COLUMNS, *ERROR_COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text_atomic(folder / "gradient.csv", text.getvalue())
    return content


def gradient_said(folder: Path, solution: Solution, *, with_errors: bool = True) -> list[str]:
    """Write derivatives into a run's folder and say the largest ones, or why there are none."""
    from dynamics.adjoint.figures import refusal_of_derivatives

    if not solution.found_steady_state:
        return ["no derivatives, since no steady state was found"]
    refusal = refusal_of_derivatives(solution.case, solution.operator_state is None)
    if refusal is not None:
        return [f"no derivatives, since this run was marched: {refusal}"]
    return gradient_lines(gradient_into(folder, solution, with_errors=with_errors))


def _dropper_row(number: int, dropper: DropperSlope) -> dict[str, Any]:
    """Derivatives by a dropper's height and station, and their errors, by the names of the columns."""
    row: dict[str, Any] = {"dropper": number + 1, "position_m": dropper.position}
    row |= zip(COLUMNS[2:], map(_finite, _by_metre(dropper.by_height, dropper.by_station)), strict=True)
    if dropper.height_error is None or dropper.station_error is None:
        return row | dict.fromkeys(ERROR_COLUMNS)
    errors = _by_metre(dropper.height_error, dropper.station_error)
    return row | dict(zip(ERROR_COLUMNS, map(_finite, errors), strict=True))


def _by_metre(height: FigureSlopes, station: FigureSlopes) -> tuple[float, ...]:
    """What is by a dropper's height and by its station in the units and the order of the columns."""
    return (
        1e-3 * height.sigma, station.sigma, height.uplift, 1e3 * station.uplift, 1e-3 * height.force_max,
        station.force_max, 1e-3 * height.force_min, station.force_min,
    )  # fmt: skip


def _input_row(x: InputSlope) -> dict[str, Any]:
    """Derivatives by an input, per unit and per ten per cent of it, and their errors, in the units of the keys."""
    slopes = _by_tenth(x.value, x.slopes)
    errors = dict.fromkeys(slopes) if x.error is None else _by_tenth(abs(x.value), x.error)
    return {
        "input": x.name,
        "unit": x.unit,
        "value": x.value,
        **slopes,
        **{f"{key}_error": error for key, error in errors.items()},
        "static_dropper_force_N_per_10_percent": [_finite(0.1 * x.value * y) for y in x.slopes.static.tolist()],
    }


def _by_tenth(value: float, slopes: FigureSlopes) -> dict[str, float | None]:
    """What is by an input, per unit and per ten per cent of its value, in the units of the keys."""
    tenth = 0.1 * value
    return {
        "sigma_N_per_unit": _finite(slopes.sigma),
        "sigma_N_per_10_percent": _finite(tenth * slopes.sigma),
        "uplift_mm_per_10_percent": _finite(1e3 * tenth * slopes.uplift),
        "force_max_N_per_10_percent": _finite(tenth * slopes.force_max),
        "force_min_N_per_10_percent": _finite(tenth * slopes.force_min),
    }


def _finite(value: float) -> float | None:
    """Number, or None where a dropper cannot be moved."""
    return value if math.isfinite(value) else None


def gradient_lines(content: dict[str, Any]) -> list[str]:
    """Derivatives in words: the three droppers that matter most, and the check by a computed step."""
    from dynamics.adjoint.inputs import DISTANCES

    what = {"heights": "higher contact wire", "lengths": "longer dropper"}[content["prescribed"]]
    known = [row for row in content["droppers"] if row["sigma_N_per_mm"] is not None]
    strong = sorted(known, key=lambda row: -abs(row["sigma_N_per_mm"]))[:3]
    listed = ", ".join(f"dropper {row['dropper']} {_sized(row, 'sigma_N_per_mm')} N/mm" for row in strong)
    if not strong:
        return [f"no derivatives by droppers: {content['message'] or NONE_HANGS}"]
    lines = [content["figures_of"]] if content["figures_of"] else []
    lines += [f"σ by a {what}, at the droppers with the largest effect: {listed} (all: gradient.csv)"]
    known = [row for row in content["inputs"] if row["sigma_N_per_10_percent"] is not None]
    named = [row for row in known if not row["input"].startswith(DISTANCES)]
    first = sorted(named, key=lambda row: -abs(row["sigma_N_per_10_percent"]))[:3]
    listed = ", ".join(f"{row['input']} {_sized(row, 'sigma_N_per_10_percent')} N" for row in first)
    lines.append(
        f"σ by 10 % more of an input at the same {content['held']}, for the inputs with the largest effect: {listed} "
        "(all: gradient.json)"
    )
    along = [f"{row['input']} {_sized(row, 'sigma_N_per_unit')} N/m" for row in known if row not in named]
    lines += [f"σ by distances between pantographs: {', '.join(along)}"] if along else []
    lines += [content["errors_from"]] if content["errors_from"] else []
    check = content["check"]
    if check["expected_N"] is not None and check["computed_N"] is not None:
        turned = check["slack_steps_changed"]
        lines.append(
            f"check of these slopes: a move of all droppers down them, by {check['largest_change_mm']:g} mm at most, "
            f"changes σ by {with_error(check['computed_N'], None, 2, signed=True)} N; the slopes predict "
            f"{with_error(check['expected_N'], None, 2, signed=True)} N"
            + (
                f"; droppers are then slack for {turned} time steps more or less, and σ has a kink at each of these"
                if turned
                else ""
            )
        )
    return lines


def _sized(row: dict[str, Any], key: str) -> str:
    """Write a derivative with its sign, and its error where that is known."""
    return with_error(row[key], row[f"{key}_error"], 2, signed=True)
