"""What to change and how well it did."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimise.entry.campaigns import campaign, load_campaign
    from optimise.entry.found import Design, FoundDesigns
    from optimise.entry.studies import sensitivity, sweep

__all__ = ["Design", "FoundDesigns", "campaign", "load_campaign", "sensitivity", "sweep"]

# what an engineer calls, loaded when it is first used: importing the package costs nothing
_PLACES = {
    "Design": "optimise.entry.found",
    "FoundDesigns": "optimise.entry.found",
    "campaign": "optimise.entry.campaigns",
    "load_campaign": "optimise.entry.campaigns",
    "sensitivity": "optimise.entry.studies",
    "sweep": "optimise.entry.studies",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'optimise' has no attribute '{name}'; it has {', '.join(__all__)}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
