"""What a steady state found by the operator leaves for near lines to start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.poles import KnownPoles

__all__ = ["OperatorStart"]


@dataclass(frozen=True)
class OperatorStart:
    """Poles of a line, and where its droppers were slack; picklable.

    Attributes
    ----------
    poles : KnownPoles
    slack : bool array (sample, dropper)
        Where droppers were slack.
    samples : int
        Of a dropper's own time, a period.
    """

    poles: KnownPoles
    slack: NDArray[np.bool_]
    samples: int
