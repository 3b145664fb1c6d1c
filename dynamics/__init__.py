"""Dynamics: pantographs, contact, steady state, influence matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catenary.kernels.kernel_cache import keep_kernels_by_source
from catenary.lazy_names import lazy_names

if TYPE_CHECKING:
    from dynamics.rig.exported import export_bundle
    from dynamics.run import Run
    from dynamics.simulation import simulate
    from dynamics.spec.case import CaseSpec
    from dynamics.spec.case_input import load_pantograph, pantograph_names
    from dynamics.spec.pantograph import PantographSpec

__all__ = ["CaseSpec", "PantographSpec", "Run", "export_bundle", "load_pantograph", "pantograph_names", "simulate"]

keep_kernels_by_source()

# what an engineer calls
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "CaseSpec": "dynamics.spec.case",
        "PantographSpec": "dynamics.spec.pantograph",
        "Run": "dynamics.run",
        "export_bundle": "dynamics.rig.exported",
        "load_pantograph": "dynamics.spec.case_input",
        "pantograph_names": "dynamics.spec.case_input",
        "simulate": "dynamics.simulation",
    },
)
