"""A whole open line with every degree of freedom kept, linearised or not, and what runs along it."""
