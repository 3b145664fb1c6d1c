"""Model of the line: wires, droppers, supports, equilibrium, linearised model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catenary.kernels.kernel_cache import keep_kernels_by_source
from catenary.lazy_names import lazy_names

if TYPE_CHECKING:
    from catenary.errors import InputError
    from catenary.library.lines import line_names, load_line
    from catenary.spec.line import CatenarySpec
    from catenary.version import __version__

__all__ = ["CatenarySpec", "InputError", "__version__", "line_names", "load_line"]

keep_kernels_by_source()

# what an engineer calls
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "CatenarySpec": "catenary.spec.line",
        "InputError": "catenary.errors",
        "__version__": "catenary.version",
        "line_names": "catenary.library.lines",
        "load_line": "catenary.library.lines",
    },
)
