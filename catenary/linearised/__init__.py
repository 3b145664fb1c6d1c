"""The linearised model about equilibrium: of an open line, and of one cell of the infinite line."""
