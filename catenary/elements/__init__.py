"""Finite elements of wires, one file each."""
