"""Results of solvers: histories, forces in one shape, signals, losses, and their labelled file."""
