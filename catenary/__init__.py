"""What the line is: wires, droppers, supports, equilibrium, linearised model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from catenary.storage.kernel_cache import keep_kernels_by_source

if TYPE_CHECKING:
    from catenary.errors import InputError
    from catenary.spec.line import CatenarySpec
    from catenary.storage.library import line_names, load_line

__all__ = ["CatenarySpec", "InputError", "line_names", "load_line"]

keep_kernels_by_source()

# what an engineer calls, loaded when it is first used: importing the package costs nothing
_PLACES = {
    "CatenarySpec": "catenary.spec.line",
    "InputError": "catenary.errors",
    "line_names": "catenary.storage.library",
    "load_line": "catenary.storage.library",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'catenary' has no attribute '{name}'; it has {', '.join(__all__)}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
