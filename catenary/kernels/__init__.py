"""Kernels: compiled with their parts, and kept on disk by the source of all that they are made from."""
