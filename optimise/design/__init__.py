"""Design variables and the lines they stand for."""
