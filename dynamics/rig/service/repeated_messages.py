"""Report recurring messages at most once a second a kind, with the number left out: a flood fills no log."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["RepeatedMessages"]

BETWEEN_NS = 1_000_000_000


class RepeatedMessages:
    """Reports sentences of a kind at most once a second.

    Parameters
    ----------
    say : callable
        Takes one sentence.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._last_ns: dict[str, int] = {}
        self._left: dict[str, int] = {}

    def tell(self, kind: str, sentence: str, now_ns: int) -> None:
        """Report a sentence at a monotonic time [ns], or count it if one of its kind was reported within a second."""
        if now_ns - self._last_ns.get(kind, now_ns - BETWEEN_NS) < BETWEEN_NS:
            self._left[kind] = self._left.get(kind, 0) + 1
            return
        left = self._left.pop(kind, 0)
        self._last_ns[kind] = now_ns
        self._say(sentence + (f"; {left} more like it since the last one reported" if left else ""))

    def catch_up(self, now_ns: int) -> None:
        """Report what was only counted for a second."""
        if not self._left:
            return
        for kind in [k for k in self._left if now_ns - self._last_ns[k] >= BETWEEN_NS]:
            self._last_ns[kind] = now_ns
            self._say(f"{self._left.pop(kind)} more of the kind '{kind}' in the last second or more")
