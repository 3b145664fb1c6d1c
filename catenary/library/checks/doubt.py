"""What of a line is not known while some of its rows cannot be, so that nothing is said that rests on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from catenary.library.stations import Hung

__all__ = ["Doubt"]

SAME = 0.06  # m: what six digits leave of a station in a sentence
# what a sentence on the whole line is about, where it is about a row alone whatever else is not known
ALONE = re.compile(r"section\.(wear|profiles|kinks|masses|elements|defects)\[|name |description ")


@dataclass(frozen=True)
class Doubt:
    """What is not known of a line.

    Attributes
    ----------
    kind : bool
        Its type, or what the file changes of it.
    ends : bool
        What holds its tension sections.
    main : bool
        Its main droppers.
    places : frozenset of int
        Spans in which a dropper is missing, or stands elsewhere; the first one is 1.
    hung : frozenset of int
        Spans that may hang otherwise, those of ``places`` among them.
    load : float
        Weight that may hang anywhere [N].
    """

    kind: bool = False
    ends: bool = False
    main: bool = False
    places: frozenset[int] = frozenset()
    hung: frozenset[int] = frozenset()
    load: float = 0.0

    def __bool__(self) -> bool:
        """Whether anything is not known."""
        return self != Doubt()

    def with_spans(self, *, places: frozenset[int] = frozenset(), hung: frozenset[int] = frozenset()) -> Doubt:
        """The same with more spans that are not known."""
        return replace(self, places=self.places | places, hung=self.hung | places | hung)

    def allows(self, sentence: str, droppers: Sequence[Hung], supports: Sequence[float]) -> bool:
        """Whether a sentence on the whole line holds, whatever stands in the place of what is not known.

        Parameters
        ----------
        sentence : str
            With the key that it is about in front.
        droppers : sequence of Hung
            Droppers of the line that was checked.
        supports : sequence of float
            Stations from the first support [m].
        """
        if not self:
            return True
        span = re.search(r"(?:the droppers of|the nearest in) span (\d+)", sentence)
        if span is not None and int(span[1]) in self.places:
            return False
        if sentence.startswith("section.defects") and span is not None:
            a, b = supports[int(span[1]) - 1 :][:2]
            return not self.kind or any(a < d.station < b and d.row is not None for d in droppers)
        if ALONE.match(sentence):
            return self._keeps_clear(sentence, droppers, supports)
        if self.kind or sentence.startswith("temperature"):
            return not self.kind and not self.ends
        if sentence.startswith("droppers.positions["):
            hit = re.match(r"droppers\.positions\[(\d+)\]", sentence)
            dropper = droppers[int(hit[1])] if hit else None
            return dropper is not None and (dropper.row is not None or self._sure_of(dropper.station, supports))
        return not (self.main or self.hung)

    def _keeps_clear(self, sentence: str, droppers: Sequence[Hung], supports: Sequence[float]) -> bool:
        """Whether what something that is attached stands too near to is there in any case."""
        if "stitch" in sentence.partition("must")[0] or "the stitch clamp at" in sentence:
            return not self.kind
        between = re.search(r"one is between (\S+) and (\S+) m", sentence)
        near = re.search(r"clear of the (support|dropper)\D* at (\S+) m", sentence)
        if between is None and near is None:
            return True
        low, high = map(float, between.groups()) if between else (float(near[2]),) * 2 if near else (0.0, 0.0)
        there = [d for d in droppers if low - SAME <= d.station <= high + SAME]
        if any(low - SAME <= x <= high + SAME for x in supports) or any(d.row is not None for d in there):
            return True
        return self._sure_of(0.5 * (low + high), supports)

    def _sure_of(self, station: float, supports: Sequence[float]) -> bool:
        """Whether what a type gives to the span of a station is known."""
        spans = [n for n, (a, b) in enumerate(pairwise(supports), start=1) if a <= station <= b]
        return not self.kind and not self.places & set(spans)
