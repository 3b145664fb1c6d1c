"""Code that gives a controller's force, from outside: a process with a time limit, and how it is asked.

A request is its kind, the time [s] and what is measured, in the order of `MEASURED`; an answer holds the force [N].
"""

from __future__ import annotations

import json
import struct
from typing import Any

from dynamics.pantograph.own_process import DeviceError, OwnProcess

__all__ = ["ASK", "MEASURED", "REQUEST", "STOP", "AskedCode"]

MEASURED = ("contact_force", "height", "velocity", "acceleration", "station")
REQUEST = struct.Struct("<b6d")
ASK, STOP = 0, 1


class AskedCode(OwnProcess):
    """Code in a process of its own; a context that ends it.

    Parameters
    ----------
    module, about, time_limit_s
        As `OwnProcess` has them.
    told : dict
        What the process is given first, as JSON has it.

    Raises
    ------
    DeviceError
        If it cannot be used, fails, crashes, or does not answer in time; in one sentence that names its file.
    """

    stop = REQUEST.pack(STOP, *(0.0,) * 6)

    def __init__(self, module: str, about: str, time_limit_s: float, told: dict[str, Any]) -> None:
        super().__init__(module, about, time_limit_s)
        try:
            self.ask(json.dumps(told).encode() + b"\n")
        except DeviceError:
            self.close()
            raise

    def force(self, t: float, measured: tuple[float, float, float, float, float]) -> float:
        """Force that it commands at a time [s] by what is measured there, as `MEASURED` lists it [N]."""
        return self.ask(REQUEST.pack(ASK, t, *measured))[0]
