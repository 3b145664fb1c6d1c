"""Rounds of a search, everywhere and round the best design by turns: when one ends, and the next begins."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["round_of"]

# a round ends when so many designs have not bettered its best feasible one by such a share
PATIENCE, BETTER = 30, 0.003


def round_of(costs: Sequence[float], starts: int, in_flight: int, given: int = 0) -> tuple[int, int]:
    """Place at which the round of a search's next design began, and the number of that round, from 0.

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
    """
    begin, number = 1, 0
    lowest: list[float] = []
    for place in range(1, len(costs) + 1):
        for cost in costs[begin + len(lowest) : max(0, place + 1 - in_flight)]:
            lowest.append(min(cost, lowest[-1]) if lowest else cost)
        if len(lowest) < PATIENCE + (starts if number else max(starts, given)):
            continue
        before, now = lowest[-1 - PATIENCE], lowest[-1]
        if math.isfinite(before) and now >= before - BETTER * abs(before):
            begin, number, lowest = place, number + 1, []
    return begin, number
