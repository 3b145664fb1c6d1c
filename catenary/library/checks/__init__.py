"""What is wrong with a line file: by its rows alone, by the whole line, and at rest."""
