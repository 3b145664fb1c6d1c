"""The page of a sensitivity study: which inputs matter to which output, how surely, and what was left out."""

from __future__ import annotations

from catenary.linearised.rest_warnings import rest_warnings
from dynamics.charts.numbers import with_bound_units
from optimise.parameter_study.sensitivity import SensitivityFolder
from optimise.parameter_study.sensitivity_result import SensitivityResult
from studies.report.drawing.parts import Page
from studies.report.readers.points_origin import points_origin
from studies.report.sections.sensitivity import (
    _facts,
    _failures,
    _headline,
    _inputs_section,
    _local_section,
    _morris_section,
    _sobol_section,
    _warnings,
)

__all__ = [
    "sensitivity_page",
]


def sensitivity_page(result: SensitivityResult) -> Page:
    """Compose the page of a sensitivity study."""
    sections = (_sobol_section(result), _morris_section(result), _local_section(result), _inputs_section(result))
    origin = points_origin(SensitivityFolder(result.path), result.case, result.plan.names, result.points.values())
    return Page(
        kicker="Sensitivity to inputs",
        title=f"{result.spec.name}: {result.case.catenary.name} with {result.case.pantograph.name}",
        headline=with_bound_units(_headline(result)),
        facts=_facts(result),
        warnings=(*_warnings(result), *rest_warnings(result.case.catenary)),
        sections=tuple(s for s in (*sections, _failures(result), *origin) if s.charts or s.tables or s.command),
    )
