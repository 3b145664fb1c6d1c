"""The hardware loop of paper 001 on the periodic model of a line: stepped, judged stable, emulated."""
