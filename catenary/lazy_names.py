"""Names of a package that are loaded when they are first used: importing the package costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from catenary.kernels.kernel_cache import print_when_compiling

__all__ = ["lazy_names"]


def lazy_names(package: str, places: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package (PEP 562).

    Parameters
    ----------
    package : str
        Its name.
    places : mapping
        Modules by the names that are found in them.
    """

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module '{package}' has no attribute '{name}'; it has {', '.join(sorted(places))}")
        print_when_compiling()  # some kernels are compiled as their module is imported
        return getattr(import_module(places[name]), name)

    return find, lambda: sorted(places)
