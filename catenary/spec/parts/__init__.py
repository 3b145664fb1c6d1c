"""Parts of a line that have many values of their own: the auxiliary wire, damping."""
