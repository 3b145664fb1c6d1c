"""Compiled inverse, root and exponential of complex numbers that are neither huge nor tiny, without guards.

The compiler's own are guarded against overflow, which a network's stiffness is far from, and cost more.
"""

from __future__ import annotations

import numpy as np

from catenary.kernels.compiled import kernel

__all__ = ["exponential", "inverse", "root", "square"]

_OPTIONS = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


@kernel(**_OPTIONS)
def square(z: complex) -> float:
    """Square of a number's size."""
    return z.real * z.real + z.imag * z.imag


@kernel(**_OPTIONS)
def inverse(z: complex) -> complex:
    """1 / z."""
    size = 1.0 / square(z)
    return complex(z.real * size, -z.imag * size)


@kernel(**_OPTIONS)
def root(z: complex) -> complex:
    """Square root of z, not 0, with a real part that is not negative."""
    large = np.sqrt(0.5 * (np.sqrt(square(z)) + abs(z.real)))
    small = 0.5 * z.imag / large
    if z.real >= 0.0:
        return complex(large, small)
    return complex(small, large) if z.imag >= 0.0 else complex(-small, -large)


@kernel(**_OPTIONS)
def exponential(z: complex) -> complex:
    """exp(z)."""
    size = np.exp(z.real)
    return complex(size * np.cos(z.imag), size * np.sin(z.imag))
