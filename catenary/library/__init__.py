"""Lines by name and by file: those that the program ships, YAML files, and line files by stations with their tables."""
