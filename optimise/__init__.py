"""What to change and how well it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catenary.lazy_names import lazy_names

if TYPE_CHECKING:
    from optimise.entry.campaigns import campaign, load_campaign
    from optimise.entry.found import Design, FoundDesigns
    from optimise.entry.studies import sensitivity, sweep

__all__ = ["Design", "FoundDesigns", "campaign", "load_campaign", "sensitivity", "sweep"]

# what an engineer calls
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Design": "optimise.entry.found",
        "FoundDesigns": "optimise.entry.found",
        "campaign": "optimise.entry.campaigns",
        "load_campaign": "optimise.entry.campaigns",
        "sensitivity": "optimise.entry.studies",
        "sweep": "optimise.entry.studies",
    },
)
