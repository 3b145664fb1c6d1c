"""Damping that a slack dropper keeps: three interpretations of the sources."""

from __future__ import annotations

from dynamics.spec.case import CaseSpec

__all__ = ["slack_share"]

# PantoCat, section 2: the stiffness in compression is null or about 1/100 of that in extension
RESIDUAL = 0.01


def slack_share(case: CaseSpec) -> tuple[float, float]:
    """Share of its stiffness that a slack dropper gives up [-], and the beta of the damping that goes with it [s].

    That damping, share x stiffness x beta, is given up in every step which the dropper begins slack.
    """
    damping = case.catenary.damping
    own = damping.own.get("droppers", damping).beta
    return {"kept": (1.0, 0.0), "released": (1.0, own), "residual": (1.0 - RESIDUAL, own)}[case.slack_damping]
