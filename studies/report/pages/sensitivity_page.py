"""The page of a sensitivity study: which inputs matter to which output, how surely, and what was left out."""

from __future__ import annotations

from catenary.linearised.rest_warnings import rest_warnings
from dynamics.charts.numbers import with_bound_units
from optimise.parameter_study.sensitivity import SensitivityFolder
from optimise.parameter_study.sensitivity_result import SensitivityResult
from studies.report.drawing.parts import Fact, Page, Section
from studies.report.readers.given_input import points_origin
from studies.report.sections.sensitivity.study import inputs_table, study_sections
from studies.report.sections.sensitivity.words import between, study_headline, study_warnings
from studies.report.sections.tables import failure_table, train_text

__all__ = ["sensitivity_page"]


def sensitivity_page(result: SensitivityResult) -> Page:
    """Compose the page of a sensitivity study."""
    rows = [(str(n), *(f"{v:.4g}" for v in result.plan.values[n]), p.reason) for n, p in result.failed.items()]
    failures = failure_table(("point", *result.plan.names, "reason"), rows)
    return Page(
        kicker="Sensitivity to inputs",
        title=f"{result.spec.name}: {result.case.catenary.name} with {result.case.pantograph.name}",
        headline=with_bound_units(f"{study_headline(result)} {train_text(result.case)}".rstrip()),
        facts=_facts(result),
        warnings=(*study_warnings(result), *rest_warnings(result.case.catenary)),
        sections=(
            *study_sections(result),
            Section("What was varied", tables=(inputs_table(result),)),
            *((Section("Points without figures", tables=(failures,)),) if rows else ()),
            *points_origin(SensitivityFolder(result.path), result.case, result.plan.names, result.points.values()),
        ),
    )


def _facts(result: SensitivityResult) -> tuple[Fact, ...]:
    facts = [Fact("inputs", str(len(result.plan.names))), Fact("points", str(len(result.points)))]
    if result.sobol is not None:
        s = result.sobol
        total = between(s.first_sum[0], s.first_sum_low[0], s.first_sum_high[0], 2)
        facts.append(Fact("sum of first-order indices of σ", total, "1: inputs act one by one"))
    if result.failed:
        facts.append(Fact("points without figures", str(len(result.failed))))
    return tuple(facts)
