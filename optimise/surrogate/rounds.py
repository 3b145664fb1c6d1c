"""Rounds of a search: when one ends, and of which kind the next one is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Round", "round_of"]

# a round ends when so many designs have not bettered its best feasible one by such a share
PATIENCE, BETTER = 30, 0.003
# descents are followed by further ones where they have bettered the design from which they began by such a share
WORTH_MORE = 0.01


class Round(NamedTuple):
    """One round of a search.

    Attributes
    ----------
    begin : int
        Place of its first design.
    number : int
        From 0.
    everywhere : bool
        Whether it seeks in all of the ranges, knowing nothing; else from a design that is known.
    before : int
        Place at which the round before it began.
    """

    begin: int
    number: int
    everywhere: bool
    before: int


def round_of(costs: Sequence[float], starts: int, in_flight: int, given: int = 0, descents: int = 0) -> Round:
    """Round of a search's next design.

    It depends on nothing but what had ended as each design was proposed, so that a search that continues finds the
    same rounds.

    Parameters
    ----------
    costs : sequence of float
        Of all designs so far, the nominal line first; infinite where one is not feasible or has not ended.
    starts : int
        First designs of a round, which no model proposes.
    in_flight : int
        Designs that may be in flight at once [-].
    given : int
        Designs that another search gave, behind the nominal line: the first round waits for what it makes of them.
    descents : int
        Designs of a round of descents, which follows each round everywhere, and itself as long as it betters the
        design from which it began; 0 where rounds round the best design take its place, one at a time.
    """
    now = Round(1, 0, True, 1)
    lowest: list[float] = []
    for place in range(1, len(costs) + 1):
        ended = max(0, place + 1 - in_flight)
        if descents and not now.everywhere:
            if place < now.begin + descents:
                continue
            base = min(costs[now.before : now.begin + 1 - in_flight])
            gained = min(costs[now.begin : ended]) < base - WORTH_MORE * abs(base)
            now, lowest = Round(place, now.number + 1, not gained, now.begin), []
            continue
        for cost in costs[now.begin + len(lowest) : ended]:
            lowest.append(min(cost, lowest[-1]) if lowest else cost)
        if len(lowest) < PATIENCE + (starts if now.number else max(starts, given)):
            continue
        before, last = lowest[-1 - PATIENCE], lowest[-1]
        if math.isfinite(before) and last >= before - BETTER * abs(before):
            now, lowest = Round(place, now.number + 1, not now.everywhere, now.begin), []
    return now
