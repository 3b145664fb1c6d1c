"""Jobs: the input of each command."""
