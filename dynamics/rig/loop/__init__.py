"""The hardware loop of Gil et al. on the periodic model of a line: stepped, judged stable, emulated."""
