"""Version of the program, as it was installed."""

from __future__ import annotations

from catenary.storage.provenance import versions

__all__ = ["__version__"]

__version__: str = versions()["catenary-optimisation"]
