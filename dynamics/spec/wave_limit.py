"""A train's speed against that of waves on the contact wire as it hangs."""

from __future__ import annotations

from catenary.form_finding.equilibrium import Equilibrium
from dynamics.spec.case import FASTEST, CaseSpec

__all__ = ["slow_waves"]


def slow_waves(case: CaseSpec, eq: Equilibrium) -> list[str]:
    """One sentence for every tension section whose contact wire, as it hangs, carries waves too slowly for a train.

    A case looks at the wire as it is given. What a temperature makes of its tension, and ice of its mass, form-finding
    alone tells, and a design in a scenario is put into a case that was looked at with another line.
    """
    line = case.catenary
    names = [own.name for own in line.section.tension_sections] if line.section is not None else []
    warmth = "" if line.temperature is None else f"at {line.temperature.now_C:g} C, "
    problems = []
    for k, spec in enumerate(eq.section_specs):
        wire = spec.contact_wire
        wave = (wire.tension / wire.mass_per_length) ** 0.5
        if case.speed >= FASTEST * wave:
            where = f" in section {names[k]}" if names else ""
            ice = "" if line.ice is None else f" and weighs {wire.mass_per_length:.3g} kg/m with its ice"
            problems.append(
                f"speed_kmh must stay below {100.0 * FASTEST:.0f} % of the contact wire's wave speed"
                f"{where} ({FASTEST * wave * 3.6:.0f} km/h {warmth}where it pulls {1e-3 * wire.tension:.2f} kN{ice}): "
                f"got {case.speed_kmh:g} km/h"
            )
    return problems
