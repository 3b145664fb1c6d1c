"""Sweeps and sensitivity studies over inputs."""
