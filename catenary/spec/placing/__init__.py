"""Whether what a line names finds its place on it."""
