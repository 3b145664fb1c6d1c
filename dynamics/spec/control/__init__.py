"""Validated controllers of a pantograph and their actuators."""
