"""A period at rest, condensed: which dofs its network has, its bays, and what is attached to them."""
