"""Content of summary.json: statics, figures of every pantograph, and their estimated error."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from studies.jobs.simulation import ELASTICITY_LOADS
from studies.writing.figure_errors import figure_errors

if TYPE_CHECKING:
    from catenary.form_finding.equilibrium import Equilibrium
    from catenary.spec.line import CatenarySpec
    from dynamics.accuracy.numerical_error import NumericalError
    from dynamics.accuracy.slack_companion import SlackDampingChange
    from dynamics.results.solution import Solution
    from dynamics.spec.case import CaseSpec
    from studies.writing.report_head import HeadRecord

__all__ = ["assessment_summary", "error_summary", "static_summary", "summarise"]


def static_summary(equilibrium: Equilibrium, loads_N: Sequence[float] = ELASTICITY_LOADS) -> dict[str, Any]:
    """Static state of one span: droppers, contact-wire height and elasticity, as in summary.json.

    ``elasticity_mm_per_N`` is that at the first load [N]; span means and values by load name each.
    """
    from catenary.linearised.elasticity import span_mean
    from catenary.storage.dataset import static_table

    tables = [static_table(equilibrium, load) for load in loads_N]
    x = tables[0]["station"].tolist()
    height = tables[0]["contact_wire_static_height"].tolist()
    elasticity = [1.0e3 * table["elasticity"] for table in tables]
    return {
        "dropper_force_N": equilibrium.dropper_force.tolist(),
        "dropper_length_m": equilibrium.dropper_length.tolist(),
        "contact_wire_height_m": {"x_m": x, "z_m": height},
        "elasticity_mm_per_N": {"x_m": x, "value": elasticity[0].tolist()},
        "elasticity_by_load_mm_per_N": {"force_N": [*loads_N], "x_m": x, "value": [e.tolist() for e in elasticity]},
        "elasticity_span_mean_mm_per_N": {"force_N": [*loads_N], "value": [span_mean(e) for e in elasticity]},
    }


def summarise(
    case: CaseSpec,
    solution: Solution,
    total: float,
    config_hash: str,
    elasticity_force_N: Sequence[float] = ELASTICITY_LOADS,
    error: NumericalError | None = None,
) -> dict[str, Any]:
    """Content of summary.json."""
    from catenary.form_finding.equilibrium import EquilibriumStatus
    from catenary.linearised.rest_warnings import rest_warnings
    from dynamics.results.by_span import figures_by_span
    from dynamics.results.by_wire import figures_by_overlap, figures_by_wire
    from dynamics.results.force_history import force_history
    from dynamics.results.losses import contact_losses

    found = solution.equilibrium.status is EquilibriumStatus.OK
    statistics = solution.statistics
    pantographs: list[dict[str, Any]] = []
    if statistics is not None:
        for each in solution.pantographs:
            assert each.statistics is not None
            pantographs.append({"applied_force_N": float(each.applied_force_N), **asdict(each.statistics)})
        history = force_history(solution)
        for figures, losses in zip(pantographs, () if history is None else contact_losses(history), strict=True):
            figures["losses"] = losses.summary
    estimated = None if error is None else error_summary(case, error)
    return {
        "schema_version": 1,
        "status": solution.status.value,
        "message": solution.message,
        "catenary": case.catenary.name,
        "pantograph": [case.pantograph.name] * (1 + len(case.trailing.distances_m)),
        "solver": case.solver,
        "method": solution.method,
        "formulation": case.catenary.formulation,
        "kinematics": case.kinematics,
        "integrator": case.open_line.integrator if case.on_open_line else "newmark",
        "speed_kmh": case.speed_kmh,
        "supply": case.supply,
        "mean_force_N": case.mean_force_N,
        "contact_stiffness_N_per_m": case.contact.stiffness,
        "dt_s": case.time_step,
        "filter": f"{case.signal.kind} {case.signal.cutoff_hz:g} Hz, zero phase",
        "config_sha256": config_hash,
        "static": {"of": case.catenary.one_period, **static_summary(solution.equilibrium, elasticity_force_N)}
        if found
        else {},
        "pantographs": pantographs,
        "by_span": [asdict(each) for each in figures_by_span(solution)],
        "by_wire": [asdict(each) for each in figures_by_wire(solution)],
        "by_overlap": [asdict(each) for each in figures_by_overlap(solution)],
        **_of_bodies(solution),
        **_fixed_wires(solution),
        **_of_droppers(solution),
        "numerical_error": estimated,
        "warnings": list(rest_warnings(case.catenary)),
        "assessment": assessment_summary(case, solution, estimated),
        "wall_time_s": {**{k: float(v) for k, v in solution.wall_time_s.items()}, "total": total},
    }


def _of_droppers(solution: Solution) -> dict[str, list[float | None]]:
    """What each dropper goes through while the train passes."""
    return {
        "dropper_slack_time_s": _numbers(solution.dropper_slack_time),
        "dropper_force_max_N": _numbers(solution.dropper_peaks.force),
        "dropper_force_max_error_N": _numbers(solution.dropper_peaks.error),
    }


def _numbers(values: Iterable[float]) -> list[float | None]:
    """Values as in summary.json: null for what is not a number."""
    return [None if math.isnan(value) else float(value) for value in values]


def _of_bodies(solution: Solution) -> dict[str, Any]:
    """Figures that most runs do not have: heads on a wire in space, its blow-off in wind, what joints of arms carry."""
    from dynamics.wind.blow_off import blow_off_of

    found = {"on_head": solution.on_head, "arms": solution.arm_figures}
    out: dict[str, Any] = {key: [asdict(each) for each in figures] for key, figures in found.items() if figures}
    if solution.on_head and solution.case.catenary.wind is not None:
        blown = blow_off_of(solution)
        return out if blown is None else {**out, "blow_off": asdict(blown)}
    return out


def _fixed_wires(solution: Solution) -> dict[str, Any]:
    """Tensions of wires that are fixed at both ends, at their temperature; nothing of a line with weights.

    Where there are tension sections each that is fixed has its own.
    """
    line, found = solution.case.catenary, solution.equilibrium
    now = line.temperature
    if now is None:
        return {}
    wires = now.wires(auxiliary=line.auxiliary_wire is not None)

    def tensions(spec: CatenarySpec) -> dict[str, float]:
        return {name: getattr(spec, f"{name}_wire").tension for name in wires}

    sections = () if line.section is None else line.section.tension_sections
    each = zip(sections, found.section_specs, strict=False)  # one that does not hang has no parts
    of_sections = {own.name: tensions(spec) for own, spec in each if now.fixes(own)}
    held = {"by_section": of_sections} if sections else {"tension_N": tensions(found.spec)}
    return {"fixed_wires": {"temperature_C": now.now_C, "tension_strung_N": tensions(line), **held}}


def assessment_summary(
    case: CaseSpec, solution: Solution, error: Mapping[str, Any] | None, judged_by: HeadRecord | None = None
) -> list[dict[str, Any]]:
    """Every pantograph's force against the limits of a report's head, or the shipped ones, as in summary.json.

    ``error`` is the summary's estimated numerical error.
    """
    from dynamics.contact_force.assessment import assess, limits_file, standard_limits

    if solution.statistics is None:
        return []
    limits = judged_by.limits_used if judged_by else standard_limits()
    named = judged_by.limits_named if judged_by else limits_file(None)
    found: list[dict[str, Any]] = []
    for each in solution.pantographs:
        assert each.statistics is not None
        errors = figure_errors(error, 1 + len(found))
        criteria = assess(asdict(each.statistics), case.speed_kmh, case.supply, limits, errors)
        judged = {"limits_file": named, "all_met": all(c.met for c in criteria)}
        judged["all_sure"] = all(c.sure is not False for c in criteria)
        found.append({**judged, "criteria": [c.content for c in criteria]})
    return found


def slack_summary(companion: SlackDampingChange | None) -> dict[str, Any] | None:
    """Effect of the other slack damping on a result, as in summary.json; null where no dropper is slack."""
    return None if companion is None else {**asdict(companion), "warning": companion.warning}


def error_summary(case: CaseSpec, error: NumericalError) -> dict[str, Any]:
    """Estimated numerical error as in summary.json; null where a part could not be estimated, with the reason.

    It is that of a train's worst pantograph; ``of_train`` has each pantograph's, where there are several.
    """
    from dynamics.accuracy.assured import finer_settings

    train = {"of_train": [_sizes(each) for each in error.of_train]} if error.of_others else {}
    return {
        "of": "contact_force_std_N",
        **_sizes(error),
        "finer_settings": list(finer_settings(case, error)),
        "wall_time_s": error.wall_time_s,
        **train,
    }


def _sizes(error: NumericalError) -> dict[str, Any]:
    """Error of one pantograph's figures, with its parts."""
    return {
        "pantograph": error.pantograph + 1,
        "total_N": error.total,
        "total_percent": error.percent,
        "parts": {
            part.name: {"error_N": part.error_N, "message": part.message, "others": dict(part.others)}
            for part in error.parts
        },
        "others": error.others,
    }
