"""Entry from Python: jobs made from arguments as from the command line's keys, and their results."""
