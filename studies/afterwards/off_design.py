"""Write, after a search, both designs off the design point, and the dropper lengths of the best one for a fitter.

trust.json holds one row a condition; fitter_schedule.json and fitter_schedule.csv the lengths of the droppers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from catenary.errors import sentences_of
from catenary.layout.sections import parts_of
from catenary.library.design_workbook import PLAN_STATION
from catenary.storage.files import write_json_atomic, write_text_atomic
from catenary.storage.provenance import config_sha256
from optimise.afterwards.gain_left import ComparedRun, gains_left
from optimise.evaluation.verdict import BETTER, SAME, UNKNOWN, WORSE, verdict
from optimise.record.campaign_folder import CampaignFolder
from optimise.search.progress import counted
from studies.afterwards.confirmation import on_record

if TYPE_CHECKING:
    from catenary.spec.line import CatenarySpec
    from optimise.search.result import CampaignResult
    from optimise.spec.campaign import OffDesignSpec

__all__ = ["gain_lines", "off_design_lines", "show_fitter_schedule", "show_off_design"]

ROUNDED_MM = (1.0, 5.0)
STATIONS_MM = (10.0, 50.0)


def show_off_design(
    result: CampaignResult, wanted: OffDesignSpec, show: Callable[[str], None], *, error_estimate: bool = True
) -> dict[str, Any] | None:
    """Nominal line and best design under every condition; content of trust.json. None when no design is feasible.

    With ``error_estimate`` each standard deviation has its numerical error, without which none is called better. What
    stands on record for the same designs, case and conditions is not run again, the whole table or run by run.
    """
    from optimise.afterwards.finished_runs import finished_runs
    from optimise.afterwards.off_design import run_conditions
    from optimise.design.train_space import train_of
    from optimise.evaluation.job import Job

    best = result.best
    if best is None:
        return None
    key: dict[str, Any] = {
        "case_sha256": config_sha256(result.case),
        "trust_sha256": config_sha256(wanted, exclude={"length_tolerance": True}),
        "best_trial": best.number,
    }
    key["errors"] = error_estimate
    target = result.folder / "trust.json"
    held = on_record(target, lambda content: all(content.get(name) == value for name, value in key.items()))
    if held is not None:
        return held
    runs = finished_runs(result.folder, counted("off-design table", "runs", show))
    nominal = Job(0, result.space.typical_of(result.case.catenary))
    designs = nominal, Job(best.number, result.catenary_of(best), train=train_of(result.space, best.values))
    cluster = result.campaign.cluster
    rows = run_conditions(result.case, designs, wanted, cluster, runs, assured=error_estimate)
    content = {
        "schema_version": 1,
        **key,
        "design_speed_kmh": result.case.speed_kmh,
        "contact_stiffness_N_per_m": result.case.contact.stiffness,
        "wall_time_s": runs.spent_s,
        "rows": [
            {
                "kind": row.condition.kind,
                "value": row.condition.value,
                "sample": row.condition.sample,
                "dimension": row.condition.dimension,
                "nominal_std_N": nominal.sigma_N,
                "best_std_N": best_found.sigma_N,
                "nominal_error_N": nominal.sigma_error_N,
                "best_error_N": best_found.sigma_error_N,
                "nominal_message": nominal.message,
                "best_message": best_found.message,
                "nominal_slack_at_rest": nominal.slack_at_rest,
                "best_slack_at_rest": best_found.slack_at_rest,
            }
            for row in rows
            for nominal, best_found in [row.outcomes]
        ],
    }
    write_json_atomic(target, content)
    return content


def off_design_lines(content: dict[str, Any]) -> list[str]:
    """Where the best design is worse, in words; a difference within the errors of both does not count."""
    both = [r for r in content["rows"] if r["nominal_std_N"] is not None and r["best_std_N"] is not None]
    found = [(r, verdict(*run.nominal, *run.best)) for r, run in zip(both, map(ComparedRun.of_row, both), strict=True)]
    count = {word: sum(v == word for _, v in found) for word in (BETTER, SAME, UNKNOWN)}
    text = f"off-design table: better than the nominal line in {count[BETTER]} of {len(both)} runs that both have"
    if count[SAME]:
        text += f", {SAME} in {count[SAME]}"
    if count[UNKNOWN]:
        text += f", without an estimated error in {count[UNKNOWN]}"
    missing = len(content["rows"]) - len(both)
    if missing:
        text += f"; {missing} more could not be run for one of them, or for neither"
    worse = [_named(r) for r, v in found if v == WORSE]
    return [text, *(["worse: " + ", ".join(worse)] if worse else []), *gain_lines(content)]


def gain_lines(content: dict[str, Any]) -> list[str]:
    """What is left of the gain over several speeds, and on lines fitted with errors, a line each."""
    return [f"change of σ {gain.in_words}" for gain in gains_left(map(ComparedRun.of_row, content["rows"]))]


def _named(row: dict[str, Any]) -> str:
    what = {
        "speed": f"{row['value']:g} km/h",
        "contact": f"contact {row['value'] / 1e3:g} kN/m",
        "damping": f"damping times {row['value']:g}",
        "height_error": f"height errors of {row['value']:g} mm, line {row['sample']}",
        "length_error": f"dropper length errors of {row['value']:g} mm, line {row['sample']}",
        "dimension": f"{row['dimension']} model",
    }
    change = 100.0 * (row["best_std_N"] / row["nominal_std_N"] - 1.0)
    return f"{what[row['kind']]} ({change:+.1f} %)"


def show_fitter_schedule(result: CampaignResult) -> dict[str, Any] | None:
    """Cut lengths of the best design's droppers, exact and rounded, with sigma for each; None without a design.

    Main droppers of an auxiliary wire are listed, and rounded, with the others. Of a line with defects lengths are
    those of the line as designed, and so is sigma.
    """
    from catenary.form_finding.defects import as_designed
    from catenary.form_finding.equilibrium import EquilibriumStatus, equilibrium_at_rest
    from catenary.form_finding.prescribed import prescribed_by_heights, prescribed_by_lengths

    best = result.best
    if best is None:
        return None
    line = result.catenary_of(best)
    line = as_designed(line) if line.ends else _sound(line)
    equilibrium = equilibrium_at_rest(line)
    if equilibrium.status is not EquilibriumStatus.OK:
        return None
    cut = prescribed_by_lengths(equilibrium)
    line = equilibrium.spec  # which names every span of a period that wind or curve make longer
    by_heights = line.ends or line.droppers.prescribed == "heights"
    drawn = line if by_heights else prescribed_by_heights(equilibrium)
    exact, main = list(cut.droppers.lengths), _main_lengths(cut)
    rounded = {mm: (_rounded(exact, mm), _rounded(main, mm)) for mm in ROUNDED_MM}
    runs = [{"rounded_mm": 0.0, **_sigma(result, line)}]
    runs += [{"rounded_mm": mm, **_sigma(result, _cut_to(cut, *lengths))} for mm, lengths in rounded.items()]
    content = {
        "schema_version": 1,
        "best_trial": best.number,
        "position_m": list(cut.droppers.positions),
        "supports_m": list(cut.supports),
        "plan_begins_m": _plan_begins(result),
        "sections": [part.name for part in parts_of(cut) for _ in part.line.droppers.positions],
        "length_m": exact,
        "rounded_m": [{"rounded_mm": mm, "length_m": lengths} for mm, (lengths, _) in rounded.items()],
        "main_droppers": {
            "position_m": [] if cut.auxiliary_wire is None else list(cut.auxiliary_wire.droppers.positions),
            "sections": [
                p.name for p in parts_of(cut) if (own := p.line.auxiliary_wire) for _ in own.droppers.positions
            ],
            "length_m": main,
            "rounded_m": [{"rounded_mm": mm, "length_m": lengths} for mm, (_, lengths) in rounded.items()],
        },
        "runs": runs,
        # those of a line by stations are where the plan has them
        "stations_rounded": [] if line.ends else [_at_rounded_stations(result, drawn, mm) for mm in STATIONS_MM],
    }
    write_json_atomic(result.folder / "fitter_schedule.json", content)
    write_text_atomic(result.folder / "fitter_schedule.csv", _as_csv(content))
    return content


def _plan_begins(result: CampaignResult) -> float:
    """Station of the first support as the plan of a line by stations counts [m]; 0 without a plan."""
    from catenary.library.line_file import read_line_workbook
    from catenary.library.line_workbook import origin_of

    plan = CampaignFolder(result.folder).plan_xlsx
    return origin_of(read_line_workbook(plan)) if plan.is_file() else 0.0


def _main_lengths(cut: CatenarySpec) -> list[float]:
    """Lengths of the main droppers of an auxiliary wire; none of a line without one."""
    return [] if cut.auxiliary_wire is None else list(cut.auxiliary_wire.droppers.lengths)


def _rounded(lengths: list[float], mm: float) -> list[float]:
    return [round(1e-3 * mm * round(length / (1e-3 * mm)), 6) for length in lengths]


def _sound(line: CatenarySpec) -> CatenarySpec:
    """A line that repeats, as new and without its defects: after its own spans, or as many as wind and curve need."""
    kept = None if line.wind is None and line.track is None else line.repeat
    kept = None if kept is None else kept.model_copy(update={"defects": (), "wear": (), "kinks": ()})
    return line.model_copy(update={"repeat": kept})


def _at_rounded_stations(result: CampaignResult, line: CatenarySpec, step_mm: float) -> dict[str, Any]:
    """Droppers at stations rounded from their own support, with lengths to a millimetre that give the same heights."""
    from catenary.form_finding.equilibrium import EquilibriumStatus, periodic_equilibrium
    from catenary.form_finding.prescribed import prescribed_by_lengths

    step, supports = 1e-3 * step_mm, [0.0, *line.supports]
    own = [max(s for s in supports if s < x) for x in line.droppers.positions]
    stations = [round(s + step * round((x - s) / step), 6) for s, x in zip(own, line.droppers.positions, strict=True)]
    content: dict[str, Any] = {"rounded_mm": step_mm, "position_m": stations, "length_m": [], "main_length_m": []}
    try:
        moved = type(line).model_validate(
            {**line.model_dump(), "droppers": {**line.droppers.model_dump(), "positions": tuple(stations)}}
        )
    except ValidationError as error:
        return {**content, "contact_force_std_N": None, "message": "; ".join(sentences_of(error))}
    equilibrium = periodic_equilibrium(moved)
    if equilibrium.status is not EquilibriumStatus.OK:
        return {**content, "contact_force_std_N": None, "message": equilibrium.status.value}
    cut = prescribed_by_lengths(equilibrium)
    lengths, main = _rounded(list(cut.droppers.lengths), 1.0), _rounded(_main_lengths(cut), 1.0)
    return {**content, "length_m": lengths, "main_length_m": main, **_sigma(result, _cut_to(cut, lengths, main))}


def _cut_to(line: CatenarySpec, lengths: list[float], main: list[float]) -> CatenarySpec:
    """Line whose droppers, and main droppers of its auxiliary wire, have these lengths."""
    cut: dict[str, Any] = {"droppers": line.droppers.model_copy(update={"lengths": tuple(lengths)})}
    if (auxiliary := line.auxiliary_wire) is not None:
        droppers = auxiliary.droppers.model_copy(update={"lengths": tuple(main)})
        cut["auxiliary_wire"] = auxiliary.model_copy(update={"droppers": droppers})
    return line.model_copy(update=cut)


def _sigma(result: CampaignResult, line: CatenarySpec) -> dict[str, Any]:
    """Standard deviation [N] of the best design's pantograph by the campaign's own solver, or why there is none."""
    from optimise.evaluation.evaluate import evaluate
    from optimise.evaluation.job import Job, Setting

    case = result.case_with(line, result.best)
    found = evaluate(Job(0, case.catenary), Setting(case, result.campaign.limits))
    return {
        "contact_force_std_N": found.sigma_N,
        "static_dropper_force_min_N": found.static_dropper_force_min_N,
        "message": found.message,
    }


def _as_csv(content: dict[str, Any]) -> str:
    """Schedule as a table that a workshop reads: one row a dropper, then one a main dropper."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [f"length_rounded_{r['rounded_mm']:g}mm_m" for r in content["rounded_m"]]
    placed = [r for r in content["stations_rounded"] if r["length_m"]]
    for r in placed:
        names += [f"station_rounded_{r['rounded_mm']:g}mm_m", f"length_at_{r['rounded_mm']:g}mm_stations_m"]
    supports, main = content["supports_m"], content["main_droppers"]
    begins, several = content["plan_begins_m"], any(content["sections"])
    of_plan = ["section"] * several + [PLAN_STATION] * bool(begins)
    writer.writerow(["dropper", "station_m", "length_m", *names, "span", "from_support_m", *of_plan])
    there = [r[name] for r in placed for name in ("position_m", "length_m")]
    kept = [lengths for r in placed for lengths in (main["position_m"], r["main_length_m"])]
    for label, each, moved in (("", content, there), ("main ", main, kept)):
        columns = [each["position_m"], each["length_m"], *(r["length_m"] for r in each["rounded_m"]), *moved]
        for k, (station, exact, *others) in enumerate(zip(*columns, strict=True)):
            span = sum(support < station for support in supports)
            where = [span, f"{station - supports[span - 1]:.3f}"]
            where += [each["sections"][k]] * several + [f"{station + begins:.3f}"] * bool(begins)
            row = [f"{label}{k + 1}", f"{station:.3f}", f"{exact:.5f}", *(f"{v:.3f}" for v in others), *where]
            writer.writerow(row)
    return text.getvalue()
