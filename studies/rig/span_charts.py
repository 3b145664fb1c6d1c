"""Charts of a served test: force along the span, force of every span, and its change from one to the next."""

from __future__ import annotations

import numpy as np

from dynamics.charts.parts import Chart, Curve, Stations
from dynamics.rig.service.run import Blocks

__all__ = ["span_charts"]

SHOWN_SPANS = 5


def span_charts(blocks: Blocks, what: str = "span") -> list[Chart]:
    """Force along the span, or the period, force of every one, and change from one to the next."""
    last = blocks.force[-min(blocks.averaged, SHOWN_SPANS) :]
    spans = np.arange(1.0, len(blocks.force) + 1.0)
    along = [Curve(f"last {what}s", blocks.x, y, "m", "N", "muted") for y in last]
    along.append(Curve(f"mean of the last {blocks.averaged} {what}s", blocks.x, blocks.mean, "m", "N"))
    by_span = [
        Curve("largest", spans, blocks.force.max(axis=1), "", "N", "nominal"),
        Curve("mean", spans, blocks.force.mean(axis=1), "", "N", "best"),
        Curve("least", spans, blocks.force.min(axis=1), "", "N", "other"),
    ]
    from_second = slice(1 if len(spans) > 1 else 0, None)
    change = np.log10(np.maximum(blocks.change, 1e-12))[from_second]
    supports = Stations("supports", np.array([0.0, blocks.x[-1] + blocks.x[1]]), full_height=True)
    return [
        Chart(
            "force_along_the_span",
            f"Contact force along the {what}",
            "",
            "Station",
            "Contact force, filtered",
            tuple(along),
            (supports,),
        ),
        Chart(
            "force_by_span",
            f"Contact force of every {what}",
            "",
            f"{what.capitalize()} of the test",
            "Contact force, filtered",
            tuple(by_span),
        ),
        Chart(
            "convergence",
            "Change from block to block",
            "",
            f"{what.capitalize()} of the test",
            "RMS change of the force, power of ten",
            (Curve(f"change from the {what} before", spans[from_second], change, "", "log10 N"),),
        ),
    ]
