"""Whether the parts of a case go together."""
