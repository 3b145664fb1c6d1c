"""What the steady states of near designs teach: a start and a secant basis that shorten every later search."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from catenary.form_finding.equilibrium import Equilibrium, periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_heights
from catenary.layout.mesh import Mesh
from catenary.spec.line import CatenarySpec
from dynamics.line_operator.poles.known import KnownPoles
from dynamics.results.warm_start import WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.spec.checks.operator_scope import outside_the_operator
from dynamics.spec.static_status import static_status
from dynamics.spec.status import Status
from dynamics.steady_state.anderson import Acceleration, compress
from dynamics.steady_state.periodic import PLAIN_SPANS, iterate, solve_periodic
from dynamics.steady_state.span_map import SpanMap

__all__ = ["learned_start"]

DESIGNS = 16
SPANS_PER_DESIGN = 12
BASIS_SIZE = 48
HEIGHT_SPREAD = 0.017
POSITION_SPREAD = 0.85


def learned_start(case: CaseSpec, directions: bool = True) -> WarmStart | KnownPoles | None:
    """Steady state and secant basis around a design; None when its own steady state cannot be found.

    Depends on nothing but the arguments, so that every process learns the same; kept per process. Without
    ``directions`` no near design is tried and there is no basis, which spares the time of some 200 spans.
    """
    return _learn(case.model_dump_json(), directions)


@lru_cache(maxsize=8)
def _learn(text: str, directions: bool) -> WarmStart | KnownPoles | None:
    case = CaseSpec.model_validate_json(text)
    if case.periodic.method != "march" and not outside_the_operator(case):
        solution = solve_periodic(case)
        start = solution.near_start
        return replace(start, pairs=()) if isinstance(start, WarmStart) else start  # tens of megabytes for every worker
    if case.catenary.repeat is not None:  # the state of the line as designed is near enough, and learning takes long
        return solve_periodic(case).warm_start
    eq = periodic_equilibrium(case.catenary)
    if static_status(eq, case) is not Status.OK:
        return None
    span_map = SpanMap(case, eq)
    x, _, _, status = iterate(span_map, span_map.static_start(), PLAIN_SPANS, None)
    if status is not Status.OK or span_map.scale is None:
        return None
    scale = span_map.scale
    states: list[np.ndarray] = []
    features: list[np.ndarray] = []
    rng = np.random.default_rng(20150101)
    line = _by_heights(eq) if directions else {}
    for _ in range(DESIGNS if line else 0):
        near = _near_design(case, line, rng, eq.mesh)
        if near is not None:
            pairs = _secants(near, x, (scale, span_map.gain))
            states += pairs[0]
            features += pairs[1]
    basis = compress(np.array(states), np.array(features), BASIS_SIZE) if states else None
    return WarmStart(x, scale, span_map.gain, basis)


def _secants(
    span_map: SpanMap, x: np.ndarray, sizes: tuple[tuple[float, float], float]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Secant pairs of one near design's accelerated iteration from ``x``."""
    span_map.scale, span_map.gain = sizes
    memory = Acceleration(None, 1)
    for _ in range(SPANS_PER_DESIGN):
        mapped, feature = span_map.apply(x)
        if not np.isfinite(feature).all():
            return [], []
        x = memory.propose(mapped, feature)
    return memory.states, memory.features


def _by_heights(eq: Equilibrium) -> dict[str, Any]:
    """Describe the line by heights, with which near designs are made; nothing where a height is out of range."""
    if eq.spec.droppers.prescribed == "heights":
        return eq.spec.model_dump()
    try:
        return prescribed_by_heights(eq).model_dump()
    except ValueError:
        return {}


def _near_design(case: CaseSpec, line: dict[str, Any], rng: np.random.Generator, mesh: Mesh) -> SpanMap | None:
    """Span map of a near design: heights and stations moved at random, symmetric about mid-span.

    ``line`` is the line as a mapping, its heights prescribed; it has as many elements in each bay, however
    far its droppers have moved, for its states and the line's own are combined. The move is halved until every
    dropper is in tension at rest; None when that does not help.
    """
    drops = dict(line["droppers"])
    heights, positions = np.array(drops["contact_wire_heights"]), np.array(drops["positions"])
    lift, shift = (
        rng.normal(0.0, HEIGHT_SPREAD, len(heights)),
        rng.normal(0.0, POSITION_SPREAD, len(positions)),
    )
    for factor in (0.5, 0.25, 0.125, 0.0625):
        drops["contact_wire_heights"] = tuple(heights + factor * (lift + lift[::-1]))
        drops["positions"] = tuple(positions + factor * (shift - shift[::-1]))
        try:
            changed = CatenarySpec.model_validate({**line, "droppers": drops})
        except ValueError:
            continue
        eq = periodic_equilibrium(changed, mesh)
        if static_status(eq) is Status.OK:
            return SpanMap(case.model_copy(update={"catenary": changed}), eq)
    return None
