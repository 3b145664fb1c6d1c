"""Factors of banded and skyline matrices, and rows in vector registers, for compiled kernels."""
