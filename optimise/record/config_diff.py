"""In what two inputs differ, said for a person who meant them to be one; and why a file cannot be read."""

from __future__ import annotations

from typing import Any

__all__ = ["differing", "unreadable"]

MOST_SHOWN = 4


def differing(held: object, given: object, free: tuple[str, ...] = ()) -> str:
    """First values that differ, in brackets; nothing where none do, or only such as begin with names in ``free``."""
    before, now = _flat(held), _flat(given)
    names = [n for n in {**before, **now} if before.get(n) != now.get(n) and not n.startswith(free)]
    shown = [f"{n} was {before.get(n)!r}, now {now.get(n)!r}" for n in names[:MOST_SHOWN]]
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return f" ({'; '.join(shown)}{more})" if shown else ""


def unreadable(error: Exception) -> str:
    """Say in a few words why a file could not be read."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _flat(content: object, prefix: str = "") -> dict[str, Any]:
    if not isinstance(content, dict):
        return {prefix.removesuffix("."): content}
    flat: dict[str, Any] = {}
    for name, value in content.items():
        flat.update(_flat(value, f"{prefix}{name}."))
    return flat
