"""What solvers give: histories, forces in one shape, signals, losses, and their labelled file."""
