"""What to change and how well it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catenary.lazy_names import lazy_names

if TYPE_CHECKING:
    from optimise.entry.as_built import AsBuilt, as_built, corrections
    from optimise.entry.campaigns import campaign, load_campaign
    from optimise.entry.found import Design, FoundDesigns
    from optimise.entry.studies import sensitivity, sweep

__all__ = [
    "AsBuilt",
    "Design",
    "FoundDesigns",
    "as_built",
    "campaign",
    "corrections",
    "load_campaign",
    "sensitivity",
    "sweep",
]

# what an engineer calls
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "AsBuilt": "optimise.entry.as_built",
        "Design": "optimise.entry.found",
        "FoundDesigns": "optimise.entry.found",
        "as_built": "optimise.entry.as_built",
        "campaign": "optimise.entry.campaigns",
        "corrections": "optimise.entry.as_built",
        "load_campaign": "optimise.entry.campaigns",
        "sensitivity": "optimise.entry.studies",
        "sweep": "optimise.entry.studies",
    },
)
