"""Gusts along a line: records of speed, and the loads that they put on wires and droppers."""
