"""What happens: pantographs, contact, steady state, influence matrices."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from catenary.storage.kernel_cache import keep_kernels_by_source

if TYPE_CHECKING:
    from dynamics.rig.exported import export_bundle
    from dynamics.run import Run
    from dynamics.simulation import simulate
    from dynamics.spec.case import CaseSpec
    from dynamics.spec.case_input import load_pantograph, pantograph_names
    from dynamics.spec.train import PantographSpec

__all__ = ["CaseSpec", "PantographSpec", "Run", "export_bundle", "load_pantograph", "pantograph_names", "simulate"]

keep_kernels_by_source()

# what an engineer calls, loaded when it is first used: importing the package costs nothing
_PLACES = {
    "CaseSpec": "dynamics.spec.case",
    "PantographSpec": "dynamics.spec.train",
    "Run": "dynamics.run",
    "export_bundle": "dynamics.rig.exported",
    "load_pantograph": "dynamics.spec.case_input",
    "pantograph_names": "dynamics.spec.case_input",
    "simulate": "dynamics.simulation",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'dynamics' has no attribute '{name}'; it has {', '.join(__all__)}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
