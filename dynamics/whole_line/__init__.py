"""A whole open line with every degree of freedom kept, linearised or not, and the pantographs that run along it."""
